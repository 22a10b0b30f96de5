package run

import (
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/routes"
	"sluice/engine/run/scope"
)

// takeSeveral takes more than one route. A way that leads to the end is over at once.
func takeSeveral(m *machine, n *compile.Node, t history.Token, c routes.Choice) {
	var ways []routes.Way
	for _, w := range c.Ways {
		if w.To == flow.End {
			m.emit(t, &history.RouteTaken{Edge: w.Edge, To: flow.End, Why: w.Why, Seen: c.Seen})
			continue
		}
		ways = append(ways, w)
	}
	meet := ""
	if n.Policy == flow.PolicyPriority {
		meet = m.Program.Meeting(headsOf(ways))
	}
	ways, ok := admit(m, t, ways)
	switch {
	case !ok:
	case len(ways) == 0:
		m.endPath(t.ID, history.EndRoute)
	case len(ways) == 1:
		m.follow(t.ID, ways[0].Edge, ways[0].To, ways[0].Why, c.Seen)
	case n.Policy == flow.PolicyPriority:
		spreadToken(m, t, ways, meet, c.Seen)
	default:
		splitToken(m, t, ways, c.Seen)
	}
}

// admit leaves out the ways that a limit does not allow. Without ok the limit has stopped the token.
func admit(m *machine, t history.Token, ways []routes.Way) (admitted []routes.Way, ok bool) {
	for _, w := range ways {
		l := limitsOf(m).at(t, w.To, len(admitted)+1)
		switch {
		case l == nil:
			admitted = append(admitted, w)
		case l.action != flow.LimitEndPath:
			m.atLimit(t, *l)
			return nil, false
		default:
			m.emit(t, &history.LimitReached{Limit: l.name, Action: l.action, Value: l.value})
		}
	}
	if len(ways) > 0 && len(admitted) == 0 {
		m.endPath(t.ID, history.EndLimit)
		return nil, false
	}
	return admitted, true
}

func splitToken(m *machine, t history.Token, ways []routes.Way, s scope.Seen) {
	b := &history.TokenSplit{Seen: s}
	next := m.State.NextToken
	for i, w := range ways {
		id := t.ID
		if i > 0 {
			id, next = next, next+1
			m.made[id] = true
		}
		b.Ways = append(b.Ways, history.SplitWay{Token: id, Edge: w.Edge, To: w.To, Why: w.Why})
		m.Queue = append(m.Queue, id)
	}
	m.emit(t, b)
}

// spreadToken opens a frame with one branch per way, up to the node where the ways meet. That node runs once, after all of them.
func spreadToken(m *machine, t history.Token, ways []routes.Way, meet string, s scope.Seen) {
	b := &history.FrameOpened{Frame: m.State.NextFrame, Spread: true, Meet: meet, Seen: s}
	for _, w := range ways {
		if w.To == meet {
			m.emit(t, &history.RouteTaken{Edge: w.Edge, To: flow.End, Why: w.Why, Seen: s})
			b.Met = true
			continue
		}
		id := m.State.NextToken + len(b.Tokens)
		m.made[id] = true
		m.Queue = append(m.Queue, id)
		b.Tokens, b.Heads, b.Edges = append(b.Tokens, id), append(b.Heads, w.To), append(b.Edges, w.Edge)
	}
	m.emit(t, b)
}

// headsOf lists the nodes that ways lead to.
func headsOf(ways []routes.Way) []string {
	heads := make([]string, len(ways))
	for i, w := range ways {
		heads[i] = w.To
	}
	return heads
}

// meets ends a token's path at the node where its way meets others, and reports whether it did.
func meets(m *machine, t history.Token, edge, to, why string, s scope.Seen) bool {
	for frame := t.Frame; frame != 0; {
		fr := m.State.Frame(frame)
		if !fr.Spread {
			return false
		}
		if fr.Meet == to {
			m.emit(t, &history.RouteTaken{Edge: edge, To: flow.End, Why: why, Seen: s})
			m.emit(m.Token(t.ID), &history.PathEnded{Reason: history.EndMet, Met: to})
			m.join(t.Frame)
			return true
		}
		frame = m.Token(fr.Token).Frame
	}
	return false
}

// joinSpread moves a token whose ways have all ended. A failed branch stops it.
func joinSpread(m *machine, parent history.Token, fr history.Frame, done, failed int) {
	switch {
	case done+failed < len(fr.Branches):
		return
	case failed > 0:
		m.stop(parent, joinError(parent, fr, len(fr.Branches)))
		return
	}
	texts := branchTexts(m, fr)
	m.closeFrameWith(parent.ID, &history.Joined{Frame: fr.ID, Reason: joinMet, Output: combined(texts)})
	if fr.Met == "" {
		m.endPath(parent.ID, history.EndRoute)
		return
	}
	m.follow(parent.ID, "", fr.Met, "the ways meet", nil)
}

// combined is the combined result of several branches, or nil if none of them has one.
func combined(texts []string) *history.Output {
	if len(texts) == 0 {
		return nil
	}
	return &history.Output{Text: strings.Join(texts, "\n\n")}
}
