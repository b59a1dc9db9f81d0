package api

import (
	"net/http"
)

// Sandbox is what the system holds of what an agent may touch, unless that is all files: which of them, that it reaches its
// model and no other host, that it leaves other programs alone, and how much it takes.
type Sandbox struct {
	Files    Held `json:"files"`
	Network  Held `json:"network"`
	Programs Held `json:"programs"`
	Load     Held `json:"load"`
}

// Held is one of these.
type Held struct {
	By     string `json:"by"`     // what holds it; empty if nothing does
	Lacks  string `json:"lacks"`  // what is not held and why; empty if all is
	Remedy string `json:"remedy"` // what a person can do about that, if anything
}

func (d *Door) getSandbox(*http.Request) (Sandbox, error) {
	e := d.Enforcement()
	return Sandbox{Held(e.Files), Held(e.Network), Held(e.Programs), Held(e.Load)}, nil
}
