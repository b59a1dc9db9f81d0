package api

import (
	"net/http"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
)

// SearchResult is a page of what was found, the most exact first and what is alike newest first. Next, if any, asks for
// the page that follows. Behind is how many messages and titles are not searched yet: what was just said takes a moment.
// Since, if any, says that what was said before it was left out, because looking at it would have taken too long.
type SearchResult struct {
	Hits   []Hit  `json:"hits"`
	Next   string `json:"next,omitempty"`
	Behind int64  `json:"behind"`
	Since  int64  `json:"since,omitempty"` // milliseconds since 1970
}

// Hit is a message, or the title of a session if there is no messageId. Its excerpt is the part that shows why.
type Hit struct {
	SessionID agent.SessionID `json:"sessionId"`
	Title     string          `json:"title"`
	MessageID agent.MessageID `json:"messageId,omitempty"` // as useChat knows it: what an agent did belongs to its answer
	Role      agent.Role      `json:"role,omitempty"`
	At        int64           `json:"at"` // milliseconds since 1970
	Excerpt   []Piece         `json:"excerpt"`
}

// Piece is a piece of an excerpt. What was searched for is marked as a hit.
type Piece struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// longestQuery is how much a person may type, in bytes.
const longestQuery = 1_000

func (d inside) search(r *http.Request) (SearchResult, error) {
	query := r.URL.Query()
	s := store.Search{Project: d.project, Text: query.Get("q"), Agent: query.Get("agent"), Role: agent.Role(query.Get("role")), Whole: query.Has("whole")}
	if len(s.Text) > longestQuery {
		return SearchResult{}, agent.Errorf(agent.CodeValidation, "A search may have %d bytes at most. Leave something out.", longestQuery)
	}
	switch s.Role {
	case "", agent.RoleSystem, agent.RoleUser, agent.RoleAssistant, agent.RoleTool:
	default:
		return SearchResult{}, agent.Errorf(agent.CodeValidation, "role must be system, user, assistant or tool.")
	}
	var err error
	if s.Limit, err = number(r, "limit", 40, 1, 200); err != nil {
		return SearchResult{}, err
	}
	if s.Since, err = instant(r, "since"); err != nil {
		return SearchResult{}, err
	}
	if s.Until, err = instant(r, "until"); err != nil {
		return SearchResult{}, err
	}
	if s.After, err = store.ParsePlace(query.Get("after")); err != nil {
		return SearchResult{}, err
	}
	found, err := d.Store.Search(r.Context(), s)
	if err != nil {
		return SearchResult{}, err
	}
	result := SearchResult{Hits: make([]Hit, len(found.Hits)), Next: found.Next.String(), Behind: found.Behind}
	if !found.Since.IsZero() {
		result.Since = found.Since.UnixMilli()
	}
	for i, h := range found.Hits {
		result.Hits[i] = toHit(h)
	}
	return result, nil
}

func toHit(h store.Hit) Hit {
	pieces := make([]Piece, len(h.Excerpt))
	for i, p := range h.Excerpt {
		pieces[i] = Piece(p)
	}
	return Hit{h.Session, h.Title, h.Message.Shown(), h.Role, h.At.UnixMilli(), pieces}
}

// instant reads a time in milliseconds since 1970; the zero time if none is given.
func instant(r *http.Request, name string) (time.Time, error) {
	ms, err := number(r, name, 0, 0, 1<<53)
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(int64(ms)), nil
}
