package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// canvasNodes is how many nodes there are in the workflow that is opened; its baseline has three.
const canvasNodes = 300

// canvas measures opening a workflow, and how smooth it is to pan and to zoom, beside one of three nodes. What a frame is, a trace
// of Chromium says, which draws without a graphics card here.
func (b *bench) canvas() error {
	home := b.home()
	d, _, err := b.serve(home, "XDG_CONFIG_HOME="+home) // where the workflows are that belong to no project
	if err != nil {
		return err
	}
	defer d.close()
	type file struct {
		Path  string `json:"path"`
		Nodes int    `json:"nodes"`
	}
	files := []file{{"small.relavium.yaml", 3}, {"large.relavium.yaml", canvasNodes}}
	for _, f := range files {
		body, err := json.Marshal(map[string]string{"source": string(chain(f.Nodes)), "replaces": ""})
		if err != nil {
			return err
		}
		res, err := d.request(http.MethodPut, "/workflows/file?path="+f.Path, string(body), map[string]string{"Accept": "application/json"})
		if err != nil {
			return err
		}
		res.Body.Close()
	}
	what, err := json.Marshal(map[string]any{"link": d.URL + "/#token=" + d.Token, "files": files})
	if err != nil {
		return err
	}
	browser := exec.Command(b.node, filepath.Join(b.peer, "..", "canvas.mjs"))
	browser.Stdin, browser.Stderr = bytes.NewReader(what), os.Stderr
	printed, err := browser.Output()
	if err != nil {
		return fmt.Errorf("canvas.mjs: %w", err)
	}
	type gesture struct {
		Frames []float64
		Busy   float64
	}
	var measured []struct {
		Opened   [][2]float64 // cards, and all of them
		Gestures map[string]gesture
	}
	if err := json.Unmarshal(printed, &measured); err != nil {
		return err
	}
	small, large := measured[0], measured[1]
	opened := func(all [][2]float64, n int) (s sample) {
		for _, of := range all {
			s = append(s, time.Duration(of[n]*float64(time.Millisecond)))
		}
		return s
	}
	again := func(all [][2]float64, n int) string { return ms(opened(all[1:], n).median()) }
	row(fmt.Sprintf("canvas: %d nodes, from the list to what is seen", canvasNodes), "%s median, %s the first time; 3 nodes %s",
		again(large.Opened, 0), ms(opened(large.Opened, 0)[0]), again(small.Opened, 0))
	row(fmt.Sprintf("canvas: %d nodes, until all are drawn", canvasNodes), "%s median, %s the first time", again(large.Opened, 1), ms(opened(large.Opened, 1)[0]))
	for _, name := range slices.Sorted(maps.Keys(large.Gestures)) {
		all, few := sampleOf(large.Gestures[name].Frames), sampleOf(small.Gestures[name].Frames)
		over := len(all) - len(slices.DeleteFunc(slices.Clone(all), func(d time.Duration) bool { return d > 50*time.Millisecond }))
		row(fmt.Sprintf("canvas: %d nodes, %s", canvasNodes, name), "frames %s p99, %s worst of %d, %d over 50 ms; the page works %.1f ms at most; 3 nodes %s worst",
			ms(all.at(0.99)), ms(all.at(1)), len(all), over, large.Gestures[name].Busy, ms(few.at(1)))
	}
	return nil
}

// sampleOf takes milliseconds.
func sampleOf(all []float64) (s sample) {
	for _, ms := range all {
		s = append(s, time.Duration(ms*float64(time.Millisecond)))
	}
	slices.Sort(s)
	return s
}

// chain is a workflow whose nodes follow each other, in rows of three that run at once where there is room for those. JSON is YAML.
func chain(nodes int) []byte {
	type object = map[string]any
	all := []object{{"id": "input", "type": "input"}}
	var edges []object
	last := "input"
	then := func(n object) {
		all = append(all, n)
		edges = append(edges, object{"from": last, "to": n["id"]})
		last = n["id"].(string)
	}
	turn := func() object {
		return object{"id": fmt.Sprint("turn-", len(all)), "type": "agent", "agent_ref": "writer", "prompt_template": "Go on with the plan, and say what is next: the beds, the paths, or the trees."}
	}
	for len(all) < nodes-1 {
		if len(all)%12 != 6 || len(all)+6 > nodes {
			then(turn())
			continue
		}
		fork := fmt.Sprint("fork-", len(all))
		then(object{"id": fork, "type": "parallel"})
		var at []string
		merge := fmt.Sprint("merge-", len(all))
		for range 3 {
			n := turn()
			at = append(at, n["id"].(string))
			all = append(all, n)
			edges = append(edges, object{"from": n["id"], "to": merge})
		}
		all[len(all)-4]["parallel_of"] = at
		all = append(all, object{"id": merge, "type": "merge", "merge_strategy": "concat"})
		last = merge
	}
	then(object{"id": "output", "type": "output"})
	agents := []object{{"id": "writer", "model": "claude-sonnet-4-5", "provider": "anthropic", "system_prompt": "You plan gardens."}}
	src, err := json.Marshal(object{"schema_version": "1.0", "workflow": object{"id": "garden", "agents": agents, "nodes": all, "edges": edges}})
	if err != nil {
		panic(err) // texts have JSON
	}
	return src
}
