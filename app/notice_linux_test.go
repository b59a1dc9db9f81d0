package app

import (
	"reflect"
	"strings"
	"sync"
	"testing"

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
	if _, err := findNotices(open); err == nil {
		t.Fatal("a desktop that shows no notices was said to show them")
	}
	b := &board{conn: d.conn}
	if err := d.conn.Export(b, noticesPath, noticesName); err != nil {
		t.Fatal(err)
	}
	if _, err := d.conn.RequestName(noticesName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	n, err := findNotices(open)
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
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
	b.says(t, "NotificationClosed", uint32(3), uint32(2)) // put away
	b.says(t, "ActionInvoked", uint32(3), clickedOn)      // there no more
	b.says(t, "ActionInvoked", uint32(4), "other")
	b.says(t, "ActionInvoked", uint32(9), clickedOn) // another program's
	b.says(t, "ActionInvoked", uint32(1), clickedOn)
	if session := <-opened; session != "" {
		t.Errorf("the click was on what waits; opened was %q", session)
	}
}
