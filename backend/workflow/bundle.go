package workflow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"parley/backend/agent"
)

// A bundle is lines of JSON: what it is first, then its parts, each with the sum of its data.
const (
	bundleFormat  = "parley-bundle"
	bundleVersion = 1
)

type bundleHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Parley  string `json:"parley"` // the version that wrote it
	Parts   int    `json:"parts"`
}

// Part is one of a bundle.
type Part struct {
	Kind string          `json:"part"`
	Sum  string          `json:"sha256"` // of the data
	Data json.RawMessage `json:"data"`
}

// NewPart makes a part of data.
func NewPart(kind string, data any) (Part, error) {
	b, err := json.Marshal(data)
	return Part{kind, sum(b), b}, err
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// WriteBundle gives the file of parts.
func WriteBundle(parts []Part, version string) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	if err := out.Encode(bundleHead{bundleFormat, bundleVersion, version, len(parts)}); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := out.Encode(p); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// IsBundle reports whether a file means to be a bundle.
func IsBundle(src []byte) bool {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	var head bundleHead
	return json.Unmarshal(line, &head) == nil && head.Format != ""
}

// ReadBundle gives the parts of a file that is all there and as it was written.
func ReadBundle(src []byte) ([]Part, error) {
	lines := bytes.Split(bytes.TrimSuffix(src, []byte("\n")), []byte("\n"))
	var head bundleHead
	switch err := strictly(lines[0], &head); {
	case err != nil || head.Format != bundleFormat:
		return nil, refuse("it is no bundle of Parley's.")
	case head.Version != bundleVersion:
		return nil, refuse("it is a bundle of version %d, and this Parley reads version %d. Update Parley.", head.Version, bundleVersion)
	case head.Parts != len(lines)-1:
		return nil, refuse("%d of its %d parts are there. Get the file again.", len(lines)-1, head.Parts)
	}
	parts := make([]Part, head.Parts)
	for i, line := range lines[1:] {
		p := &parts[i]
		if err := strictly(line, p); err != nil {
			return nil, refuse("line %d is no part of a bundle.", i+2)
		}
		if p.Sum != sum(p.Data) {
			return nil, refuse("the part in line %d was changed, or is damaged. Get the file again.", i+2)
		}
	}
	return parts, nil
}

// Read decodes the data of a part strictly.
func (p Part) Read(into any) error {
	if err := strictly(p.Data, into); err != nil {
		return agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The file was not imported: a part of the kind %.20q cannot be read.", p.Kind))
	}
	return nil
}

func strictly(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func refuse(format string, args ...any) error {
	return agent.Errorf(agent.CodeValidation, "The file was not imported: "+format, args...)
}
