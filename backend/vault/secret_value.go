package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/backend/agent"
)

// Format says what the value of a named secret is.
type Format string

// The formats; the enum is closed.
const (
	FormatText Format = "text" // kept as it is
	FormatJSON Format = "json" // one flat object, whose fields can be referred to
)

const (
	// maxSecret is the length of the longest value of a secret: with those before it, it has to fit into one item.
	maxSecret = 64 << 10
	// mostFormer is how many values that were replaced are remembered, to be kept from being shown.
	mostFormer = 8
)

// item is what the keyring holds of a secret: all that belongs together, so that one write changes it. Made tells it from an
// item of the same account that another history left in this keyring.
type item struct {
	Made    int64    `json:"made"` // milliseconds since 1970
	Format  Format   `json:"format"`
	Value   []byte   `json:"value"`
	Expires int64    `json:"expires,omitempty"` // likewise; 0: never
	Former  [][]byte `json:"former,omitempty"`  // the newest first
}

func readItem(data []byte) (item, error) {
	var i item
	if err := json.Unmarshal(data, &i); err != nil {
		return item{}, agent.Wrap(agent.CodeValidation, errors.Join(ErrDamaged, err), "The keyring holds something under the name of this secret that Parley did not write. Set the secret again.")
	}
	return i, nil
}

func (i item) wipe() {
	Wipe(i.Value)
	for _, v := range i.Former {
		Wipe(v)
	}
}

// replace gives an item with another value.
func (i item) replace(value []byte) item {
	if i.Value != nil && !bytes.Equal(i.Value, value) {
		i.Former = slices.Concat([][]byte{i.Value}, i.Former)
		i.Former = i.Former[:min(len(i.Former), mostFormer)]
	}
	i.Value = value
	return i
}

func (i item) expires() time.Time {
	if i.Expires == 0 {
		return time.Time{}
	}
	return time.UnixMilli(i.Expires)
}

// field is one of a json secret, with the text that a reference to it gives.
type field struct {
	name, text string
	isWord     bool // true, false or null, which nobody hides
	isShort    bool // a number that cannot be told from others
}

var fieldName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// checkValue gives the fields of a value, or what keeps it from being one of its format.
func checkValue(format Format, value []byte) ([]field, error) {
	switch {
	case len(value) > maxSecret:
		return nil, agent.Wrap(agent.CodeValidation, ErrTooLong, fmt.Sprintf("This secret has %d bytes; at most %d can be stored. Nothing was stored.", len(value), maxSecret))
	case !utf8.Valid(value):
		return nil, agent.Errorf(agent.CodeValidation, "This secret is no text in UTF-8, so it cannot be given to a tool. Encode it, in base64 for example. Nothing was stored.")
	case format == FormatText:
		return nil, nil
	case format == FormatJSON:
		fields, err := readFields(value)
		if err != nil {
			return nil, agent.Errorf(agent.CodeValidation, "This is not what a secret of the format json holds: %v. Write one object, {\"user\": \"…\", \"port\": 5432}, or store it as text. Nothing was stored.", err)
		}
		return fields, nil
	}
	return nil, agent.Errorf(agent.CodeValidation, "There is no format %.20q. There are: text, json.", format)
}

// readFields reads a flat object. Errors repeat nothing of it but names of fields.
func readFields(value []byte) ([]field, error) {
	if !json.Valid(value) {
		return nil, errors.New("it is no JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	if open, _ := dec.Token(); open != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	var fields []field
	for dec.More() {
		name, _ := dec.Token()
		f := field{name: name.(string)}
		if !fieldName.MatchString(f.name) {
			return nil, fmt.Errorf("the field %.40q has a name that no reference can say; use letters, digits, _ and -", f.name)
		}
		if slices.ContainsFunc(fields, func(o field) bool { return o.name == f.name }) {
			return nil, fmt.Errorf("the field %s is there twice", f.name)
		}
		given, _ := dec.Token()
		switch v := given.(type) {
		case json.Delim:
			return nil, fmt.Errorf("the field %s holds a list or an object, and fields are flat", f.name)
		case string:
			f.text = v
		case json.Number:
			f.text, f.isShort = v.String(), len(v) < 6
		case bool:
			f.text, f.isWord = fmt.Sprint(v), true
		case nil:
			f.isWord = true
		}
		if strings.ContainsRune(f.text, utf8.RuneError) {
			return nil, fmt.Errorf("the field %s has a character that is none", f.name)
		}
		fields = append(fields, f)
	}
	return fields, nil
}
