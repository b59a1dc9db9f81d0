package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"parley/backend/agent"
)

// refusal is what a model is told when a tool did not do what it was asked: what is wrong and, where it can be said, what
// to do instead.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// explain turns an error of the file system into a refusal that knows the path as the model does.
func explain(err error, path string) error {
	var refused refusal
	if errors.As(err, &refused) {
		return refused
	}
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("%s does not exist. list_directory shows what there is.", path)
	}
	if isRefusedByTheSystem(err) && protect(path, path, writing) != nil {
		return held{refusal(path + " was not written: it is protected, and the sandbox of this session holds it as it is.")}
	}
	return refuse("%s cannot be used: %v.", path, reason(err))
}

// held is the refusal of what a person may allow, and the sandbox does not let happen.
type held struct{ refusal }

// isRefusedByTheSystem reports whether a file is one that a sandbox hides, or holds as it is.
func isRefusedByTheSystem(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EBUSY)
}

// told is what the model reads of an error.
func told(err error) string {
	var known *agent.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// reason is the innermost cause of an error, which names no path.
func reason(err error) error {
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(err) {
		err = cause
	}
	return err
}
