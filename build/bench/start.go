package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// start measures until the door is ready, beside a start of the same program that does nothing.
func (b *bench) start() error {
	nothing, err := repeat(20, func() (time.Duration, error) {
		begun := time.Now()
		err := exec.Command(b.parley, "version").Run()
		return time.Since(begun), err
	})
	if err != nil {
		return err
	}
	home := b.home()
	ready, err := repeat(20, func() (time.Duration, error) {
		d, took, err := b.serve(home)
		if err != nil {
			return 0, err
		}
		return took, d.close()
	})
	if err != nil {
		return err
	}
	row("start to door ready", "%s median, %s worst of %d; `parley version` %s", ms(ready.median()), ms(ready.at(1)), len(ready), ms(nothing.median()))

	d, _, err := b.serve(home)
	if err != nil {
		return err
	}
	idle := memory(d.PID)
	if _, err := d.say("s", "u", "[[say:hi]]"); err != nil {
		return err
	}
	row("resident memory, door alone / with a warm runner", "%d MB / %d MB", idle>>10, memory(d.PID)>>10)
	return d.close()
}

// paint measures until a person sees the window's page.
func (b *bench) paint() error {
	if b.window == "" || os.Getenv("DISPLAY") == "" {
		row("start to painted window", "not measured: no display")
		return nil
	}
	var kilobytes int
	painted, err := repeat(5, func() (took time.Duration, err error) {
		took, kilobytes, err = b.paintOnce(b.home())
		return took, err
	})
	if err != nil {
		return fmt.Errorf("window: %w", err)
	}
	row("start to painted window", "%s median, %s worst of %d", ms(painted.median()), ms(painted.at(1)), len(painted))
	row("resident memory with the window, all processes", "%d MB", kilobytes>>10)
	return nil
}

// paintOnce opens the window over a data folder until its page is painted.
func (b *bench) paintOnce(home string) (took time.Duration, kilobytes int, err error) {
	cmd := exec.Command(b.window)
	cmd.Env = append(os.Environ(), "PARLEY_HOME="+home, "PARLEY_LOG=debug")
	notes, err := cmd.StderrPipe()
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	lines := bufio.NewScanner(notes)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "msg=painted") {
			took = time.Since(begun)
			kilobytes = memory(cmd.Process.Pid)
			cmd.Process.Signal(os.Interrupt)
		}
	}
	if err = cmd.Wait(); took == 0 {
		return 0, 0, errors.Join(errors.New("the window ended before it was painted"), err)
	}
	return took, kilobytes, nil
}
