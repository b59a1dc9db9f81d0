package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"parley/backend/agent"
	"parley/backend/store/sealed"
	"parley/backend/vault"
)

// Rotate seals the history anew under another data key, while it is in use: who has the old key reads nothing of it any
// more, except in the copies that were made before. Every way to open it opens the new key, and to be sealed with it the
// recovery code and the passphrase have to be given again. Once begun it does not end with ctx; what a crash leaves the
// next open brings to its end.
func (h *History) Rotate(ctx context.Context, g Given) error {
	secrets, err := g.secrets()
	if err != nil {
		return err
	}
	return h.whileOpen(ctx, func(ctx context.Context) error {
		if err := h.prove(secrets); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
		if secrets.Passphrase != nil {
			secrets.Cost = vault.Calibrate()
		}
		if err := h.keys.Rotate(ctx, secrets); err != nil {
			return err
		}
		before, err := os.Stat(h.database())
		if err == nil {
			err = h.with(func(_, next *sealed.Key) error { return h.store.Rekey(ctx, next) })
		}
		if err == nil {
			return h.settle(ctx, opening{rotated: true})
		}
		if after, failed := os.Stat(h.database()); failed == nil && os.SameFile(before, after) {
			err = errors.Join(err, h.settle(ctx, opening{}))
			return agent.Wrap(agent.CodeInternal, err, "The history could not be sealed under a new key; it is as it was. Check that the disk has room for a second copy of it, then retry.")
		}
		return agent.Wrap(agent.CodeInternal, err, "The change of the key was cut short. The history is whole; close Parley and open it again to bring the change to its end.")
	})
}

// prove refuses secrets that do not open this history: a mistyped one must not become the way to open the new key.
func (h *History) prove(s vault.Openers) error {
	k, err := vault.OpenKeyFile(h.keyFile(), nil)
	if err != nil {
		return err
	}
	defer k.Lock()
	if s.Code != nil {
		err = k.UnlockWithCode(*s.Code)
	}
	if err == nil && s.Passphrase != nil {
		err = k.UnlockWithPassphrase(s.Passphrase)
	}
	return err
}

// endRotation leaves one data key: the next one if the history was sealed with that.
func (h *History) endRotation(ctx context.Context, rotated bool) error {
	if !rotated {
		return h.keys.AbandonRotation(ctx)
	}
	if err := h.keys.ConfirmRotation(ctx); err != nil {
		return err
	}
	// Nothing opens the copies from before migrations any more.
	copies, err := filepath.Glob(h.database() + ".schema-*")
	for _, path := range copies {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Given is what a person gave to open a history; what is empty was not given.
type Given struct {
	Code       string
	Passphrase []byte
}

func (g Given) secrets() (s vault.Openers, err error) {
	if g.Code != "" {
		code, err := vault.ParseRecoveryCode(g.Code)
		if err != nil {
			return s, err
		}
		s.Code = &code
	}
	if len(g.Passphrase) > 0 {
		s.Passphrase = g.Passphrase
	}
	return s, nil
}
