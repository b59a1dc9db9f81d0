package app

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"parley/backend/api"
	"parley/backend/vault"
)

// desktop is a session bus on which nothing starts by itself, and a keychain that comes and goes.
type desktop struct {
	t    *testing.T
	home string
	env  []string
	conn *dbus.Conn
}

func newDesktop(t *testing.T) *desktop {
	t.Helper()
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is missing; install the packages dbus-daemon and gnome-keyring", program)
			}
			t.Skipf("%s is missing; install the packages dbus-daemon and gnome-keyring to run this", program)
		}
	}
	home := t.TempDir()
	config := filepath.Join(home, "bus.conf")
	err := os.WriteFile(config, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=`+home+`</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	bus := exec.CommandContext(t.Context(), "dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := bus.StdoutPipe()
	if err == nil {
		err = bus.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Process.Kill(); bus.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &desktop{t, home, []string{
		"DBUS_SESSION_BUS_ADDRESS=" + address, "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "XDG_DATA_HOME=" + home, "PATH=" + os.Getenv("PATH"),
	}, conn}
}

// keychain starts gnome-keyring, locked or not, and gives what ends it.
func (d *desktop) keychain(unlocked bool) (end func()) {
	d.t.Helper()
	args := []string{"--foreground", "--components=secrets"}
	if unlocked {
		args = append(args, "--unlock")
	}
	cmd := exec.CommandContext(d.t.Context(), "gnome-keyring-daemon", args...)
	cmd.Env, cmd.Stdin = d.env, strings.NewReader("login password")
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	end = func() {
		cmd.Process.Kill()
		cmd.Wait()
		gone(d.t, "the keychain", d.answers)
	}
	d.t.Cleanup(end)
	gone(d.t, "the silence of the keychain", func() bool { return !d.answers() })
	return end
}

func (d *desktop) answers() bool {
	var owned bool
	err := d.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.secrets").Store(&owned)
	return err == nil && owned
}

// machine is a place on this desktop.
func (d *desktop) machine() *place {
	p := nobodySits(d.t)
	p.env = append([]string{"PARLEY_HOME=" + p.home}, d.env...)
	return p
}

// TestTheKeychainOfTheDesktop is a history's life with a real Secret Service: it makes the key, gives it, is locked, is
// gone, and has forgotten; and then a second machine.
func TestTheKeychainOfTheDesktop(t *testing.T) {
	d := newDesktop(t)
	end := d.keychain(true)
	p := d.machine()
	if _, notes, code := p.run("chat", "-m", "[[say:hello]]", "--session", "s"); code != exitDone {
		t.Fatalf("the first start: %d %s", code, notes)
	}
	if shown, notes, code := p.run("show", "s"); code != exitDone || !strings.Contains(shown, "hello") {
		t.Fatalf("the second: %d %s %s", code, shown, notes)
	}
	s := p.serve()
	c, err := ask[api.RecoveryCode](t.Context(), s.Connection, http.MethodPost, "/vault/recovery-code", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.vault(http.MethodPut, "/vault/recovery-code", c)
	s.kill()
	end()

	before := contents(t, p.home)
	p.meets("gone", vault.NeedsRecoveryCode, vault.Absent, "recovery code")
	end = d.keychain(false)
	p.meets("locked", vault.KeychainLocked, vault.Locked, "Unlock the keychain")
	end()
	if err := os.RemoveAll(filepath.Join(d.home, "keyrings")); err != nil {
		t.Fatal(err)
	}
	end = d.keychain(true)
	p.meets("emptied", vault.NeedsRecoveryCode, vault.Works, "recovery code")
	if after := contents(t, p.home); after != before {
		t.Error("a history that could not be opened was changed")
	}
	second := d.machine()
	if err := os.CopyFS(second.home, os.DirFS(p.home)); err != nil {
		t.Fatal(err)
	}
	for _, machine := range []*place{p, second} {
		s := machine.serve()
		if v := s.vault(http.MethodPost, "/vault/unlock", api.Unlocking{Code: c.Code}); v.State != vault.Ready {
			t.Errorf("%+v", v)
		}
		s.kill()
		if shown, notes, code := machine.run("show", "s"); code != exitDone || !strings.Contains(shown, "hello") {
			t.Errorf("the keychain does not keep the key again: %d %s %s", code, shown, notes)
		}
	}
	end()
}

// meets says what a start finds, on the page's side and on the command line.
func (p *place) meets(name string, state vault.State, health vault.Condition, remedy string) {
	p.t.Helper()
	s := p.serve()
	if v := s.vault(http.MethodGet, "/vault", nil); v.State != state || v.Keychain.Health != health || !strings.Contains(v.Remedy, remedy) {
		p.t.Errorf("%s: %+v", name, v)
	}
	s.kill()
	if _, notes, code := p.run("show", "s"); code != exitFailed || !strings.Contains(notes, remedy) {
		p.t.Errorf("%s: exit %d: %s", name, code, notes)
	}
}

// contents is the history's files as text.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"history.db", "history.db-wal", "history.keys"} {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s %x\n", name, b)
	}
	return all.String()
}
