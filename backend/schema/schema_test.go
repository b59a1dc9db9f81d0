package schema

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	s, err := Read([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["n"],"additionalProperties":false,"properties":{
		"n":{"type":"integer","minimum":3},"size":{"enum":["small","large"]},"l":{"type":"array","items":{"type":"string"}},
		"o":{"type":"object","properties":{"on":{"type":"boolean"}}},"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"n":3,"size":"large","l":["x"],"o":{"on":false},"a":1}`: "",
		`{"n":4.0}`:                   "",
		`{}`:                          `missing properties: ["n"]`,
		`{"n":"4"}`:                   `n: 4 has type "string", want "integer"`,
		`{"n":2}`:                     `n: 2 is less than 3`,
		`{"n":3,"x":1}`:               `unexpected additional properties ["x"]`,
		`{"n":3,"size":"huge"}`:       `size: huge does not equal any of: [small large]`,
		`{"n":3,"l":["a",1]}`:         `l[]: 1 has type "integer", want "string"`,
		`{"n":3,"o":{"on":"false"}}`:  `o.on: false has type "string", want "boolean"`,
		`{"n":3,"o":{"on":null}}`:     `o.on: null has type "null", want "boolean"`,
		`{"n":3,"a":true}`:            `a: did not validate against what it may be`,
		`[3]`:                         "they must be one JSON object",
		`null`:                        "they must be one JSON object",
		`{"n":`:                       "they must be one JSON object",
		`{"n":3,"a":{"deep":[1,{}]}}`: `a: did not validate against what it may be`,
	} {
		got := ""
		if err := s.Check([]byte(value)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	if err := (Schema{}).Check([]byte(`{"any":1}`)); err != nil {
		t.Errorf("no schema: %v", err)
	}
}

// TestRefused: what cannot be checked by, or would never end.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                "is no JSON Schema",
		`[]`:                               "is no JSON Schema",
		`{"type":"string"}`:                "is not of the type object",
		`{"type":"object","properties":3}`: "is no JSON Schema",
		`{"type":"object","properties":{"a":null}}`:                                    "is no JSON Schema: schema at /properties/a is nil",
		`{"type":"object","properties":{"a":{"pattern":"("}}}`:                         "is no JSON Schema: pattern: error parsing regexp: missing closing ): `(`",
		`{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}`:        "is of a draft that Parley does not know. Leave $schema out",
		`{"type":"object","$ref":"#"}`:                                                 "refers to a schema by $ref. Write out what it stands for",
		`{"type":"object","properties":{"a":{"items":[{"$dynamicRef":"#x"}]}}}`:        "refers to a schema by $ref. Write out what it stands for",
		`{"type":"object","description":"` + strings.Repeat("x", maxSchema) + `"}`:     "has more than 64 KiB",
		`{"type":"object","$defs":{"a":{"allOf":[{"$ref":"https://example.com/s"}]}}}`: "refers to a schema by $ref. Write out what it stands for",
		`{"type":"object","allOf":[{"$REF":"#"}]}`:                                     "refers to a schema by $ref. Write out what it stands for",
		`{"type":"object","not":{"$ref":"#"},"not":{}}`:                                "refers to a schema by $ref. Write out what it stands for",
		`{"type":"object","not":` + nested(maxDepth) + `}`:                             "is nested too deeply: at most 64 levels",
		`{"type":"object","not":` + nested(maxDepth) + `,"not":{}}`:                    "is nested too deeply: at most 64 levels",
	} {
		if _, err := Read([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
}

// nested is a schema of some levels.
func nested(levels int) string {
	return strings.Repeat(`{"not":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
}

func TestADeepSchemaIsRead(t *testing.T) {
	if _, err := Read([]byte(`{"type":"object","not":` + nested(maxDepth-1) + `}`)); err != nil {
		t.Error(err)
	}
}
