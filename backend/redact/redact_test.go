package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func std(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestText(t *testing.T) {
	k := New([]Value{
		{"pw", "hunter22"}, {"key", `a"b\c/d<e`}, {"form", "two words+1"}, {"umlaut", "grüße😀!"}, {"short", "abc"}, {"word", " true\n"},
		{"in", "hunter"}, {"secret", "secret"}, {"around", "qq-inside-rr"}, {"mid", "inside"}, {"left", "overlap"}, {"right", "lapdog"}, {"again", "xyxyxy"}, {"line", "\tkept-line\n"},
		{"db", "postgres://bob:s3cr%40t!@db.example:5432/x"}, {"lib", "host=h password='quo ted' user=u"}, {"go", "root:t0pf@tcp(h:3306)/d"},
	})
	for name, c := range map[string]struct{ text, want string }{
		"as it is":               {"it is hunter22.", "it is [secret:pw]."},
		"alone":                  {"hunter22", "[secret:pw]"},
		"twice":                  {"hunter22hunter22", "[secret:pw][secret:pw]"},
		"its beginning":          {"hunter2", "[secret:in]2"},
		"nothing":                {"abc true hunte", "abc true hunte"},
		"empty":                  {"", ""},
		"what stands for one":    {"[secret:pw][secret:secret] hunter22", "[secret:pw][secret:secret] [secret:pw]"},
		"overlapping":            {"<overlapdog>", "<[secret:left][secret:right]>"},
		"within a beginning":     {"qq-inside-zz", "qq-[secret:mid]-zz"},
		"overlapping itself":     {"xyxyxyxyx", "[secret:again]x"},
		"space around":           {"kept-line", "[secret:line]"},
		"invalid UTF-8":          {"\xff\x80hunter22\xc3", "\xff\x80[secret:pw]\xc3"},
		"JSON":                   {`{"k":"a\"b\\c\/d\u003ce"}`, `{"k":"[secret:key]"}`},
		"JSON in other ways":     {`a\u0022b\u005C\u0063/d<e`, `[secret:key]`},
		"JSON, surrogates":       {`gr\u00fc\u00DFe\ud83d\ude00!`, "[secret:umlaut]"},
		"no escape":              {`\hunter22 \u00hunter22 \ud83d\uhunter22 %hunter22 %4hunter22`, `\[secret:pw] \u00[secret:pw] \ud83d\u[secret:pw] %[secret:pw] %4[secret:pw]`},
		"a path":                 {"two%20words+1", "[secret:form]"},
		"a form":                 {"two+words%2b1", "[secret:form]"},
		"every byte":             {"%68%75%6e%74%65%72%32%32", "[secret:pw]"},
		"percent, upper":         {"gr%C3%BC%C3%9Fe%F0%9F%98%80%21", "[secret:umlaut]"},
		"a password":             {"pass s3cr%40t! or s3cr@t!", "pass [secret:db] or [secret:db]"},
		"basic":                  {"Basic " + std("bob:s3cr@t!"), "Basic [secret:db]="},
		"a user":                 {"bob", "bob"},
		"a password, in quotes":  {"quo ted", "[secret:lib]"},
		"a password, before tcp": {"root:t0pf", "[secret:go]"},
		"base64":                 {std("hunter22") + ".", "[secret:pw]=."},
		"base64 of a prefix":     {std("hunte"), std("hunte")},
		"base64, one before":     {std("-hunter22"), "L[secret:pw]"},
		"base64, two before":     {std("--hunter22--"), "LS[secret:pw]0t"},
	} {
		got := k.Text(c.text)
		if got != c.want {
			t.Errorf("%s: %q became %q, not %q", name, c.text, got, c.want)
		}
		if again := k.Text(got); again != got {
			t.Errorf("%s: %q became %q the second time", name, got, again)
		}
	}
}

// wrap breaks a text into lines.
func wrap(text, end string) string {
	var lines []string
	for len(text) > 64 {
		lines = append(lines, text[:64])
		text = text[64:]
	}
	return strings.Join(append(lines, text), end)
}

// TestBase64 has a value in the middle of longer texts: what goes is every character with a bit of it, and no other.
func TestBase64(t *testing.T) {
	const value = "\xfb\xff?>hunter22~~~???"
	k := New([]Value{{"pw", value}})
	for before := range 70 {
		for after := range 4 {
			whole := []byte(strings.Repeat("<", before) + value + strings.Repeat("<", after))
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
				text := encoding.EncodeToString(whole)
				start, end := before*8/6, ((before+len(value))*8+5)/6
				want := text[:start] + "[secret:pw]" + text[end:]
				if got := k.Text(text); got != want {
					t.Fatalf("%d before, %d after: %s became %s, not %s", before, after, text, got, want)
				}
				if got, want := k.Text(url.QueryEscape(text)), url.QueryEscape(text[:start])+"[secret:pw]"+url.QueryEscape(text[end:]); got != want {
					t.Fatalf("%d before, %d after, escaped: %s became %s, not %s", before, after, url.QueryEscape(text), got, want)
				}
				for _, eol := range []string{"\n", "\r\n", `\n`} {
					if got := k.Text(wrap(text, eol)); strings.Count(got, "[secret:pw]") != 1 || len(got) > len(want)+len(eol) {
						t.Fatalf("%d before, %d after, wrapped: %s became %s", before, after, wrap(text, eol), got)
					}
				}
			}
		}
	}
}

func TestJSON(t *testing.T) {
	k := New([]Value{{"pw", "hunter22"}, {"quote", `a"b` + "\n" + `c`}, {"pin", "271828"}})
	for in, want := range map[string]string{
		`{"hunter22" : ["x hunter22", 1e5, true, null, -1]}`: `{"[secret:pw]" : ["x [secret:pw]", 1e5, true, null, -1]}`,
		`"a\"b\nc <>"`:                        `"[secret:quote] <>"`,
		`"{\"in\":\"a\\\"b\\nc\"}"`:           `"{\"in\":\"[secret:quote]\"}"`,
		`{"pin": 271828, "\u0070": "\u0070"}`: `{"pin": "[secret:pin]", "\u0070": "\u0070"}`,
		`{"half":"hunter22`:                   `{"half":"[secret:pw]`,
		``:                                    ``,
	} {
		if got := string(k.JSON([]byte(in))); got != want {
			t.Errorf("%s became %s, not %s", in, got, want)
		}
	}
}

func TestNone(t *testing.T) {
	k := New([]Value{{"a", ""}, {"b", "abc"}, {"c", " true "}})
	if k != nil {
		t.Error("there is something to search for")
	}
	s := k.Stream()
	if got := k.Text("abc") + string(k.JSON([]byte(`"abc"`))) + s.Write("abc") + s.Flush(); got != `abc"abc"abc` {
		t.Error(got)
	}
}

// TestHeldBack has what a stream shows of each piece at once.
func TestHeldBack(t *testing.T) {
	k := New([]Value{{"pw", "hunter22"}, {"long", "hunter22-and-more"}})
	for _, pieces := range [][]struct{ piece, shown string }{
		{{"plain words", "plain words"}, {" and more", " and more"}},
		{{"hun", ""}, {"gry", "hungry"}},
		{{"the hunter22", "the "}, {" ran", "[secret:pw] ran"}},
		{{"hunter22-and-m", ""}, {"ore", "[secret:long]"}},
		{{"100%", "100"}, {" of", "% of"}},
		{{"it %6", "it "}, {"8unter22.", "[secret:pw]."}},
		{{"AAAA", "AAAA"}, {"aHVudGVy", ""}, {"MjI=", "[secret:pw]="}}, // the bits of A begin no value
		{{"h\xc3", "h\xc3"}, {"\xbc", "\xbc"}},
	} {
		s := k.Stream()
		for _, p := range pieces {
			if got := s.Write(p.piece); got != p.shown {
				t.Errorf("of %q %q is shown, not %q", p.piece, got, p.shown)
			}
		}
		if rest := s.Flush(); rest != "" {
			t.Errorf("%q was held back to the end", rest)
		}
	}
	s := k.Stream()
	if got := s.Write("my hunter2") + "|" + s.Flush() + "|" + s.Write("2 my"); got != "my |hunter2|2 my" {
		t.Errorf("a stream that is used again gave %q", got)
	}
}

// TestLearn: a value that is known from the middle of a text on is found there, also in what was held back. What was known is
// found as before.
func TestLearn(t *testing.T) {
	before := New([]Value{{"pw", "hunter22"}})
	after := New([]Value{{"pw", "hunter22"}, {"new", "hunting-cat"}})
	for _, c := range []struct {
		known, next *Known
		left, right string
		want        string
	}{
		{before, after, "the hunt", "ing-cat", "the |[secret:new]"},
		{before, after, "the hunt", "er22.", "the |[secret:pw]."},
		{before, after, "a ", "hunting-cat", "a |[secret:new]"},
		{before, before, "the hunt", "er22.", "the |[secret:pw]."},
		{before, nil, "the hunt", "er22.", "the |[secret:pw]."},
		{nil, after, "the hunt", "ing-cat hunting-cat", "the hunt|ing-cat [secret:new]"},
	} {
		s := c.known.Stream()
		got := s.Write(c.left)
		s.Learn(c.next)
		if got += "|" + s.Write(c.right) + s.Flush(); got != c.want {
			t.Errorf("%q, then %q: %q", c.left, c.right, got)
		}
	}
}

// TestOverlapInPieces: what belongs to a value that was shown already may be the beginning of another.
func TestOverlapInPieces(t *testing.T) {
	for _, c := range []struct {
		left, right string
		pieces      []string
		want        string
	}{
		{"overlap", "lapdog", []string{"overlap", "dog."}, "[secret:left]|[secret:right]."},
		{"abce", "exyz9", []string{"abce", "x", "yz9."}, "[secret:left]||[secret:right]."},
		{"abce", "exyz9", []string{"abce", "x", "y?"}, "[secret:left]||xy?"},
		{"abce", "cexyz9", []string{"abce", "x", "yz", "9"}, "[secret:left]|||[secret:right]"},
	} {
		s := New([]Value{{"left", c.left}, {"right", c.right}}).Stream()
		shown := make([]string, len(c.pieces))
		for i, piece := range c.pieces {
			shown[i] = s.Write(piece)
		}
		if got := strings.Join(shown, "|") + s.Flush(); got != c.want {
			t.Errorf("%q: %q is shown, not %q", c.pieces, got, c.want)
		}
	}
}

// TestStreamKeepsCharactersWhole: what is logged piece by piece has to be UTF-8 each time.
func TestStreamKeepsCharactersWhole(t *testing.T) {
	s := New([]Value{{"pw", "\x80\x80hunter"}}).Stream()
	for _, piece := range []string{"\u2000", "\u3000\U0001f000", "x"} {
		if got := s.Write(piece); !utf8.ValidString(got) {
			t.Errorf("%q is shown", got)
		}
	}
}

// encodings are the ways in which the tests write a value.
var encodings = map[string]func(r *rand.Rand, text string) string{
	"raw":   func(_ *rand.Rand, text string) string { return text },
	"query": func(_ *rand.Rand, text string) string { return url.QueryEscape(text) },
	"path":  func(_ *rand.Rand, text string) string { return url.PathEscape(text) },
	"every byte": func(r *rand.Rand, text string) string {
		var b strings.Builder
		for i := range len(text) {
			fmt.Fprintf(&b, []string{"%%%02x", "%%%02X"}[r.IntN(2)], text[i])
		}
		return b.String()
	},
	"JSON": func(_ *rand.Rand, text string) string { return string(quote(text)) },
	"JSON for HTML": func(_ *rand.Rand, text string) string {
		b, _ := json.Marshal(text)
		return strings.ReplaceAll(string(b), "/", `\/`)
	},
	"JSON in ASCII": func(r *rand.Rand, text string) string {
		var b strings.Builder
		for _, c := range utf16.Encode([]rune(text)) {
			fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[r.IntN(2)], c)
		}
		return b.String()
	},
	"base64": func(r *rand.Rand, text string) string {
		around := strings.Repeat("~", r.IntN(100)) + text + strings.Repeat("~", r.IntN(100))
		text = []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding}[r.IntN(3)].EncodeToString([]byte(around))
		return []func(string) string{
			strings.Clone, url.QueryEscape, func(s string) string { return wrap(s, "\n") }, func(s string) string { return wrap(s, "\r\n") },
		}[r.IntN(4)](text)
	},
}

// cut gives a stream a text in pieces, and what it made of it.
func cut(t *testing.T, r *rand.Rand, k *Known, text string, most int) string {
	var out strings.Builder
	for s := k.Stream(); ; {
		n := min(r.IntN(20), len(text))
		out.WriteString(s.Write(text[:n]))
		if len(s.held) > most {
			t.Fatalf("%d bytes are held back, more than %d: %q", len(s.held), most, s.held)
		}
		if text = text[n:]; text == "" {
			return out.String() + s.Flush()
		}
	}
}

// TestAnyValueAnyEncodingAnyPieces: what is not of a value stays byte by byte, what is goes.
func TestAnyValueAnyEncodingAnyPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	alphabets := []string{"abcdefghijklmnopqrstuvwxyz0123456789", `"\/<>&%+ -_.~:@'` + "\n\tab", "grüßeλ日本😀𝛑", "ab"}
	random := func(n int) string {
		letters := []rune(alphabets[r.IntN(len(alphabets))])
		text := make([]rune, n)
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		return string(text)
	}
	for range 300 {
		var values []Value
		longest := 0
		for i := range 1 + r.IntN(20) {
			v := "S" + random(14+r.IntN(60)) + "E"
			values = append(values, Value{fmt.Sprint("n", i), v})
			longest = max(longest, len(v))
		}
		k := New(values)
		for name, encode := range encodings {
			v := values[r.IntN(len(values))]
			form := encode(r, v.Text)
			before, after := "<"+strings.ReplaceAll(random(r.IntN(30)), "S", "")+"<", "<"+random(r.IntN(30))
			want := before + "[secret:" + v.Name + "]" + after
			got := k.Text(before + form + after)
			switch name {
			case "base64":
				if strings.Count(got, "[secret:"+v.Name+"]") != 1 || len(got) > len(want)+2*len(form)-len(v.Text) {
					t.Fatalf("%q in %q: %q", v.Text, form, got)
				}
			case "JSON", "JSON for HTML":
				want = before + `"[secret:` + v.Name + `]"` + after
				fallthrough
			default:
				if got != want {
					t.Fatalf("%s: %q as %q: %q, not %q", name, v.Text, form, got, want)
				}
			}
			if streamed := cut(t, r, k, before+form+after, 6*longest+utf8.UTFMax); streamed != got {
				t.Fatalf("%q in pieces became %q, and whole %q", form, streamed, got)
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add("it is hunter22, or aHVudGVyMjI= or %68unter22", "hunter22", "xyxyxy", uint64(1))
	f.Add("abcexyz9 abcexy", "abce", "exyz9", uint64(3))
	f.Add(`\ud83d\ude00\u00e4 %4 %%41 \\x`, "\U0001f600ä", "%4 %", uint64(2))
	f.Fuzz(func(t *testing.T, text, value, other string, seed uint64) {
		k := New([]Value{{"n", value}, {"o", other}})
		if k == nil {
			return
		}
		whole := k.Text(text)
		if streamed := cut(t, rand.New(rand.NewPCG(seed, 0)), k, text, len(text)); streamed != whole {
			t.Fatalf("in pieces %q became %q, and whole %q", text, streamed, whole)
		}
		for _, part := range strings.FieldsFunc(strings.NewReplacer("[secret:n]", "\x00", "[secret:o]", "\x00").Replace(whole), func(c rune) bool { return c == 0 }) {
			for _, v := range []string{value, other} {
				if Searched(v) && !strings.Contains(v, "\x00") && strings.Contains(part, strings.TrimSpace(v)) {
					t.Fatalf("%q is left of %q", v, text)
				}
			}
		}
	})
}

// thousand is a set like that of somebody who has many secrets.
func thousand() *Known {
	r := rand.New(rand.NewPCG(3, 1))
	var values []Value
	for i := range 1000 {
		b := make([]byte, 24)
		for j := range b {
			b[j] = byte(r.IntN(256))
		}
		values = append(values, Value{fmt.Sprint("s", i), []string{"sk-", "ghp_", "", ""}[i%4] + base64.RawURLEncoding.EncodeToString(b)})
	}
	return New(values)
}

const prose = "The quick brown fox — it was `cmd/run.go`, line 42 — jumps over 100% of the lazy dogs; see https://example.com/a?b=c+d and {\"k\":\"v\\n\"} for it. "

func BenchmarkDelta(b *testing.B) {
	k := thousand()
	s := k.Stream()
	for i := 0; b.Loop(); i += 20 {
		from := i % (len(prose) - 20)
		s.Write(prose[from : from+20])
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		thousand()
	}
}
