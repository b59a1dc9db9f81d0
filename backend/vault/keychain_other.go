//go:build !linux

package vault

import (
	"context"
	"errors"
	"runtime"
)

// ready has nothing to ask first: here the keychain is a part of the system.
func ready(context.Context) error { return nil }

// Unlock asks for any item, for which the system shows its dialog, and waits until ctx ends or the keychain gives up.
func (k *Keychain) Unlock(ctx context.Context) error {
	_, err := k.Get(ctx, "unlock")
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Kind names the keychain.
func (k *Keychain) Kind(context.Context) string { return runtime.GOOS + "-keychain" }

// What macOS's security command exits with: the low byte of its OSStatus.
const (
	interactionNotAllowed = 36
	authFailed            = 51
	userCancelled         = 128
)

// refused gives the reason for which the system failed a call.
func refused(err error) error {
	var exit interface{ ExitCode() int }
	if runtime.GOOS == "darwin" && errors.As(err, &exit) {
		switch exit.ExitCode() {
		case interactionNotAllowed, userCancelled:
			return locked(err)
		case authFailed:
			return unavailable(Denied, err)
		}
	}
	return unavailable(Failed, err)
}

// interrupt does nothing: a call that was given up ends when the system ends it.
func interrupt() {}
