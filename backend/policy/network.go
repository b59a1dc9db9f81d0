// Package policy decides: which calls may run, which commands, and which hosts may be reached. It is pure: what it knows it
// is given, and what is decided is remembered elsewhere.
package policy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/backend/agent"
)

// Resolver gives the addresses of a host name, as net.Resolver.LookupNetIP does for the network "ip".
type Resolver func(ctx context.Context, host string) ([]netip.Addr, error)

// Network says what may be reached.
type Network struct {
	Loopback []string // "host:port" on this machine that the person has configured: by http too
	Resolve  Resolver
}

// Target is where a request goes, in the one spelling that was checked.
type Target struct {
	URL  *url.URL
	Host string // lower case, no trailing dot, no brackets
	Port uint16
}

var (
	errURL      = refused("is not the URL of a web page: write https://, a host name, and no user name")
	errScheme   = refused("has another scheme than https")
	errSpelling = refused("has a host that is written in an unusual way: write a plain name, or xn-- for other letters than a to z")
	errPrivate  = refused("is on this machine or on a private network")
)

// refused is why something cannot be reached; Check and Addresses put the name of it before.
type refused string

func (r refused) Error() string { return string(r) }

// denied is the refusal of what a model asked for, in words that it can act on.
func denied(what string, why error) error {
	return agent.Errorf(agent.CodeToolDenied, "%s was not reached: it %s.", what, why)
}

// Check reads a URL that a model asks for. It looks nothing up: what a name leads to is for Addresses to say.
func (n Network) Check(raw string) (Target, error) {
	t, err := n.parse(raw)
	if err != nil {
		name := "The address" // which may hold a password
		if u, unread := url.Parse(raw); unread == nil && u.Hostname() != "" {
			name = u.Hostname()
		}
		return Target{}, denied(name, err)
	}
	return t, nil
}

func (n Network) parse(raw string) (Target, error) {
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return Target{}, errURL
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || strings.HasSuffix(u.Host, ":") {
		return Target{}, errURL
	}
	port := uint64(443)
	if u.Scheme == "http" {
		port = 80
	}
	if text := u.Port(); text != "" {
		if port, err = strconv.ParseUint(text, 10, 16); err != nil || port == 0 {
			return Target{}, errURL
		}
	}
	host, err := canonical(u.Hostname())
	if err != nil {
		return Target{}, err
	}
	t := Target{URL: u, Host: host, Port: uint16(port)}
	switch {
	case n.configured(t.Host, t.Port) && (u.Scheme == "http" || u.Scheme == "https"):
		return t, nil
	case u.Scheme != "https":
		return Target{}, errScheme
	}
	return t, checkHost(host)
}

// reaches reports whether an address is at one of the hosts that the rules name.
func reaches(address string, r agent.Rules) bool {
	t, err := Network{}.Check(address)
	return err == nil && slices.ContainsFunc(r.Domains, func(d string) bool {
		known, err := canonical(d)
		return err == nil && known == t.Host
	})
}

// Addresses resolves a host once, and gives the addresses to connect to: the ones that were checked, so that a name which
// leads elsewhere a moment later gains nothing. One address that may not be reached refuses the host.
func (n Network) Addresses(ctx context.Context, host string, port uint16) ([]netip.AddrPort, error) {
	name, err := canonical(host)
	if err == nil && !n.configured(name, port) {
		err = checkHost(name)
	}
	if err != nil {
		return nil, denied(host, err)
	}
	addresses := []netip.Addr{}
	if literal, err := netip.ParseAddr(name); err == nil {
		addresses = append(addresses, literal)
	} else if addresses, err = n.Resolve(ctx, name); err != nil {
		return nil, agent.Wrap(agent.CodeToolFailed, err, "The host "+name+" was not found.")
	}
	checked := make([]netip.AddrPort, len(addresses))
	for i, a := range addresses {
		own := n.configured(name, port) && a.Unmap().IsLoopback()
		if !own && !public(a) {
			return nil, denied(host, errPrivate)
		}
		checked[i] = netip.AddrPortFrom(a.Unmap(), port)
	}
	return checked, nil
}

// Dial is an http.Transport's DialContext that connects to what Addresses gives. The name stays what TLS asks for.
func (n Network) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, err
	}
	addresses, err := n.Addresses(ctx, host, uint16(port))
	if err != nil {
		return nil, err
	}
	err = errors.New("no address")
	for _, a := range addresses {
		var c net.Conn
		if c, err = new(net.Dialer).DialContext(ctx, "tcp", a.String()); err == nil {
			return c, nil
		}
	}
	return nil, agent.Wrap(agent.CodeToolFailed, err, "No connection could be made to "+host+".")
}

func (n Network) configured(host string, port uint16) bool {
	return slices.Contains(n.Loopback, net.JoinHostPort(host, strconv.Itoa(int(port))))
}

var (
	hostName = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)
	number   = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)
)

// canonical gives the one spelling of a host. A host whose last label is a number is an address, for some programs also in
// spellings that others take for a name (0x7f.1, 2130706433): only the plain one is taken.
func canonical(host string) (string, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(host); err == nil && a.Zone() == "" {
		return a.String(), nil
	}
	if len(host) > 253 || !hostName.MatchString(host) || number.MatchString(host) {
		return "", errSpelling
	}
	return host, nil
}

// local are the names of this machine and of its neighbours.
var local = []string{"localhost", "local", "internal", "home.arpa", "localdomain"}

// checkHost refuses what needs no looking up.
func checkHost(host string) error {
	a, err := netip.ParseAddr(host)
	isName := err != nil
	if !isName && !public(a) || isName && slices.ContainsFunc(local, func(l string) bool { return host == l || strings.HasSuffix(host, "."+l) }) {
		return errPrivate
	}
	return nil
}

var blocked = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
	"::/128", "::1/128", "fe80::/10", "fec0::/10", "fc00::/7", "ff00::/8", "64:ff9b:1::/48",
)

// embeds are the networks whose addresses lead on to a version 4 address, and the byte at which that stands.
var embeds = []struct {
	netip.Prefix
	at     int
	masked bool // its bits are turned over
}{
	{netip.MustParsePrefix("::/96"), 12, false},
	{netip.MustParsePrefix("64:ff9b::/96"), 12, false},
	{netip.MustParsePrefix("2002::/16"), 2, false},
	{netip.MustParsePrefix("2001::/32"), 4, false}, // Teredo: its server,
	{netip.MustParsePrefix("2001::/32"), 12, true}, // and its client
}

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// public reports whether an address is one of the internet, and so is what is embedded in it.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if a.Zone() != "" || slices.ContainsFunc(blocked, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return false
	}
	if a.Is4() {
		return true
	}
	whole := a.As16()
	for _, e := range embeds {
		if !e.Contains(a) {
			continue
		}
		inner := [4]byte(whole[e.at:])
		for i := range inner {
			if e.masked {
				inner[i] ^= 0xff
			}
		}
		if !public(netip.AddrFrom4(inner)) {
			return false
		}
	}
	return true
}

// Headers gives the headers of a request that a model asks for, without those that say where it goes, how long it is or whom
// it comes from.
func Headers(asked map[string]string) http.Header {
	h := http.Header{}
	clean := strings.NewReplacer("\r", "", "\n", "", "\x00", "")
	for name, value := range asked {
		name = http.CanonicalHeaderKey(strings.TrimSpace(clean.Replace(name)))
		switch {
		case name == "Host", name == "Content-Length", name == "Connection", name == "Transfer-Encoding", name == "Upgrade", name == "Te", name == "Trailer",
			name == "Keep-Alive", name == "Forwarded", strings.HasPrefix(name, "Proxy-"), strings.HasPrefix(name, "X-Forwarded-"), name == "X-Real-Ip":
		default:
			h.Set(name, clean.Replace(value))
		}
	}
	return h
}
