package bot

import (
	"context"
	"fmt"
	"slices"

	"sluice/bot/card"
	"sluice/bot/hometab"
	"sluice/bot/request"
	"sluice/engine/naming"
	"sluice/engine/usererror"
)

// skip leaves out the next start of a schedule, or a failed step.
func (b *Bot) skip(ctx context.Context, in request.Incoming, c request.Command) error {
	if mine, err := b.holds.SkipNext(ctx, in, c); mine || err != nil {
		return err
	}
	return b.gates.Skip(ctx, in, c)
}

// nearVerb refuses a message that begins with a mistyped command: a short one, or one about a flow or run that there is. nil = it is a
// description.
func (b *Bot) nearVerb(ctx context.Context, in request.Incoming, c request.Command) error {
	near := naming.Related(c.Verb, b.names(), 1)
	if len(near) != 1 {
		return nil
	}
	if len(c.Args)+len(c.Pairs) > 2 {
		known, err := b.lists.Known(ctx, in, c.Arg(0))
		if err != nil || !known {
			return err
		}
	}
	return &usererror.Error{Code: "not_understood", Text: "I do not know the command “" + card.Shorten(c.Verb, 40) + "”.", Hint: fmt.Sprintf("Did you mean `%s`? `/flow help` lists what I understand.", near[0])}
}

// turned are the commands that a button may give again: they change nothing.
var turned = []string{"runs", "list", "schedules", "history", "audit"}

// turn shows another part of a list, or the list that a button of a Home names.
func (b *Bot) turn(ctx context.Context, in request.Incoming) error {
	c, err := request.ParseCommand(in.Value)
	v, known := b.verb(c.Verb)
	if err != nil || !known || !slices.Contains(turned, c.Verb) && !slices.Contains(hometab.Lists, in.Value) {
		return request.ErrHidden
	}
	if err := b.admit(ctx, in, v.guests); err != nil {
		return err
	}
	return v.do(ctx, in, c)
}
