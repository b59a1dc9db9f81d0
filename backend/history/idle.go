package history

import (
	"context"
	"strconv"
	"time"

	"parley/backend/agent"
)

const (
	lookEvery    = 15 * time.Second
	mostMinutes  = 24 * 60
	lockAfterKey = "lock_after" // the setting's name
)

// SetLockAfter has the history lock itself once nobody has used it for so many minutes, or never with 0. It needs what
// Lock needs.
func (h *History) SetLockAfter(ctx context.Context, minutes int) error {
	return h.whileOpen(ctx, func(ctx context.Context) error {
		if minutes < 0 || minutes > mostMinutes {
			return agent.Errorf(agent.CodeValidation, "The history can lock itself after 1 to %d minutes, or never with 0. Choose one of these.", mostMinutes)
		}
		if minutes > 0 && !h.hasPassphrase() {
			return errNoPassphrase
		}
		return h.setLockAfter(ctx, minutes)
	})
}

func (h *History) setLockAfter(ctx context.Context, minutes int) error {
	if err := h.store.SetSetting(ctx, lockAfterKey, strconv.Itoa(minutes)); err != nil {
		return err
	}
	h.used.Store(h.Now().UnixMilli())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status.LockAfter = minutes
	return nil
}

// lockAfter is what SetLockAfter was told last.
func (h *History) lockAfter(ctx context.Context) int {
	value, err := h.store.Setting(ctx, lockAfterKey)
	if err != nil {
		h.Log.Error("the history will not lock itself: the setting cannot be read", "error", err)
	}
	minutes, _ := strconv.Atoi(value) // 0 if it was told nothing
	return minutes
}

// Use notes that somebody uses the history. Who comes when it is idle already may be anybody, so that does not count.
func (h *History) Use() {
	if !h.isIdle() {
		h.used.Store(h.Now().UnixMilli())
	}
}

// isIdle reports whether nobody has used the history for so long that it is to be locked. It goes by the wall clock: the
// monotonic one stands still while the machine sleeps.
func (h *History) isIdle() bool {
	s, _ := h.Status()
	return s.LockAfter > 0 && h.Now().UnixMilli()-h.used.Load() >= (time.Duration(s.LockAfter)*time.Minute).Milliseconds()
}

// LockIfIdle locks the history, as Lock does, if nobody has used it for too long. It is for whoever lets somebody in: the
// history itself looks only now and then. What Lock refuses is tried again when it is called next.
func (h *History) LockIfIdle(ctx context.Context) {
	if !h.isIdle() {
		return
	}
	err := h.seated(ctx, func(ctx context.Context) error {
		if !h.isIdle() { // any more, now that it is our turn
			return nil
		}
		return h.lock(ctx)
	})
	if err != nil {
		h.Log.Debug("the history does not lock itself yet", "error", err)
	}
}
