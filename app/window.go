//go:build desktop || dev || bindings

package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/frontend"
)

const hasWindow = true

// Window is what the page in the window may call. The session itself goes through the door, as everywhere.
type Window struct {
	desk *desk
	open context.Context // until the window is gone
	ctx  context.Context // of Wails, set when the window starts
	left atomic.Bool     // whether the page needs the window no more

	mu      sync.Mutex
	notices *notices // nil until they were asked for, and found
}

// Connection tells the page where the door is.
func (w *Window) Connection() (Connection, error) { return w.desk.connection(w.ctx) }

// Painted is called by the page once a person can see it.
func (w *Window) Painted() { w.desk.log.Debug("painted") }

// Left is called by the page when it was told that the window closes, and has stored what was typed.
func (w *Window) Left() {
	if w.left.CompareAndSwap(false, true) {
		runtime.Quit(w.ctx)
	}
}

// MayNotify says whether the desktop shows notices.
func (w *Window) MayNotify() bool {
	_, err := w.findNotices()
	if err != nil {
		w.desk.log.Warn("no notices on this desktop", "err", err)
	}
	return err == nil
}

// Notify shows a notice. A click on it brings the window to the front, and its page where the notice leads.
func (w *Window) Notify(n Notice) error {
	found, err := w.findNotices()
	if err != nil {
		return err
	}
	return found.show(n)
}

// Save asks the person where, and writes a text there. It gives the path, or none if they do not want the file after all.
func (w *Window) Save(name, text string) (string, error) {
	path, err := runtime.SaveFileDialog(w.ctx, runtime.SaveDialogOptions{DefaultFilename: name, CanCreateDirectories: true})
	if err == nil && path != "" {
		err = writeNew(path, []byte(text), true) // the dialog asks before it takes a file that is there
	}
	if err != nil {
		return "", errors.New(agent.AsError(err).Message)
	}
	return path, nil
}

func (w *Window) findNotices() (*notices, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.notices != nil {
		return w.notices, nil
	}
	found, err := findNotices(w.open, func(session string) {
		w.desk.showWindow()
		runtime.EventsEmit(w.ctx, "opened", session)
	})
	w.notices = found
	return found, err
}

// leaveLimit is how long a window waits for its page to leave. A page that hangs must not keep it open.
const leaveLimit = time.Second

// beforeClose holds the window back until its page has left.
func (w *Window) beforeClose(ctx context.Context) (prevent bool) {
	if w.left.Load() {
		return false
	}
	runtime.EventsEmit(ctx, "close")
	time.AfterFunc(leaveLimit, w.Left)
	return true
}

// runWindow shows the window until it is closed or ctx ends.
func (d *desk) runWindow(ctx context.Context) error {
	open, gone := context.WithCancel(context.Background())
	defer gone()
	w := &Window{desk: d, open: open}
	err := wails.Run(&options.App{
		Title:            "Parley",
		Width:            1180,
		Height:           800,
		MinWidth:         380,
		MinHeight:        420,
		BackgroundColour: options.NewRGB(23, 23, 26),
		AssetServer:      &assetserver.Options{Assets: frontend.Page(), Middleware: policy},
		Logger:           logger.NewDefaultLogger(),
		LogLevel:         logger.ERROR,
		Bind:             []any{w},
		Linux:            &linux.Options{ProgramName: "parley", WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand},
		OnBeforeClose:    w.beforeClose,
		OnStartup: func(wailsCtx context.Context) {
			w.ctx = wailsCtx
			show := func() bool {
				runtime.WindowUnminimise(wailsCtx)
				runtime.Show(wailsCtx)
				return true
			}
			d.show.Store(&show)
			context.AfterFunc(ctx, func() { runtime.Quit(wailsCtx) })
		},
	})
	if err != nil {
		return fmt.Errorf("open the window: %w", err)
	}
	return nil
}

// policy holds the window's page to the same rules as the one in a browser. Its door has another origin than it, and
// another port after the process that had it ended.
func policy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-security-policy", api.Policy("'self' http://127.0.0.1:* ws://127.0.0.1:*"))
		next.ServeHTTP(w, r)
	})
}
