package drafts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/dryrun"
	"sluice/engine/flow"
	"sluice/engine/people"
	"sluice/engine/try"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Trials tries flows and drafts: a dry run, and a replay of finished runs.
type Trials struct{ *parts }

// TryClicked answers a draft's "Try it" with a dry run: nothing is called, posted or asked. A form asks for the inputs first, unless the
// button says to go without.
func (tr *Trials) TryClicked(ctx context.Context, in request.Incoming) error {
	d, body, f, err := tr.find.toDecide(ctx, in)
	if err != nil {
		return err
	}
	if surface.NeedsInputs(f) && !strings.HasSuffix(in.Action, ":any") {
		if err := tr.mayTry(ctx, in, f.Name); err != nil {
			return err
		}
		words := "try"
		if in.User != d.Author { // a reply of another person is only read when it mentions the bot
			words = "@" + tr.Replies.Name + " try"
		}
		return tr.Replies.Say(ctx, in, surface.AskToTry(f, in.Value, words))
	}
	return tr.try(ctx, in, f, body.Numbers, nil)
}

// Try handles "try refund order_id=A-1 look_up={...}": a flow, or in a draft's thread the draft. A name is that of an input, or of
// a step, which then gives that value or is answered so.
func (tr *Trials) Try(ctx context.Context, in request.Incoming, c request.Command) error {
	if len(c.Pairs) == 0 {
		if _, err := c.Named(nil, 1); err != nil {
			return err
		}
	}
	f, numbers, err := tr.candidate(ctx, in, c.Subject(), "try")
	if err != nil {
		return err
	}
	if c, err = c.Named(samples(f), min(1, len(c.Subject()))); err != nil {
		return err
	}
	return tr.try(ctx, in, f, numbers, c.Pairs)
}

func (tr *Trials) try(ctx context.Context, in request.Incoming, f *flow.Flow, numbers map[string]string, given map[string]any) error {
	if err := tr.mayTry(ctx, in, f.Name); err != nil {
		return err
	}
	q, entered := dryrun.Request{Samples: map[string]any{}, By: in.User}, map[string]string{}
	for name, v := range given {
		switch {
		case f.Input(name) != nil:
			entered[name] = fmt.Sprint(v)
		case f.Node(name) != nil:
			q.Samples[name] = try.Sample(fmt.Sprint(v))
		default:
			return nothingToGive(f, name)
		}
	}
	var err error
	if q.Inputs, err = tr.Access.Inputs(ctx, in, form.Inputs(f, nil).Fields, entered); err != nil {
		return err
	}
	r, err := tr.Engine.Try(ctx, f, q)
	if err != nil {
		return err
	}
	return tr.Replies.Say(ctx, in, surface.TryCard(r, numbers))
}

// triesDraft reports whether a reply in a draft's thread tries it: "try", or nothing but values for its inputs.
func triesDraft(text string, f *flow.Flow) (request.Command, bool) {
	if c, _ := request.ParseCommand(text); c.Verb == "try" && c.Subject() == "" {
		return c, true
	}
	c, _ := request.ParseCommand("try " + text)
	values, rest := form.Typed(text, form.Names(form.Inputs(f, nil).Fields))
	for _, in := range f.Inputs {
		if slices.Contains([]string{"number", "integer", "boolean"}, in.Type) && strings.ContainsAny(values[in.Name], " \n") {
			return c, false // such as "amount=5 is too little"
		}
	}
	return c, rest == "" && len(values) > 0
}

// nothingToGive says that a name is neither that of an input nor of a step, and what the names are.
func nothingToGive(f *flow.Flow, name string) error {
	names := samples(f)
	text := fmt.Sprintf("%s has no input and no step called “%s”.", f.Name, card.Shorten(name, 80))
	hint := request.DidYouMean(name, names, "There are: "+strings.Join(names, ", ")+".")
	return &usererror.Error{Code: "no_step", Text: text, Hint: hint}
}

// samples are the names under which a trial is given something: those of the inputs and of the steps.
func samples(f *flow.Flow) []string {
	var names []string
	for _, in := range f.Inputs {
		names = append(names, in.Name)
	}
	for i := range f.Nodes {
		names = append(names, f.Nodes[i].ID)
	}
	return names
}

// ReplayClicked answers with the outcomes that the finished runs of a flow would have had by a draft.
func (tr *Trials) ReplayClicked(ctx context.Context, in request.Incoming) error {
	_, _, f, err := tr.find.toDecide(ctx, in)
	if err != nil {
		return err
	}
	return tr.replay(ctx, in, f)
}

// Replay is the same by words, in a draft's thread.
func (tr *Trials) Replay(ctx context.Context, in request.Incoming, c request.Command) error {
	f, _, err := tr.candidate(ctx, in, strings.Join(c.Args, " "), "replay")
	if err != nil {
		return err
	}
	return tr.replay(ctx, in, f)
}

func (tr *Trials) replay(ctx context.Context, in request.Incoming, f *flow.Flow) error {
	if err := tr.mayTry(ctx, in, f.Name); err != nil {
		return err
	}
	all, err := tr.Engine.Replay(ctx, f, 0)
	if err != nil {
		return err
	}
	return tr.Replies.SayText(ctx, in, card.Textf("*%s* with the finished runs: %s.", f.Name, try.Summary(all)))
}

// candidate finds what a command is about: the named flow, else the draft of the thread. It gives the numbers of the steps, too.
func (tr *Trials) candidate(ctx context.Context, in request.Incoming, name, verb string) (*flow.Flow, map[string]string, error) {
	if name != "" {
		head, err := tr.Access.Flow(ctx, in, name)
		if err != nil {
			return nil, nil, err
		}
		f, err := draft.Saved(ctx, tr.Store, name, head.Head)
		if err != nil {
			return nil, nil, err
		}
		numbers, err := tr.Cards.Numbers(ctx, f, head.Head)
		return f, numbers, err
	}
	d, body, err := tr.find.readable(ctx, in)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil, &usererror.Error{
			Code: "no_name", Text: "Which flow?", Hint: "For example: `/flow " + verb + " refund`, or say " + verb + " in a draft's thread.",
		}
	}
	if err != nil {
		return nil, nil, err
	}
	_, f, err := draft.Decode(d)
	return f, body.Numbers, err
}

// mayTry checks that a person may see what runs of a flow got: a trial shows it.
func (tr *Trials) mayTry(ctx context.Context, in request.Incoming, name string) error {
	head, err := tr.Store.Flow(ctx, name)
	if err != nil {
		return storage.IgnoreMissing(err)
	}
	return tr.Access.May(ctx, in, authority.ReadFlow, people.AboutFlow(head))
}
