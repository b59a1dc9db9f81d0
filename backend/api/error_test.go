package api

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"parley/backend/vault"
)

func TestNoErrorTellsASecret(t *testing.T) {
	w := open(t)
	w.with("garden", "POST", "/secrets", shed, &Secret{})
	f := failure(t, w.request("PATCH", "/sessions/s", `{"scope":"open-the-shed"}`, nil))
	if f.Code != 400 || strings.Contains(f.Message, "open-the-shed") || !strings.Contains(f.Message, "[secret:shed-key]") {
		t.Errorf("it says %+v", f)
	}
}

// askedRing is a keyring that notes whether it is asked.
type askedRing struct {
	vault.Keyring
	asked atomic.Bool
}

func (r *askedRing) Get(ctx context.Context, account string) ([]byte, error) {
	r.asked.Store(true)
	return r.Keyring.Get(ctx, account)
}

// TestARefusalAsksNoKeyring: a stranger may not make the keychain ask the person, nor wait for it.
func TestARefusalAsksNoKeyring(t *testing.T) {
	r := &askedRing{Keyring: ring}
	w := openWith(t, t.TempDir(), r)
	w.with("garden", "POST", "/secrets", shed, &Secret{})
	r.asked.Store(false)
	f := failure(t, w.request("GET", "/secrets", "", header("Authorization", "Bearer wrong")))
	if f.Code != 401 || r.asked.Load() {
		t.Errorf("it says %+v; the keyring was asked: %t", f, r.asked.Load())
	}
	if failure(t, w.request("PATCH", "/sessions/s", `{"scope":"open-the-shed"}`, nil)); !r.asked.Load() {
		t.Error("what another error may tell is not known")
	}
}
