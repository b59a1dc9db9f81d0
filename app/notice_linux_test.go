package app

import (
	"io"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godbus/dbus/v5"
)

// board shows notices on a desktop, as the program does that a desktop has for it.
type board struct {
	conn *dbus.Conn

	mu    sync.Mutex
	shown []posted
}

type posted struct {
	id          uint32
	title, body string
}

func (b *board) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "board", "", "", "1.2", nil
}

func (b *board) Notify(_ string, replaces uint32, _, title, body string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := replaces
	if id == 0 {
		id = uint32(len(b.shown) + 1)
	}
	b.shown = append(b.shown, posted{id, title, body})
	return id, nil
}

func (b *board) says(t *testing.T, member string, values ...any) {
	t.Helper()
	if err := b.conn.Emit(noticesPath, noticesName+"."+member, values...); err != nil {
		t.Fatal(err)
	}
}

func TestNoticesOnTheDesktop(t *testing.T) {
	d := newDesktop(t)
	for _, set := range d.env {
		if address, is := strings.CutPrefix(set, "DBUS_SESSION_BUS_ADDRESS="); is {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		}
	}
	opened := make(chan string)
	open := func(session string) { opened <- session }
	if _, err := findNotices(t.Context(), open); err == nil {
		t.Fatal("a desktop that shows no notices was said to show them")
	}
	b := &board{conn: d.conn}
	if err := d.conn.Export(b, noticesPath, noticesName); err != nil {
		t.Fatal(err)
	}
	if _, err := d.conn.RequestName(noticesName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	n, err := findNotices(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	for _, notice := range []Notice{{"Parley", "1 question waits", ""}, {"Parley", "2 questions wait", ""}, {"Done", "<b>a & b</b>", "s"}, {"Done", "", "t"}} {
		if err := n.show(notice); err != nil {
			t.Fatal(err)
		}
	}
	want := []posted{{1, "Parley", "1 question waits"}, {1, "Parley", "2 questions wait"}, {3, "Done", "&lt;b&gt;a &amp; b&lt;/b&gt;"}, {4, "Done", ""}}
	b.mu.Lock()
	if !reflect.DeepEqual(b.shown, want) {
		t.Errorf("shown: %v\nwanted: %v", b.shown, want)
	}
	b.mu.Unlock()
	pretend(t, n, "ActionInvoked", uint32(4), clickedOn)
	b.says(t, "NotificationClosed", uint32(3), uint32(2)) // put away
	b.says(t, "ActionInvoked", uint32(3), clickedOn)      // there no more
	b.says(t, "ActionInvoked", uint32(4), "other")
	b.says(t, "ActionInvoked", uint32(9), clickedOn) // another program's
	b.says(t, "ActivationToken", uint32(1), "token") // of the click that follows
	b.says(t, "ActionInvoked", uint32(1), clickedOn)
	if session := <-opened; session != "" {
		t.Errorf("the click was on what waits; opened was %q", session)
	}
}

// pretend sends a signal of the desktop's to n, as any program on its bus can.
func pretend(t *testing.T, n *notices, member string, values ...any) {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	signal := dbus.Message{Type: dbus.TypeSignal, Body: values, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldDestination: dbus.MakeVariant(n.conn.Names()[0]),
		dbus.FieldPath:        dbus.MakeVariant(dbus.ObjectPath(noticesPath)),
		dbus.FieldInterface:   dbus.MakeVariant(noticesName),
		dbus.FieldMember:      dbus.MakeVariant(member),
		dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf(values...)),
	}}
	conn.Send(&signal, nil)
	if err := conn.BusObject().Call("org.freedesktop.DBus.Peer.Ping", 0).Err; err != nil { // what was sent before it is there
		t.Fatal(err)
	}
}

func TestABusThatHangs(t *testing.T) {
	for _, answered := range []string{"", "REJECTED EXTERNAL\r\nOK 00\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			ours, bus := net.Pipe()
			go io.Copy(io.Discard, bus)
			go io.WriteString(bus, answered)
			conn, err := dbus.NewConn(ours)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := noticesOn(conn, nil); err == nil || !strings.Contains(err.Error(), "did not answer") {
				t.Errorf("after %q: %v", answered, err)
			}
		})
	}
}
