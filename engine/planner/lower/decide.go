package lower

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// way is one side of a decision.
type way struct {
	branch *tree.Branch // nil = nothing is done
	f      formula
	label  string
}

// decide adds a decision with its branches. A missing value never takes a side that has steps. It goes to the people who are asked at the
// beginning of a side, the last side first; without such a side the run ends with a message.
func (b *lowering) decide(s *tree.Step, in exits, k known, c context) (exits, known) {
	ways, other, ok := b.ways(s)
	if !ok {
		return b.judge(s, in, k, c)
	}
	d := decision{ways: ways, other: other, sure: !slices.ContainsFunc(ways, func(w way) bool { return !w.f.sure })}
	d.complete()
	last := len(ways) - 1
	opposite := last == 1 && ways[1].f.yes == ways[0].f.no
	if gaps, ranged := d.gaps(); last > 0 && other.branch == nil && (opposite || ranged && len(gaps) == 0) { // the last one is the other side of those before
		d.ways, d.other = ways[:last], way{branch: ways[last].branch, label: ways[last].label}
		d.complete()
	}
	if gaps, ranged := d.gaps(); ranged && len(gaps) == 1 {
		rest := gaps[0].Cond(ways[0].branch.When.Subject())
		d.other.f, _ = b.formula(&rest)
	}
	targets := b.add(b.ids[s.ID], flow.Node{
		Name: decisionName(s, d.value), Description: "from " + cmp.Or(b.origins(s), "the run's inputs"),
		Spec: &flow.DecisionSpec{Expr: cmp.Or(d.value, ways[0].f.yes.expr)}, Routes: d.routes(),
	}, in)
	c.facts = b.facts(s)
	people := ""
	var out exits
	for i, w := range d.sides() {
		before := len(b.flow.Nodes)
		out = append(out, b.branch(w.branch, targets[i], k, c)...)
		if w.branch != nil && b.beginsByAsking(w.branch.Steps) && len(b.flow.Nodes) > before {
			people = b.flow.Nodes[before].ID
		}
	}
	switch unknown := targets[len(targets)-1]; {
	case d.sure:
	case people != "":
		unknown.connect(people)
	default:
		name := english.Quoted(escape(b.flow.Node(b.ids[s.ID]).Name))
		b.farewell(b.ids[s.ID]+"_unknown", name+" cannot be answered, because a value is missing.", unknown, c)
	}
	return out, k
}

// branch adds a branch of a decision; nil = nothing is done.
func (b *lowering) branch(branch *tree.Branch, in exits, k known, c context) exits {
	if branch == nil {
		return in
	}
	c.because = CondWords(branch.When)
	out, _ := b.list(branch.Steps, in, k, c)
	return out
}

// decision is a decision in the making.
type decision struct {
	ways  []way
	other way    // what is taken when none of them is
	value string // what all of them compare; "" = several values
	sure  bool   // no value can be missing
}

// ways reads the branches of a decision. Without ok a condition is not understood, and a person has to decide.
func (b *conditions) ways(s *tree.Step) (ways []way, other way, ok bool) {
	for i := range s.Branches {
		branch := &s.Branches[i]
		if branch.Else {
			if i < len(s.Branches)-1 {
				b.lost("unreachable", "What stands behind the other side of a condition is never reached.")
			}
			other = way{branch: branch, label: branch.Label}
			break
		}
		f, understood := b.formula(branch.When)
		if !understood {
			return nil, other, false
		}
		ways = append(ways, way{branch: branch, f: f, label: cmp.Or(branch.Label, condLabel(branch.When))})
	}
	return ways, other, len(ways) > 0
}

// complete completes the conditions of all sides. A later side holds only if the ones before surely do not, unless all compare one value,
// which is tried in order.
func (d *decision) complete() {
	d.value = d.ways[0].f.value
	var noes []test
	for _, w := range d.ways {
		if w.f.value != d.value {
			d.value = ""
		}
		noes = append(noes, w.f.no)
	}
	if d.value == "" {
		for i := range d.ways {
			d.ways[i].f.yes = all("and", append(slices.Clone(noes[:i]), d.ways[i].f.yes)...)
		}
	}
	d.other.f.yes = all("and", noes...)
}

// sides are all ways of a decision on which something is known.
func (d *decision) sides() []way {
	other := d.other
	other.label = cmp.Or(other.label, "otherwise")
	if len(d.ways) == 1 && d.ways[0].label == "yes" {
		other.label = cmp.Or(d.other.label, "no")
	}
	return append(slices.Clone(d.ways), other)
}

// gaps gives the amounts that belong to no side, when all sides are ranges of one value.
func (d *decision) gaps() ([]tree.Range, bool) {
	var conds []*tree.Cond
	for _, w := range d.ways {
		conds = append(conds, w.branch.When)
	}
	gaps, ranged := tree.Gaps(conds)
	return gaps, ranged && d.value != ""
}

// routes are the sides of a decision, and where a value is missing. When no value can be missing the last side is the default.
func (d *decision) routes() []flow.Route {
	var out []flow.Route
	for _, w := range d.sides() {
		out = append(out, flow.Route{When: w.f.yes.expr, Label: english.Shorten(w.label, english.NameLength)})
	}
	if d.value == "" {
		out[0].When = "true"
	}
	if d.sure {
		out[len(out)-1].When = "default"
		return out
	}
	return append(out, flow.Route{When: "default", Label: idiom.NotKnown})
}

// beginsByAsking reports whether the first thing done is to ask people who choose.
func (b *values) beginsByAsking(steps []tree.Step) bool {
	return len(steps) > 0 && steps[0].Kind == tree.Ask && b.asks(&steps[0])
}

// judge adds a question to people in the place of a condition that is not understood: its choices are the branches.
func (b *lowering) judge(s *tree.Step, in exits, k known, c context) (exits, known) {
	branches := slices.Clone(s.Branches)
	if at := slices.IndexFunc(branches, func(b tree.Branch) bool { return b.Else }); at >= 0 {
		branches = branches[:at+1]
	} else {
		branches = append(branches, tree.Branch{Else: true})
	}
	if len(branches) < 2 {
		branches = append(branches, tree.Branch{Label: "none of these"})
	}
	var names []string
	var sides []side
	for i, branch := range branches {
		label := cmp.Or(branch.Label, CondWords(branch.When))
		if branch.Else {
			label = cmp.Or(branch.Label, "otherwise")
		}
		more := allowed(append(slices.Clone(names), label))
		if len(more) == i {
			more = append(more, "side "+strconv.Itoa(i+1))
		}
		names, sides = more, append(sides, side{answer: answer{choices: more[i:]}})
	}
	text := english.Plain(s.Text)
	if text == "" && len(s.Branches) > 0 {
		text = CondWords(s.Branches[0].When)
	}
	text = cmp.Or(text, "which way does it go")
	targets := b.gate(b.ids[s.ID], flow.Node{
		Name: english.SentenceCase(english.Shorten(text, english.QuestionLength)) + "?", Description: idiom.SomebodyDecides,
		Spec: &flow.ApprovalSpec{Message: "{{run.title}}: " + escape(text) + "?", Choices: names, Refuses: []string{}, Show: b.shown(s, k, c)},
	}, sides, in)
	c.facts = nil
	var out exits
	for i := range branches {
		out = append(out, b.branch(&branches[i], targets[i], k, c)...)
	}
	return out, k
}

// facts are the values that the conditions of a step read.
func (b *conditions) facts(s *tree.Step) []string {
	var out []string
	for _, v := range compared(s) {
		if path, ok := b.path(v.Ref); ok && v.Literal == nil && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// compared lists the values that the conditions of a step compare.
func compared(s *tree.Step) (out []tree.Value) {
	for _, c := range s.Conds() {
		out = append(out, c.Left, c.Right)
	}
	return out
}

// origins names the steps whose results a decision reads, for the picture.
func (b *lowering) origins(s *tree.Step) string {
	var from []string
	for _, v := range compared(s) {
		if n := b.flow.Node(b.ids[v.Ref.Step]); n != nil && !slices.Contains(from, english.Quoted(n.Name)) {
			from = append(from, english.Quoted(n.Name))
		}
	}
	return english.Join(from, "and")
}

// decisionName is the condition as a question, short enough for the picture.
func decisionName(s *tree.Step, value string) string {
	c := s.Branches[0].When
	text := condName(c)
	if sides := len(s.Branches); value != "" && sides > 1 && !(sides == 2 && s.Branches[1].Else) {
		text = cmp.Or(english.WithoutArticle(english.Plain(c.Left.Words)), strings.ReplaceAll(lastName(value), "_", " "), text)
	}
	return english.SentenceCase(english.Shorten(cmp.Or(text, "Is it so"), english.QuestionLength)) + "?"
}

// condName is a condition in few words: a comparison of an amount is "amount over 100".
func condName(c *tree.Cond) string {
	left := english.Plain(c.Left.Words)
	given := cmp.Or(c.Left.Ref.Field, c.Left.Ref.Input)
	if given = given[strings.LastIndexByte(given, '.')+1:]; given != "" && english.Pronouns[strings.ToLower(left)] { // "if it is over 100"
		left = english.PlainName(given)
	}
	if left != "" && c.Right.Words != "" && strings.ContainsAny(c.Op, "<>") {
		return english.WithoutArticle(left) + " " + condLabel(c)
	}
	return english.WithoutArticle(CondWords(c))
}
