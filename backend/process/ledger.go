package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// entry is what the ledger holds of a program, one small file each. Start and Boot tell it from a stranger that has its
// number later. It leads a session and a group whose number is its own.
type entry struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
	Boot  string `json:"boot"`
}

// remember writes a program that was just started into the ledger. forget takes it out again, and is never nil.
func remember(dir string, pid int) (forget func(), err error) {
	path := filepath.Join(dir, strconv.Itoa(pid)+".json")
	forget = func() { _ = os.Remove(path) }
	start, _ := birth(pid)
	b, err := json.Marshal(entry{pid, start, bootID()})
	if err != nil {
		return forget, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return forget, err
	}
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return forget, err
	}
	return forget, os.Rename(path+".new", path)
}

// Reap ends the programs that an earlier run of the app left behind, with all that they started, and empties the ledger.
// Call it before the first Start, as the only owner of dir: it takes every program in the ledger for abandoned. Files
// that are not the ledger's are left alone, and a missing folder is an empty one.
func Reap(dir string, log *slog.Logger) (reaped int, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reap programs: %w", err)
	}
	var failed []error
	for _, f := range files {
		name, isJSON := strings.CutSuffix(f.Name(), ".json")
		pid, err := strconv.Atoi(name)
		if !isJSON || err != nil || !f.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, f.Name())
		b, err := os.ReadFile(path)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if e, ok := parseEntry(pid, b); ok && killLeftover(e) {
			log.Info("process: ended one that was left behind", "pid", pid)
			reaped++
		}
		if err := os.Remove(path); err != nil {
			failed = append(failed, err)
		}
	}
	if err := errors.Join(failed...); err != nil {
		return reaped, fmt.Errorf("reap programs: %w", err)
	}
	return reaped, nil
}

// parseEntry reads the entry of pid. It believes none that would reach further than one program: to a signal, 0 is our
// own group and -1 is everybody.
func parseEntry(pid int, b []byte) (e entry, ok bool) {
	err := json.Unmarshal(b, &e)
	return e, err == nil && e.PID == pid && e.PID > 1
}
