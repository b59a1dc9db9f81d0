package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/config"
	"parley/backend/harness"
	"parley/backend/program"
	"parley/backend/provider"
	"parley/backend/vault"
)

// finding is what doctor says of one thing. Remedy says what to do where it is not well.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, note, broken
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

const (
	well   = "ok"
	note   = "note" // works without it
	broken = "broken"
)

func doctorCommand() *cobra.Command {
	var asJSON, verify bool
	var salvaged string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what Parley needs, and say what to do about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if salvaged != "" {
				return salvage(cmd, salvaged, asJSON)
			}
			sick := false
			for f := range examine(cmd.Context(), verify) {
				sick = sick || f.Status == broken
				if asJSON {
					if err := json.NewEncoder(cmd.OutOrStdout()).Encode(f); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-7s %-16s %s\n", f.Status, f.Check, f.Detail)
				if f.Remedy != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "%24s → %s\n", "", f.Remedy)
				}
			}
			if sick {
				return exit(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per check and line")
	cmd.Flags().BoolVar(&verify, "verify", false, "read all of the history, and say what of it is damaged")
	cmd.Flags().StringVar(&salvaged, "salvage", "", "write what is readable of a damaged history to this file, as a backup")
	return cmd
}

// examine checks one thing after the other, each on its own.
func examine(ctx context.Context, verify bool) func(yield func(finding) bool) {
	return func(yield func(finding) bool) {
		for _, check := range []func(context.Context) []finding{func(ctx context.Context) []finding { return checkData(ctx, verify) }, checkRunner, checkWindow, checkPrograms, checkModels} {
			for _, f := range check(ctx) {
				if !yield(f) {
					return
				}
			}
		}
	}
}

func checkData(ctx context.Context, verify bool) []finding {
	h, err := findHome(os.Getenv)
	if err != nil {
		return []finding{{"data", broken, err.Error(), "Set PARLEY_HOME to a folder that you can write to."}}
	}
	c, leave, err := connect(ctx)
	if err != nil {
		return []finding{{"history", broken, explain(err), "Nothing was changed. Set PARLEY_HOME to another folder to start afresh beside it."}}
	}
	defer leave()
	found := checkHistory(ctx, h, c, verify)
	if c.PID != os.Getpid() {
		found = append(found, finding{"owner", well, fmt.Sprintf("process %d has it open and answers", c.PID), ""})
	}
	return append(found, finding{"door", well, "its token changes with each start and lies in door.json, for you alone", ""})
}

// checkHistory asks whoever has the history.
func checkHistory(ctx context.Context, h home, c Connection, verify bool) []finding {
	v, err := ask[api.Vault](ctx, c, http.MethodGet, "/vault", nil)
	if err != nil {
		return []finding{{"history", broken, explain(err), "Nothing was changed. Run parley serve to see what it says."}}
	}
	keychain := finding{"keychain", well, v.Keychain.Kind + " works", ""}
	if v.Keychain.Health != vault.Works {
		keychain = finding{"keychain", note, string(v.Keychain.Health), v.Keychain.Remedy}
	}
	if v.State != vault.Ready {
		return []finding{keychain, {"history", broken, v.Message, v.Remedy}}
	}
	found := []finding{keychain, {"history", well, fmt.Sprintf("opens, in %s", h), ""}}
	if v.RolledBack {
		found = append(found, finding{"history", note, "it is an older copy than the one that was here before", "If you did not put it there, look for the newer one."})
	}
	if v.Lost > 0 {
		found = append(found, finding{"history", note, fmt.Sprintf("%d commits did not reach the disk before it was last closed", v.Lost), "After a power cut that is expected: at most moments of an answer are missing."})
	}
	if !slices.Contains(v.Slots, vault.SlotKeychain) {
		found = append(found, finding{"anchor", note, "how far the history has come is kept beside it only", "An older copy of the whole folder, put back, is not noticed: only a keychain would tell."})
	}
	if !slices.Contains(v.Slots, vault.SlotRecovery) {
		found = append(found, finding{"recovery", note, "there is no recovery code", "Make one in Parley and keep it safe: without it, a lost keychain or passphrase is a lost history."})
	}
	if verify {
		found = append(found, scrub(ctx, c))
	}
	return found
}

func scrub(ctx context.Context, c Connection) finding {
	s, err := ask[api.Scrub](ctx, c, http.MethodPost, "/vault/scrub", nil)
	switch {
	case err != nil:
		return finding{"verify", broken, explain(err), "Check the disk, then retry."}
	case s.Bad+s.Log > 0:
		return finding{"verify", broken, fmt.Sprintf("%d of %d pages, and %d frames of the log, are not as they were written", s.Bad, s.Pages, s.Log), "Run parley doctor --salvage FILE to keep what is readable, or put a backup back."}
	}
	return finding{"verify", well, fmt.Sprintf("all %d pages are as they were written", s.Pages), ""}
}

func checkRunner(ctx context.Context) []finding {
	fail := func(err error) []finding {
		return []finding{{"runner", broken, explain(err), "No agent can run without it. Run parley runner by hand to see what it says."}}
	}
	dir, err := os.MkdirTemp("", "parley-doctor-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	begun := time.Now()
	backend, err := runnerBackend(dir, dir, nil, newLog())
	if err != nil {
		return fail(err)
	}
	sandbox, err := backend.NewSandbox(ctx, agent.Policy{Scratch: dir})
	if err != nil {
		return fail(err)
	}
	defer sandbox.Close()
	detail := fmt.Sprintf("starts in %d ms", time.Since(begun).Milliseconds())
	if url := os.Getenv(envRunner); url != "" {
		detail = fmt.Sprintf("answers at %s in %d ms", url, time.Since(begun).Milliseconds())
	}
	return append([]finding{{"runner", well, detail, ""}}, enforced(enforcementOf(backend)())...)
}

// enforced tells what the system holds of what agents may touch.
func enforced(e agent.Enforcement) (found []finding) {
	for _, part := range []struct {
		name string
		agent.Held
	}{{"files", e.Files}, {"network", e.Network}, {"programs", e.Programs}, {"load", e.Load}} {
		f := finding{"sandbox " + part.name, well, "held by " + part.By, ""}
		if part.Lacks != "" {
			f = finding{f.Check, note, "not held: " + part.Lacks, part.Remedy}
		}
		found = append(found, f)
	}
	return found
}

func checkWindow(context.Context) []finding {
	reason, remedy := noDisplay(os.Getenv), "Parley opens in a browser instead."
	if !hasWindow {
		reason, remedy = "this program was built without a window", "Build with make build for a window. Parley opens in a browser instead."
	}
	if reason != "" {
		return []finding{{"window", note, reason, remedy}}
	}
	return []finding{{"window", well, "can be shown", ""}}
}

// checkPrograms looks for everything that an agent can run in.
func checkPrograms(context.Context) (all []finding) {
	if url := os.Getenv(envRunner); url != "" {
		return []finding{{"agents", note, "run at " + url + ", with what is installed there", ""}}
	}
	known, err := harness.Programs(os.Environ())
	if err != nil {
		return []finding{{"agents", broken, explain(err), ""}}
	}
	for _, found := range program.NewFinder(known).All() {
		f := finding{found.Agent(), note, found.Name + " is not installed", found.Remedy()}
		switch found.State {
		case program.Ready:
			f = finding{found.Agent(), well, strings.TrimSpace(found.Name+" "+found.Version) + " at " + found.Path, ""}
		case program.TooOld:
			f.Detail = fmt.Sprintf("%s is version %s, and Parley needs %s or newer", found.Name, found.Version, found.Oldest)
		case program.Broken:
			f.Detail = fmt.Sprintf("%s does not start: %s", found.Name, found.Problem)
		}
		all = append(all, f)
	}
	return all
}

// checkModels asks only whom the person named, and this machine.
func checkModels(ctx context.Context) []finding {
	endpoints, err := provider.Endpoints(os.Getenv)
	if err != nil {
		return []finding{{"models", broken, err.Error(), "Correct the variable."}}
	}
	named, err := config.BuiltIn(os.Getenv, endpoints, nil).Find("")
	if err != nil || named.Provider == "" {
		return append(askModels(ctx, endpoints["ollama"], "", note), finding{"agent", note, "only the demo agent", "Set PARLEY_MODEL to the name of a model, as ollama/NAME or NAME."})
	}
	_, key := provider.Key(named.Provider, os.Getenv)
	if key == "" && provider.NoKey(endpoints[named.Provider]) != nil {
		return []finding{{named.Provider, note, "its key is not in the environment", "parley keys list says whether the keychain has one, and parley keys check whether it is taken."}}
	}
	return askModels(ctx, endpoints[named.Provider], key, broken)
}

func askModels(ctx context.Context, e agent.Endpoint, key, otherwise string) []finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	models, err := provider.NewClient().Models(ctx, e, key)
	if err != nil {
		failure := agent.AsError(err)
		return []finding{{e.Provider, otherwise, failure.Message, failure.Code.Remedy()}}
	}
	names := make([]string, 0, len(models))
	for _, m := range models {
		names = append(names, m.ID)
	}
	if len(names) > 8 {
		names = append(names[:8], fmt.Sprintf("and %d more", len(models)-8))
	}
	return []finding{{e.Provider, well, fmt.Sprintf("answers at %s: %s", e.BaseURL, strings.Join(names, ", ")), ""}}
}
