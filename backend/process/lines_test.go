package process

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	r := NewLines(io.MultiReader(strings.NewReader("a\n\n"+long+"\nb\u2028c\r\n"),
		strings.NewReader(strings.Repeat("y", MaxLine)+"\n"), strings.NewReader(strings.Repeat("z", MaxLine+1)+"\nd\nno end")))
	for _, want := range []string{"a", long, "b\u2028c\r"} {
		if got, err := r.Next(); string(got) != want || err != nil {
			t.Errorf("got %.20q, %v", got, err)
		}
	}
	if got, err := r.Next(); len(got) != MaxLine || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := r.Next(); !errors.Is(err, ErrLongLine) {
		t.Errorf("a line that is too long: %v", err)
	}
	if got, err := r.Next(); string(got) != "d" || err != nil {
		t.Errorf("after it: %q, %v", got, err)
	}
	if got, err := r.Next(); err != io.EOF {
		t.Errorf("a line without an end: %q, %v", got, err)
	}
}

// A line that never ends is too long at some time, too.
func TestALineWithoutEnd(t *testing.T) {
	r := NewLines(endless{})
	if got, err := r.Next(); !errors.Is(err, ErrLongLine) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nbb\u2028\r\nno end"))
	f.Add(bytes.Repeat([]byte("longer than the buffer "), 3))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := Lines{r: bufio.NewReaderSize(bytes.NewReader(b), 16)}
		for line := range bytes.SplitAfterSeq(b, []byte("\n")) {
			whole, ended := bytes.CutSuffix(line, []byte("\n"))
			if !ended || len(whole) == 0 {
				continue
			}
			if got, err := r.Next(); err != nil || !bytes.Equal(got, whole) {
				t.Fatalf("%q: got %q, %v; want %q", b, got, err, whole)
			}
		}
		if got, err := r.Next(); err != io.EOF {
			t.Fatalf("%q: at the end came %q, %v", b, got, err)
		}
	})
}
