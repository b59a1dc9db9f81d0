package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// maxEvent bounds what one event, and so one line, may take of our memory.
const maxEvent = 16 << 20

var errEventTooLong = errors.New("a server-sent event is longer than 16 MiB")

// events gives the data of each server-sent event of r; it is valid until the next. Comments and the fields that no
// model server needs are passed over. What r still held when it ended is an event too: not every server writes the
// last blank line. A failure of r comes last.
func events(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := lineReader{r: bufio.NewReaderSize(r, 64<<10)}
		var data []byte
		open := false // data holds at least one line, perhaps an empty one
		for {
			line, err := lines.next()
			if err != nil && err != io.EOF {
				yield(nil, err)
				return
			}
			if len(line) == 0 && open {
				if !yield(data, nil) {
					return
				}
				data, open = data[:0], false
			}
			if err == io.EOF {
				return
			}
			value, ok := bytes.CutPrefix(line, []byte("data:"))
			if !ok {
				continue
			}
			if open {
				data = append(data, '\n')
			}
			if len(data)+len(value) > maxEvent {
				yield(nil, errEventTooLong)
				return
			}
			data, open = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		}
	}
}

// lineReader gives the lines of a stream that end in LF or CRLF, without those.
type lineReader struct {
	r    *bufio.Reader
	long []byte // what has been read of a line that is longer than r's buffer
	last bool
}

// next gives the next line; it is valid until the one after. The last line, which has no end, is followed by an empty
// one with io.EOF.
func (l *lineReader) next() ([]byte, error) {
	if l.last {
		return nil, io.EOF
	}
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.long)+len(part) > maxEvent {
			return nil, errEventTooLong
		}
		if len(l.long) > 0 || err == bufio.ErrBufferFull {
			l.long = append(l.long, part...)
			part = l.long
		}
		switch err {
		case bufio.ErrBufferFull:
			continue
		case io.EOF:
			l.last = true
		case nil:
			part = part[:len(part)-1]
		default:
			return nil, err
		}
		return bytes.TrimSuffix(part, []byte("\r")), nil
	}
}
