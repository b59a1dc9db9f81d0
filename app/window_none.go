//go:build !desktop && !dev && !bindings

package app

import (
	"context"
	"errors"
)

const hasWindow = false

func (d *desk) runWindow(context.Context) error {
	return errors.New("this program was built without a window")
}
