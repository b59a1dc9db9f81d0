package runner

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

const (
	heartbeatEvery = 10 * time.Second
	maxMerged      = 32 << 10 // bytes of text in one merged delta
	maxWaiting     = 1 << 20  // bytes that may wait to be written; then whoever speaks waits too
)

// outbox is the way out of a runner: whatever is put in is written in that order, by one goroutine, as soon as the pipe
// takes it. Deltas that have to wait are merged; none ever waits in order to be merged.
type outbox struct {
	wake chan struct{}

	mu      sync.Mutex
	room    sync.Cond
	waiting []outgoing
	size    int
	ended   bool
}

// outgoing is a record to write: a line, or a delta of block whose text may still grow.
type outgoing struct {
	line  []byte
	block agent.Event
	text  []byte
}

func newOutbox() *outbox {
	o := &outbox{wake: make(chan struct{}, 1)}
	o.room.L = &o.mu
	return o
}

// event puts in an event. It waits while too much is waiting. After end it does nothing.
func (o *outbox) event(e agent.Event) error {
	if block, text, ok := splitDelta(e); ok && len(text) <= maxMerged {
		o.waitForRoom()
		o.put(nil, block, text)
		return nil
	}
	line, err := encodeEvent(e)
	if err != nil {
		return err
	}
	if len(line) > process.MaxLine {
		return fmt.Errorf("an event of %d bytes", len(line))
	}
	o.waitForRoom()
	o.line(line)
	return nil
}

func (o *outbox) waitForRoom() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size >= maxWaiting && !o.ended {
		o.room.Wait()
	}
}

// line puts in a line that is not to be merged. It never waits.
func (o *outbox) line(line []byte) { o.put(line, nil, "") }

func (o *outbox) put(line []byte, block agent.Event, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	o.size += len(line) + len(text)
	if n := len(o.waiting); n == 0 || !o.waiting[n-1].merge(block, text) {
		o.waiting = append(o.waiting, outgoing{line, block, []byte(text)})
	}
	o.signal()
}

// merge adds a delta if it goes on where out ends, and there is room.
func (out *outgoing) merge(block agent.Event, text string) bool {
	if out.block == nil || !goesOn(out.block, block) || len(out.text)+len(text) > maxMerged {
		return false
	}
	out.text = append(out.text, text...)
	return true
}

// encode gives the record as a line without its end.
func (out outgoing) encode() ([]byte, error) {
	if out.block == nil {
		return out.line, nil
	}
	return encodeEvent(joinDelta(out.block, string(out.text)))
}

// splitDelta gives the text of a delta, and the delta without it: that tells one block from another.
func splitDelta(e agent.Event) (block agent.Event, text string, ok bool) {
	switch d := e.(type) {
	case agent.MessageDelta:
		return agent.MessageDelta{}, d.Text, true
	case agent.ThoughtDelta:
		return agent.ThoughtDelta{}, d.Text, true
	case agent.ToolCallDelta:
		return agent.ToolCallDelta{ID: d.ID, Name: d.Name}, d.Text, true
	}
	return nil, "", false
}

func joinDelta(block agent.Event, text string) agent.Event {
	switch d := block.(type) {
	case agent.MessageDelta:
		return agent.MessageDelta{Text: text}
	case agent.ThoughtDelta:
		return agent.ThoughtDelta{Text: text}
	case agent.ToolCallDelta:
		d.Text = text
		return d
	}
	return nil // which nothing encodes
}

// goesOn reports whether a delta of next belongs to the block. A tool call is named in its first delta only.
func goesOn(block, next agent.Event) bool {
	if call, ok := next.(agent.ToolCallDelta); ok && call.Name == "" {
		first, ok := block.(agent.ToolCallDelta)
		return ok && first.ID == call.ID
	}
	return block == next
}

// end lets what waits be written, and nothing after it.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.room.Broadcast()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// write writes until the end, or until out fails. It breaks a silence with a heartbeat.
func (o *outbox) write(out io.Writer) error {
	defer o.end()
	w := bufio.NewWriterSize(out, 64<<10)
	silence := time.NewTimer(heartbeatEvery)
	for {
		var batch []outgoing
		var ended bool
		select {
		case <-o.wake:
			batch, ended = o.take()
		case <-silence.C:
			batch = []outgoing{{line: heartbeatLine}}
		}
		for _, next := range batch {
			line, err := next.encode()
			if err != nil {
				return err
			}
			w.Write(line) // an error stays, and Flush gives it
			w.WriteByte('\n')
		}
		if err := w.Flush(); err != nil || ended {
			return err
		}
		silence.Reset(heartbeatEvery)
	}
}

func (o *outbox) take() (batch []outgoing, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch, o.waiting, o.size = o.waiting, nil, 0
	o.room.Broadcast()
	return batch, o.ended
}
