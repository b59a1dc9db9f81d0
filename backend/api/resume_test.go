package api

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// merged gives the chunks of a stream with the consecutive deltas of a block as one: two streams that are equal in this form
// make the same message.
func merged(t testing.TB, list []frame) (chunks []string) {
	t.Helper()
	type delta struct{ Type, ID, Delta string }
	var open delta
	flush := func() {
		if open.Type != "" {
			chunks = append(chunks, open.Type+" "+open.ID+" "+open.Delta)
		}
		open = delta{}
	}
	for _, f := range list {
		var d delta
		if f.data == "[DONE]" || json.Unmarshal([]byte(f.data), &d) != nil || !strings.HasSuffix(d.Type, "-delta") || d.ID == "" {
			flush()
			chunks = append(chunks, f.data)
			continue
		}
		if d.Type != open.Type || d.ID != open.ID {
			flush()
			open = delta{d.Type, d.ID, ""}
		}
		open.Delta += d.Delta
	}
	return chunks
}

// readTo reads a stream up to the frame with an id, and no further.
func readTo(t *testing.T, res *http.Response, id int) (list []frame) {
	t.Helper()
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	f := frame{id: -1}
	for len(list) == 0 || list[len(list)-1].id < id {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended before the frame %d: %v", id, err)
		}
		if text, ok := strings.CutPrefix(line, "id: "); ok {
			f.id, _ = strconv.Atoi(strings.TrimSpace(text))
		} else if text, ok := strings.CutPrefix(line, "data: "); ok {
			f.data = strings.TrimSpace(text)
			list = append(list, f)
		}
	}
	return list
}

// §3 n is the index, §3 Last-Event-ID: n continues at n+1; §8 with it, what follows. §6 a client that reloads at any point ends with the same message.
// Clients are cut off at every frame of a turn, some while it runs, the others after.
func TestAClientIsCutOffAtEveryFrame(t *testing.T) {
	w := open(t)
	first := w.say("s", "u1", `[[think:6]] [[tool:list_directory {"path":"."}]] [[deltas:490]] [[gap:2ms]]`)
	cutAt := func(t *testing.T, id int, coalesce string) []frame {
		t.Helper()
		change := func(r *http.Request) {
			r.Header.Set(coalesceName, "0")
			if id < 0 {
				return
			}
			r.Header.Set("Last-Event-ID", strconv.Itoa(id))
			r.Header.Set(coalesceName, coalesce)
		}
		return frames(t, w.request("GET", "/messages/s/stream", "", change).Body)
	}
	const live = 60
	lists := make([][]frame, live)
	var clients sync.WaitGroup
	for i := range live {
		clients.Go(func() {
			id := 8 * i
			res := w.request("GET", "/messages/s/stream", "", header(coalesceName, "0"))
			if res.StatusCode == http.StatusNoContent {
				return // it came after the turn
			}
			begun := readTo(t, res, id)
			lists[i] = append(begun, cutAt(t, begun[len(begun)-1].id, strconv.Itoa(i%2))...)
		})
	}
	whole := frames(t, first.Body)
	clients.Wait()
	want := merged(t, whole)
	if slices.IndexFunc(lists, func(list []frame) bool { return list != nil }) < 0 {
		t.Error("no client came while the turn ran")
	}
	for i, list := range lists {
		if list == nil {
			continue
		}
		if got := merged(t, list); !slices.Equal(got, want) {
			t.Fatalf("cut after %d while the turn ran: %q\nwant %q", 8*i, got, want)
		}
	}

	each := cutAt(t, 0, "0")
	if len(each) < 500 {
		t.Fatalf("the turn has %d frames", len(each))
	}
	each = slices.Insert(each, 0, whole[0])
	for cut := range each[:len(each)-1] {
		got := merged(t, append(slices.Clone(each[:cut+1]), cutAt(t, cut, strconv.Itoa(cut%2))...))
		if !slices.Equal(got, want) {
			t.Fatalf("cut after %d: %q\nwant %q", cut, got, want)
		}
	}
}
