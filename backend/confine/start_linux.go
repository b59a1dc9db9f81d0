package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Prepare begins the start of a process with these bounds.
func Prepare(b Bounds) (*Start, error) {
	message, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	if len(message) > maxMessage {
		return nil, errors.New("there are more folders on the PATH than can be confined to")
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "confine"), os.NewFile(uintptr(pair[1]), "confine")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err == nil {
		_, err = conn.Write(message)
	}
	if err != nil {
		theirs.Close()
		return nil, err
	}
	s := &Start{Attr: &syscall.SysProcAttr{}, Files: []*os.File{theirs}, conn: conn.(*net.UnixConn)}
	if b.Apart {
		s.Attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWNS
		s.Attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP} // which an ordinary user, as whom it stays, would lose with exec
		s.Attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		s.Attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	return s, nil
}

// Cancel is for a process that could not be started.
func (s *Start) Cancel() {
	s.Files[0].Close()
	s.conn.Close()
}

// Finish waits until the process that was started is confined, and gives its ways. It does not end a process that is not.
func (s *Start) Finish(patience time.Duration) (Ways, error) {
	s.Files[0].Close() // so that its end is seen
	defer s.conn.Close()
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	message, rights := make([]byte, maxMessage), make([]byte, unix.CmsgSpace(2*4))
	n, m, _, _, err := s.conn.ReadMsgUnix(message, rights)
	if err != nil {
		return Ways{}, fmt.Errorf("wait until it is confined: %w", err)
	}
	listeners, err := received(rights[:m])
	var said reply
	if err == nil {
		err = json.Unmarshal(message[:n], &said)
	}
	if err == nil && said.Error != "" {
		err = errors.New(said.Error)
	}
	var ways Ways
	if len(listeners) > 0 {
		ways.Proxy = listeners[0]
	}
	if len(listeners) > 1 {
		ways.Model = listeners[1]
	}
	if err == nil && ways.Proxy == nil {
		err = errors.New("it has no way out")
	}
	if err != nil {
		ways.Close()
		return Ways{}, err
	}
	return ways, nil
}

// received takes the listeners out of a message's rights.
func received(rights []byte) (all []net.Listener, err error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) == 0 {
		return nil, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	for _, fd := range fds {
		f := os.NewFile(uintptr(fd), "way")
		l, failed := net.FileListener(f)
		f.Close()
		if failed != nil {
			err = failed
			continue
		}
		all = append(all, l)
	}
	return all, err
}
