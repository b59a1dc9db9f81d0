package api

import (
	"net/http"
	"strings"
)

// form is how a reply is written.
type form string

const (
	asJSON   form = "application/json"
	asStream form = "text/event-stream"
)

// chooseForm gives the form that the client likes best, by the rules of RFC 9110: who says nothing takes JSON. Where it likes
// both alike, it gets the one that it names more exactly, and where that is no difference either, preferred.
func chooseForm(r *http.Request, preferred form) (form, error) {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	if strings.Trim(accept, ", \t") == "" {
		return asJSON, nil
	}
	ranges := parseAccept(accept)
	best, bestLiking := form(""), liking{}
	for _, f := range []form{preferred, asJSON, asStream} {
		if l := ranges.liking(f); l.quality > 0 && bestLiking.less(l) {
			best, bestLiking = f, l
		}
	}
	if best == "" {
		return "", errAccept
	}
	return best, nil
}

// mediaRange is an element of an Accept header, in lower case.
type mediaRange struct {
	kind    string // such as text/html, text/* or */*
	quality int    // in thousandths
}

type mediaRanges []mediaRange

// liking is how much a form is liked, and how exactly it was named: 3 for its name, 1 for */*, 0 for not at all.
type liking struct{ quality, exactness int }

func (l liking) less(other liking) bool {
	return l.quality < other.quality || l.quality == other.quality && l.exactness < other.exactness
}

// liking is that of the range that names the form most exactly.
func (ranges mediaRanges) liking(f form) (l liking) {
	family, _, _ := strings.Cut(string(f), "/")
	exactness := map[string]int{string(f): 3, family + "/*": 2, "*/*": 1}
	for _, r := range ranges {
		if e := exactness[r.kind]; e > l.exactness {
			l = liking{r.quality, e}
		}
	}
	return l
}

// parseAccept reads an Accept header. What is no media range, or has a quality that is none, counts as not said. Parameters
// do not tell our forms apart.
func parseAccept(header string) (ranges mediaRanges) {
	for _, element := range cutOutsideQuotes(header, ',') {
		params := cutOutsideQuotes(element, ';')
		r := mediaRange{strings.ToLower(strings.Trim(params[0], " \t")), 1000}
		valid := true
		for _, p := range params[1:] {
			name, value, _ := strings.Cut(strings.Trim(p, " \t"), "=")
			if strings.EqualFold(name, "q") {
				r.quality, valid = parseQuality(value)
				break // what follows belongs to the Accept header, not to the range
			}
		}
		if valid {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// cutOutsideQuotes splits at a separator that is not inside of a quoted string.
func cutOutsideQuotes(s string, separator byte) (pieces []string) {
	from, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && s[i] == separator:
			pieces = append(pieces, s[from:i])
			from = i + 1
		}
	}
	return append(pieces, s[from:])
}

// parseQuality reads 0 to 1 with at most three decimals, in thousandths.
func parseQuality(s string) (quality int, ok bool) {
	whole, decimals, _ := strings.Cut(s, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	quality = int(whole[0] - '0')
	for _, c := range []byte((decimals + "000")[:3]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		quality = 10*quality + int(c-'0')
	}
	return quality, quality <= 1000
}
