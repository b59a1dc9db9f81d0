package vault

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/store"
)

// Refused is a line of a file called .env that was not taken, and why.
type Refused struct {
	Line int // from 1
	Why  string
}

// Import makes a text secret of each variable in the text of a file called .env, of a project or, if that is empty, for every
// one. A line that cannot be taken is left out; so is one whose secret there is already.
func (s *Secrets) Import(ctx context.Context, project agent.ProjectID, text string) (made []Secret, refused []Refused, err error) {
	variables, refused := readDotenv(text)
	for _, v := range variables {
		one, err := s.Make(ctx, NewSecret{Project: project, Name: v.name, Slug: slugOf(v.name), Format: FormatText, Value: []byte(v.value)})
		switch {
		case err == nil:
			made = append(made, one)
		case agent.AsError(err).Code == agent.CodeValidation && !errors.Is(err, store.ErrReadOnly):
			refused = append(refused, Refused{v.line, agent.AsError(err).Message})
		default:
			return made, refused, err
		}
	}
	slices.SortFunc(refused, func(a, b Refused) int { return a.Line - b.Line })
	return made, refused, nil
}

type variable struct {
	line        int
	name, value string
}

var (
	assignment = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(.*)$`)
	filledIn   = regexp.MustCompile(`\$\{|\$\(|` + "`")
)

// readDotenv reads NAME=value lines: quoted with ' as it stands, with " with escapes, or neither up to a comment. What another
// program would fill in, and what goes on over several lines, is refused.
func readDotenv(text string) (variables []variable, refused []Refused) {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for n := 0; n < len(lines); n++ {
		line := strings.TrimSpace(lines[n])
		if line == "" || line[0] == '#' {
			continue
		}
		at := n + 1
		parts := assignment.FindStringSubmatch(line)
		if parts == nil {
			refused = append(refused, Refused{at, "This is no NAME=value."})
			continue
		}
		name, rest := parts[1], parts[2]
		if open := quoteOf(rest); open != "" && !isClosed(rest, open) {
			refused = append(refused, Refused{at, "The value of " + name + " goes on over several lines. Store it from a file, with parley secrets set."})
			n = endOf(lines, n, open)
			continue
		}
		value, why := readValue(rest)
		if why != "" {
			refused = append(refused, Refused{at, "The value of " + name + " " + why})
			continue
		}
		variables = append(variables, variable{at, name, value})
	}
	return variables, refused
}

// quoteOf gives the quote that a value begins with.
func quoteOf(value string) string {
	if value != "" && (value[0] == '\'' || value[0] == '"') {
		return value[:1]
	}
	return ""
}

func isClosed(value, quote string) bool { return closing(value[1:], quote) >= 0 }

// closing finds a quote that is not escaped; between ' nothing is.
func closing(text, quote string) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == `"`:
			i++
		case text[i] == quote[0]:
			return i
		}
	}
	return -1
}

// endOf gives the line in which a value ends that began in line n, or n if it never does.
func endOf(lines []string, n int, quote string) int {
	for end := n + 1; end < len(lines); end++ {
		if closing(lines[end], quote) >= 0 {
			return end
		}
	}
	return n
}

var escapes = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`, `\$`, "$")

// readValue reads what follows the = of one line.
func readValue(text string) (value, why string) {
	quote := quoteOf(text)
	if quote == "" {
		if text != "" && text[0] == '#' {
			text = ""
		}
		text, _, _ = strings.Cut(text, " #")
		value = strings.TrimSpace(text)
	} else {
		end := 1 + closing(text[1:], quote)
		value = text[1:end]
		if after := strings.TrimSpace(text[end+1:]); after != "" && after[0] != '#' {
			return "", "is followed by something. Put all of it into one pair of quotes."
		}
	}
	if quote != "'" && filledIn.MatchString(strings.ReplaceAll(value, `\$`, "")) {
		return "", "is filled in by another program. Write what it stands for, or, if it is meant as it is, put it between ' and '."
	}
	if quote == `"` {
		value = escapes.Replace(value)
	}
	return value, ""
}
