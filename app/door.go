package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"parley/backend/agent"
	"parley/backend/api"
)

// Connection is where a door is and what opens it.
type Connection struct {
	URL     string          `json:"url"`
	Token   string          `json:"token"`
	PID     int             `json:"pid"`
	Project agent.ProjectID `json:"project,omitempty"` // that is asked about; empty for the default one, with a token that is good for all
}

// link is the address that a browser opens. The token is in the fragment, which is never sent.
func (c Connection) link() string { return c.URL + "/#token=" + c.Token }

// writeDoor tells other processes of this person where the door is.
func writeDoor(path string, c Connection) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".door-*") // made with 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// findDoor waits for the owner of the data folder to answer: it may be starting.
func findDoor(ctx context.Context, path string) (Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var last error
	for {
		c, err := readDoor(path)
		if err == nil {
			err = c.check(ctx)
		}
		if err == nil {
			return c, nil
		}
		last = err
		select {
		case <-time.After(25 * time.Millisecond):
		case <-ctx.Done():
			return Connection{}, last
		}
	}
}

func readDoor(path string) (Connection, error) {
	var c Connection
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, errors.New("its door is not open yet")
	}
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	return c, err
}

// check asks the door whether it is there and knows us.
func (c Connection) check(ctx context.Context) error {
	res, err := c.do(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// bind gives the connection for a folder's project only.
func (c Connection) bind(ctx context.Context, folder string) (Connection, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return c, err
	}
	p, err := ask[api.Project](ctx, c, http.MethodPost, "/projects", api.ProjectFolder{Dir: dir})
	c.Token, c.Project = p.Token, p.Project
	return c, err
}

// owned says that another process has the data folder.
type owned struct{ cause error }

func (e *owned) Error() string {
	return fmt.Sprintf("another Parley has the data folder and does not answer: %v; end it, or set PARLEY_HOME to another folder", e.cause)
}
