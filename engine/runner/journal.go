package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"sluice/engine/agent"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/llm"
	"sluice/engine/node"
	"sluice/engine/run"
)

// journal stores the acts inside a step: the intent before, the outcome after. Both go through the machine, so a fenced worker cannot act any
// more.
type journal struct {
	x   *Runner
	run string
	p   run.Perform
}

// Intent stores what is about to be done. An error means: do not do it.
func (j *journal) Intent(ctx context.Context, n int, what, key string, effects flow.Effects, args json.RawMessage) error {
	if err := j.call(ctx, &history.CallIntended{Number: n, What: what, Key: key, Effects: effects, Args: args}, nil); err != nil {
		return err
	}
	j.x.cfg.Hook(AtBeforeCall)
	return j.x.cfg.Presence.Fit(ctx)
}

// Outcome stores how it went, even when the worker is to stop.
func (j *journal) Outcome(ctx context.Context, n int, o agent.Outcome) error {
	j.x.cfg.Hook(AtAfterCall)
	c := &history.CallFinished{Number: n, Result: o.Result, Usage: node.Usage(o.Usage)}
	if o.ErrType != "" {
		c.Error = &history.NodeError{Node: j.p.Node.ID, Type: o.ErrType, Message: o.ErrMessage}
	}
	return j.call(context.WithoutCancel(ctx), nil, c)
}

func (j *journal) call(ctx context.Context, intent *history.CallIntended, outcome *history.CallFinished) error {
	in := run.Called{Token: j.p.Token, Step: j.p.Step, Epoch: j.p.Epoch, Intent: intent, Outcome: outcome}
	return j.x.persist(ctx, func() error {
		in.At = j.x.cfg.Now()
		_, err := j.x.Transition(ctx, j.run, in, nil)
		return err
	})
}

// Done gives the stored outcome of an act of an earlier try of this step.
func (j *journal) Done(ctx context.Context, n int) (agent.Outcome, bool, error) {
	for _, c := range j.p.Calls {
		if c.Number != n || c.Done == 0 {
			continue
		}
		facts, err := stored.BySeq(ctx, j.x.cfg.Store, j.run, c.Done)
		if err != nil {
			return agent.Outcome{}, false, fmt.Errorf("read the journal of step %d: %w", j.p.Step, err)
		}
		for _, f := range facts {
			b := f.Body.(*history.CallFinished)
			o := agent.Outcome{Result: b.Result}
			if b.Error != nil {
				o.ErrType, o.ErrMessage = b.Error.Type, b.Error.Message
			}
			if u := b.Usage; u != nil {
				o.Usage = llm.Usage{Model: u.Model, Input: u.InputTokens, Output: u.OutputTokens, USD: u.USD, Priced: u.Priced}
			}
			return o, true, nil
		}
	}
	return agent.Outcome{}, false, nil
}
