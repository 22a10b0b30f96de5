package plannertest

import (
	"math/rand/v2"
	"slices"

	"sluice/engine/planner/tree"
)

// maker makes random trees.
type maker struct {
	r    *rand.Rand
	t    *tree.Tree
	ids  []string
	size int
}

func (m *maker) pick(from ...string) string { return from[m.r.IntN(len(from))] }

func (m *maker) chance(of int) bool { return m.r.IntN(of) == 0 }

var odd = []string{
	"", "pay it", "{{ x }}", "{order_id} is <amount> {", "end", "…", "a 'quoted' \\ thing\n", "über die Brücke", "{{{order_id}}}", "12", "order.total", "approve the refund",
	"and the", "timeout", "cancelled", "{% raw %}", "`}}`", "a b c d e f g h i j k l m n o p q r s t u v w x y z and much more of this text that never ends",
}

func (m *maker) text() string { return odd[m.r.IntN(len(odd))] }

func (m *maker) value() tree.Value {
	v := tree.Value{Words: m.text()}
	switch m.r.IntN(7) {
	case 0:
		v.Literal = m.text()
	case 1:
		v.Literal = float64(m.r.IntN(1000))
	case 2:
		v.Ref = tree.Ref{Input: "order_id"}
	case 3, 4:
		if len(m.ids) > 0 {
			v.Ref = tree.Ref{Step: m.ids[m.r.IntN(len(m.ids))], Field: m.pick("", "amount", "choice", "a.b c", "end")}
		}
	case 5:
		v.Literal = []any{"a", 1.0, true}
	}
	return v
}

func (m *maker) cond(depth int) *tree.Cond {
	c := &tree.Cond{Words: m.text()}
	switch c.Op = m.pick("", "<", "<=", ">", ">=", "==", "!=", "contains", "true", "empty", "and", "or", "not", "odd"); {
	case depth > 0 && slices.Contains([]string{"and", "or", "not"}, c.Op):
		for range 1 + m.r.IntN(3) {
			c.Parts = append(c.Parts, *m.cond(depth - 1))
		}
	default:
		c.Left, c.Right = m.value(), m.value()
	}
	return c
}

func (m *maker) name() tree.Name {
	return tree.Name{Words: m.text(), Is: m.pick("", "@finance", "#support", "requester", "thread", "@a b", "@"), DM: m.chance(2)}
}

func (m *maker) list(depth int) []tree.Step {
	var out []tree.Step
	for range m.r.IntN(4) {
		if m.size--; m.size < 0 {
			break
		}
		out = append(out, m.step(depth))
	}
	return out
}

func (m *maker) step(depth int) tree.Step {
	kinds := []string{"do", "agent", "ask", "ask", "tell", "wait", "stop", "set"}
	if depth > 0 {
		kinds = append(kinds, "decide", "decide", "each", "parallel", "repeat")
	}
	s := tree.Step{ID: m.t.NewID(), Kind: tree.Kind(m.pick(kinds...)), Text: m.text()}
	m.ids = append(m.ids, s.ID)
	s.Doer = tree.Doer(m.pick("", "tool", "tool", "person", "flow"))
	if s.Kind == tree.Do {
		s.Tool = m.pick("shop.get", "", "shop.pay", "other")
		s.Params = []tree.Param{{Name: "amount", Value: m.value()}}
	}
	s.Result = m.pick("", "", "total", "9", "end")
	for range m.r.IntN(3) {
		s.Who, s.To = append(s.Who, m.name()), append(s.To, m.name())
		s.Fields = append(s.Fields, tree.Field{Name: m.text(), Type: m.pick("", "number", "date"), Enum: []string{"x"}})
	}
	s.Quorum = m.r.IntN(4)
	s.Free = m.chance(5)
	if m.chance(3) {
		s.Fields = nil
		s.Choices = []string{m.text(), m.pick("yes", "no", "timeout", "Large"), m.text()}
	}
	s.Show = []tree.Value{m.value()}
	s.For, s.Time, s.Event = m.pick("", "2h", "nonsense"), m.pick("", "14:30", "2026-12-01", "soon"), m.text()
	if m.chance(3) {
		s.Deadline = &tree.Deadline{After: m.pick("3d", "", "x", tree.Until+"friday 16:00"), Remind: m.pick("", "4h"), Choice: m.pick("", "approve", "reject")}
		if m.chance(2) {
			n := m.name()
			s.Deadline.EscalateTo, s.Deadline.EscalateAfter = &n, m.pick("", "1d", "9d", "2 working days")
		}
	}
	s.Over, s.As, s.Max = m.value(), m.text(), m.r.IntN(12)
	s.Any, s.Retry = m.chance(2), m.r.IntN(4)*m.r.IntN(2)
	if depth > 0 {
		m.below(&s, depth)
	}
	return s
}

func (m *maker) below(s *tree.Step, depth int) {
	s.Until = m.cond(2)
	for i := range m.r.IntN(4) {
		b := tree.Branch{Label: m.pick("", m.text()), Steps: m.list(depth - 1)}
		switch {
		case s.Kind == tree.Decide && (i < 2 || m.chance(3)):
			b.When = m.cond(2)
		case s.Kind == tree.Decide:
			b.Else = true
		case s.Kind == tree.Ask || s.Kind == tree.Do:
			b.Choice = m.pick("approve", "reject", "timeout", "I can't", m.text())
		}
		s.Branches = append(s.Branches, b)
	}
	if m.chance(4) {
		s.OnError = m.list(depth - 1)
	}
}

// Random makes a tree of up to about thirty steps with odd words; the same seed gives the same tree.
func Random(seed uint64) *tree.Tree {
	t := &tree.Tree{Inputs: []tree.Input{{Name: "order_id"}, {Name: "how many", Type: "number", Optional: true}}}
	m := &maker{r: rand.New(rand.NewPCG(seed, 7)), t: t, size: 30}
	t.Name, t.About = m.text(), m.text()
	if m.chance(3) {
		t.Triggers = []tree.Trigger{{Cron: "0 9 * * 1"}, {Channel: "#a", Match: "(?P<order_id>.*)"}, {Emoji: ":x:"}, {Emoji: "y", Channel: "#b"}, {Path: "/a b"}}
	}
	for len(t.Steps) == 0 {
		m.size = max(m.size, 5)
		t.Steps = m.list(4)
	}
	if m.chance(4) {
		t.Deadline = &tree.Limit{After: m.pick("2h", ""), Time: m.pick("", "14:30"), Steps: m.list(2)}
	}
	return t
}
