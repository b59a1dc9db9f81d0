package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/config"
	"parley/backend/provider"
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
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what Parley needs, and say what to do about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sick := false
			for f := range examine(cmd.Context()) {
				sick = sick || f.Status == broken
				if asJSON {
					if err := json.NewEncoder(cmd.OutOrStdout()).Encode(f); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-7s %-12s %s\n", f.Status, f.Check, f.Detail)
				if f.Remedy != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "%20s → %s\n", "", f.Remedy)
				}
			}
			if sick {
				return exit(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per check and line")
	return cmd
}

// examine checks one thing after the other, each on its own.
func examine(ctx context.Context) func(yield func(finding) bool) {
	return func(yield func(finding) bool) {
		for _, check := range []func(context.Context) []finding{checkData, checkRunner, checkWindow, checkModels} {
			for _, f := range check(ctx) {
				if !yield(f) {
					return
				}
			}
		}
	}
}

func checkData(ctx context.Context) []finding {
	h, err := findHome(os.Getenv)
	if err != nil {
		return []finding{{"data", broken, err.Error(), "Set PARLEY_HOME to a folder that you can write to."}}
	}
	c, leave, err := connect(ctx)
	if err != nil {
		return []finding{{"history", broken, explain(err), "Nothing was changed. Set PARLEY_HOME to another folder to start afresh beside it."}}
	}
	defer leave()
	found := []finding{{"history", well, fmt.Sprintf("opens, in %s", h), ""}}
	if c.PID != os.Getpid() {
		found = append(found, finding{"owner", well, fmt.Sprintf("process %d has it open and answers", c.PID), ""})
	}
	return found
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
	backend, err := localRunner(dir, newLog())
	if err != nil {
		return fail(err)
	}
	sandbox, err := backend.NewSandbox(ctx, agent.Policy{Scratch: dir})
	if err != nil {
		return fail(err)
	}
	defer sandbox.Close()
	return []finding{{"runner", well, fmt.Sprintf("starts in %d ms", time.Since(begun).Milliseconds()), ""}}
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

// checkModels asks only whom the person named, and this machine.
func checkModels(ctx context.Context) []finding {
	endpoints, err := provider.Endpoints(os.Getenv)
	if err != nil {
		return []finding{{"models", broken, err.Error(), "Correct the variable."}}
	}
	named, err := config.BuiltIn(os.Getenv, slices.Sorted(maps.Keys(endpoints))).Find("")
	if err != nil || named.Provider == "" {
		return append(askModels(ctx, endpoints["ollama"], "", note), finding{"agent", note, "only the demo agent", "Set PARLEY_MODEL to the name of a model, as ollama/NAME or NAME."})
	}
	key, _ := provider.Key(named.Provider, os.Getenv)
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
