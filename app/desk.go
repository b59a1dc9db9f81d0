package app

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"parley/backend/api"
)

// desk is what a window stands on: its connection to the owner of the data folder, who may be this process.
type desk struct {
	home home
	log  *slog.Logger

	mu   sync.Mutex
	own  *owner
	show atomic.Pointer[func() bool] // brings the window to the front; nil before there is one
}

// showWindow brings the window to the front and says whether there is one.
func (d *desk) showWindow() bool {
	show := d.show.Load()
	return show != nil && (*show)()
}

// connection gives the door. If the process that had the data folder is gone, this one takes its place.
func (d *desk) connection(ctx context.Context) (Connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.own != nil {
		return d.own.Connection, nil
	}
	c, own, err := join(ctx, d.home, ownerOptions{addr: "127.0.0.1:0", show: d.showWindow, log: d.log})
	d.own = own
	return c, err
}

// leave waits for the last other client and closes.
func (d *desk) leave(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.own != nil {
		d.own.drain(ctx)
		d.own.close()
	}
}

// openWindow opens the window, or brings the one that is open to the front. Where there can be none it serves a browser.
func openWindow(cmd *cobra.Command) error {
	ctx := cmd.Context()
	h, err := findHome(os.Getenv)
	if err != nil {
		return err
	}
	reason := noDisplay(os.Getenv)
	if !hasWindow {
		reason = "this program was built without a window"
	}
	if reason != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "Parley opens in a browser, because %s.\n", reason)
		return serveAndBrowse(cmd, h)
	}
	d := &desk{home: h, log: newLog()}
	c, err := d.connection(ctx)
	if err != nil {
		return err
	}
	defer d.leave(ctx)
	if d.own == nil {
		shown, err := ask[api.WindowShown](ctx, c, http.MethodPost, "/window", nil)
		if err != nil || shown.Shown {
			return err
		}
	}
	return d.runWindow(ctx)
}

// serveAndBrowse serves, and opens the person's browser if there is a display for one.
func serveAndBrowse(cmd *cobra.Command, h home) error {
	return serve(cmd, h, serving{addr: "127.0.0.1:0", opened: func(c Connection) {
		if noDisplay(os.Getenv) == "" {
			browse(h, c)
		}
	}})
}

// browse opens the person's browser, if the platform has a way to. The link goes by way of a file that only this person
// can read: arguments are for everyone to see. It is printed as well, so failing is no harm.
func browse(h home, c Connection) {
	page := `<!doctype html><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=` + html.EscapeString(c.link()) + `">`
	if err := os.WriteFile(h.launch(), []byte(page), 0o600); err != nil {
		return
	}
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", h.launch())
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", h.launch())
	default:
		cmd = exec.Command("xdg-open", h.launch())
	}
	if cmd.Start() == nil {
		go cmd.Wait()
	}
}
