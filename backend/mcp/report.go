package mcp

import (
	"slices"
	"strings"
	"sync"
)

// ServerState is how a server is.
type ServerState string

// The states; the enum is closed.
const (
	NotStarted ServerState = "not_started"
	Starting   ServerState = "starting"
	Running    ServerState = "running"
	Failed     ServerState = "failed"
)

// Report is what is known of one server.
type Report struct {
	Server string      `json:"server"`
	State  ServerState `json:"state"`
	Reason string      `json:"reason,omitempty"` // of a server that failed, and what can be done
	Tools  []string    `json:"tools,omitempty"`  // that it has, by its own names, as of when it said so last
	Log    string      `json:"log,omitempty"`    // the end of what it wrote
}

// Board keeps the latest report of each server, over all runners. The zero Board is ready; a nil one keeps nothing.
type Board struct {
	mu   sync.Mutex
	last map[string]posted // by server
	hide func(string) string
}

// Hide says how what is secret is taken out of what servers wrote; until then nothing is.
func (b *Board) Hide(hide func(text string) string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hide = hide
}

type posted struct {
	Report
	by any
}

// Post takes a report from a runner. What runs somewhere is not hidden by what does not run elsewhere.
func (b *Board) Post(by any, r Report) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	before, known := b.last[r.Server]
	if known && before.by != by && before.by != nil && before.State == Running && r.State != Running {
		return
	}
	if r.Tools == nil {
		r.Tools = before.Tools
	}
	if b.last == nil {
		b.last = map[string]posted{}
	}
	b.last[r.Server] = posted{r, by}
}

// Gone says that a runner has ended, and with it its servers. What they had and wrote, and why one failed, is still known.
func (b *Board) Gone(by any) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for server, p := range b.last {
		if p.by == by {
			p.by = nil
			if p.State != Failed {
				p.State = NotStarted
			}
			b.last[server] = p
		}
	}
}

// Of gives the latest report of a server.
func (b *Board) Of(server string) Report {
	b.mu.Lock()
	p, known := b.last[server]
	hide := b.hide
	b.mu.Unlock()
	if !known {
		return Report{Server: server, State: NotStarted}
	}
	if hide != nil {
		p.Reason, p.Log = hide(p.Reason), hide(p.Log)
	}
	return p.Report
}

// notes are the last lines that a server wrote to be read by people.
type notes struct {
	mu    sync.Mutex
	lines []string
}

const (
	maxNotes = 50
	maxNote  = 500
)

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, shorten(line, maxNote))
	n.lines = slices.Delete(n.lines, 0, max(0, len(n.lines)-maxNotes))
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}
