package vault

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"
)

// The tests of the real keychain run in this very program, started again below a session bus of its own, with a home of
// its own. When it ends, the bus ends, and all who were on it.

const sceneVariable = "PARLEY_TEST_SCENE"

var scenes = map[string]func(*testing.T){
	"works":           sceneWorks,
	"locked":          sceneLocked,
	"emptied":         sceneEmptied,
	"killed":          sceneKilled,
	"hung":            sceneHung,
	"a dialog":        sceneDialog,
	"crash":           sceneCrash,
	"no keyring yet":  sceneNoCollection,
	"bus without one": sceneNoProgram,
	"bus goes away":   sceneBusGoes,
	"history":         sceneHistory,
	"secrets":         sceneSecrets,
	"secrets dying":   sceneSecretsDying,
	"secrets crash":   sceneSecretsCrash,
	"secrets absent":  sceneSecretsAbsent,
}

func TestDesktop(t *testing.T) {
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is missing; install the packages dbus-daemon and gnome-keyring", program)
			}
			t.Skipf("%s is missing; install the packages dbus-daemon and gnome-keyring to run this", program)
		}
	}
	for name := range scenes {
		t.Run(name, func(t *testing.T) { runScene(t, name) })
	}
}

func runScene(t *testing.T, name string) {
	home := t.TempDir()
	config := filepath.Join(home, "bus.conf")
	if err := os.WriteFile(config, []byte(busConfig(home)), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--config-file=" + config, "--", os.Args[0], "-test.run=^TestScene$", "-test.timeout=90s"}
	cmd := exec.CommandContext(t.Context(), "dbus-run-session", arguments...)
	cmd.Env = append(os.Environ(), sceneVariable+"="+name, "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "DISPLAY=", "WAYLAND_DISPLAY=")
	out, err := cmd.CombinedOutput() // ends once nobody holds the other side any more
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if left := processesWith(home); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// busConfig is a session bus. What it can start by itself is nothing.
func busConfig(home string) string {
	return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=` + home + `</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`
}

// processesWith gives the living processes whose environment names home.
func processesWith(home string) string {
	var found []string
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte("HOME="+home)) {
			comm, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
			found = append(found, strings.TrimSpace(string(comm))+" "+filepath.Dir(path))
		}
	}
	return strings.Join(found, ", ")
}

// TestScene is the other side of TestDesktop.
func TestScene(t *testing.T) {
	scene := scenes[os.Getenv(sceneVariable)]
	if scene == nil {
		t.Skip("TestDesktop runs this, on a session bus of its own")
	}
	scene(t)
}

// daemon starts gnome-keyring, unlocked, and waits until it has its name on the bus.
func daemon(t *testing.T) (*os.Process, *dbus.Conn) {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	owners := make(chan *dbus.Signal, 8)
	conn.Signal(owners)
	if err := conn.AddMatchSignal(dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, secretsName)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	cmd.Stdin = strings.NewReader("pw")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for signal := range owners { // the first is about our own name
		if signal.Name == "org.freedesktop.DBus.NameOwnerChanged" {
			break
		}
	}
	conn.RemoveSignal(owners)
	return cmd.Process, conn
}

func sceneWorks(t *testing.T) {
	daemon(t)
	folder := t.TempDir()
	ringSuite{open: func(*testing.T) (Keyring, func()) { return NewKeychain(folder), func() {} }, folder: folder}.run(t)
	apart := t.TempDir()
	k := NewKeychain(apart)
	if kind := k.Kind(t.Context()); kind != "secret-service/gnome-keyring-d" {
		t.Errorf("kind %q", kind)
	}
	files := func(want int) {
		t.Helper()
		if entries, err := os.ReadDir(apart); err != nil || len(entries) != want {
			t.Errorf("%d files of long values, not %d (%v)", len(entries), want, err)
		}
	}
	put(t, k, "long", someValues["100 KB"])
	put(t, k, "long", someValues["100 KB"])
	files(1)
	put(t, k, "long", []byte("short"))
	files(0)
	put(t, k, "long", someValues["100 KB"])
	if err := k.Delete(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	files(0)
	put(t, k, "foreign", nil)
	if err := keyring.Set("parley", "foreign", "f../../../etc/passwd:x"); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Get(t.Context(), "foreign"); !errors.Is(err, ErrDamaged) {
		t.Errorf("a foreign item: %v", err)
	}
}

func sceneLocked(t *testing.T) {
	_, conn := daemon(t)
	k := NewKeychain(t.TempDir())
	put(t, k, "a", []byte("kept"))
	lock(t, conn)
	_, err := k.Get(t.Context(), "a")
	for what, err := range map[string]error{
		"get": err, "set": k.Set(t.Context(), "a", nil), "delete": k.Delete(t.Context(), "a"), "not there": k.Delete(t.Context(), "b"),
	} {
		if !errors.Is(err, ErrLocked) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f := Probe(t.Context(), k); f.Health != Locked || f.Remedy == "" || f.Kind == "" {
		t.Errorf("%+v", f)
	}
	if err := k.Unlock(t.Context()); err == nil {
		t.Error("unlocked without a dialog")
	}
	unlock(t, conn)
	if err := k.Unlock(t.Context()); err != nil {
		t.Errorf("already unlocked: %v", err)
	}
	if got := get(t, k, "a"); string(got) != "kept" {
		t.Errorf("%q", got)
	}
}

func lock(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	call := conn.Object(secretsName, secretsPath).Call(secretsFace+".Lock", 0, []dbus.ObjectPath{loginKeyring})
	if call.Err != nil {
		t.Fatal(call.Err)
	}
}

// unlock does what the system's dialog does.
func unlock(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	secrets := conn.Object(secretsName, secretsPath)
	var ignored dbus.Variant
	var session dbus.ObjectPath
	if err := secrets.Call(secretsFace+".OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&ignored, &session); err != nil {
		t.Fatal(err)
	}
	password := struct {
		Session     dbus.ObjectPath
		Parameters  []byte
		Value       []byte
		ContentType string
	}{session, []byte{}, []byte("pw"), "text/plain"}
	const unlocking = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.UnlockWithMasterPassword"
	if err := secrets.Call(unlocking, 0, loginKeyring, password).Err; err != nil {
		t.Fatal(err)
	}
}

func sceneEmptied(t *testing.T) {
	_, conn := daemon(t)
	k := NewKeychain(t.TempDir())
	put(t, k, "a", []byte("x"))
	if err := conn.Object(secretsName, loginKeyring).Call("org.freedesktop.Secret.Collection.Delete", 0).Err; err != nil {
		t.Fatal(err)
	}
	_, err := k.Get(t.Context(), "a")
	if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	t.Log(err)
}

func sceneNoCollection(t *testing.T) {
	_, conn := daemon(t)
	if err := conn.Object(secretsName, loginKeyring).Call("org.freedesktop.Secret.Collection.Delete", 0).Err; err != nil {
		t.Fatal(err)
	}
	absentBecause(t, NoCollection)
}

func sceneNoProgram(t *testing.T) { absentBecause(t, NoProgram) }

func absentBecause(t *testing.T, want Reason) {
	t.Helper()
	f := Probe(t.Context(), NewKeychain(t.TempDir()))
	if f.Health != Absent || f.Reason != want || f.Remedy != want.Remedy() || f.Remedy == "" {
		t.Errorf("%+v", f)
	}
}

// sceneKilled: the keyring dies while it is asked.
func sceneKilled(t *testing.T) {
	process, _ := daemon(t)
	k := NewKeychain(t.TempDir())
	put(t, k, "a", []byte("x"))
	process.Signal(syscall.SIGSTOP)
	asked := make(chan error, 1)
	go func() { _, err := k.Get(t.Context(), "a"); asked <- err }()
	process.Signal(syscall.SIGKILL)
	if err := <-asked; !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	absentBecause(t, NoProgram)
}

// sceneHung: the keyring lives and says nothing. Calls end at their limit, and all is well when it wakes.
func sceneHung(t *testing.T) {
	process, _ := daemon(t)
	k := NewKeychain(t.TempDir())
	put(t, k, "a", []byte("x"))
	process.Signal(syscall.SIGSTOP)
	k.limit = 100 * time.Millisecond
	for range 20 {
		if _, err := k.Get(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
	}
	if f := Probe(t.Context(), k); f.Reason != Silent {
		t.Errorf("%+v", f)
	}
	process.Signal(syscall.SIGCONT)
	k.limit = keychainLimit
	if got := get(t, k, "a"); string(got) != "x" {
		t.Errorf("%q", got)
	}
}

// sceneDialog: the system shows a dialog, and the person does not look. The prompter is on the bus and never answers.
func sceneDialog(t *testing.T) {
	_, conn := daemon(t)
	k := NewKeychain(t.TempDir())
	put(t, k, "a", []byte("x"))
	lock(t, conn)
	prompter, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	defer prompter.Close()
	shown := make(chan struct{}, 8)
	mute := deaf{shown}
	if err := prompter.Export(mute, "/org/gnome/keyring/Prompter", "org.gnome.keyring.internal.Prompter"); err != nil {
		t.Fatal(err)
	}
	if _, err := prompter.RequestName("org.gnome.keyring.SystemPrompter", 0); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() { waiting <- k.Unlock(ctx) }()
	<-shown
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("unlock, given up: %v", err)
	}
	if f := Probe(t.Context(), k); f.Health != Locked { // gnome-keyring aborts if it is told to dismiss its dialog
		t.Errorf("%+v", f)
	}

	// The keyring is locked between the question and the call: go-keyring waits for ever, and nobody for it.
	k.limit = 300 * time.Millisecond
	ended := make(chan struct{})
	_, err = wait(t.Context(), k, func(context.Context) (string, error) {
		defer close(ended)
		return keyring.Get("parley", "a")
	})
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("a dialog that nobody answers: %v", err)
	}
	<-ended // also what was left behind
	k.limit = keychainLimit
	unlock(t, conn)
	if got := get(t, k, "a"); string(got) != "x" {
		t.Errorf("%q", got)
	}
}

// deaf is a prompter that shows a dialog and never answers.
type deaf struct{ shown chan struct{} }

func (d deaf) BeginPrompting(dbus.ObjectPath) *dbus.Error { d.shown <- struct{}{}; return nil }

func sceneBusGoes(t *testing.T) {
	daemon(t)
	k := NewKeychain(t.TempDir())
	put(t, k, "a", []byte("x"))
	path, _, _ := strings.Cut(strings.TrimPrefix(os.Getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:path="), ",")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if err := os.Symlink(path, filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "") // as over SSH: the bus is where a desktop puts it
	interrupt()                              // go-keyring has to find it too, and starts none
	if f := Probe(t.Context(), k); f.Health != Works {
		t.Errorf("%+v", f)
	}
	for _, address := range []string{"unix:path=" + t.TempDir() + "/none", "", "autolaunch:"} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
		absentBecause(t, NoBus)
		if kind := k.Kind(t.Context()); kind != "" {
			t.Errorf("%q: kind %q", address, kind)
		}
	}
}

func sceneHistory(t *testing.T) {
	_, conn := daemon(t)
	path, code := filepath.Join(t.TempDir(), "history.keys"), NewRecoveryCode()
	k := NewKeychain(t.TempDir())
	made, err := CreateKeyFile(t.Context(), path, k, NewKeys{Code: &code})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.SetAnchor(t.Context(), Anchor{3, 4}); err != nil {
		t.Fatal(err)
	}
	expect := func(want State) *KeyFile {
		t.Helper()
		again, err := OpenKeyFile(path, k)
		if err != nil {
			t.Fatal(err)
		}
		if s := again.Unlock(t.Context()); s.State != want || s.MadeWith != "secret-service/gnome-keyring-d" {
			t.Errorf("%+v", s)
		}
		return again
	}
	if a, err := expect(Ready).Anchor(t.Context()); err != nil || a != (Anchor{3, 4}) {
		t.Errorf("%+v, %v", a, err)
	}
	lock(t, conn)
	expect(KeychainLocked)
	unlock(t, conn)
	expect(Ready)
	if err := keyring.DeleteAll("parley"); err != nil {
		t.Fatal(err)
	}
	lost := expect(NeedsRecoveryCode)
	if err := errors.Join(lost.UnlockWithCode(code), lost.RenewKeychain(t.Context())); err != nil {
		t.Fatal(err)
	}
	expect(Ready)
	if other := openOther(t, path); other.State != NeedsRecoveryCode {
		t.Errorf("another machine: %+v", other)
	}
}

// openOther opens the key file where the desktop is another.
func openOther(t *testing.T, path string) Status {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	k, err := OpenKeyFile(path, NewKeychain(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return k.Unlock(t.Context())
}

func sceneCrash(t *testing.T) {
	daemon(t)
	crash(t, "keychain", t.TempDir())
}
