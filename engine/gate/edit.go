package gate

import (
	"time"

	"sluice/engine/history"
)

// Ask says that somebody who may answer was asked by name by another one.
type Ask struct {
	By   string    `json:"by"` // user ids
	User string    `json:"user"`
	At   time.Time `json:"at"`
}

// Edit says that a person has set arguments of a call that waits for permission.
type Edit struct {
	By   string          `json:"by"`
	At   time.Time       `json:"at"`
	Args []history.Shown `json:"args"` // as they were before the first edit
}

// earlier says what people have set before in the arguments of a call that is asked about once more; nil = nothing.
func earlier(c *history.CallAsked) *Edit {
	if c == nil || len(c.Edits) == 0 {
		return nil
	}
	args, _ := history.Decode(c.Args).(map[string]any)
	return &Edit{By: c.By, At: c.On, Args: history.ShownArgs(history.Edited(args, c.Was))}
}

// edited makes the question one about other arguments. What is kept beside is what it was at first, and whose edit was the last.
func (b *Body) edited(f history.Fact, e *history.CallEdited) {
	before := b.Opened.Show
	if b.Edit != nil {
		before = b.Edit.Args
	}
	b.Edit = &Edit{By: f.Actor.User, At: f.At, Args: before}
	args, _ := history.Decode(e.Args).(map[string]any)
	call := *b.Opened.Call
	call.Args, call.Edits = e.Args, e.Edits
	b.Opened.Call, b.Opened.Show, b.Opened.Hash = &call, history.ShownArgs(args), e.Hash
}
