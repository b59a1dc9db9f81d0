package workflow

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

var (
	wholeNumber = regexp.MustCompile(`^[-+]?[0-9]+$`)
	hexNumber   = regexp.MustCompile(`^0x[0-9a-fA-F]+$`)
	octalNumber = regexp.MustCompile(`^0o[0-7]+$`)
	realNumber  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	noNumber    = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// maxDigits is how long the text of a number may be: some that are short to write are long to work out.
const maxDigits = 400

// scalar gives what a scalar means in the core schema of YAML 1.2: nil, a bool, a json.Number or a string. The library's own
// answer would be that of an older YAML, where 2026-11-20 is a time and 0755 is 493. What is not taken it says in a sentence.
func scalar(n *yaml.Node) (meant any, wrong string) {
	text := n.Value
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return text, ""
	}
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil, ""
	case "true", "True", "TRUE":
		return true, ""
	case "false", "False", "FALSE":
		return false, ""
	}
	if !strings.ContainsRune("+-.0123456789", rune(text[0])) {
		return text, ""
	}
	switch {
	case octalNumber.MatchString(text):
		return nil, "Octal numbers are not taken. Write it with decimal digits, or in quotes."
	case noNumber.MatchString(text):
		return nil, "Neither infinity nor what is no number is taken. Write a number, or put it in quotes."
	case len(text) > maxDigits && (realNumber.MatchString(text) || hexNumber.MatchString(text)):
		return nil, "This number has too many digits. Put it in quotes."
	case wholeNumber.MatchString(text), hexNumber.MatchString(text):
		base := 10
		if strings.HasPrefix(text, "0x") {
			text, base = text[2:], 16
		}
		whole, _ := new(big.Int).SetString(text, base) // Go reads whatever these patterns match
		return json.Number(whole.String()), ""
	case realNumber.MatchString(text):
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, "This number is too large. Put it in quotes."
		}
		return number(f), ""
	}
	return text, ""
}

// number is a number as JSON has it. There is one zero.
func number(f float64) json.Number {
	b, err := json.Marshal(f + 0)
	if err != nil {
		panic(err) // who asks has a finite one
	}
	return json.Number(b)
}
