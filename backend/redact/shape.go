package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Found is where something in a text looks like a credential.
type Found struct {
	Start, End int
	Kind       string // what it looks like, for people: "an AWS access key"
}

// shape is what credentials of one kind look like.
type shape struct {
	kind  string
	mark  string         // what every one of them begins with, or has before it
	inner bool           // whether it may follow on a letter or a digit
	form  *regexp.Regexp // from the mark on; a group, if it has one, is the credential
	mixed bool           // whether the credential has a letter and a digit at least: words have no digits, numbers no letters
}

func shaped(kind, mark, rest string) shape {
	return shape{kind: kind, mark: mark, form: regexp.MustCompile(`^` + regexp.QuoteMeta(mark) + rest)}
}

func mixed(s shape) shape {
	s.mixed = true
	return s
}

func inner(s shape) shape {
	s.inner = true
	return s
}

// shapes are told by what they begin with, never by chance alone: a hash, an identifier and a picture in base64 are as random as
// any credential.
var shapes = []shape{
	shaped("a private key", "-----BEGIN ", `(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=:,.\s\\"'-]*?-----END [A-Z0-9 ]*-----|(?:\s|\\[nr])*(?:[A-Za-z0-9+/=]{32,}(?:\s|\\[nr])*)+[A-Za-z0-9+/=]*)`),
	mixed(shaped("an API key", "sk-", `[A-Za-z0-9_-]*[A-Za-z0-9]{16,}[A-Za-z0-9_-]*`)),
	mixed(shaped("a Stripe key", "sk_", `(?:live|test)_[A-Za-z0-9]{16,}`)),
	mixed(shaped("a Stripe key", "rk_", `(?:live|test)_[A-Za-z0-9]{16,}`)),
	shaped("a GitHub token", "gh", `[pousr]_[A-Za-z0-9]{36,}`),
	shaped("a GitHub token", "github_pat_", `[A-Za-z0-9_]{22,}`),
	shaped("a GitLab token", "glpat-", `[A-Za-z0-9_.-]{20,}`),
	shaped("an AWS access key", "AKIA", `[A-Z2-7]{16}\b`),
	shaped("an AWS access key", "ASIA", `[A-Z2-7]{16}\b`),
	shaped("a Google API key", "AIza", `[A-Za-z0-9_-]{35}`),
	mixed(shaped("a Slack token", "xox", `[abeoprs]-[A-Za-z0-9-]{10,}`)),
	mixed(shaped("a Slack token", "xapp-", `[A-Za-z0-9-]{20,}`)),
	mixed(shaped("an npm token", "npm_", `[A-Za-z0-9]{36}\b`)),
	shaped("a PyPI token", "pypi-AgE", `[A-Za-z0-9_-]{50,}`),
	mixed(shaped("a Hugging Face token", "hf_", `[A-Za-z0-9]{30,}\b`)),
	shaped("a SendGrid key", "SG.", `[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`),
	shaped("a JSON web token", "eyJ", `[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`),
	mixed(inner(shaped("a bearer token", "earer ", `([A-Za-z0-9._~+/-]{16,}=*)`))),
	inner(shaped("a password", "asic ", `([A-Za-z0-9+/]*[a-z0-9][A-Z][A-Za-z0-9+/]{6,}={0,2})`)),
	mixed(inner(shaped("a password", "://", `[^\s/:@"']*:([^\s/@"'<>{}$]{6,})@`))),
}

// Find gives what looks like a credential, in order.
func Find(text string) (found []Found) {
	for _, s := range shapes {
		for from := 0; ; {
			i := strings.Index(text[from:], s.mark)
			if i < 0 {
				break
			}
			i += from
			from = i + len(s.mark)
			if !s.inner && endsInWord(text[:i]) {
				continue
			}
			m := s.form.FindStringSubmatchIndex(text[i:])
			if m == nil {
				continue
			}
			f := Found{i + m[len(m)-2], i + m[len(m)-1], s.kind}
			if s.mixed && !isMixed(text[f.Start:f.End]) {
				continue
			}
			found = append(found, f)
			from = f.End
		}
	}
	slices.SortFunc(found, func(a, b Found) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	apart := found[:0]
	for _, f := range found {
		if last := len(apart) - 1; last >= 0 && f.Start < apart[last].End {
			apart[last].End = max(apart[last].End, f.End)
		} else {
			apart = append(apart, f)
		}
	}
	return apart
}

// endsInWord reports whether what follows on a text is a part of its last word. The letter of an escape, as in \n, is none.
func endsInWord(text string) bool {
	n := len(text)
	if n == 0 {
		return false
	}
	last := text[n-1]
	return isLetter(rune(last)) && (n == 1 || text[n-2] != '\\') || '0' <= last && last <= '9' || last == '_'
}

func isLetter(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isMixed(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ContainsFunc(text, isLetter)
}

// Scrub gives text with [credential] in the place of what looks like one: a second net, for what tools are given and say.
func Scrub(text string) string {
	found := Find(text)
	if found == nil {
		return text
	}
	var out strings.Builder
	from := 0
	for _, f := range found {
		out.WriteString(text[from:f.Start])
		out.WriteString("[credential]")
		from = f.End
	}
	out.WriteString(text[from:])
	return out.String()
}

// ScrubJSON is Scrub for the strings of a JSON value.
func ScrubJSON(value []byte) []byte { return rewriteJSON(value, Scrub) }

// Net is Scrub for a text that comes in pieces. A Net is for one goroutine.
type Net struct{ held string }

var keyEnd = regexp.MustCompile(`-----END [A-Z0-9 ]*-----`)

// longestKey is how long a private key may be that comes in pieces.
const longestKey = 32 << 10

// Write takes the next piece and gives what is safe to show: all but a word that is not over, or a key.
func (n *Net) Write(piece string) string {
	n.held += piece
	cut := strings.LastIndexAny(n.held, " \t\r\n\"'") + 1
	for _, mark := range []string{"earer ", "asic "} { // what follows is the credential
		if strings.HasSuffix(n.held[:cut], mark) {
			cut -= len(mark)
		}
	}
	if begin := strings.LastIndex(n.held, "-----BEGIN "); begin >= 0 && len(n.held)-begin < longestKey && !keyEnd.MatchString(n.held[begin:cut]) {
		cut = begin
	}
	safe := Scrub(n.held[:cut])
	n.held = n.held[cut:]
	return safe
}

// Flush gives what was held back: the text has ended.
func (n *Net) Flush() string {
	rest := Scrub(n.held)
	n.held = ""
	return rest
}

var marks = regexp.MustCompile(`\[secret:[^\]]+\]|\[credential\]`)

// Masked reports whether something was taken out of a text.
func Masked(text string) bool { return marks.MatchString(text) }
