package app

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
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

// checkOrigin refuses what no browser calls the origin of a page: it would let in nobody.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	defaults := map[string]string{"http": "80", "https": "443"}
	if err != nil || defaults[u.Scheme] == "" || u.Port() == defaults[u.Scheme] || u.Hostname() == "" || strings.Contains(u.Host, "*") ||
		u.Scheme+"://"+strings.ToLower(u.Host) != origin {
		return usage{fmt.Errorf("--allow-origin %q is not the origin of a page; one looks like http://localhost:5173", origin)}
	}
	return nil
}
