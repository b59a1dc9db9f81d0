package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"net/url"
	"slices"
	"testing"
	"time"
)

// §9 Listens on 127.0.0.1 only, port 0 unless told: any that is free, at no other address of this machine.
func TestTheDoorIsOnThisMachineOnly(t *testing.T) {
	var ports []string
	for range 2 {
		door, err := url.Parse(newPlace(t).serve().URL)
		if err != nil || door.Hostname() != "127.0.0.1" {
			t.Fatalf("it is at %s (%v)", door, err)
		}
		ports = append(ports, door.Port())
	}
	if ports[0] == ports[1] {
		t.Errorf("both are at %s", ports[0])
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	hosts := []string{"127.0.0.2"} // which leads to whoever listens on all addresses
	for _, a := range addresses {
		if ip := a.(*net.IPNet).IP; ip.String() != "127.0.0.1" && !ip.IsLinkLocalUnicast() {
			hosts = append(hosts, ip.String())
		}
	}
	for _, host := range hosts {
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort(host, ports[0]), time.Second); err == nil {
			conn.Close()
			t.Errorf("it listens on %s, too", host)
		}
	}
}

// §9 The chat stream does not go through Wails' own asset server: that has the files of the page, and no handler for anything else.
func TestTheWindowServesFilesOnly(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "window.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var given []string
	ast.Inspect(file, func(n ast.Node) bool {
		options, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if of, ok := options.Type.(*ast.SelectorExpr); ok && of.X.(*ast.Ident).Name == "assetserver" {
			for _, option := range options.Elts {
				given = append(given, option.(*ast.KeyValueExpr).Key.(*ast.Ident).Name)
			}
		}
		return true
	})
	if !slices.Equal(given, []string{"Assets", "Middleware"}) {
		t.Errorf("the window's asset server has %v", given)
	}
}
