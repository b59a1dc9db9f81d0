package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"
)

// MediaHandle names media by its content. It is all that a row holds of it.
type MediaHandle string

const mediaScheme = "media://sha256-"

var mediaSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// MediaHandleOf gives the handle of the content with a SHA-256 sum, in hexadecimal.
func MediaHandleOf(sum string) (MediaHandle, error) {
	if !mediaSum.MatchString(sum) {
		return "", Errorf(CodeValidation, "Media is named by its SHA-256 sum: 64 digits and letters from a to f.")
	}
	return MediaHandle(mediaScheme + sum), nil
}

// Sum is the SHA-256 sum of the content, in hexadecimal.
func (h MediaHandle) Sum() string { return strings.TrimPrefix(string(h), mediaScheme) }

// Media is a file that belongs to a message. NewMedia makes it.
type Media struct {
	Handle   MediaHandle
	MimeType string
	Content  []byte
}

// The sizes that are taken: what a person records may be larger than what they attach otherwise.
const (
	MaxAudio = 15 << 20
	MaxMedia = 10 << 20
)

// MediaOf names content. Its type is what the content says, whatever its name or its sender do.
func MediaOf(content []byte) Media {
	kind, _, _ := strings.Cut(http.DetectContentType(content), ";")
	if kind == "application/ogg" {
		kind = "audio/ogg"
	}
	sum := sha256.Sum256(content)
	return Media{MediaHandle(mediaScheme + hex.EncodeToString(sum[:])), kind, content}
}

// NewMedia checks content that is to belong to a message.
func NewMedia(content []byte) (Media, error) {
	m := MediaOf(content)
	most, what := MaxMedia, "A file"
	if strings.HasPrefix(m.MimeType, "audio/") {
		most, what = MaxAudio, "A recording"
	}
	switch {
	case len(content) == 0:
		return Media{}, Errorf(CodeValidation, "The file is empty, so it was not taken.")
	case len(content) > most:
		return Media{}, Errorf(CodeValidation, "%s may have %d MB at most. Send a smaller one.", what, most>>20)
	}
	return m, nil
}

// Part is how a message refers to m. name is what the person calls it; it may be empty.
func (m Media) Part(name string) MediaPart {
	return MediaPart{MimeType: m.MimeType, Handle: m.Handle, Name: name, ByteLength: int64(len(m.Content))}
}
