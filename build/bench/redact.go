package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"parley/backend/redact"
)

const (
	secrets   = 1000
	pieceSize = 20
	pieces    = 200_000
)

// prose is what a model may say, escapes and all.
const prose = "The quick brown fox — it was `cmd/run.go`, line 42 — jumps over 100% of the lazy dogs; see https://example.com/a?b=c+d and {\"k\":\"v\\n\"} for it. "

// redact measures what a piece of an answer costs that is looked through for a thousand secrets, and how much of a text that has
// one of them, in any encoding, is held back.
func (b *bench) redact() error {
	r := rand.New(rand.NewPCG(3, 1))
	values := make([]redact.Value, secrets)
	longest := 0
	for i := range values {
		random := make([]byte, 24+r.IntN(40))
		for j := range random {
			random[j] = byte(r.IntN(256))
		}
		values[i] = redact.Value{Name: fmt.Sprint("s", i), Text: []string{"sk-", "ghp_", "", ""}[i%4] + base64.RawURLEncoding.EncodeToString(random)}
		longest = max(longest, len(base64.StdEncoding.EncodeToString([]byte(values[i].Text)))+2)
	}
	known := redact.New(values)
	stream := known.Stream()
	from := 0
	took, err := repeat(pieces, func() (time.Duration, error) {
		from = (from + pieceSize) % (len(prose) - pieceSize)
		started := time.Now()
		stream.Write(prose[from : from+pieceSize])
		return time.Since(started), nil
	})
	if err != nil {
		return err
	}
	row(fmt.Sprintf("redact: a delta of %d bytes, %d secrets", pieceSize, secrets), "%d ns median, %d ns p99", took.median().Nanoseconds(), took.at(0.99).Nanoseconds())
	held := 0
	for _, v := range values {
		for before := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("~", before) + v.Text + "~~~"))
			stream, waiting := known.Stream(), 0
			for i := range len(text) {
				if waiting++; stream.Write(text[i:i+1]) != "" {
					waiting = 0
				}
				held = max(held, waiting)
			}
		}
	}
	row("redact: held back at most, longest form", "%d bytes, %d bytes", held, longest)
	return nil
}
