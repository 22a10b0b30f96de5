package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/engine/authority"
	"sluice/engine/naming"
	"sluice/storage"
)

// UserError is something a person did or asked that cannot be done: a code, what is wrong in one sentence, and the flow or run that it
// is about. What to do about it depends on where the person is: the packages that talk to people say that by the code, unless Hint says
// it without naming a command, a button or a message. The cause, when there is one, is for the log.
type UserError struct {
	Code    string
	Text    string
	Hint    string
	Subject string // name of the flow or run to act on; "" = all of them, or none
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

// NotAllowedError means that somebody may not do something at a gate.
type NotAllowedError struct {
	Who    []Principal // who may, when this person may know
	Denied *authority.Denied
}

// Error says who may.
func (e *NotAllowedError) Error() string {
	var names []string
	for _, p := range e.Who {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return e.Denied.Error()
	}
	return "only " + strings.Join(names, " or ") + " may answer this: " + e.Denied.Error()
}

// Unwrap gives the reason.
func (e *NotAllowedError) Unwrap() error { return e.Denied }

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
		return &UserError{Code: "no_flow", Text: fmt.Sprintf("There is no flow called %q.", name), Err: err}
	}
	return err
}

// nearest gives a "did you mean" in brackets for a name, or "".
func nearest(name string, names []string) string {
	if near := naming.Related(name, names, 1); len(near) == 1 {
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return ""
}
