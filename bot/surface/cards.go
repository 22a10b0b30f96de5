package surface

import (
	"context"
	"time"

	"sluice/engine"

	"sluice/bot/card"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/people"
	"sluice/engine/view"
	"sluice/storage"
)

// Kinds of surfaces.
const (
	KindGate    = "gate"      // a question
	KindTurn    = "turn"      // what an agent says in a conversation
	KindRemind  = "remind"    // a reminder of a question
	KindSpread  = "spread"    // asks people elsewhere: it is not sent itself and makes copies and nudges
	KindCopy    = "copy"      // a question, for one person as a direct message, or for a group in its channel
	KindNudge   = "nudge"     // a reminder of a question beside a copy
	KindPrivate = "private"   // a line that one person sees, PrivateBody
	KindAnswer  = "answer"    // an answer as a direct message, PrivateBody
	KindHome    = "home"      // a person's Home
	KindDirect  = "direct"    // a fixed text to one person, as a direct message, see Notice
	KindWhole   = "whole"     // the whole text of a question or draft as a file, FileBody, for those who decide
	KindFile    = "file"      // a file to download, FileBody; without a channel it goes to its user alone
	KindDraft   = "draft"     // a draft's card
	KindMoves   = "moves"     // the runs that wait on earlier versions of an approved flow
	KindNotice  = "notice"    // a fixed text, see Notice
	KindMessage = outbox.Kind // what a step or a tool says, outbox.Body
	KindStatus  = "status"    // a run's status message, the root of its thread
	KindPicture = "picture"   // the end of a run: its outcome and result
	KindTold    = "told"      // the end of a run, for a requester who asked for it elsewhere
	KindMark    = "mark"      // the emoji on the message that started a run, MarkBody
	KindDrafted = "drafted"   // the emoji on a message that a draft was to be made of, MarkBody
)

// Engine is the part of the engine that the cards need.
type Engine interface {
	Store() storage.Store
	Now() time.Time
	View(ctx context.Context, run string) (*view.View, error)
	// MessageState looks whether a message may be posted.
	MessageState(ctx context.Context, id string, b outbox.Body) (outbox.State, error)
	// Deciders names the people who may answer a gate; Unanswerable gives the reason when there are none.
	Deciders(ctx context.Context, r storage.Run, b gate.Body) (who []people.Principal, users []string, err error)
	Unanswerable(ctx context.Context, r storage.Run, b gate.Body) (string, error)
	MayAnswer(ctx context.Context, g storage.Gate, actor history.Actor) error
	// AllMayRead says whether a channel's members may see a gate.
	AllMayRead(ctx context.Context, r storage.Run, b gate.Body, channel string) (bool, error)
	MovePlan(ctx context.Context, flow string, to int) (engine.MovePlan, error)
}

// Cards makes the cards of surfaces from the latest state.
type Cards struct {
	Engine  Engine
	Limits  Limits // nil = every card fits
	Wake    func() // called after surfaces were made or became stale
	Command string // the slash command, "/flow"
	Name    string // the bot's name in chat
	// URL is the address of a message; thread is that of a reply. nil = messages have none.
	URL func(channel, ts, thread string) string
	// Home makes the content of a person's Home.
	Home func(ctx context.Context, user string) (card.Card, error)
}

// Limits says whether one message shows all that a card says. Where it does not, no button is drawn that decides on it.
type Limits interface {
	Fits(c card.Card) bool
}

// RefusedError means that Slack never takes this message as it is.
type RefusedError struct {
	Code   string
	Unsure bool // the answer is unknown: it is tried again a few times before it counts
	Err    error
}

// Error gives the cause.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// Runs gives rows of runs.
type Runs interface {
	Run(ctx context.Context, id string) (storage.Run, error)
}

// Root finds the run that a person or a trigger started: the run itself, or the outermost run that it lies within. Messages are in the thread of
// that one.
func Root(ctx context.Context, store Runs, id string) (storage.Run, error) {
	for {
		r, err := store.Run(ctx, id)
		if err != nil || r.Parent == "" {
			return r, err
		}
		id = r.Parent
	}
}
