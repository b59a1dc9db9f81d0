package tool

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"parley/backend/process"
)

// environment is that of a program.
func (f *Files) environment() []string {
	env := process.Inherited()
	if f.home == "" {
		return env
	}
	_ = os.MkdirAll(f.home, 0o700) // a program finds out by itself if it has none
	return append(env, "HOME="+f.home)
}

// pace is how often a running command shows what it wrote.
const pace = 500 * time.Millisecond

// job is a command to run.
type job struct {
	process.Command
	input    []byte // on its stdin
	limit    time.Duration
	progress func(recent string) // is told the end of what it has written, every now and then
	discreet bool                // only of what it writes to stderr
}

// run runs a job to its end. If ctx ends first, it and all that it started are ended.
func (j job) run(ctx context.Context) (d runCommandData, err error) {
	var stdout, stderr, recent excerpt
	stdout.room, stderr.room, recent.room = maxStream, maxStream, 2*maxSearched
	j.Stderr = both{&stderr, &recent}
	p, err := process.Start(j.Command, "")
	if err != nil {
		return d, refuse("%s could not be started: %v.", filepath.Base(j.Path), reason(err))
	}
	go func() {
		_, _ = p.Stdin.Write(j.input) // a program need not read all of it, or any
		p.Stdin.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		if j.discreet {
			_, _ = p.Stdout.WriteTo(&stdout)
		} else {
			_, _ = p.Stdout.WriteTo(both{&stdout, &recent})
		}
	}()
	late := time.NewTimer(j.limit)
	defer late.Stop()
	ticks := time.NewTicker(pace)
	defer ticks.Stop()
	for shown := int64(0); !p.Gone(); {
		select {
		case <-ticks.C:
			if n := recent.written(); n > shown {
				shown = n
				j.progress(recent.tail())
			}
		case <-late.C:
			d.TimedOut = true
			p.Kill()
		case <-ctx.Done():
			p.Kill()
		case <-p.Exited:
		}
	}
	select {
	case <-read:
	case <-time.After(pace): // somebody who left its tree still holds it open
	}
	p.Stdout.Close()
	<-read
	if ctx.Err() != nil {
		return d, refuse("%s was stopped.", filepath.Base(j.Path))
	}
	d.Stdout, d.Stderr = stdout.String(), stderr.String()
	d.ExitCode, d.Signal = p.Outcome()
	return d, nil
}
