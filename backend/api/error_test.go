package api

import (
	"strings"
	"testing"
)

func TestNoErrorTellsASecret(t *testing.T) {
	w := open(t)
	w.with("garden", "POST", "/secrets", shed, &Secret{})
	f := failure(t, w.request("PATCH", "/sessions/s", `{"scope":"open-the-shed"}`, nil))
	if f.Code != 400 || strings.Contains(f.Message, "open-the-shed") || !strings.Contains(f.Message, "[secret:shed-key]") {
		t.Errorf("it says %+v", f)
	}
}
