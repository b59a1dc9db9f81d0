package api

import (
	"io"
	"net/http"

	"parley/backend/agent"
	"parley/backend/uistream"
)

// Uploaded is how a message refers to a file that was uploaded before it.
type Uploaded struct {
	Handle    agent.MediaHandle `json:"handle"`
	URL       string            `json:"url"`       // of a file part, and at this door
	MediaType string            `json:"mediaType"` // as the content says, whatever its sender does
}

// postMedia takes a file: the body is its content. It is kept for some days, and for as long as a message refers to it.
func (d inside) postMedia(r *http.Request) (Uploaded, error) {
	b, err := content(io.LimitReader(r.Body, agent.MaxAudio+1)) // one more than what is taken
	if err != nil {
		return Uploaded{}, err
	}
	m, err := agent.NewMedia(b)
	if err == nil {
		err = d.Store.PutMedia(r.Context(), d.project, m)
	}
	return Uploaded{m.Handle, uistream.MediaURL(m.Handle), m.MimeType}, err
}

// getMedia gives a file to whoever has the token. A browser that is led here does not, and would show nothing of it.
func (d inside) getMedia(w http.ResponseWriter, r *http.Request) error {
	handle, err := agent.MediaHandleOf(r.PathValue("sum"))
	if err != nil {
		return err
	}
	m, err := d.Store.Media(r.Context(), d.project, handle)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("content-type", m.MimeType)
	h.Set("content-disposition", "attachment")
	h.Set("content-security-policy", "sandbox")
	newFlusher(w).write(m.Content)
	return nil
}
