package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// Why a frame was closed, in Joined.Reason.
const (
	joinAll     = "all"
	joinAny     = "any"
	joinCount   = "count"
	joinFailed  = "failed"
	joinSkipped = "skipped"
	joinItems   = "items"
	joinMet     = "met"
)

// fork splits a token: one token per branch. A fork that is tried again starts its failed branches only.
func (m *machine) fork(n *node, t Token, spec *flow.ParallelSpec) {
	if fr := m.s.fork(t.ID); fr != nil {
		m.forkAgain(t, *fr)
		return
	}
	open := len(spec.Branches)
	if l := m.limit(t, open); l != nil {
		if l.action != flow.LimitEndPath {
			m.atLimit(t, *l)
			return
		}
		open = l.left
		m.emit(t, &LimitReached{Limit: l.name, Action: l.action, Value: l.value})
	}
	b := &TokenForked{Frame: m.s.NextFrame}
	for i, r := range spec.Branches {
		id := 0
		if i < open {
			id = m.s.NextToken + i
			m.made[id] = true
			m.todo = append(m.todo, id)
		}
		b.Tokens, b.Heads, b.Edges = append(b.Tokens, id), append(b.Heads, r.To), append(b.Edges, flow.BranchEdge(t.Node, i))
	}
	m.emit(t, b)
	m.setJoinTimer(t, b.Frame, spec.Join)
	m.setTimeout(n, t)
	m.join(b.Frame)
}

func (m *machine) setJoinTimer(t Token, frame int, j flow.Join) {
	if !j.Timeout.IsZero() {
		m.setTimer(t, Timer{Kind: TimerJoin, Frame: frame, Due: m.due(j.Timeout)})
	}
}

// forkAgain lets the failed branches of a fork go on where they stopped; what the others did stays.
func (m *machine) forkAgain(t Token, fr Frame) {
	if !fr.Spread { // there the node's own step has come to its end
		m.emit(t, &StepStarted{Attempt: max(t.Attempt, 1) + 1, Epoch: t.Epoch})
	}
	for i, br := range fr.Branches {
		if br.Failed {
			m.emit(t, &BranchRetried{Frame: fr.ID, Branch: i})
		}
	}
	var each []int
	for _, t := range append(m.inside(fr.ID), m.tok(t.ID)) {
		inner := m.s.fork(t.ID)
		if n := m.node(t); inner != nil && !inner.Spread && n != nil && t.Timer == 0 {
			m.setTimeout(n, t)
		}
		switch {
		case inner != nil && inner.Each != nil:
			each = append(each, inner.ID)
		case t.Phase == PhaseReady:
			m.todo = append(m.todo, t.ID)
		case inner != nil && inner.Spread:
		case inner != nil && inner.Timer == 0:
			m.setJoinTimer(t, inner.ID, m.node(t).Spec.(*flow.ParallelSpec).Join)
		}
	}
	for _, id := range each { // items that had not been let in
		m.join(id)
	}
}

// join closes a frame if its join is satisfied, or can no longer be.
func (m *machine) join(frame int) {
	fr := m.s.frame(frame)
	if fr == nil {
		return
	}
	parent := m.tok(fr.Token)
	n := m.node(parent)
	if n == nil || parent.Phase != PhaseJoin {
		return
	}
	if fr.Each != nil {
		m.items(parent, fr.ID)
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
		m.joinSpread(parent, *fr, done, failed)
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

// joined closes a satisfied frame and takes the fork's token on with the texts of its branches.
func (m *machine) joined(parent Token, fr Frame, reason string) {
	m.doubt = m.c.Trial != nil && reason != joinAll // who was first is not known
	var texts []string
	for _, br := range fr.Branches {
		if br.Last == 0 {
			continue
		}
		if out, ok := m.load(br.Last); ok && strings.TrimSpace(out.Text) != "" {
			texts = append(texts, out.Text)
		}
	}
	if len(m.missing) > 0 {
		m.foreseeJoin(fr.ID)
		m.demand()
	}
	m.closeFork(parent.ID, reason)
	out := Output{Text: strings.Join(texts, "\n\n")}
	m.keep(m.tok(parent.ID), &StepFinished{Output: out})
	m.leave(parent.ID)
}

// closeFork ends what still moves in a fork's frame and merges what its branches know. Without an open frame it does nothing.
func (m *machine) closeFork(token int, reason string) {
	fr := m.s.fork(token)
	if fr == nil {
		return
	}
	m.closeForkWith(token, &Joined{Frame: fr.ID, Reason: reason})
}

func (m *machine) closeForkWith(token int, b *Joined) {
	m.stopTimeout(m.tok(token))
	inside := m.inside(b.Frame)
	m.clear(inside, []int{b.Frame}, ChoiceSuperseded)
	for _, t := range inside {
		b.Ended = append(b.Ended, t.ID)
	}
	seq := m.emit(m.tok(token), b)
	if b.Output != nil {
		m.fresh[seq] = *b.Output
	}
	m.todo = slices.DeleteFunc(m.todo, func(id int) bool { return slices.Contains(b.Ended, id) })
}

// inside lists the tokens of a frame and of the frames opened within it.
func (m *machine) inside(frames ...int) []Token {
	var all []Token
	for i := 0; i < len(frames); i++ {
		for _, t := range m.s.Tokens {
			if t.Frame != frames[i] {
				continue
			}
			all = append(all, t)
			if fr := m.s.fork(t.ID); fr != nil {
				frames = append(frames, fr.ID)
			}
		}
	}
	slices.SortFunc(all, func(a, b Token) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// within lists the tokens of a branch and of the frames opened within it.
func (m *machine) within(frame, branch int) []Token {
	return slices.DeleteFunc(m.inside(frame), func(t Token) bool { return !m.s.within(t, frame, branch) })
}

// clear closes the gates and timers of tokens that are about to be ended, and tells their workers to stop.
func (m *machine) clear(tokens []Token, frames []int, choice string) {
	actor := m.actor
	m.actor = Actor{Via: actor.Via}
	defer func() { m.actor = actor }()
	for _, t := range tokens {
		if fr := m.s.fork(t.ID); fr != nil {
			frames = append(frames, fr.ID)
		}
		if t.Gate != 0 {
			m.closeGate(*m.s.Gate(t.Gate), &GateDecided{Gate: t.Gate, Choice: choice})
		}
		if t.Timer != 0 {
			m.stopTimer(t.Timer, false)
		}
		if t.Child != "" {
			m.cancelChild(t, actor)
		}
		if t.ID != m.worker && !m.made[t.ID] && t.carried() {
			m.effect(Revoke{Token: t.ID, Epoch: t.Epoch})
		}
	}
	for _, id := range frames {
		m.stopJoinTimer(id)
	}
}

// joinError says which branches failed.
func joinError(parent Token, fr Frame, need int) NodeError {
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
	return NodeError{Node: parent.Node, Type: ErrorJoin, Message: message}
}

// joinTimedOut stops the branches that have not ended yet; they count as failed.
func (m *machine) joinTimedOut(fr Frame) {
	m.stopBranches(fr, "the branch did not end within the timeout of the join")
	m.join(fr.ID)
}

// stopBranches stops what has not ended yet in a frame.
func (m *machine) stopBranches(fr Frame, why string) {
	for i, br := range fr.Branches {
		if br.Done || br.Failed || br.Live == 0 {
			continue
		}
		m.clear(m.within(fr.ID, i), nil, ChoiceSuperseded)
		e := NodeError{Node: br.Head, Type: ErrorBranch, Message: why}
		m.emit(m.tok(fr.Token), &BranchFailed{Frame: fr.ID, Branch: i, Error: e})
	}
}
