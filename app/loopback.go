package app

import (
	"fmt"
	"net"
	"net/netip"
)

// checkLoopback refuses to listen where another machine could knock.
func checkLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usage{fmt.Errorf("--addr %q is not an address: %w", addr, err)}
	}
	if ip, err := netip.ParseAddr(host); err != nil || ip != netip.MustParseAddr("127.0.0.1") {
		return usage{fmt.Errorf("--addr %q: Parley listens on 127.0.0.1 only", addr)}
	}
	return nil
}
