package run

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// enterParallel splits a token into one per branch. A parallel node that is tried again starts its failed branches only.
func enterParallel(m *machine, n *compile.Node, t history.Token, spec *flow.ParallelSpec) {
	if fr := m.State.FrameOf(t.ID); fr != nil {
		retryBranches(m, t, *fr)
		return
	}
	open := len(spec.Branches)
	if l := limitsOf(m).more(t, open); l != nil {
		if l.action != flow.LimitEndPath {
			m.atLimit(t, *l)
			return
		}
		open = l.left
		m.emit(t, &history.LimitReached{Limit: l.name, Action: l.action, Value: l.value})
	}
	b := &history.FrameOpened{Frame: m.State.NextFrame}
	for i, r := range spec.Branches {
		id := 0
		if i < open {
			id = m.State.NextToken + i
			m.made[id] = true
			m.Queue = append(m.Queue, id)
		}
		b.Tokens, b.Heads, b.Edges = append(b.Tokens, id), append(b.Heads, r.To), append(b.Edges, flow.BranchEdge(t.Node, i))
	}
	m.emit(t, b)
	setJoinTimer(m, t, b.Frame, spec.Join)
	m.setTimeout(n, t)
	m.join(b.Frame)
}

func setJoinTimer(m *machine, t history.Token, frame int, j flow.Join) {
	if !j.Timeout.IsZero() {
		m.setTimer(t, history.Timer{Kind: history.TimerJoin, Frame: frame, Due: m.due(j.Timeout)})
	}
}

// retryBranches starts the failed branches of a frame again where they stopped. The results of the others stay.
func retryBranches(m *machine, t history.Token, fr history.Frame) {
	if !fr.Spread { // there the node's own step has come to its end
		m.emit(t, &history.StepStarted{Attempt: max(t.Attempt, 1) + 1, Epoch: t.Epoch})
	}
	for i, br := range fr.Branches {
		if br.Failed {
			m.emit(t, &history.BranchRetried{Frame: fr.ID, Branch: i})
		}
	}
	var each []int
	for _, t := range append(m.inside(fr.ID), m.Token(t.ID)) {
		inner := m.State.FrameOf(t.ID)
		if n := m.Node(t); inner != nil && !inner.Spread && n != nil && t.Timer == 0 {
			m.setTimeout(n, t)
		}
		switch {
		case inner != nil && inner.Each != nil:
			each = append(each, inner.ID)
		case t.Phase == history.PhaseReady:
			m.Queue = append(m.Queue, t.ID)
		case inner != nil && inner.Spread:
		case inner != nil && inner.Timer == 0:
			setJoinTimer(m, t, inner.ID, m.Node(t).Spec.(*flow.ParallelSpec).Join)
		}
	}
	for _, id := range each { // items that had not started
		m.join(id)
	}
}

// join closes a frame if its join is satisfied, or can no longer be.
func (m *machine) join(frame int) {
	fr := m.State.Frame(frame)
	if fr == nil {
		return
	}
	parent := m.Token(fr.Token)
	n := m.Node(parent)
	if n == nil || parent.Phase != history.PhaseJoin {
		return
	}
	if fr.Each != nil {
		continueForeach(m, parent, fr.ID)
		return
	}
	done, failed := 0, 0
	for _, br := range fr.Branches {
		switch {
		case br.Failed:
			failed++
		case br.Done:
			done++
		}
	}
	if fr.Spread {
		joinSpread(m, parent, *fr, done, failed)
		return
	}
	spec := n.Spec.(*flow.ParallelSpec)
	total := len(fr.Branches)
	need, reason := total, joinAll
	switch spec.Join.Type {
	case "any", "first":
		need, reason = 1, joinAny
	case "count":
		need, reason = max(spec.Join.Count, 1), joinCount
	}
	switch {
	case done >= need:
		m.joined(parent, *fr, reason)
	case done+failed == total:
		m.stopJoinTimer(frame)
		m.fail(parent.ID, joinError(parent, *fr, need))
	}
}

// joined closes a satisfied frame. Its own token goes on with the texts of the branches.
func (m *machine) joined(parent history.Token, fr history.Frame, reason string) {
	m.Unknown = m.Trial != nil && reason != joinAll // the order of the branches is not known
	texts := branchTexts(m, fr)
	m.closeFrame(parent.ID, reason)
	out := history.Output{Text: strings.Join(texts, "\n\n")}
	m.storeOutput(m.Token(parent.ID), &history.StepFinished{Output: out})
	m.leave(parent.ID)
}

// branchTexts are the results of the branches of a frame, as text.
func branchTexts(m *machine, fr history.Frame) (texts []string) {
	for _, br := range fr.Branches {
		if br.Last == 0 {
			continue
		}
		if out, ok := m.Load(br.Last); ok && strings.TrimSpace(out.Text) != "" {
			texts = append(texts, out.Text)
		}
	}
	if len(m.Missing) > 0 {
		m.WantAtJoin(fr.ID)
		m.Demand()
	}
	return texts
}

// joinError says which branches failed.
func joinError(parent history.Token, fr history.Frame, need int) history.NodeError {
	var parts []string
	done := 0
	for i, br := range fr.Branches {
		if br.Done {
			done++
		}
		if br.Failed && br.Error != nil {
			parts = append(parts, fmt.Sprintf("branch %d (%s): %s", i+1, br.Head, br.Error.Error()))
		}
	}
	message := strings.Join(parts, "; ")
	if need < len(fr.Branches) {
		message = fmt.Sprintf("join not satisfied: %d of %d branches needed, %d reached their end: %s", need, len(fr.Branches), done, message)
	}
	return history.NodeError{Node: parent.Node, Type: history.ErrorJoin, Message: message}
}

// joinTimedOut stops the branches that have not ended yet; they count as failed.
func joinTimedOut(m *machine, fr history.Frame) {
	stopBranches(m, fr, "the branch did not end within the timeout of the join")
	m.join(fr.ID)
}

// stopBranches stops the branches of a frame that have not ended yet.
func stopBranches(m *machine, fr history.Frame, why string) {
	for i, br := range fr.Branches {
		if br.Done || br.Failed || br.Live == 0 {
			continue
		}
		m.clear(m.within(fr.ID, i), nil, history.ChoiceSuperseded)
		e := history.NodeError{Node: br.Head, Type: history.ErrorBranch, Message: why}
		m.emit(m.Token(fr.Token), &history.BranchFailed{Frame: fr.ID, Branch: i, Error: e})
	}
}
