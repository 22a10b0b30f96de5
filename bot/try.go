package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/try"
	"sluice/storage"
)

// tryClicked answers a draft's "Try it" with what it would do: nothing is called, posted or asked.
func (b *Bot) tryClicked(ctx context.Context, in Incoming) error {
	_, _, f, err := b.clickedDraft(ctx, in)
	if err != nil {
		return err
	}
	return b.tryFlow(ctx, in, f, nil)
}

// try handles "try refund order_id=A-1 look_up={...}": a flow, or in a draft's thread the draft. A name is that of an input, or of
// a step, which then gives that value or is answered so.
func (b *Bot) try(ctx context.Context, in Incoming, c Command) error {
	f, err := b.candidate(ctx, in, c, "try")
	if err != nil {
		return err
	}
	return b.tryFlow(ctx, in, f, c.Pairs)
}

func (b *Bot) tryFlow(ctx context.Context, in Incoming, f *flow.Flow, given map[string]any) error {
	if err := b.mayTry(ctx, in, f.Name); err != nil {
		return err
	}
	q := engine.TryRequest{Inputs: map[string]any{}, Samples: map[string]any{}, By: in.User}
	for name, v := range given {
		switch {
		case isInput(f, name):
			q.Inputs[name] = v
		case f.Node(name) != nil:
			q.Samples[name] = try.Sample(fmt.Sprint(v))
		default:
			return nothingToGive(f, name)
		}
	}
	r, err := b.Engine.Try(ctx, f, q)
	if err != nil {
		return err
	}
	return b.say(ctx, in, project.TryCard(r))
}

// nothingToGive says that a name is neither that of an input nor of a step, and what the names are.
func nothingToGive(f *flow.Flow, name string) error {
	var names []string
	for _, in := range f.Inputs {
		names = append(names, in.Name)
	}
	for i := range f.Nodes {
		names = append(names, f.Nodes[i].ID)
	}
	text := fmt.Sprintf("%s has no input and no step called “%s”.", f.Name, card.Escape(shorten(name, 80)))
	hint := "There are: " + strings.Join(names, ", ") + "."
	if near := nearestName(name, names); near != "" {
		hint = fmt.Sprintf("Did you mean `%s`? %s", near, hint)
	}
	return &engine.UserError{Code: "no_step", Text: text, Hint: hint}
}

func isInput(f *flow.Flow, name string) bool {
	for _, in := range f.Inputs {
		if in.Name == name {
			return true
		}
	}
	return false
}

// replayClicked says what a draft would have made of the finished runs of its flow.
func (b *Bot) replayClicked(ctx context.Context, in Incoming) error {
	_, _, f, err := b.clickedDraft(ctx, in)
	if err != nil {
		return err
	}
	return b.replayFlow(ctx, in, f)
}

// replay is the same by words, in a draft's thread.
func (b *Bot) replay(ctx context.Context, in Incoming, c Command) error {
	f, err := b.candidate(ctx, in, c, "replay")
	if err != nil {
		return err
	}
	return b.replayFlow(ctx, in, f)
}

func (b *Bot) replayFlow(ctx context.Context, in Incoming, f *flow.Flow) error {
	if err := b.mayTry(ctx, in, f.Name); err != nil {
		return err
	}
	all, err := b.Engine.Replay(ctx, f, 0)
	if err != nil {
		return err
	}
	return b.sayText(ctx, in, fmt.Sprintf("*%s* with the finished runs: %s.", card.Escape(f.Name), card.Escape(try.Summary(all))))
}

// candidate finds what a command is about: the named flow, else the draft of the thread.
func (b *Bot) candidate(ctx context.Context, in Incoming, c Command, verb string) (*flow.Flow, error) {
	if extra := c.Args[min(1, len(c.Args)):]; len(extra) > 0 {
		return nil, &engine.UserError{
			Code: "bad_inputs", Text: fmt.Sprintf("I cannot read %q: values are written name=value.", strings.Join(extra, " ")),
			Hint: "For example: `/flow " + verb + " " + c.Arg(0) + "`.",
		}
	}
	if name := c.Arg(0); name != "" {
		head, err := b.flow(ctx, in.User, name)
		if err != nil {
			return nil, err
		}
		rev, err := b.store.Revision(ctx, name, head.Head)
		if err != nil {
			return nil, err
		}
		return flow.FromJSON(rev.Body)
	}
	d, err := b.draftOfThread(ctx, in)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, &engine.UserError{
			Code: "no_name", Text: "Which flow?", Hint: "For example: `/flow " + verb + " refund`, or say " + verb + " in a draft's thread.",
		}
	}
	if err != nil {
		return nil, err
	}
	_, f, err := project.DecodeDraft(d)
	return f, err
}

// mayTry checks that a person may see what runs of a flow got: a trial shows it.
func (b *Bot) mayTry(ctx context.Context, in Incoming, name string) error {
	head, err := b.store.Flow(ctx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if ok, err := b.mayRead(ctx, in.User, head); err != nil || !ok {
		return errors.Join(err, errHidden)
	}
	return nil
}
