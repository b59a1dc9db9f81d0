package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"parley/backend/agent"
	"parley/backend/vault"
)

// attempts is how often a passphrase may be mistyped.
const attempts = 3

// askForPassphrase opens a history that only a passphrase opens, or makes the first one where there is no keychain, by
// asking whoever sits at the terminal. Without a terminal it does nothing: whoever asks the door next hears what is missing.
func (o *owner) askForPassphrase(ctx context.Context, in *os.File, notes io.Writer) error {
	select {
	case <-o.history.Tried():
	case <-ctx.Done():
		return ctx.Err()
	}
	status, _ := o.history.Status()
	if !slices.Contains(status.Accepts, vault.SlotPassphrase) || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	ask := func() error {
		passphrase, err := readHidden(ctx, in, notes, "Passphrase of the history: ", errNoPassphrase)
		defer vault.Wipe(passphrase)
		if err != nil {
			return err
		}
		return o.history.UnlockWithPassphrase(ctx, passphrase)
	}
	if status.State == vault.NoKeychain {
		fmt.Fprintln(notes, status.Message, "Choose a passphrase. Without it nobody can read the history, you neither.")
		ask = func() error { return o.makePassphrase(ctx, in, notes) }
	}
	var err error
	for range attempts {
		if err = ask(); err == nil || agent.AsError(err).Code != agent.CodeValidation {
			return err
		}
		fmt.Fprintln(notes, explain(err))
	}
	return exit(exitFailed)
}

func (o *owner) makePassphrase(ctx context.Context, in *os.File, notes io.Writer) error {
	passphrase, err := readHidden(ctx, in, notes, "New passphrase: ", errNoPassphrase)
	defer vault.Wipe(passphrase)
	if err != nil {
		return err
	}
	again, err := readHidden(ctx, in, notes, "The same again: ", errNoPassphrase)
	defer vault.Wipe(again)
	if err != nil {
		return err
	}
	if string(passphrase) != string(again) {
		return agent.Errorf(agent.CodeValidation, "These are two passphrases. Type the same one twice.")
	}
	return o.history.SetPassphrase(ctx, passphrase)
}

var errNoPassphrase = agent.Errorf(agent.CodeCancelled, "No passphrase was given, so the history stays locked. Run the command again, or unlock it on the page that parley serve opens.")

// readHidden reads a line that the terminal does not show: from before the prompt on, and until ctx ends. Ctrl-C and
// Ctrl-D give the error nothing.
func readHidden(ctx context.Context, in *os.File, notes io.Writer, prompt string, nothing error) ([]byte, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	defer term.Restore(int(in.Fd()), before)
	type line struct {
		text string
		err  error
	}
	typed := make(chan line, 1)
	go func() {
		text, err := term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{in, notes}, "").ReadPassword(prompt)
		typed <- line{text, err}
	}()
	select {
	case l := <-typed:
		if errors.Is(l.err, io.EOF) {
			return nil, nothing
		}
		return []byte(l.text), l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
