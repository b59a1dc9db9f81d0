//go:build !linux

package app

import (
	"context"
	"errors"
)

// notices shows notices on the desktop. Only those of Linux are known.
type notices struct{}

func findNotices(context.Context, func(session string)) (*notices, error) {
	return nil, errors.New("the window shows notices on Linux only")
}

func (*notices) show(Notice) error { return nil }
