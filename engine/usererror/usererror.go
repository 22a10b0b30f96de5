// Package usererror has the error for what a person asked that cannot be done. It stands below every package that refuses something to
// people: the operations of package engine and the packages that they call.
//
// It knows no words of a chat, a terminal or an HTTP answer. Look next at the packages that own them: bot, cmd/sluice and bot/httpapi.
package usererror

import (
	"errors"
	"fmt"

	"sluice/engine/naming"
	"sluice/storage"
)

// Error is something a person did or asked that cannot be done: a code, what is wrong in one sentence, and the flow or run that it
// is about. What to do about it depends on where the person is: the packages that talk to people say that by the code, unless Hint says
// it without naming a command, a button or a message. The cause, when there is one, is for the log.
type Error struct {
	Code    string
	Text    string
	Hint    string
	Subject string // name of the flow or run to act on; "" = all of them, or none
	// Problems are the things that are wrong, when Text tells of several.
	Problems []string
	// Fields are the problems by the name of the input or field, where each belongs to one.
	Fields map[string]string
	Err    error
}

// Error gives both sentences.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " " + e.Hint
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Flow says that a flow does not exist, when that is the error; any other error stays as it is.
func Flow(name string, err error) error {
	if errors.Is(err, storage.ErrRetired) {
		return Removed(name)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return &Error{Code: "no_flow", Text: fmt.Sprintf("There is no flow called %q.", name), Err: err}
	}
	return err
}

// Removed says that a flow was removed.
func Removed(name string) error {
	return &Error{
		Code: "removed_flow", Text: fmt.Sprintf("The flow %s was removed: it starts no run.", name),
		Hint: "Somebody can draft it anew under the same name. What became of its runs stays.", Err: storage.ErrRetired,
	}
}

// Nearest gives a "did you mean" in brackets for a name, or "".
func Nearest(name string, names []string) string {
	if near := naming.Related(name, names, 1); len(near) == 1 {
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return ""
}
