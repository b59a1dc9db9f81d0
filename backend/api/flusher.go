package api

import (
	"net/http"
	"time"
)

// flusher writes the pieces of a stream, each at once.
type flusher struct {
	w http.ResponseWriter
	c *http.ResponseController
}

func newFlusher(w http.ResponseWriter) flusher {
	return flusher{w, http.NewResponseController(w)}
}

// write sends a piece. A client that takes nothing for long is given up: the error ends its stream, and only that.
func (f flusher) write(piece []byte) error {
	if err := f.c.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if _, err := f.w.Write(piece); err != nil {
		return err
	}
	return f.c.Flush()
}
