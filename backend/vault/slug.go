package vault

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"parley/backend/agent"
)

// maxSlug is the length of the longest slug.
const maxSlug = 64

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CheckSlug says what keeps a text from being a slug.
func CheckSlug(slug string) error {
	if len(slug) > maxSlug || !slugForm.MatchString(slug) {
		return agent.Errorf(agent.CodeValidation, "A secret cannot be referred to as %.80q. Use small letters, digits and single dashes between them, at most %d.", slug, maxSlug)
	}
	return nil
}

// plainLetters are those that do not come apart into a plain letter and its marks.
var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ħ", "h", "ı", "i", "ŋ", "n")

// slugOf makes a slug of what a person calls something. What has no plain letters is called secret.
func slugOf(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range plainLetters.Replace(strings.ToLower(norm.NFKD.String(name))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		case r < 0x300 || r > 0x36f: // a mark belongs to its letter
			gap = true
		}
	}
	slug := b.String()
	if slug == "" {
		return "secret"
	}
	return strings.TrimSuffix(slug[:min(len(slug), maxSlug)], "-")
}

// freeSlug is slugOf with a number behind it, if it is taken.
func freeSlug(name string, taken []string) string {
	first := slugOf(name)
	slug := first
	for n := 2; slices.Contains(taken, slug); n++ {
		end := "-" + strconv.Itoa(n)
		slug = strings.TrimSuffix(first[:min(len(first), maxSlug-len(end))], "-") + end
	}
	return slug
}
