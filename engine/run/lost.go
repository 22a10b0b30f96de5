package run

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
)

// lost hands on the token of a worker that is gone. An unfinished started step is repeated under the same key, unless that
// could do something twice: then a person is asked.
func (m *machine) lost(in Lost) error {
	t, err := m.held(in.Token, in.Epoch)
	if err != nil {
		return err
	}
	if t.Phase != PhaseReady && t.Phase != PhaseStarted {
		return ErrFenced
	}
	reason := in.Reason
	if reason == "" {
		reason = "crash"
	}
	m.emit(t, &TokenHanded{Epoch: t.Epoch + 1, Reason: reason})
	m.made[t.ID] = true
	m.todo = append(m.todo, t.ID)
	return nil
}

// doubtful reports whether going on with a token could do something twice.
func (t *Token) doubtful() bool { return t.Resume && t.Done == 0 && t.risk() == flow.EffectsOnce }

// what names the act of a started step for people.
func (m *machine) what(t Token) string {
	name := t.Node
	n := m.node(t)
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
	m.todo = nil
	all := m.inside(0)
	unknown := m.unknown(all)
	m.clear(all, nil, ChoiceCancelled)
	m.endAll(all)
	if reason != "" && unknown != "" {
		reason += "; "
	}
	reason += unknown
	m.emit(Token{}, &RunEnded{Status: Cancelled, Reason: reason})
	m.tellParent(Cancelled, reason)
}
