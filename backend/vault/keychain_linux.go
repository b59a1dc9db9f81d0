package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// What go-keyring asks, asked before it and with a context: it would start a bus where there is none, and wait for ever
// on a dialog that nobody answers.
const (
	secretsName  = "org.freedesktop.secrets"
	secretsPath  = "/org/freedesktop/secrets"
	secretsFace  = "org.freedesktop.Secret.Service"
	noPrompt     = dbus.ObjectPath("/")
	loginKeyring = dbus.ObjectPath(secretsPath + "/collection/login")
)

// ready reports, as an error, what stands between Parley and the keychain.
func ready(ctx context.Context) error {
	conn, err := sessionBus(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	collection, err := defaultCollection(ctx, conn)
	if err != nil {
		return err
	}
	var shut bool
	if err := property(ctx, conn, collection, "org.freedesktop.Secret.Collection", "Locked", &shut); err != nil {
		return refused(err)
	}
	if shut {
		return locked(nil)
	}
	return nil
}

// Unlock asks the system to show its dialog, and waits for the person until ctx ends. It is ErrLocked if the dialog was
// dismissed or cannot be shown, nil if the keychain is open.
func (k *Keychain) Unlock(ctx context.Context) error {
	conn, err := sessionBus(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	collection, err := defaultCollection(ctx, conn)
	if err != nil {
		return err
	}
	signals := make(chan *dbus.Signal, 8)
	conn.Signal(signals)
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface("org.freedesktop.Secret.Prompt")); err != nil {
		return refused(err)
	}
	var unlocked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	err = conn.Object(secretsName, secretsPath).CallWithContext(ctx, secretsFace+".Unlock", 0, []dbus.ObjectPath{collection}).Store(&unlocked, &prompt)
	if err != nil {
		return refused(err)
	}
	if prompt == noPrompt {
		return ready(ctx)
	}
	dialog := conn.Object(secretsName, prompt)
	if err := dialog.CallWithContext(ctx, "org.freedesktop.Secret.Prompt.Prompt", 0, "").Err; err != nil {
		return locked(err)
	}
	for {
		select {
		case <-ctx.Done():
			return cancelled(ctx)
		case s, open := <-signals:
			if !open {
				return unavailable(Failed, errors.New("the session bus went away"))
			}
			if s.Path == prompt {
				return ready(ctx)
			}
		}
	}
}

// Kind names the program that answers, so that another one in its place is noticed. It is empty if nobody answers.
func (k *Keychain) Kind(ctx context.Context) string {
	conn, err := sessionBus(ctx)
	if err != nil {
		return ""
	}
	defer conn.Close()
	var pid uint32
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, secretsName).Store(&pid); err != nil {
		return ""
	}
	program, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return kindWord("secret-service/" + string(program))
}

// sessionBus dials a bus that exists already, and finds somebody on it who keeps secrets or can be started. The caller
// closes it.
func sessionBus(ctx context.Context) (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" || address == "autolaunch:" {
		socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
		if !filepath.IsAbs(socket) {
			return nil, unavailable(NoBus, errors.New("no address of a session bus"))
		}
		if _, err := os.Stat(socket); err != nil {
			return nil, unavailable(NoBus, err)
		}
		address = "unix:path=" + dbus.EscapeBusAddressValue(socket)
		os.Setenv("DBUS_SESSION_BUS_ADDRESS", address) // where go-keyring looks before it starts one
	}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, unavailable(NoBus, err)
	}
	if err := findSecrets(ctx, conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func findSecrets(ctx context.Context, conn *dbus.Conn) error {
	for _, list := range []string{"ListNames", "ListActivatableNames"} {
		var names []string
		if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus."+list, 0).Store(&names); err != nil {
			return refused(err)
		}
		if slices.Contains(names, secretsName) {
			return nil
		}
	}
	return unavailable(NoProgram, errors.New(secretsName+" is neither running nor can be started"))
}

// defaultCollection gives the collection that go-keyring will use.
func defaultCollection(ctx context.Context, conn *dbus.Conn) (dbus.ObjectPath, error) {
	var all []dbus.ObjectPath
	if err := property(ctx, conn, secretsPath, secretsFace, "Collections", &all); err != nil {
		return "", refused(err)
	}
	if slices.Contains(all, loginKeyring) {
		return loginKeyring, nil
	}
	var path dbus.ObjectPath
	if err := conn.Object(secretsName, secretsPath).CallWithContext(ctx, secretsFace+".ReadAlias", 0, "default").Store(&path); err != nil {
		return "", refused(err)
	}
	if path == "/" {
		return "", unavailable(NoCollection, errors.New("the alias default names no collection"))
	}
	return path, nil
}

func property(ctx context.Context, conn *dbus.Conn, path dbus.ObjectPath, face, name string, into any) error {
	var value dbus.Variant
	err := conn.Object(secretsName, path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, face, name).Store(&value)
	if err != nil {
		return err
	}
	return value.Store(into)
}

// refused gives the reason for which the bus, or who is on it, failed a call.
func refused(err error) error {
	var said dbus.Error
	if errors.As(err, &said) {
		switch {
		case said.Name == "org.freedesktop.Secret.Error.IsLocked":
			return locked(err)
		case strings.HasSuffix(said.Name, ".AccessDenied"), strings.HasSuffix(said.Name, ".AuthFailed"):
			return unavailable(Denied, err)
		case strings.HasPrefix(said.Name, "org.freedesktop.DBus.Error.Spawn."), said.Name == "org.freedesktop.DBus.Error.ServiceUnknown":
			return unavailable(NoProgram, err)
		}
	}
	return unavailable(Failed, err)
}

// interrupt ends the call that go-keyring waits in, by closing the connection that it keeps for itself. Its next call
// dials again. Since ready passed, the address of a bus is known: none is started.
func interrupt() {
	if conn, err := dbus.SessionBus(); err == nil {
		conn.Close()
	}
}
