package change

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/jumps"
	"sluice/engine/planner/tree"
)

// reorder puts a step first or last: "do the e-mail first".
func (c *changing) reorder(m []string) error {
	p, err := c.find(m[1])
	if err != nil {
		return err
	}
	moved := *p.Step
	for p.list != &c.t.Steps { // the only step of a condition takes it along
		parent, ok := c.above(moved.ID)
		if !ok || len(parent.Branches) != 1 || len(parent.Branches[0].Steps) != 1 {
			return Cannot("Step %s stands inside another step: move that one, or write it anew.", c.names[moved.ID])
		}
		p, moved = parent, *parent.Step
	}
	*p.list = slices.Delete(*p.list, p.at, p.at+1)
	where, at := "last", len(c.t.Steps)
	if first.MatchString(m[2]) {
		where, at = "first", 0
	}
	c.t.Steps = slices.Insert(c.t.Steps, at, moved)
	c.t.Renumber()
	c.say("Step %s comes %s.", c.names[moved.ID], where)
	return nil
}

var first = regexp.MustCompile(`(?i)first|beginning|start|top|front`)

// above gives the place of the step that holds another one.
func (d *draft) above(id string) (spot, bool) {
	for s := range d.t.Walk {
		for _, list := range s.Lists() {
			if slices.ContainsFunc(*list, func(in tree.Step) bool { return in.ID == id }) {
				return d.place(s.ID)
			}
		}
	}
	return spot{}, false
}

// ungated notes the steps that were done only after somebody had agreed, and that the new order puts before that.
func (d *draft) ungated(before *tree.Tree) {
	was, now := gatesBefore(before), gatesBefore(d.t)
	for s := range d.t.Walk {
		if list, _ := d.t.Place(s.ID); s.Kind == tree.Ask || s.Kind == tree.Tell && list != &d.t.Steps {
			continue
		}
		for _, gate := range was[s.ID] {
			g := d.t.Step(gate)
			if after, kept := now[s.ID]; kept && g != nil && !slices.Contains(after, gate) {
				d.object("gate."+s.ID, "step %v is done before anybody answers in step %v", s, d.t.Step(gate))
				return
			}
		}
	}
}

// gatesBefore gives for each step the questions that people answer before it. Steps at the same time do not wait for each other.
func gatesBefore(t *tree.Tree) map[string][]string {
	out := map[string][]string{}
	var visit func(list []tree.Step, gates []string) []string
	visit = func(list []tree.Step, gates []string) []string {
		for i := range list {
			s := &list[i]
			out[s.ID] = slices.Clone(gates)
			if s.Kind == tree.Ask {
				gates = append(slices.Clip(gates), s.ID)
			}
			before := gates
			for _, inner := range s.Lists() {
				gates = append(slices.Clip(gates), visit(*inner, before)[len(before):]...)
			}
		}
		return gates
	}
	visit(t.Steps, nil)
	return out
}

// prune removes decisions and loops in which a removal has left no step.
func (d *draft) prune(list *[]tree.Step) {
	*list = slices.DeleteFunc(*list, func(s tree.Step) bool {
		holds := len(s.Branches) == 0
		for i := range s.Branches {
			d.prune(&s.Branches[i].Steps)
			holds = holds || len(s.Branches[i].Steps) > 0
		}
		if !holds && (s.Kind == tree.Decide || s.Kind == tree.Each || s.Kind == tree.Repeat || s.Kind == tree.Parallel) {
			d.forget(&s)
			return true
		}
		return false
	})
}

// atOnce makes branches of steps that stand beside each other: "2 and 3 at the same time".
func (c *changing) atOnce(m []string) error {
	a, b, err := c.findBoth(m[1], m[2])
	if err != nil {
		return err
	}
	if a.list != b.list || b.at != a.at+1 {
		return Cannot("Steps %s and %s do not stand one behind the other.", m[1], m[2])
	}
	p := tree.Step{ID: c.t.NewID(), Kind: tree.Parallel, No: a.No}
	for _, s := range (*a.list)[a.at : b.at+1] {
		s.No = 0
		p.Branches = append(p.Branches, tree.Branch{Steps: []tree.Step{s}})
	}
	*a.list = slices.Replace(*a.list, a.at, b.at+1, p)
	c.t.Renumber()
	c.say("Steps %s and %s are done at the same time.", m[1], m[2])
	return nil
}

// removeRange removes several steps that follow each other: "remove 3 to 5", "remove everything after 2".
func (c *changing) removeRange(m []string) error {
	from, err := strconv.Atoi(m[1])
	to, err2 := strconv.Atoi(m[2])
	if m[2] == "" { // everything after it
		from, to, err2 = from+1, len(c.t.Steps), nil
	}
	if err != nil || err2 != nil || from > to || to-from > len(c.t.Steps) {
		return ErrNone
	}
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, strconv.Itoa(n))
	}
	return c.remove([]string{"", strings.Join(all, ", ")})
}

// goBack makes a loop of the steps from one on to a question, with an answer that goes back: "in step 3, if rejected go back to 1".
func goBack(c *changing, m []string) error {
	c.t.Renumber()
	question, choice, err := c.answer(m[1], strings.NewReplacer("approval", "approved", "rejection", "rejected").Replace(m[2]), "go back to "+m[3])
	if err != nil {
		return err
	}
	list, at := c.t.Place(question)
	to, err := c.find(m[3])
	if err != nil {
		return err
	}
	if to.list != list || to.at > at {
		return Cannot("An answer leads only back to a step that stands before it. Say which step is done only after it, such as “step %s only if %s”, or what is done then, such as “in step %s, if %s, tell @name”.", m[3], m[2], c.names[question], m[2])
	}
	if (*list)[at].Kind == tree.Repeat || slices.ContainsFunc((*list)[to.at:at], func(s tree.Step) bool { return s.Kind == tree.Repeat }) {
		return Cannot("Step %s is repeated already: write these steps anew.", c.names[question])
	}
	id := to.ID
	most, _ := strconv.Atoi(m[4])
	gate := &(*list)[at]
	b := branchOf(gate, choice)
	b.Steps = append(b.Steps, tree.Step{Kind: jumps.Jump, Max: cmp.Or(to.No, to.at+1), Retry: most})
	jumps.Structure(c.t, list)
	c.t.Renumber()
	c.say("In step %s, the answer “%s” goes back to step %s.", c.names[question], choice, c.names[id])
	return nil
}
