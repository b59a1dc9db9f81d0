// Package process starts programs, reads what they write, and ends them with all that they started.
package process

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is how long a line may be, without its end.
const MaxLine = 64 << 20

// ErrLongLine is what Next gives for a longer one.
var ErrLongLine = fmt.Errorf("a line is longer than %d MB", MaxLine>>20)

// Lines reads lines that end in LF and nowhere else: U+2028 is text. What follows the last LF is no line.
type Lines struct {
	r    *bufio.Reader
	rest bool // of a line that is too long is still to come
}

// NewLines reads r.
func NewLines(r io.Reader) Lines { return Lines{r: bufio.NewReaderSize(r, 64<<10)} }

// Next gives the next line that is not empty, without its end; it is valid until the next call. ErrLongLine does not wait
// for the end of that line, and reading may go on with the next one.
func (l *Lines) Next() ([]byte, error) {
	for {
		line, err := l.r.ReadSlice('\n')
		isPart := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case l.rest && (isPart || err == nil):
			l.rest = isPart
			continue
		case isPart:
			line, err = l.long(bytes.Clone(line))
		}
		if err != nil {
			return nil, err
		}
		if line = line[:len(line)-1]; len(line) > 0 {
			return line, nil
		}
	}
}

// long reads the rest of a line that is longer than the buffer.
func (l *Lines) long(line []byte) ([]byte, error) {
	for {
		more, err := l.r.ReadSlice('\n')
		if len(line)+len(more) > MaxLine+1 {
			l.rest = err != nil
			return nil, ErrLongLine
		}
		line = append(line, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
