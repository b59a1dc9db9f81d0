package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// servers measures what it costs to have a hundred MCP servers configured that nobody uses, beside none in the same run.
func (b *bench) servers() error {
	const rounds = 20
	homes := [2]string{b.home(), b.home()} // without and with
	if err := configure(homes[1], 100); err != nil {
		return err
	}
	var ready, painted, first [2]sample
	for i := range rounds {
		for n, home := range homes {
			d, took, err := b.serve(home)
			if err != nil {
				return err
			}
			ready[n] = append(ready[n], took)
			s, err := d.say(fmt.Sprint("s", i), fmt.Sprint("u", i), "[[deltas:1]]")
			if err != nil {
				return err
			}
			first[n] = append(first[n], s.first)
			if err := d.close(); err != nil {
				return err
			}
			if b.window == "" || os.Getenv("DISPLAY") == "" || i >= 5 {
				continue
			}
			if took, _, err = b.paintOnce(home); err != nil {
				return err
			}
			painted[n] = append(painted[n], took)
		}
	}
	beside := func(what string, s [2]sample) {
		row("100 MCP servers configured, none used: "+what, "%.2f× of none (%s, %s)",
			float64(s[1].median())/float64(s[0].median()), ms(s[1].median()), ms(s[0].median()))
	}
	beside("door ready", ready)
	beside("first delta", first)
	if len(painted[0]) > 0 {
		beside("painted", painted)
	}
	return nil
}

// configure writes a list of so many servers.
func configure(home string, n int) error {
	type server struct {
		ID        string   `json:"id"`
		Transport string   `json:"transport"`
		Command   string   `json:"command"`
		Args      []string `json:"args"`
	}
	list := struct {
		Servers []server `json:"servers"`
	}{}
	for i := range n {
		list.Servers = append(list.Servers, server{fmt.Sprint("server-", i), "stdio", "npx", []string{"-y", fmt.Sprint("@example/server-", i)}})
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, "mcp.json"), text, 0o600)
}
