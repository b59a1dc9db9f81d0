package app

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/api"
	"parley/backend/redact"
)

// late is a value that is worked out when it is written.
type late string

func (l late) LogValue() slog.Value { return slog.StringValue(string(l)) }

func TestNoSecretGetsIntoTheLog(t *testing.T) {
	var out bytes.Buffer
	known := redact.New([]redact.Value{{Name: "pw", Text: "hunter22"}})
	log := slog.New(redacted{slog.NewTextHandler(&out, nil), func() *redact.Known { return known }})
	log.With("with", "hunter22").WithGroup("g").Error("said hunter22", "text", "x hunter22", "error", fmt.Errorf("run: %w", errors.New("hunter22")),
		"any", []string{"hunter22"}, "late", late("hunter22"), slog.Group("in", "deep", "hunter22"), "took", 3*time.Second, "count", 4)
	got := out.String()
	if strings.Contains(got, "hunter22") || strings.Count(got, "[secret:pw]") != 7 || !strings.Contains(got, "g.took=3s g.count=4") {
		t.Errorf("logged %s", got)
	}
	out.Reset()
	known = nil
	log.Warn("said", "text", "hunter22")
	if !strings.Contains(out.String(), "hunter22") {
		t.Errorf("logged %s", out.String())
	}
}

// TestTheLogKnowsANewSecret: also before any turn asked what is secret.
func TestTheLogKnowsANewSecret(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	if _, err := ask[api.Secret](t.Context(), s.Connection, http.MethodPost, "/secrets", api.NewSecret{Name: "pw", Format: "text", Value: "hunter22"}); err != nil {
		t.Fatal(err)
	}
	if _, err := ask[struct{}](t.Context(), s.Connection, http.MethodPost, "/vault/backup", api.Backup{Path: filepath.Join(p.home, "none", "hunter22")}); err == nil {
		t.Fatal("a backup was made in a folder that is not there")
	}
	s.kill()
	if logged := s.log.String(); strings.Contains(logged, "hunter22") || !strings.Contains(logged, "[secret:pw]") {
		t.Errorf("logged %s", logged)
	}
}
