package app

import (
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// noDisplay says why no window can be shown, or nothing if one can. The window's toolkit ends the whole process when it
// finds no display, so it is asked about before the toolkit is.
func noDisplay(getenv func(string) string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return ""
	}
	x, wayland := getenv("DISPLAY"), getenv("WAYLAND_DISPLAY")
	if x == "" && wayland == "" {
		return "there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
	}
	if wayland != "" && answers("unix", waylandSocket(getenv, wayland)) {
		return ""
	}
	if x != "" && xAnswers(x) {
		return ""
	}
	return fmt.Sprintf("the display does not answer (DISPLAY=%q, WAYLAND_DISPLAY=%q)", x, wayland)
}

func waylandSocket(getenv func(string) string, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(getenv("XDG_RUNTIME_DIR"), name)
}

// xAnswers tries the places where an X server with this name may listen: a socket by path or by abstract name, or TCP.
func xAnswers(display string) bool {
	host, rest, ok := strings.Cut(display, ":")
	if !ok {
		return false
	}
	number, _, _ := strings.Cut(rest, ".")
	var port int
	if _, err := fmt.Sscan(number, &port); err != nil {
		return false
	}
	if host == "" || host == "unix" {
		path := "/tmp/.X11-unix/X" + number
		return answers("unix", path) || answers("unix", "@"+path)
	}
	return answers("tcp", net.JoinHostPort(host, fmt.Sprint(6000+port)))
}

func answers(network, address string) bool {
	conn, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
