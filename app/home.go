package app

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"parley/backend/agent"
	"parley/backend/tool"
)

// home is the folder that holds everything Parley keeps.
type home string

func (h home) door() string   { return filepath.Join(string(h), "door.json") }
func (h home) lock() string   { return filepath.Join(string(h), "owner.lock") }
func (h home) launch() string { return filepath.Join(string(h), "launch.html") }

// sealedValues is where secrets that are too long for the keychain lie, sealed.
func (h home) sealedValues() string { return filepath.Join(string(h), "keychain") }

func (h home) runners() string { return filepath.Join(string(h), "runners") }

// private is where agents' programs keep what they need while they run. They write down what is said there, and the history
// is sealed, so it is in memory where the system has a folder for that.
func (h home) private(getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, fmt.Sprintf("parley-%x", sha256.Sum256([]byte(h)))[:23])
	}
	return filepath.Join(string(h), "private")
}

// servers is the list of MCP servers, which a person may edit.
func (h home) servers() string { return filepath.Join(string(h), "mcp.json") }
func (h home) search() string  { return filepath.Join(string(h), "search.json") }

// tools are those that agents may be given: web_search where a search engine is set up.
func (h home) tools() []string {
	names := tool.Names()
	if _, err := os.Stat(h.search()); errors.Is(err, fs.ErrNotExist) {
		names = slices.DeleteFunc(names, func(name string) bool { return name == agent.WebSearch })
	}
	return names
}

func (h home) scratches() string { return filepath.Join(string(h), "scratch") }

// scratch names the folder that a session's tools work in.
func (h home) scratch(key agent.SessionKey) string {
	return filepath.Join(h.scratches(), key.Folder())
}

// findHome gives the data folder, PARLEY_HOME or the platform's, and makes it.
func findHome(getenv func(string) string) (home, error) {
	dir, err := homeFolder(getenv)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the data folder: %w; PARLEY_HOME names another one", err)
	}
	return home(dir), nil
}

func homeFolder(getenv func(string) string) (string, error) {
	if dir := getenv("PARLEY_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_DATA_HOME"); dir != "" && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return filepath.Join(dir, "parley"), nil
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w; PARLEY_HOME names one", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(user, "Library", "Application Support", "Parley"), nil
	case "windows":
		return filepath.Join(user, "AppData", "Local", "Parley"), nil
	default:
		return filepath.Join(user, ".local", "share", "parley"), nil
	}
}

// configFolder gives the folder for what the person writes by hand, and makes it.
func configFolder() (string, error) {
	dir, err := os.UserConfigDir()
	if err == nil {
		dir = filepath.Join(dir, "parley")
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("make the configuration folder: %w; XDG_CONFIG_HOME or HOME says where", err)
	}
	return dir, nil
}

// workingFolder is the folder that this program was started in, if that may be what a person works on: a window that was
// opened from a menu is started in their home folder, or at the root. Nobody works where our own data is, or around it.
func (h home) workingFolder() string {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	user, _ := os.UserHomeDir()
	if err != nil || isWithin(user, dir) || isWithin(dir, string(h)) || isWithin(string(h), dir) {
		return ""
	}
	return dir
}

// isWithin reports whether a path is that of a folder, or below it, by whichever path it is named.
func isWithin(path, folder string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return agent.Within(path, folder)
}
