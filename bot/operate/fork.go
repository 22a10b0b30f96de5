package operate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/usererror"
)

// Fork handles "fork refund-1 pay", which says what it would mean, and "fork refund-1 pay go again=mail", which does it.
func (rs *Runs) Fork(ctx context.Context, in request.Incoming, c request.Command) error {
	if len(c.Args) < 2 || len(c.Args) > 3 || len(c.Args) == 3 && c.Arg(2) != "go" {
		return &usererror.Error{
			Code: "bad_fork", Text: "Name the run, and the node from which a new run goes on.",
			Hint: "For example: `/flow fork refund-1 pay` (says what that means), `/flow fork refund-1 pay go`, `/flow fork refund-1 pay go again=pay,mail`.",
		}
	}
	r, err := rs.Access.Run(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	if err := rs.operates(ctx, in, r); err != nil {
		return err
	}
	if c.Arg(2) == "" {
		p, err := rs.Engine.ForkPlan(ctx, r.ID, engine.ForkPoint{Node: c.Arg(1)})
		if err != nil {
			return err
		}
		return rs.Replies.SayText(ctx, in, rs.forkWords(p))
	}
	var again []string
	if names, ok := c.Pairs["again"]; ok {
		again = strings.Split(fmt.Sprint(names), ",")
	}
	made, err := rs.Engine.Fork(ctx, r.ID, engine.ForkPoint{Node: c.Arg(1)}, again, in.Actor(), in.Inbox)
	if err != nil {
		return err
	}
	return rs.Replies.After(ctx, in, card.Textf("*%s* goes on from %s of *%s*.", made.Name, c.Arg(1), r.Name))
}

// forkWords says what a fork would do, and what of it a person has to think about first.
func (rs *Runs) forkWords(p *engine.ForkPlan) card.Text {
	lines := []card.Text{card.Textf("A new run would go on from %s of *%s*. The steps before it are kept.", p.Node, p.Run.Name)}
	var again []string
	for _, a := range p.Acts {
		what := "its result is taken, and it is not done again"
		if a.Why != "" {
			what = "it can only be done again, and may then take effect twice: " + a.Why
			again = append(again, a.Node)
		}
		lines = append(lines, card.Textf("• %s: %s", a.Node, what))
	}
	command := fmt.Sprintf("%s fork %s %s go", rs.Replies.Command, p.Run.Name, p.Node)
	if len(again) > 0 {
		command += " again=" + strings.Join(slices.Compact(again), ",")
	}
	lines = append(lines, card.Textf("Do it: `%s`", command))
	if len(p.Acts) > len(again) {
		lines = append(lines, card.Textf("With `again=` and names of nodes, divided by commas, those are done again: what they did may happen a second time."))
	}
	return card.Join("\n", lines...)
}
