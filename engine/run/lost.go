package run

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// takeLost hands on the token of a worker that is gone. An unfinished started step is repeated under the same key, unless that
// could do something twice: then a person is asked.
func takeLost(m *machine, in Lost) error {
	t, err := m.held(in.Token, in.Epoch)
	if err != nil {
		return err
	}
	if t.Phase != history.PhaseReady && t.Phase != history.PhaseStarted {
		return ErrFenced
	}
	reason := in.Reason
	if reason == "" {
		reason = "crash"
	}
	m.emit(t, &history.TokenHanded{Epoch: t.Epoch + 1, Reason: reason})
	m.made[t.ID] = true
	m.Queue = append(m.Queue, t.ID)
	return nil
}

// what names the act of a started step for people.
func (m *machine) what(t history.Token) string {
	name := t.Node
	n := m.Node(t)
	if n != nil && n.Name != "" {
		name = n.Name
	}
	var acts []string
	for _, c := range t.Calls {
		if c.Done == 0 && c.Effects == flow.EffectsOnce {
			acts = append(acts, c.What)
		}
	}
	if n != nil && len(acts) == 0 {
		if spec, ok := n.Spec.(*flow.ToolSpec); ok {
			acts = append(acts, spec.Tool)
		}
	}
	if len(acts) == 0 {
		return fmt.Sprintf("%q (step %d)", name, t.Step)
	}
	return fmt.Sprintf("%s in %q (step %d)", strings.Join(acts, ", "), name, t.Step)
}

// cancel ends everything that is still live.
func (m *machine) cancel(reason string) {
	m.Queue = nil
	all := m.inside(0)
	unknown := unknownActs(m, all)
	m.clear(all, nil, history.ChoiceCancelled)
	endAll(m, all)
	if reason != "" && unknown != "" {
		reason += "; "
	}
	reason += unknown
	m.emit(history.Token{}, &history.RunEnded{Status: history.Cancelled, Outcome: history.OutcomeStopped, Reason: reason})
	tellParent(m, history.Cancelled, reason)
}
