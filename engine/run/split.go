package run

import (
	"errors"
	"fmt"
	"strings"

	"sluice/engine/flow"
)

// TokenSplit takes several routes at the same time, without a frame: the token goes the first way, a new token of the same
// branch each of the others. Nothing joins them. Inside a loop the first way goes on with the loop.
type TokenSplit struct {
	Ways []SplitWay     `json:"ways"`
	Seen map[string]any `json:"seen,omitempty"` // the values that decided
}

// SplitWay is one of several routes that are taken at the same time.
type SplitWay struct {
	Token int    `json:"token"`
	Edge  string `json:"edge"`
	To    string `json:"to"`
	Why   string `json:"why,omitempty"`
}

// FactKind names the kind.
func (*TokenSplit) FactKind() FactKind { return "token_split" }

func (b *TokenSplit) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if len(b.Ways) == 0 || b.Ways[0].Token != f.Token {
		return errors.New("a token that is split goes the first way itself")
	}
	before := *t
	s.arrive(t, b.Ways[0].Edge, b.Ways[0].To)
	for _, w := range b.Ways[1:] {
		if w.Token < s.NextToken {
			return fmt.Errorf("token %d was made before", w.Token)
		}
		next := before
		next.ID, next.Epoch, next.Blocks = w.Token, 1, nil
		s.arrive(&next, w.Edge, w.To)
		s.insert(next)
		if next.Frame == 0 {
			continue
		}
		br, err := s.branch(next.Frame, next.Branch)
		if err != nil {
			return err
		}
		br.Live++
	}
	return nil
}

// several takes more than one route. Ways that lead to the end are over at once.
func (m *machine) several(n *node, t Token, c choice) {
	var ways []way
	for _, w := range c.ways {
		if w.To == flow.End {
			m.emit(t, &RouteTaken{Edge: w.edge, To: flow.End, Why: w.why, Seen: c.seen})
			continue
		}
		ways = append(ways, w)
	}
	meet := ""
	if n.Policy == flow.PolicyPriority {
		meet = m.p.meeting(ways)
	}
	ways, ok := m.admit(t, ways)
	switch {
	case !ok:
	case len(ways) == 0:
		m.endPath(t.ID, EndRoute)
	case len(ways) == 1:
		m.follow(t.ID, ways[0].edge, ways[0].To, ways[0].why, c.seen)
	case n.Policy == flow.PolicyPriority:
		m.spread(t, ways, meet, c.seen)
	default:
		m.split(t, ways, c.seen)
	}
}

// admit leaves out the ways that a limit does not allow. Without ok the limit has stopped the token.
func (m *machine) admit(t Token, ways []way) (admitted []way, ok bool) {
	for _, w := range ways {
		l := m.limitAt(t, w.To, len(admitted)+1)
		switch {
		case l == nil:
			admitted = append(admitted, w)
		case l.action != flow.LimitEndPath:
			m.atLimit(t, *l)
			return nil, false
		default:
			m.emit(t, &LimitReached{Limit: l.name, Action: l.action, Value: l.value})
		}
	}
	if len(ways) > 0 && len(admitted) == 0 {
		m.endPath(t.ID, EndLimit)
		return nil, false
	}
	return admitted, true
}

func (m *machine) split(t Token, ways []way, s seen) {
	b := &TokenSplit{Seen: s}
	next := m.s.NextToken
	for i, w := range ways {
		id := t.ID
		if i > 0 {
			id, next = next, next+1
			m.made[id] = true
		}
		b.Ways = append(b.Ways, SplitWay{Token: id, Edge: w.edge, To: w.To, Why: w.why})
		m.todo = append(m.todo, id)
	}
	m.emit(t, b)
}

// spread opens a frame with one branch per way, up to the node where the ways meet. That node runs once, after all of them.
func (m *machine) spread(t Token, ways []way, meet string, s seen) {
	b := &TokenForked{Frame: m.s.NextFrame, Spread: true, Meet: meet, Seen: s}
	for _, w := range ways {
		if w.To == meet {
			m.emit(t, &RouteTaken{Edge: w.edge, To: flow.End, Why: w.why, Seen: s})
			b.Met = true
			continue
		}
		id := m.s.NextToken + len(b.Tokens)
		m.made[id] = true
		m.todo = append(m.todo, id)
		b.Tokens, b.Heads, b.Edges = append(b.Tokens, id), append(b.Heads, w.To), append(b.Edges, w.edge)
	}
	m.emit(t, b)
}

// meeting is the node where the ways meet first: of those that all of them lead to the one that is nearest to the farthest of
// them. It is empty when their ends are apart.
func (p *Program) meeting(ways []way) string {
	far, all := map[string]int{}, map[string]int{}
	for _, w := range ways {
		for id, steps := range p.distances(w.To) {
			far[id] = max(far[id], steps)
			all[id]++
		}
	}
	best := ""
	for i := range p.flow.Nodes {
		id := p.flow.Nodes[i].ID
		if all[id] == len(ways) && (best == "" || far[id] < far[best]) {
			best = id
		}
	}
	return best
}

// distances tells how many routes lie between a node and all that it leads to.
func (p *Program) distances(from string) map[string]int {
	steps := map[string]int{from: 0}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		n := p.nodes[todo[0]]
		if n == nil {
			continue
		}
		for _, to := range n.targets() {
			if _, known := steps[to]; !known && p.nodes[to] != nil {
				steps[to] = steps[todo[0]] + 1
				todo = append(todo, to)
			}
		}
	}
	return steps
}

// meets ends a token's path at the node where its way meets others, and reports whether it did.
func (m *machine) meets(t Token, edge, to, why string, s seen) bool {
	for frame := t.Frame; frame != 0; {
		fr := m.s.frame(frame)
		if !fr.Spread {
			return false
		}
		if fr.Meet == to {
			m.emit(t, &RouteTaken{Edge: edge, To: flow.End, Why: why, Seen: s})
			m.emit(m.tok(t.ID), &PathEnded{Reason: EndMet, Met: to})
			m.join(t.Frame)
			return true
		}
		frame = m.tok(fr.Token).Frame
	}
	return false
}

// note remembers where a path of a spread frame met others: at the frame's own node, else at one of a frame around it.
func (fr *Frame) note(met string) {
	if met != "" && (fr.Met == "" || met == fr.Meet || fr.Met != fr.Meet && met < fr.Met) {
		fr.Met = met
	}
}

// joinSpread takes a token on whose ways have all come to their end. A branch that failed stops it.
func (m *machine) joinSpread(parent Token, fr Frame, done, failed int) {
	switch {
	case done+failed < len(fr.Branches):
		return
	case failed > 0:
		m.stop(parent, joinError(parent, fr, len(fr.Branches)))
		return
	}
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
	m.closeForkWith(parent.ID, &Joined{Frame: fr.ID, Reason: joinMet, Output: together(texts)})
	if fr.Met == "" {
		m.endPath(parent.ID, EndRoute)
		return
	}
	m.follow(parent.ID, "", fr.Met, "the ways meet", nil)
}

// together is what several branches said, or nil if none of them said anything.
func together(texts []string) *Output {
	if len(texts) == 0 {
		return nil
	}
	return &Output{Text: strings.Join(texts, "\n\n")}
}

// spreads reports whether the token waits at a node behind which its ways spread.
func (m *machine) spreads(t Token) bool {
	fr := m.s.fork(t.ID)
	return fr != nil && fr.Spread
}

// visitsAt tells whether a node was visited as often as the flow's rules allow.
func (m *machine) visitsAt(to string) *limitHit {
	most := m.p.flow.Rules.Visits
	if most <= 0 {
		return nil
	}
	name := LimitNode + to
	made := m.s.Visits[to]
	if made < most*(1+m.s.Lifted[name]) {
		return nil
	}
	l := m.hit(name, int64(made), 0)
	l.node = to
	return l
}

// limitAt tells whether a token may go on to a node, as one of so many that go on with it; nil means it may. A way back to a block that
// the token is inside of leaves it: the visit counts where that block counts.
func (m *machine) limitAt(t Token, to string, more int) *limitHit {
	t.restart(to)
	if l := m.limit(t, more); l != nil {
		return l
	}
	return m.visitsAt(to)
}

// exhausted finds the limit that keeps a token from its next nodes.
func (m *machine) exhausted(t Token) *limitHit {
	n := m.node(t)
	if n == nil {
		return nil
	}
	targets := n.targets()
	if n.NoMatch == flow.NoMatchCaller {
		targets = append(targets, cameFrom(t))
	}
	for _, to := range targets {
		if l := m.limitAt(t, to, 1); l != nil {
			return l
		}
	}
	return nil
}
