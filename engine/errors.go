package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/engine/tool"
	"sluice/storage"
)

// UserError is something a person did or asked that cannot be done: a code for machines, what is wrong in one sentence, and
// what to do about it. The cause, when there is one, is for the log.
type UserError struct {
	Code string
	Text string
	Hint string
	// Problems are the things that are wrong, when Text tells of several.
	Problems []string
	Err      error
}

// Error gives both sentences.
func (e *UserError) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " " + e.Hint
}

// Unwrap gives the cause.
func (e *UserError) Unwrap() error { return e.Err }

// NotAllowedError means that the person may not decide a gate.
type NotAllowedError struct {
	Who []Principal // who may
	Why string      // why this person may not, when it is not simply missing from Who
}

// Error says who may.
func (e *NotAllowedError) Error() string {
	if e.Why != "" {
		return e.Why
	}
	var names []string
	for _, p := range e.Who {
		names = append(names, p.Name)
	}
	return "only " + strings.Join(names, " or ") + " may answer this"
}

// DecidedError means that somebody else was first.
type DecidedError struct {
	Choice string
	By     string // user id; empty for timeout or cancel
	At     time.Time
}

// Error says what was decided.
func (e *DecidedError) Error() string {
	return fmt.Sprintf("already decided: %s", e.Choice)
}

// flowError says that a flow does not exist.
func flowError(name string, err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return &UserError{Code: "no_flow", Text: fmt.Sprintf("There is no flow called %q.", name), Hint: "`/flow list` shows the flows you can use.", Err: err}
	}
	return err
}

// nearest gives a "did you mean" in brackets for a name, or "".
func nearest(name string, names []string) string {
	if near := tool.Nearest(name, names, 1); len(near) == 1 {
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return ""
}
