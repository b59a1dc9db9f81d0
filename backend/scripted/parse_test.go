package scripted

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

// parsed is what Parse gives for a script that says only what change does.
func parsed(change func(s *Script)) Script {
	s := Script{Found: true, Deltas: defaultDeltas, Size: defaultSize}
	change(&s)
	return s
}

func TestParse(t *testing.T) {
	for text, change := range map[string]func(s *Script){
		"[[say:hello]]":                        func(s *Script) { s.Say = "hello" },
		"please [[say: two\nlines ]] and more": func(s *Script) { s.Say = " two\nlines " },
		"[[say:a]] [[say:b]]":                  func(s *Script) { s.Say = "b" },
		"[[[say:x]]]":                          func(s *Script) { s.Say = "x" },
		"[[unknown:1]] [[say:x]]":              func(s *Script) { s.Say = "x" },
		"[[deltas:3]] [[size: 7 ]]":            func(s *Script) { s.Deltas, s.Size = 3, 7 },
		"[[deltas:99999999999999999999]]":      func(s *Script) { s.Deltas = maxDeltas },
		"[[size:9999999]]":                     func(s *Script) { s.Size = maxSize },
		"[[think:4]] [[md]]":                   func(s *Script) { s.Think, s.Showcase = 4, true },
		"[[gap:2ms]] [[ttft:1.5s]]":            func(s *Script) { s.Gap, s.TTFT = 2*time.Millisecond, 1500*time.Millisecond },
		"[[gap:200h]]":                         func(s *Script) { s.Gap = time.Hour },
		"[[usage:10, 5]]":                      func(s *Script) { s.Usage = &agent.Usage{Input: 10, Output: 5, Total: 15} },
		"[[tool:a]] [[tool:b {\"x\":\"]] [[say:y]]\"} ]]": func(s *Script) {
			s.Tools = []ToolStep{{Name: "a", Input: []byte("{}")}, {Name: "b", Input: []byte(`{"x":"]] [[say:y]]"}`)}}
		},
		"[[tool:a [1]]] [[tool:b{}]]": func(s *Script) {
			s.Tools = []ToolStep{{Name: "a", Input: []byte("[1]")}, {Name: "b", Input: []byte("{}")}}
		},
		"[[tool:a {\"x\": ]]": func(s *Script) { s.Tools = []ToolStep{{Name: "a", Input: []byte(`{"x":`)}} },
		"[[tool:a {} {}]]":    func(s *Script) { s.Tools = []ToolStep{{Name: "a", Input: []byte(`{} {}`)}} },
		"[[tool:mcp_x_y {}]] [[crash]]": func(s *Script) {
			s.Tools, s.Crash, s.At = []ToolStep{{Name: "mcp_x_y", Input: []byte("{}")}}, true, Place{Results: 1}
		},
		"[[error:429]]":                   func(s *Script) { s.Failure = &Failure{Status: 429, Code: agent.CodeProviderRateLimit} },
		"[[error1:529]]":                  func(s *Script) { s.Failure = &Failure{529, agent.CodeProviderUnavailable, true} },
		"[[error:403]]":                   func(s *Script) { s.Failure = &Failure{Status: 403, Code: agent.CodeProviderAuth} },
		"[[error:422]]":                   func(s *Script) { s.Failure = &Failure{Status: 422, Code: agent.CodeValidation} },
		"[[error:content_filter]]":        func(s *Script) { s.Failure = &Failure{Status: 400, Code: agent.CodeContentFilter} },
		"[[error:budget_exceeded]]":       func(s *Script) { s.Failure = &Failure{Status: 500, Code: agent.CodeBudgetExceeded} },
		"[[hang]] [[deltas:2]] [[crash]]": func(s *Script) { s.Hang, s.Deltas = true, 2 },
		"[[think:2]] [[hang]]":            func(s *Script) { s.Think, s.Hang, s.At = 2, true, Place{Moment: Thought} },
		"[[deltas:2]] [[crash]]":          func(s *Script) { s.Deltas, s.Crash, s.At = 2, true, Place{Moment: Answered} },
		"[[md]] [[tool:a]] [[hang]] [[tool:b]]": func(s *Script) {
			s.Showcase, s.Hang, s.At = true, true, Place{2, Answered}
			s.Tools = []ToolStep{{Name: "a", Input: []byte("{}")}, {Name: "b", Input: []byte("{}")}}
		},
	} {
		if got, want := Parse(text), parsed(change); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n gave %+v\nwant %+v", text, got, want)
		}
	}
}

func TestWhatMakesNoSenseIsPlainText(t *testing.T) {
	for _, text := range []string{
		"", "hello", "[[", "[[say:", "[[say:]]", "[[say:x]", "[say:x]]", "[[deltas]]", "[[deltas:]]", "[[deltas:-1]]", "[[deltas:x]]",
		"[[deltas:1.5]]", "[[deltas:+1]]", "[[size:0x10]]", "[[gap:5]]", "[[gap:-1s]]", "[[ttft:999999999999h]]", "[[usage:1]]",
		"[[usage:1,-1]]", "[[error:200]]", "[[error:600]]", "[[error:unheard_of]]", "[[error]]", "[[crash:now]]", "[[md:x]]", "[[tool]]",
		"[[tool:]]", "[[tool: {}]]", "[[tool:a {}", "[[Say:x]]", "[[ say:x]]",
	} {
		if got, want := Parse(text), (Script{Deltas: defaultDeltas, Size: defaultSize}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s gave %+v", text, got)
		}
	}
}

// TestParsingIsLinear: none of these megabytes keeps the parser busy. A quadratic one would still be busy when the
// tests run out of time.
func TestParsingIsLinear(t *testing.T) {
	for _, unit := range []string{"[", "[[", "[[say:", "[[deltas:", "[[tool:a ", "[[tool:a {", `[[tool:a {"`, "[[tool:", `[[tool:a {"x":[`, "[[error:]"} {
		for _, end := range []string{"", "]]", `"}]]`} {
			Parse(strings.Repeat(unit, 4<<20/len(unit)) + end)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`hi [[think:3]] [[tool:read_file {"path":"]]"}]] [[deltas:20]] [[size:5]] [[gap:2ms]] [[crash]]`)
	f.Add(`[[error1:429]] [[usage:1,2]] [[ttft:50ms]] [[say:x]] [[hang]] [[md]]`)
	f.Add(`[[tool:a {"x":]] [[tool:b [[[]]] [[size:0]]`)
	f.Add("[[deltas:5000001]] [[size:18446744073709551616]] [[gap:9999999h]]")
	f.Fuzz(func(t *testing.T, text string) {
		s := Parse(text)
		if s.Deltas < 0 || s.Deltas > maxDeltas || s.Size < 0 || s.Size > maxSize || s.Think < 0 || s.Think > maxDeltas {
			t.Errorf("out of range: %+v", s)
		}
		if s.Gap < 0 || s.Gap > maxPause || s.TTFT < 0 || s.TTFT > maxPause {
			t.Errorf("out of range: %+v", s)
		}
		if s.Failure != nil && (s.Failure.Status < 400 || s.Failure.Status > 599 || !s.Failure.Code.Valid()) {
			t.Errorf("no failure: %+v", s.Failure)
		}
		for results := range min(len(s.Tools), 50) + 2 {
			n := 0
			for beat := range s.Play(results) {
				if n++; n > 100 {
					break
				}
				if last := beat.Kind >= BeatCall; last && beat.Kind != BeatCall && s.broken() == nil {
					t.Errorf("beat %+v of %+v", beat, s)
				}
			}
		}
	})
}

// beats writes the whole turn down: t for a thought, w for a word, the name of a tool, and how it breaks off.
func beats(s Script) string {
	var out strings.Builder
	for results := 0; ; results++ {
		called := false
		for b := range s.Play(results) {
			switch b.Kind {
			case BeatThought:
				out.WriteString("t")
			case BeatText:
				out.WriteString("w")
			case BeatCall:
				fmt.Fprintf(&out, " %s ", b.Call.Name)
				called = true
			case BeatFailure:
				out.WriteString("!")
			case BeatCrash:
				out.WriteString("#")
			case BeatHang:
				out.WriteString("~")
			}
		}
		if !called {
			return out.String()
		}
	}
}

func TestPlay(t *testing.T) {
	for text, want := range map[string]string{
		"[[deltas:2]]":                                "ww",
		"[[say:a b  c ]]":                             "wwww",
		"[[deltas:0]]":                                "",
		"[[think:2]] [[deltas:1]]":                    "ttw",
		"[[deltas:1]] [[think:2]]":                    "ttw",
		"[[tool:a]][[tool:b]][[think:1]]":             "t a  b wwwww",
		"[[error:500]]":                               "!",
		"[[say:a b]] [[error:500]]":                   "ww!",
		"[[crash]] [[deltas:3]]":                      "#",
		"[[deltas:3]] [[crash]]":                      "www#",
		"[[think:1]] [[crash]]":                       "t#",
		"[[tool:a]] [[hang]] [[tool:b]]":              " a ~",
		"[[tool:a]] [[tool:b]] [[hang]] [[deltas:1]]": " a  b ~",
		"[[deltas:1]] [[hang]] [[tool:a]]":            " a w~",
		"[[tool:a]] [[think:1]] [[crash]]":            "t a #",
	} {
		if got := beats(Parse(text)); got != want {
			t.Errorf("%s plays %q, want %q", text, got, want)
		}
	}
}

func TestNumberedDeltas(t *testing.T) {
	for size, want := range map[int]string{0: "[  ]", 2: "[0  1  2 ]", 9: "[w0000000  w0000001  w0000002 ]", 11: "[w0000000 x  w0000001 x  w0000002 x ]"} {
		var got []string
		for piece := range numbered(3, size) {
			got = append(got, piece)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("size %d: %q", size, got)
		}
	}
	last := ""
	for last = range numbered(1_000_001, 20) {
	}
	if last != "w1000000 xxxxxxxxxx " {
		t.Errorf("the last is %q", last)
	}
}
