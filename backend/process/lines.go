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
type Lines struct{ r *bufio.Reader }

// NewLines reads r.
func NewLines(r io.Reader) Lines { return Lines{bufio.NewReaderSize(r, 64<<10)} }

// Next gives the next line that is not empty, without its end; it is valid until the next call. After ErrLongLine the
// line has been skipped, and reading may go on.
func (l Lines) Next() ([]byte, error) {
	for {
		line, err := l.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
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
func (l Lines) long(line []byte) ([]byte, error) {
	for tooLong := false; ; {
		more, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(more) > MaxLine+1; !tooLong {
			line = append(line, more...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case tooLong:
			return nil, ErrLongLine
		default:
			return line, nil
		}
	}
}
