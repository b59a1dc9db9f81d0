package app

import (
	"context"
	"fmt"
	"html"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// The Desktop Notifications Specification, which every Linux desktop has. Wails speaks it as well, but takes a notice that
// was put away for one that was clicked on.
const (
	noticesName = "org.freedesktop.Notifications"
	noticesPath = "/org/freedesktop/Notifications"
	clickedOn   = "default" // the action that stands for the notice as a whole
)

// noticeLimit is how long a desktop may take to be found, and to show a notice.
const noticeLimit = 5 * time.Second

// notices shows notices on the desktop.
type notices struct {
	conn *dbus.Conn

	mu      sync.Mutex
	shown   map[uint32]string // the session of each that is on the desktop
	waiting uint32            // the last one about all that waits: the next takes its place
}

// findNotices finds what shows notices on this desktop, or fails if nothing does. Whoever clicks on one is told of by
// opened, with its session, until ctx ends.
func findNotices(ctx context.Context, opened func(session string)) (*notices, error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("find the session bus: %w", err)
	}
	return noticesOn(conn, opened)
}

// noticesOn finds what shows notices on a bus, or closes the connection to it.
func noticesOn(conn *dbus.Conn, opened func(session string)) (*notices, error) {
	n := &notices{conn: conn, shown: map[uint32]string{}}
	late := time.AfterFunc(noticeLimit, func() { conn.Close() }) // nothing else ends the wait for a bus that hangs
	err := n.listen(opened)
	if !late.Stop() {
		err = fmt.Errorf("the session bus did not answer within %v", noticeLimit)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("find what shows notices: %w", err)
	}
	return n, nil
}

func (n *notices) listen(opened func(session string)) error {
	if err := n.conn.Auth(nil); err != nil {
		return err
	}
	if err := n.conn.Hello(); err != nil {
		return err
	}
	if err := n.call("GetServerInformation").Err; err != nil { // which starts it, if that is possible
		return err
	}
	signals := make(chan *dbus.Signal, 8)
	n.conn.Signal(signals)
	if err := n.conn.AddMatchSignal(dbus.WithMatchSender(noticesName), dbus.WithMatchInterface(noticesName)); err != nil {
		return err
	}
	go func() {
		for s := range signals {
			if session, clicked := n.settled(s); clicked {
				opened(session)
			}
		}
	}()
	return nil
}

// settled forgets a notice that is on the desktop no more, and says whether the person clicked on it. Only the desktop is
// believed: any program can send a signal to another.
func (n *notices) settled(s *dbus.Signal) (session string, clicked bool) {
	var id uint32
	isClick := s.Name == noticesName+".ActionInvoked"
	isEnd := isClick || s.Name == noticesName+".NotificationClosed"
	if !isEnd || len(s.Body) != 2 || dbus.Store(s.Body[:1], &id) != nil || !n.isDesktop(s.Sender) {
		return "", false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	session, known := n.shown[id]
	delete(n.shown, id)
	return session, known && isClick && s.Body[1] == clickedOn
}

// show shows a notice. To a desktop its body is markup: there is none in it.
func (n *notices) show(notice Notice) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var replaces, id uint32
	if notice.Session == "" {
		replaces = n.waiting
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("parley")}
	err := n.call("Notify", "Parley", replaces, "", notice.Title, html.EscapeString(notice.Body), []string{clickedOn, "Show"}, hints, int32(-1)).Store(&id)
	if err != nil {
		return fmt.Errorf("show a notice: %w", err)
	}
	n.shown[id] = notice.Session
	if notice.Session == "" {
		n.waiting = id
	}
	return nil
}

// isDesktop says whether a program on the bus is the one that shows notices now.
func (n *notices) isDesktop(program string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), noticeLimit)
	defer cancel()
	var owner string
	err := n.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, noticesName).Store(&owner)
	return err == nil && program == owner
}

func (n *notices) call(method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(context.Background(), noticeLimit)
	defer cancel()
	return n.conn.Object(noticesName, noticesPath).CallWithContext(ctx, noticesName+"."+method, 0, args...)
}
