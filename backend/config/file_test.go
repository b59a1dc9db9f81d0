package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/harness"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// known is what the agents of these tests may name.
func known(t testing.TB) Known {
	t.Helper()
	programs, err := harness.Programs(nil)
	if err != nil {
		t.Fatal(err)
	}
	return Known{Endpoints: endpoints, Tools: tools, Programs: programs}
}

// TestAgentFiles reads the files in testdata/*.txt. Each of those starts with prose; then come pairs of "-- file --" and
// "-- read --", golden: the agent as it is stored, or all that is wrong.
func TestAgentFiles(t *testing.T) {
	for _, name := range []string{"good", "broken"} {
		t.Run(name, func(t *testing.T) {
			path := "testdata/" + name + ".txt"
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(string(src), "-- file --\n")
			got := parts[0]
			for _, part := range parts[1:] {
				file, _, _ := strings.Cut(part, "-- read --\n")
				text, ok := said(t, file)
				if ok != (name == "good") {
					t.Errorf("%s is read as %s", file, text)
				}
				got += "-- file --\n" + file + "-- read --\n" + text
			}
			if *update {
				err = os.WriteFile(path, []byte(got), 0o644)
			} else if got != string(src) {
				t.Errorf("got (-update accepts it):\n%s\nwant:\n%s", got, src)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func said(t *testing.T, file string) (text string, ok bool) {
	t.Helper()
	spec, problems := known(t).Parse([]byte(file))
	if len(problems) == 0 {
		b, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n", true
	}
	for _, p := range problems {
		text += p.String() + "\n"
	}
	return text, false
}

// FuzzAgentFile: whatever a file says, it is read or refused with places in it; and what was read is written so that it is
// read again.
func FuzzAgentFile(f *testing.F) {
	for _, name := range []string{"good", "broken"} {
		src, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range strings.Split(string(src), "-- file --\n")[1:] {
			file, _, _ := strings.Cut(part, "-- read --\n")
			f.Add([]byte(file))
		}
	}
	k := known(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		spec, problems := k.Parse(src)
		lines := bytes.Count(src, []byte("\n")) + 2 + bytes.Count(src, []byte("\r")) + bytes.Count(src, []byte("\u0085")) + bytes.Count(src, []byte("\u2028")) + bytes.Count(src, []byte("\u2029"))
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Line > lines || p.Message == "" {
				t.Errorf("%q has %+v", src, p)
			}
		}
		if len(problems) > 0 {
			return
		}
		text, err := Format(spec)
		if err != nil {
			t.Fatal(err)
		}
		again, problems := k.Parse(text)
		if len(problems) > 0 || !reflect.DeepEqual(stored(t, spec), stored(t, again)) {
			t.Errorf("%+v is written as\n%s\nwhich is read as %+v, %v", spec, text, again, problems)
		}
	})
}

// stored is an agent as a session keeps it.
func stored(t *testing.T, spec agent.Spec) (kept agent.Spec) {
	t.Helper()
	b, err := json.Marshal(spec)
	if err == nil {
		err = json.Unmarshal(b, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept
}
