package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/history"
	"parley/backend/store"
)

// latency measures what Parley adds to the time that the agent itself takes: through the door, the store, the runner
// and back.
func (b *bench) latency() error {
	d, _, err := b.serve(b.home())
	if err != nil {
		return err
	}
	n := 0
	turn := func(session, script string) (stream, error) {
		n++
		s, err := d.say(session, fmt.Sprint("u", n), script)
		if err == nil && !s.done {
			err = errors.New("a turn did not come to its end")
		}
		return s, err
	}
	var cold, first, one, many, paced sample
	for i := range 20 {
		s, err := turn(fmt.Sprint("cold", i), "[[deltas:1]]")
		if err != nil {
			return err
		}
		cold = append(cold, s.first)
	}
	// The pause between deltas is the agent's own time; the rest is Parley's.
	const beats, gap = 100, 2 * time.Millisecond
	for i := range 40 {
		// A session of its own: what was said before goes to the agent with every turn, and would be measured too.
		session := fmt.Sprint("warm", i)
		if _, err := turn(session, "[[deltas:1]]"); err != nil {
			return err
		}
		for _, m := range []struct {
			script string
			take   func(stream)
		}{
			{"[[deltas:1]]", func(s stream) { first = append(first, s.first); one = append(one, s.whole) }},
			{"[[deltas:2000]]", func(s stream) { many = append(many, s.whole) }},
			{fmt.Sprintf("[[deltas:%d]] [[gap:%s]]", beats, gap), func(s stream) { paced = append(paced, s.whole-beats*gap) }},
		} {
			s, err := turn(session, m.script)
			if err != nil {
				return err
			}
			m.take(s)
		}
	}
	row("send to first delta, cold (starts a runner)", "%s median, %s p95", ms(cold.median()), ms(cold.at(0.95)))
	row("send to first delta, warm", "%s median, %s p95", ms(first.median()), ms(first.at(0.95)))
	row("whole turn of one delta, warm", "%s median, %s p95", ms(one.median()), ms(one.at(0.95)))
	row("whole turn of 2,000 deltas at once, warm", "%s median, %s p95", ms(many.median()), ms(many.at(0.95)))
	row("added to a turn of 100 deltas, 2 ms apart", "%s median, %s p95 (timers included)", ms(paced.median()), ms(paced.at(0.95)))
	return d.close()
}

const (
	deltas = 200_000
	size   = 20 // bytes
)

// throughput measures source deltas per second beside the AI SDK's own server, by the same client in the same run.
func (b *bench) throughput() error {
	peer := exec.Command(b.node, "server.mjs")
	peer.Dir = b.peer
	peer.Stderr = os.Stderr
	out, err := peer.StdoutPipe()
	if err != nil {
		return err
	}
	if err := peer.Start(); err != nil {
		return err
	}
	defer peer.Wait()
	defer peer.Process.Kill()
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		return fmt.Errorf("the AI SDK's server: %w", err)
	}
	home := b.home()
	if err := storeTurn(home); err != nil {
		return err
	}
	d, _, err := b.serve(home)
	if err != nil {
		return err
	}
	sdk, replay, whole := sample{}, sample{}, sample{}
	var frames int
	for i := range 7 {
		for _, m := range []struct {
			into *sample
			ask  func() (stream, error)
		}{
			{&sdk, func() (stream, error) {
				begun := time.Now()
				res, err := http.Get(fmt.Sprintf("%s/?n=%d&size=%d", address, deltas, size))
				if err != nil {
					return stream{}, err
				}
				return read(res.Body, begun)
			}},
			{&replay, func() (stream, error) {
				begun := time.Now()
				res, err := d.request(http.MethodGet, "/messages/stored/stream", "", map[string]string{"Last-Event-ID": "0", "x-parley-coalesce": "0"})
				if err != nil {
					return stream{}, err
				}
				return read(res.Body, begun)
			}},
			{&whole, func() (stream, error) {
				s, err := d.say(fmt.Sprint("s", i), "u", fmt.Sprintf("[[deltas:%d]]", deltas))
				frames = s.frames
				return s, err
			}},
		} {
			s, err := m.ask()
			if err != nil {
				return err
			}
			if len(s.text) < deltas*size || !s.done {
				return fmt.Errorf("%d bytes of text came, not %d", len(s.text), deltas*size)
			}
			if i > 0 { // the first round warms everyone
				*m.into = append(*m.into, s.whole)
			}
		}
	}
	rate := func(s sample) float64 { return deltas / s.median().Seconds() }
	row("200,000 deltas: the AI SDK's server on Node 24", "%.0f deltas/s, %d MB", rate(sdk), memory(peer.Process.Pid)>>10)
	row("200,000 deltas: the door alone, delta by delta", "%.0f deltas/s, %.1f times", rate(replay), rate(replay)/rate(sdk))
	row("200,000 deltas: runner, store, door, end to end", "%.0f deltas/s, %.1f times, %d frames", rate(whole), rate(whole)/rate(sdk), frames)
	row("resident memory after that, app and runners", "%d MB", memory(d.PID)>>10)
	return d.close()
}

// storeTurn puts a finished turn into a new history, every delta with a number of its own.
func storeTurn(home string) error {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	var failed error
	h := history.New(history.Options{
		Folder: home, Passphrase: []byte(passphrase), Log: slog.New(slog.DiscardHandler), Closing: func() {},
		Opened: func(ctx context.Context, s *store.Store) error {
			failed = fillTurn(ctx, s)
			return failed
		},
	})
	h.Start(context.Background())
	return errors.Join(failed, h.Close())
}

func fillTurn(ctx context.Context, s *store.Store) error {
	key := agent.SessionKey{Project: agent.DefaultProject, Session: "stored"}
	user := agent.Message{ID: "u", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "go"}}}
	started := agent.TurnStarted{Turn: "t", UserMessage: "u", Message: "m"}
	err := s.CreateSession(ctx, key, agent.Spec{ID: "demo", Harness: agent.KindScripted}, "")
	if err == nil {
		_, err = s.StartTurn(ctx, key, store.NewTurn{Started: started, User: &user})
	}
	some := make([]agent.Event, 16)
	for i := range some {
		some[i] = agent.MessageDelta{Text: strings.Repeat("x", size)}
	}
	for n := 0; n < deltas && err == nil; n += len(some) {
		_, err = s.AppendEvents(ctx, key, "t", some)
	}
	if err == nil {
		_, err = s.SettleTurn(ctx, key, "t", agent.TurnCompleted{StopReason: agent.StopEndTurn}, nil, store.Idle, true)
	}
	return err
}
