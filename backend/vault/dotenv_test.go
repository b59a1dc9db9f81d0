package vault

import (
	"fmt"
	"strings"
	"testing"
)

func TestDotenv(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":                    {"A=b", "1 A=b"},
		"spaces":                   {"  A = b c  ", "1 A=b c"},
		"windows, and a mark":      {"\ufeffA=b\r\nC=d\r\n", "1 A=b|2 C=d"},
		"empty":                    {"A=\nB=''\nC=\"\"", "1 A=|2 B=|3 C="},
		"export":                   {"export A=b\nexport\tC=d\nexported=e", "1 A=b|2 C=d|3 exported=e"},
		"comments":                 {"# x=y\n\n A=b # why\nC=d#e\nD= # nothing\nE='f' # why", "3 A=b|4 C=d#e|5 D=|6 E=f"},
		"single quotes":            {`A='b "c" \n ${D} # e'`, `1 A=b "c" \n ${D} # e`},
		"double quotes":            {`A="b \"c\"\n\\n\$ 'd' # e"`, "1 A=b \"c\"\n\\n$ 'd' # e"},
		"an equals sign":           {"A=b=c==", "1 A=b=c=="},
		"a dollar":                 {"A=pa$word$", "1 A=pa$word$"},
		"quotes later":             {`A=b"c'd`, `1 A=b"c'd`},
		"json":                     {`A={"b": "c"}`, `1 A={"b": "c"}`},
		"names":                    {"a.b-c_1=d", "1 a.b-c_1=d"},
		"twice":                    {"A=b\nA=c", "1 A=b|2 A=c"},
		"no assignment":            {"A\n1A=b\nA B=c\n=d\nE: f", "!1|!2|!3|!4|!5"},
		"several lines":            {"A=\"-----BEGIN\nb=c\n-----END\"\nD=e", "!1|4 D=e"},
		"several, between '":       {"A='b\nC=d\\'\nE=f", "!1|3 E=f"},
		"a quote that never ends":  {"A=\"b\nC=d\nE='", "!1|2 C=d|!3"},
		"an escaped quote":         {`A="b\"` + "\nC=d\nE=\"f\"", "!1"},
		"another variable":         {"A=${B}\nC=\"x ${D}\"\nE=$(date)\nF=`date`\nG=\"\\${H}\"", "!1|!2|!3|!4|5 G=${H}"},
		"something behind a quote": {"A='b'c\nD=\"e\" f\nG='h'\t#i", "!1|!2|3 G=h"},
	} {
		variables, refused := readDotenv(c.text)
		lines := make([]string, strings.Count(c.text, "\n")+2)
		for _, v := range variables {
			lines[v.line] += fmt.Sprintf("|%d %s=%s", v.line, v.name, v.value)
		}
		for _, r := range refused {
			lines[r.Line] += fmt.Sprintf("|!%d", r.Line)
		}
		if got := strings.TrimPrefix(strings.Join(lines, ""), "|"); got != c.want {
			t.Errorf("%s: %q\nnot %q", name, got, c.want)
		}
	}
}

// FuzzDotenv: no text brings it down, each line is told of once at most, and what is refused is not repeated.
func FuzzDotenv(f *testing.F) {
	for _, text := range []string{"A=b", "export A='b\nc'\nD=\"e\\\"", "A=${B}", "A=\"\\", "='", "A='", "\ufeff#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		variables, refused := readDotenv(text)
		told := map[int]bool{}
		tell := func(line int) {
			if line < 1 || line > strings.Count(text, "\n")+1 || told[line] {
				t.Errorf("line %d is told of, in %q", line, text)
			}
			told[line] = true
		}
		for _, v := range variables {
			tell(v.line)
			if !strings.Contains(text, v.name) {
				t.Errorf("%q has no %s", text, v.name)
			}
		}
		for _, r := range refused {
			tell(r.Line)
		}
	})
}
