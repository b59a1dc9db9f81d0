package app

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// serving is how to serve.
type serving struct {
	addr    string
	origins []string // of pages that are let in besides Parley's own
	project string   // a folder: the link opens its project only; empty for all of them
	json    bool
	opened  func(Connection) // called once the door is open
}

func serveCommand() *cobra.Command {
	o := serving{opened: func(Connection) {}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve Parley for a browser, until Ctrl-C",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := findHome(os.Getenv)
			if err != nil {
				return err
			}
			return serve(cmd, h, o)
		},
	}
	cmd.Flags().StringVar(&o.addr, "addr", "127.0.0.1:0", "loopback address to listen on; port 0 picks a free one")
	cmd.Flags().StringVar(&o.project, "project", "", "folder whose sessions the link opens, and no others")
	cmd.Flags().StringArrayVar(&o.origins, "allow-origin", nil, "origin of a page, such as http://localhost:5173, that may talk to Parley; may be repeated")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the address, the token and the process id as JSON")
	return cmd
}

// serve says where the door is and keeps it open. If another process has the data folder already, that is the door.
func serve(cmd *cobra.Command, h home, o serving) error {
	if err := checkLoopback(o.addr); err != nil {
		return err
	}
	for _, origin := range o.origins {
		if err := checkOrigin(origin); err != nil {
			return err
		}
	}
	ctx := cmd.Context()
	c, own, err := join(ctx, h, ownerOptions{addr: o.addr, origins: o.origins, log: newLog()})
	if err != nil {
		return err
	}
	if own != nil {
		defer own.close()
	} else if len(o.origins) > 0 {
		return fmt.Errorf("another Parley has the data folder and lets in only the pages that it was started for; end it (process %d), then try again", c.PID)
	}
	if o.project != "" {
		if c, err = c.bind(ctx, o.project); err != nil {
			return err
		}
	}
	if o.json {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(c)
	} else {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), c.link())
	}
	if err != nil {
		return err
	}
	o.opened(c)
	if own == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "Parley runs already (process %d); this is its door.\n", c.PID)
		return nil
	}
	select {
	case err = <-own.served:
		return fmt.Errorf("the door closed by itself: %w", err)
	case <-ctx.Done():
		return nil
	}
}
