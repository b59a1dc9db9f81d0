package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lateness measures how far behind its event a frame is: a model server writes the time into every delta of one long turn,
// and whoever watches compares it with the clock. What is measured is everything in between: the model's wire, the loop, the
// runner, the store, the door.
func (b *bench) lateness() error {
	const perSecond = 20_000
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tellTime(w, perSecond) }))
	defer model.Close()
	d, _, err := b.serve(b.home(), "PARLEY_MODEL=openai/clock", "OPENAI_BASE_URL="+model.URL)
	if err != nil {
		return err
	}
	before := memory(d.PID)
	res, err := d.post("timed", "u", "what time is it?")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var late sample
	most := before
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	for lines.Scan() {
		_, rest, isDelta := bytes.Cut(lines.Bytes(), []byte(`"delta":"`))
		if !isDelta {
			continue
		}
		now := time.Now().UnixNano()
		oldest, _, _ := bytes.Cut(rest, []byte(" "))
		told, err := strconv.ParseInt(string(oldest), 10, 64)
		if err != nil {
			return fmt.Errorf("a frame does not begin with a time: %.40q", rest)
		}
		late = append(late, time.Duration(now-told))
		if len(late)%64 == 0 {
			most = max(most, memory(d.PID))
		}
	}
	if len(late) == 0 {
		return errors.New("no frame came")
	}
	row("200,000 deltas in 10 s: a frame behind its oldest", "%s median, %s p99, %s worst of %d frames", ms(late.median()), ms(late.at(0.99)), ms(late.at(1)), len(late))
	row("resident memory before, most during, after", "%d, %d, %d MB", before>>10, most>>10, memory(d.PID)>>10)
	return d.close()
}

// tellTime streams deltas that hold the time, so many a second.
func tellTime(w http.ResponseWriter, perSecond int) {
	w.Header().Set("content-type", "text/event-stream")
	out := bufio.NewWriter(w)
	flush := http.NewResponseController(w).Flush
	for begun, n := time.Now(), 0; n < deltas; {
		for due := int(time.Since(begun).Seconds() * float64(perSecond)); n < min(due, deltas); n++ {
			fmt.Fprintf(out, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d \"}}]}\n\n", time.Now().UnixNano())
		}
		out.Flush()
		flush()
		time.Sleep(time.Millisecond)
	}
	io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// watchers measures what fifty who watch a turn add to it, one of whom never reads.
func (b *bench) watchers() error {
	d, _, err := b.serve(b.home())
	if err != nil {
		return err
	}
	const script, rounds = "[[deltas:500]] [[gap:2ms]]", 9
	var alone, watched sample
	for i := range rounds {
		session := fmt.Sprint("alone", i)
		s, err := d.say(session, "u", script)
		if err != nil {
			return err
		}
		alone = append(alone, s.whole)
		if s, err = d.sayBefore(fmt.Sprint("watched", i), script, 49); err != nil {
			return err
		}
		watched = append(watched, s.whole)
	}
	row("a turn of 500 deltas, 2 ms apart, one watcher", "%s median of %d", ms(alone.median()), rounds)
	row("fifty watchers, one of whom never reads", "%s median of %d, %+.1f %%", ms(watched.median()), rounds,
		100*(watched.median().Seconds()/alone.median().Seconds()-1))
	return d.close()
}

// sayBefore sends a message before so many who watch the answer too: all but one of them read it.
func (d *door) sayBefore(session, text string, others int) (stream, error) {
	begun := time.Now()
	res, err := d.post(session, "u", text)
	if err != nil {
		return stream{}, err
	}
	deaf, err := d.deaf(session)
	if err != nil {
		return stream{}, err
	}
	defer deaf.Close()
	var watching sync.WaitGroup
	failures := make(chan error, others)
	for range others - 1 {
		watching.Go(func() {
			res, err := d.request(http.MethodGet, "/messages/"+session+"/stream", "", nil)
			if err == nil {
				var s stream
				if s, err = read(res.Body, begun); err == nil && !s.done {
					err = errors.New("a watcher did not see the end")
				}
			}
			if err != nil {
				failures <- err
			}
		})
	}
	s, err := read(res.Body, begun)
	watching.Wait()
	select {
	case failed := <-failures:
		err = errors.Join(err, failed)
	default:
	}
	return s, err
}

// deaf is a connection that asks for a session's turn and never reads it.
func (d *door) deaf(session string) (net.Conn, error) {
	address := strings.TrimPrefix(d.URL, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "GET /messages/%s/stream HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n\r\n", session, address, d.Token)
	return conn, err
}

// post sends a message and gives the reply as it streams.
func (d *door) post(session, id, text string) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{"id": session, "messages": []any{map[string]any{
		"id": id, "role": "user", "parts": []any{map[string]string{"type": "text", "text": text}},
	}}})
	if err != nil {
		return nil, err
	}
	return d.request(http.MethodPost, "/messages", string(body), nil)
}
