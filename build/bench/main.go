// Command bench prints the figures that the issues name. Wherever it can it gives a ratio to a peer or a baseline that
// was measured in the same run, because a figure alone says more about the machine than about Parley.
//
//	bench -parley build/bin/parley-headless -window build/bin/parley -node .../bin/node -peer build/bench/peer
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// passphrase is that of every history here: nobody is asked for one.
const passphrase = "for the bench"

func main() {
	log.SetFlags(0)
	if len(os.Args) > 2 && os.Args[1] == "relay" {
		code, err := relay(os.Args[2:])
		if err != nil {
			log.Print("relay: ", err)
		}
		os.Exit(code)
	}
	b := &bench{}
	flag.StringVar(&b.parley, "parley", "", "the program without a window")
	flag.StringVar(&b.window, "window", "", "the program with a window; left out, the window is not measured")
	flag.StringVar(&b.node, "node", "", "Node 24")
	flag.StringVar(&b.peer, "peer", "", "the folder of the AI SDK's server")
	flag.StringVar(&b.programs, "harnesses", "", "where the programs of others are, as in PATH")
	flag.IntVar(&b.messages, "messages", 200_000, "how many to search in")
	only := flag.String("only", "", "the one part to measure: start, paint, latency, throughput, lateness, watchers, harnesses, search, tools, servers, redact, export or canvas")
	flag.Parse()
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	if b.parley, err = filepath.Abs(b.parley); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "passphrase"), []byte(passphrase), 0o600); err != nil {
		log.Fatal(err)
	}
	os.Setenv("PARLEY_PASSPHRASE_FILE", filepath.Join(dir, "passphrase"))
	for _, part := range []struct {
		name    string
		measure func() error
	}{{"start", b.start}, {"paint", b.paint}, {"latency", b.latency}, {"throughput", b.throughput}, {"lateness", b.lateness}, {"watchers", b.watchers}, {"harnesses", b.harnesses}, {"search", b.search}, {"tools", b.tools}, {"servers", b.servers}, {"redact", b.redact}, {"export", b.export}, {"canvas", b.canvas}} {
		if *only != "" && *only != part.name {
			continue
		}
		if err := part.measure(); err != nil {
			log.Print("bench: ", err)
			os.RemoveAll(dir)
			os.Exit(1)
		}
	}
}

type bench struct {
	parley, window, node, peer, programs string
	dir                                  string
	homes, messages                      int
}

// home is a fresh data folder.
func (b *bench) home() string {
	b.homes++
	return filepath.Join(b.dir, fmt.Sprint("home", b.homes))
}

func row(what, format string, args ...any) {
	fmt.Printf("%-52s %s\n", what, fmt.Sprintf(format, args...))
}

// sample is several measurements of one thing.
type sample []time.Duration

func (s sample) at(share float64) time.Duration {
	slices.Sort(s)
	return s[min(int(share*float64(len(s))), len(s)-1)]
}

func (s sample) median() time.Duration { return s.at(0.5) }

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func repeat(n int, measure func() (time.Duration, error)) (sample, error) {
	var s sample
	for range n {
		d, err := measure()
		if err != nil {
			return nil, err
		}
		s = append(s, d)
	}
	return s, nil
}
