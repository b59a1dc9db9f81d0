package api

import (
	"errors"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/vault"
)

// nowhere is the keychain of a machine that has none.
func nowhere(t *testing.T) vault.Keyring {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	return vault.NewKeychain(t.TempDir())
}

// TestTheDoorOfALockedHistory: a door without a history shows the page and says what it waits for; once the person has
// given it, the same door opens onto everything, and the page hears of it.
func TestTheDoorOfALockedHistory(t *testing.T) {
	w := openWith(t, t.TempDir(), nowhere(t))
	var v Vault
	w.get("/vault", &v)
	if v.State != vault.NoKeychain || len(v.Accepts) != 1 || v.Accepts[0] != vault.SlotPassphrase || v.Slots == nil || v.Keychain.Health != vault.Absent || v.Remedy == "" {
		t.Errorf("%+v", v)
	}
	for _, r := range [][2]string{{"GET", "/sessions"}, {"GET", "/agents"}, {"GET", "/sessions/s/events"}, {"GET", "/messages/s/stream"}} {
		res := w.request(r[0], r[1], "", nil)
		if f := failure(t, res); f.Code != http.StatusServiceUnavailable || f.Type != "vault_locked" || !strings.Contains(f.Message, "passphrase") {
			t.Errorf("%s: %+v", r[1], f)
		}
	}
	if f := failure(t, w.say("s", "u1", "hi")); f.Type != "vault_locked" {
		t.Errorf("a message: %+v", f)
	}
	for _, path := range []string{"/", "/health"} {
		if res := w.request("GET", path, "", nil); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	p := w.dial()
	p.ask("r", "s", "hi")
	if f := p.read(); f.Type != "error" || !strings.Contains(f.ErrorText, "passphrase") {
		t.Errorf("the socket says %+v", f)
	}

	w.decode(w.request("PUT", "/vault/passphrase", `{"passphrase":"correct horse"}`, nil), &v)
	if v.State != vault.Ready {
		t.Errorf("%+v", v)
	}
	if f := p.read(); f.Type != "vault" || f.State != vault.Ready {
		t.Errorf("the socket says %+v", f)
	}
	if got := text(t, frames(t, w.say("s", "u1", "[[say:hello]]").Body)); got != "hello" {
		t.Errorf("the answer is %q", got)
	}
	if f := p.read(); f.Type != "session" {
		t.Errorf("the socket says %+v", f)
	}
}

func TestLockingWaitsForTurns(t *testing.T) {
	w := open(t)
	w.decode(w.request("PUT", "/vault/passphrase", `{"passphrase":"correct horse"}`, nil), new(Vault))
	stream := w.say("s", "u1", "[[say:half]] [[hang]]")
	if f := failure(t, w.request("POST", "/vault/lock", "", nil)); f.Code != http.StatusConflict || !strings.Contains(f.Message, "Stop it") {
		t.Errorf("under a turn: %+v", f)
	}
	w.request("POST", "/messages/s/stop", "", nil)
	frames(t, stream.Body)
	var v Vault
	w.decode(w.request("POST", "/vault/lock", "", nil), &v)
	if v.State != vault.Sleeping {
		t.Errorf("%+v", v)
	}
	if f := failure(t, w.request("GET", "/sessions", "", nil)); f.Type != "vault_locked" {
		t.Errorf("%+v", f)
	}
	if f := failure(t, w.request("POST", "/vault/unlock", `{"passphrase":"wrong"}`, nil)); f.Code != http.StatusBadRequest {
		t.Errorf("a wrong passphrase: %+v", f)
	}
	w.decode(w.request("POST", "/vault/unlock", `{"passphrase":"correct horse"}`, nil), &v)
	if messages, _ := w.load("s", ""); v.State != vault.Ready || len(messages) != 2 {
		t.Errorf("%+v, %d messages", v, len(messages))
	}
}

// TestADoorThatIsIdle: who looks does not use the history, who does something does, and nobody comes in too late.
func TestADoorThatIsIdle(t *testing.T) {
	w := open(t)
	if f := failure(t, w.request("PUT", "/vault/lock-after", `{"minutes":5}`, nil)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "Set a passphrase") {
		t.Errorf("%+v", f)
	}
	w.decode(w.request("PUT", "/vault/passphrase", `{"passphrase":"correct horse"}`, nil), new(Vault))
	for what, use := range map[string]func(){
		"being there": func() { w.request("POST", "/vault/active", "", nil) },
		"a message":   func() { frames(t, w.say("s", "u1", "hi").Body) },
		"a message on the socket": func() {
			p := w.dial()
			p.ask("r", "s", "hi")
			for p.read().Type != "end" {
			}
		},
		"looking": nil,
	} {
		var v Vault
		w.decode(w.request("PUT", "/vault/lock-after", `{"minutes":5}`, nil), &v)
		if v.State != vault.Ready || v.LockAfter != 5 {
			t.Fatalf("%+v", v)
		}
		w.late.Add(int64(4 * time.Minute))
		want := http.StatusServiceUnavailable
		if use != nil {
			use()
			want = http.StatusOK
		}
		w.get("/sessions", new(SessionList))
		w.late.Add(int64(4 * time.Minute))
		if res := w.request("GET", "/sessions", "", nil); res.StatusCode != want {
			t.Errorf("after %s: %s", what, res.Status)
		}
		w.decode(w.request("POST", "/vault/unlock", `{"passphrase":"correct horse"}`, nil), &v)
	}
}

func TestTheRecoveryCodeComesBackTyped(t *testing.T) {
	w := open(t)
	var c RecoveryCode
	w.decode(w.request("POST", "/vault/recovery-code", "", nil), &c)
	wrong := "0" + c.Code[1:]
	if c.Code[0] == '0' {
		wrong = "1" + c.Code[1:]
	}
	if f := failure(t, w.request("PUT", "/vault/recovery-code", `{"code":"`+wrong+`"}`, nil)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "Group 1 ") {
		t.Errorf("%+v", f)
	}
	var v Vault
	w.decode(w.request("PUT", "/vault/recovery-code", `{"code":"`+c.Code+`"}`, nil), &v)
	if len(v.Slots) != 2 || v.Slots[1] != vault.SlotRecovery {
		t.Errorf("%+v", v)
	}
	w.decode(w.request("PUT", "/vault/passphrase", `{"passphrase":"x"}`, nil), &v)
	w.decode(w.request("DELETE", "/vault/passphrase", "", nil), &v)
	if len(v.Slots) != 2 {
		t.Errorf("%+v", v)
	}
}

// TestTheHistoryClosesAfterItsGuests: a request that was let in finds the history open until it is done.
func TestTheHistoryClosesAfterItsGuests(t *testing.T) {
	w := open(t)
	in, leave, err := w.door.enterRooms(t.Context(), caller{project: agent.DefaultProject})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- w.door.History.Close() }()
	for err == nil { // until nobody is let in any more
		var another func()
		_, another, err = w.door.enterRooms(t.Context(), caller{project: agent.DefaultProject})
		another()
		runtime.Gosched()
	}
	key := agent.SessionKey{Project: agent.DefaultProject, Session: "none"}
	for range 100 {
		runtime.Gosched()
		if _, err := in.Store.Session(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("a guest meets %v", err)
		}
	}
	leave()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestAHistoryIsSalvagedInPlace: one request, after which the same door opens onto what was kept.
func TestAHistoryIsSalvagedInPlace(t *testing.T) {
	w := open(t)
	stream := w.say("s", "u1", "[[say:half]] [[hang]]")
	if f := failure(t, w.request("POST", "/vault/salvage", `{}`, nil)); f.Code != http.StatusConflict || !strings.Contains(f.Message, "Stop it") {
		t.Errorf("under a turn: %+v", f)
	}
	w.request("POST", "/messages/s/stop", "", nil)
	frames(t, stream.Body)
	if f := failure(t, w.request("POST", "/vault/salvage", `{"path":"here.db"}`, nil)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "absolute") {
		t.Errorf("%+v", f)
	}
	before, _ := w.load("s", "")
	var found Salvage
	w.decode(w.request("POST", "/vault/salvage", `{}`, nil), &found)
	if found.Sessions != 1 || found.Messages == 0 || found.Bad > 0 || found.Tables == nil || found.Incomplete == nil {
		t.Errorf("%+v", found)
	}
	if after, _ := w.load("s", ""); !slices.Equal(after, before) || len(after) != 2 {
		t.Errorf("%v became %v", before, after)
	}
}
