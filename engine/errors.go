package engine

import (
	"fmt"
	"time"
)

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
