package project

import (
	"context"
	"time"

	"sluice/bot/card"
	"sluice/storage"
)

// Sender shows cards to people; bot/slack implements it. Its methods are safe for concurrent use.
type Sender interface {
	// Send posts the surface's message, or edits it when it has a TS, and returns the row with TS, File and Channel as they are
	// now. The surface's ID is the message's client key: when Tries is not 0, an earlier post may have arrived although its answer
	// was lost, so the message is looked for by its key before it is posted. A picture without a file is left out.
	// The types of its errors say what they mean: *RetryError, *BlockedError, *RefusedError, *DeletedError. With any other error
	// it is not known whether the message arrived; it is tried again.
	Send(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error)
	// Upload makes the file that a card shows: its picture, drawn, or the file that it gives away. It gives the file's id. It is
	// not visible before a message shows it.
	Upload(ctx context.Context, c card.Card) (file string, err error)
	// Drop deletes the file of a picture that no message shows any more, once the row of the surface no longer names it.
	Drop(ctx context.Context, file string)
	// Fits says whether one message shows all that a card says. Where it does not, no button is drawn that decides on it.
	Fits(c card.Card) bool
	// Held says for how long the budget of messages delays a surface; 0 = it may be sent now.
	Held(s storage.Surface) time.Duration
}

// RetryError means that nothing arrived, and says when to try again.
type RetryError struct {
	After    time.Duration
	Answered bool // Slack said so; otherwise it was not asked
	Err      error
}

// Error gives the cause.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RetryError) Unwrap() error { return e.Err }

// BlockedError means that Slack accepts no such message at present, whatever its content: the surface waits until that is over.
type BlockedError struct {
	Code    string // what Slack answered, such as "is_archived"
	Channel string // the channel that it concerns; "" = the whole workspace, unless Alone
	Alone   bool   // it concerns calls like this one only
	Err     error
}

// Error gives the cause.
func (e *BlockedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *BlockedError) Unwrap() error { return e.Err }

// DeletedError means that the message that was to be edited has been deleted.
type DeletedError struct{ Err error }

// Error gives the cause.
func (e *DeletedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *DeletedError) Unwrap() error { return e.Err }

// Outcome is the result of a delivery, for kinds with the function settled. One of its fields is set.
type Outcome struct {
	TS      string    // delivered, as this message of the surface's channel
	Blocked string    // it waits for this to be over, such as "is_archived"
	Since   time.Time // with Blocked
	Refused string    // Slack never takes it: the code of this answer
	Why     error     // with Refused
}
