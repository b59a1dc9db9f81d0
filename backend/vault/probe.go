package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/backend/agent"
)

// Condition is how a keyring is.
type Condition string

// The findings; the enum is closed.
const (
	Works  Condition = "works"
	Locked Condition = "locked" // it is there: see Keychain.Unlock
	Absent Condition = "absent" // Finding.Reason says why
)

// Finding says whether a keyring works.
type Finding struct {
	Health Condition
	Reason Reason // of Absent
	Kind   string // which keyring answered; empty if none did
	Remedy string // a sentence for the person; empty if it works
	Err    error  // for the log; nil if it works
}

// kinded is a Keyring that knows which program or file it is.
type kinded interface {
	Kind(ctx context.Context) string
}

// Probe writes a value, reads it and deletes it again: only what did all three works.
func Probe(ctx context.Context, ring Keyring) Finding {
	err := roundTrip(ctx, ring)
	f := Finding{Kind: kindOf(ctx, ring), Err: err}
	var none *absence
	switch {
	case err == nil:
		f.Health = Works
		return f
	case errors.Is(err, ErrLocked):
		f.Health = Locked
	case errors.As(err, &none):
		f.Health, f.Reason = Absent, none.reason
	default:
		f.Health, f.Reason = Absent, Failed
	}
	f.Remedy = agent.AsError(err).Message
	return f
}

func roundTrip(ctx context.Context, ring Keyring) error {
	account, value := fmt.Sprintf("probe:%x", random(8)), random(keySize)
	if err := ring.Set(ctx, account, value); err != nil {
		return err
	}
	got, err := ring.Get(ctx, account)
	if err == nil && !bytes.Equal(got, value) {
		err = unavailable(Failed, errors.New("the keyring gave another value than was stored"))
	}
	if err != nil {
		return errors.Join(err, ring.Delete(context.WithoutCancel(ctx), account))
	}
	return ring.Delete(ctx, account)
}

func kindOf(ctx context.Context, ring Keyring) string {
	if k, ok := ring.(kinded); ok {
		return k.Kind(ctx)
	}
	return ""
}

// kindWord makes a name of a program fit for one word of a KeyFile.
func kindWord(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-./", r):
			return r
		}
		return -1
	}, name)
}
