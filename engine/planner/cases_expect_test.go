package planner_test

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// expectation is what a description must become, read from testdata/cases. A line is one element; lines below it are indented.
//
//	input NAME                   something that a run is given
//	when schedule 0 8 * * *      a trigger; "when asked WORDS" is one that no trigger can express
//	do WORDS = tool.name | person | agent
//	ask WHO : WORDS              with the lines "deadline 3d", "quorum 2" below
//	tell TO : WORDS
//	decide                       with "when WORDS = < 100" or "= person", and "else" or "else WORDS" below
//	each, repeat, parallel       with steps, or "branch" and steps, below
//	wait 2d
//	limit 30d                    of the whole run, with steps below
//	set WORDS
//	or                           what follows are other steps that do the same
//	aside WORDS                  words that a person may leave out
//	detail WORDS                 words that belong to the step before, as a note
//	change WORDS                 a later message; behind it "- LINE" and "+ LINE": what it takes away and adds; ? before LINE: it
//	                             may, also several times
//	round                        the next follow-up of the case
//
// WORDS are alternatives behind bars, each of words joined by & that all must occur. do/tell allows two kinds; ? marks an element that may
// be missing; without a name, WORDS of do/tell stand in the text or in the names.
type expectation struct {
	inputs   [][][]string
	triggers []string
	steps    []*shape
	others   [][]*shape // that do the same as steps
	limit    string
	limited  []*shape
	asides   []string
	details  []string
	changes  []expectedChange
}

// expectedChange is a later message and what must be different after it.
type expectedChange struct {
	words     string // "" = a follow-up of the case
	less, add []string
}

type expectLine struct {
	depth int
	text  string
}

func parseExpectation(src string) (*expectation, error) {
	e := &expectation{}
	var lines []expectLine
	for l := range strings.SplitSeq(src, "\n") {
		if text := strings.TrimSpace(l); text != "" && text[0] != '#' {
			lines = append(lines, expectLine{len(l) - len(strings.TrimLeft(l, " ")), text})
		}
	}
	for len(lines) > 0 {
		head, rest, _ := strings.Cut(lines[0].text, " ")
		switch head {
		case "input":
			e.inputs = append(e.inputs, alternatives(rest))
		case "when":
			e.triggers = append(e.triggers, rest)
		case "or":
			e.others, e.steps = append(e.others, afterGate(e.steps)), nil
		case "aside":
			e.asides = append(e.asides, strings.ToLower(rest))
		case "limit":
			below, left := split(lines)
			e.limit = rest
			list, err := parseShapes(below)
			if err != nil {
				return nil, err
			}
			e.limited, lines = list, left
			continue
		case "detail":
			e.details = append(e.details, strings.ToLower(rest))
		case "change", "round":
			e.changes = append(e.changes, expectedChange{words: rest})
		case "-", "+":
			if len(e.changes) == 0 {
				return nil, fmt.Errorf("%q stands below no change", lines[0].text)
			}
			c := &e.changes[len(e.changes)-1]
			if head == "-" {
				c.less = append(c.less, rest)
			} else {
				c.add = append(c.add, rest)
			}
		default:
			below, left := split(lines)
			s, err := parseShape(lines[0], below)
			if err != nil {
				return nil, err
			}
			e.steps, lines = append(e.steps, s), left
			continue
		}
		lines = lines[1:]
	}
	e.steps = afterGate(e.steps)
	return e, nil
}

// split gives the lines below the first one, and the rest.
func split(lines []expectLine) (below, rest []expectLine) {
	n := 1
	for n < len(lines) && lines[n].depth > lines[0].depth {
		n++
	}
	return lines[1:n], lines[n:]
}

func parseShapes(lines []expectLine) ([]*shape, error) {
	var out []*shape
	for len(lines) > 0 {
		below, rest := split(lines)
		s, err := parseShape(lines[0], below)
		if err != nil {
			return nil, err
		}
		out, lines = append(out, s), rest
	}
	return afterGate(out), nil
}

var attrNames = []string{"deadline", "remind", "escalate", "quorum", "attempts", "any"}

func parseShape(head expectLine, below []expectLine) (*shape, error) {
	s := &shape{}
	text, optional := strings.CutPrefix(head.text, "?")
	s.optional = optional
	kind, rest, _ := strings.Cut(text, " ")
	s.kinds = strings.Split(kind, "/")
	known := []string{"do", "ask", "tell", "decide", "each", "parallel", "repeat", "wait", "stop", "set"}
	for _, k := range s.kinds {
		if !slices.Contains(known, k) {
			return nil, fmt.Errorf("unknown element %q", head.text)
		}
	}
	rest, doers, ok := strings.Cut(rest, " = ")
	if ok {
		s.doers = strings.Split(doers, " | ")
	}
	if !slices.Contains(s.kinds, "do") && (slices.Contains(s.kinds, "ask") || slices.Contains(s.kinds, "tell")) {
		who, what, _ := strings.Cut(rest, " : ")
		s.wantWho, s.want = alternatives(who), alternatives(what)
	} else {
		s.want = alternatives(rest)
	}
	for len(below) > 0 {
		inner, left := split(below)
		name, value, _ := strings.Cut(below[0].text, " ")
		switch {
		case slices.Contains(attrNames, name):
			s.attrs = append(s.attrs, below[0].text)
		case name == "when" || name == "else" || name == "branch" || name == "error":
			steps, err := parseShapes(inner)
			if err != nil {
				return nil, err
			}
			value, cond, _ := strings.Cut(value, " = ")
			b := branch{kind: name, want: alternatives(value), steps: steps}
			if cond != "" {
				b.conds = strings.Split(cond, " | ")
			}
			s.branches = append(s.branches, b)
		default: // the steps of each and repeat
			steps, err := parseShapes(below)
			if err != nil {
				return nil, err
			}
			s.branches, left = append(s.branches, branch{kind: "branch", steps: steps}), nil
		}
		below = left
	}
	return s, nil
}

func alternatives(words string) [][]string {
	var out [][]string
	for a := range strings.SplitSeq(words, "|") {
		if a = strings.ToLower(strings.TrimSpace(a)); a != "" {
			out = append(out, strings.Split(a, "&"))
		}
	}
	return out
}

// occurs reports whether one alternative occurs; none at all always does.
func occurs(want [][]string, in string) bool {
	return len(want) == 0 || slices.ContainsFunc(want, func(all []string) bool {
		return !slices.ContainsFunc(all, func(w string) bool { return !strings.Contains(in, strings.TrimSpace(w)) })
	})
}

// met says what of a tree differs from the expectation; "" = nothing.
func (e *expectation) met(t *tree.Tree) string {
	var triggers []string
	for _, g := range t.Triggers {
		triggers = append(triggers, triggerShape(g))
	}
	for _, want := range e.triggers {
		i := slices.IndexFunc(triggers, func(got string) bool { return triggerFits(want, got, t) })
		if i < 0 {
			return fmt.Sprintf("no trigger %s in %q", want, triggers)
		}
		triggers = slices.Delete(triggers, i, i+1)
	}
	triggers = slices.DeleteFunc(triggers, func(got string) bool { return got == "by hand" })
	if len(triggers) > 0 {
		return fmt.Sprintf("trigger %q", triggers)
	}
	if why := e.inputsMet(t); why != "" {
		return why
	}
	got := shapes(t, t.Steps)
	if n := len(got); n > 0 && got[n-1].kinds[0] == "stop" { // the end ends the run anyway
		got = got[:n-1]
	}
	if why := fits(e.steps, got); why != "" && !slices.ContainsFunc(e.others, func(other []*shape) bool { return fits(other, got) == "" }) {
		return why
	}
	limit, limited := "", []*shape(nil)
	if t.Deadline != nil {
		limit, limited = t.Deadline.After+t.Deadline.Time, shapes(t, t.Deadline.Steps)
	}
	if limit != e.limit {
		return fmt.Sprintf("limit %q, want %q", limit, e.limit)
	}
	return fits(e.limited, limited)
}

func (e *expectation) inputsMet(t *tree.Tree) string {
	used := map[string]bool{}
	for _, want := range e.inputs {
		i := slices.IndexFunc(t.Inputs, func(in tree.Input) bool { return !used[in.Name] && occurs(want, strings.ToLower(in.Name)) })
		if i < 0 {
			return fmt.Sprintf("no input %q", want)
		}
		used[t.Inputs[i].Name] = true
	}
	for _, in := range t.Inputs {
		if len(in.At) > 0 && !used[in.Name] {
			return fmt.Sprintf("input %q", in.Name)
		}
	}
	return ""
}

// triggerFits reports whether a trigger is the expected one. One that had to be asked about has its words, however it was answered.
func triggerFits(want, got string, t *tree.Tree) bool {
	words, asked := strings.CutPrefix(want, "asked ")
	if !asked {
		return want == got
	}
	return slices.ContainsFunc(t.Triggers, func(g tree.Trigger) bool {
		return triggerShape(g) == got && g.Cron == "" && occurs(alternatives(words), strings.ToLower(g.Words))
	})
}

// fits compares lists of steps; the text says the first difference. Where a value gets its name means nothing for what is done.
func fits(want, got []*shape) string {
	names := slices.DeleteFunc(slices.Clone(got), func(g *shape) bool { return g.kinds[0] != "set" })
	var others []*shape
	for _, w := range want {
		if !slices.Equal(w.kinds, []string{"set"}) {
			others = append(others, w)
			continue
		}
		i := slices.IndexFunc(names, func(g *shape) bool { return occurs(w.want, g.words) })
		switch {
		case i >= 0:
			got = slices.DeleteFunc(slices.Clone(got), func(g *shape) bool { return g == names[i] })
			names = slices.Delete(names, i, i+1)
		case !w.optional:
			return fmt.Sprintf("missing: %s %v", w.kinds, w.want)
		}
	}
	return inOrder(others, got)
}

// inOrder compares lists of steps without names of values.
func inOrder(want, got []*shape) string {
	if len(want) == 0 {
		if len(got) > 0 {
			return "too much: " + strings.TrimSpace(sketchList(got[:1], "")[0])
		}
		return ""
	}
	why := ""
	if len(got) > 0 {
		if why = shapeFits(want[0], got[0]); why == "" {
			if why = inOrder(want[1:], got[1:]); why == "" {
				return ""
			}
			if several(got[0]) && slices.ContainsFunc(want[1:], func(w *shape) bool { return shapeFits(w, got[0]) == "" }) && inOrder(want[1:], got) == "" {
				return "" // who does one of the works that follow each other does them all: the words are one instruction
			}
		} else if one := oneMessage(got); len(one) < len(got) && inOrder(want, one) == "" {
			return ""
		}
	} else {
		why = fmt.Sprintf("missing: %s %v%v", want[0].kinds, want[0].wantWho, want[0].want)
	}
	if want[0].optional && inOrder(want[1:], got) == "" {
		return ""
	}
	return why
}

// oneMessage makes one of the first two steps when they say the same to different people.
func oneMessage(got []*shape) []*shape {
	if len(got) < 2 || got[0].kinds[0] != "tell" || got[1].kinds[0] != "tell" || got[0].words != got[1].words {
		return got
	}
	both := *got[0]
	both.who += got[1].who
	return append([]*shape{&both}, got[2:]...)
}

// several reports whether a step can be several works: people and agents get its words as they are.
func several(got *shape) bool { return got.doer == "agent" || got.doer == "person" }

func onText(doer string) bool { return doer == "agent" || strings.HasPrefix(doer, "text.") }

// doneBy reports whether an expected doer does a step: an agent works on texts like a tool for that, and may use the tools that it is given.
func doneBy(want []string, got *shape) bool {
	return len(want) == 0 || slices.Contains(want, got.doer) || onText(got.doer) && slices.ContainsFunc(want, onText) ||
		slices.ContainsFunc(got.tools, func(t string) bool { return slices.Contains(want, t) })
}

// together reports whether an agent or a person does all the works that are expected at the same time.
func together(want, got *shape) bool {
	if want.kinds[0] != "parallel" || !several(got) {
		return false
	}
	for _, b := range want.branches {
		for _, s := range b.steps {
			if s.kinds[0] != "do" || len(s.branches)+len(s.attrs) > 0 || !doneBy(s.doers, got) || !occurs(s.want, got.words) {
				return false
			}
		}
	}
	return true
}

func shapeFits(want, got *shape) string {
	line := strings.TrimSpace(sketchList([]*shape{got}, "")[0])
	switch {
	case together(want, got), want.kinds[0] == "tell" && slices.Contains(got.tools, tool.PostMessageName) && occurs(want.want, got.words) && occurs(want.wantWho, got.words):
		return ""
	case !slices.Contains(want.kinds, got.kinds[0]) || !occurs(want.want, got.words+got.who) || !occurs(want.wantWho, got.who):
		return fmt.Sprintf("want %s %v%v, got %s", want.kinds, want.wantWho, want.want, line)
	case got.kinds[0] == "do" && !doneBy(want.doers, got):
		return fmt.Sprintf("done by %q: %s", got.doer, line)
	case !slices.Equal(want.attrs, got.attrs):
		return fmt.Sprintf("%q, want %q: %s", got.attrs, want.attrs, line)
	case len(want.branches) != len(got.branches):
		return fmt.Sprintf("%d branches, want %d: %s", len(got.branches), len(want.branches), line)
	}
	got.branches = byChoice(want.branches, got.branches)
	for i, w := range want.branches {
		if why := branchFits(w, got.branches[i]); why != "" {
			return why
		}
	}
	return ""
}

func branchFits(w, g branch) string {
	if w.kind == "else" && len(w.want) > 0 && (g.kind == "else" || occurs(w.want, g.words)) { // the opposite may be a condition of its own
		return fits(w.steps, g.steps)
	}
	if w.kind != g.kind || !occurs(w.want, g.words) || len(w.conds) > 0 && !slices.Contains(w.conds, g.cond) {
		return fmt.Sprintf("branch %s %q = %q, want %s %v = %q", g.kind, g.words, g.cond, w.kind, w.want, w.conds)
	}
	return fits(w.steps, g.steps)
}

// byChoice puts branches that follow the choices of one question into the expected order, which means nothing for them: only one is taken.
func byChoice(want, got []branch) []branch {
	if slices.ContainsFunc(got, func(g branch) bool { return g.kind == "when" && g.cond != "choice" }) {
		return got
	}
	left, out := slices.Clone(got), []branch(nil)
	for _, w := range want {
		i := max(0, slices.IndexFunc(left, func(g branch) bool { return w.kind == "when" && g.kind == "when" && occurs(w.want, g.words) }))
		g := left[i]
		if left = slices.Delete(left, i, i+1); w.kind == "else" && len(left) == 0 {
			g.kind = "else"
		}
		out = append(out, g)
	}
	return out
}

// changed says how the difference of two sketches is another one than expected; "" = not at all.
func (c *expectedChange) changed(before, after []string) string {
	less, add := differences(before, after)
	if slices.ContainsFunc(c.add, func(w string) bool { return slices.Contains(around, strings.Fields(w)[0]) }) {
		less, add = moved(less, add)
	}
	for _, side := range []struct {
		name      string
		want, got []string
	}{{"-", c.less, less}, {"+", c.add, add}} {
		got, later := slices.Clone(side.got), []string(nil)
		for _, w := range side.want {
			w, optional := strings.CutPrefix(w, "?")
			if optional {
				later = append(later, w)
				continue
			}
			i := slices.IndexFunc(got, func(line string) bool { return lineFits(w, line) })
			if i < 0 {
				return fmt.Sprintf("%s %s is not in %q", side.name, w, side.got)
			}
			got = slices.Delete(got, i, i+1)
		}
		got = slices.DeleteFunc(got, func(line string) bool {
			return slices.ContainsFunc(later, func(w string) bool { return lineFits(w, line) })
		})
		if len(got) > 0 {
			return fmt.Sprintf("%s %s", side.name, got[0])
		}
	}
	return ""
}

// around are elements that a change puts around steps that stay.
var around = []string{"decide", "each", "parallel", "repeat"}

// moved takes away the lines that only stand at another depth.
func moved(less, add []string) (left, right []string) {
	right = slices.Clone(add)
	for _, l := range less {
		i := slices.IndexFunc(right, func(a string) bool { return strings.TrimSpace(a) == strings.TrimSpace(l) })
		if i < 0 {
			left = append(left, l)
			continue
		}
		right = slices.Delete(right, i, i+1)
	}
	return left, right
}

// lineFits reports whether a line of a sketch is of a kind, has all words that are joined by &, and is done by one of the doers behind =.
func lineFits(want, line string) bool {
	want, doers, by := strings.Cut(want, " = ")
	if by && !slices.ContainsFunc(strings.Split(doers, " | "), func(d string) bool { return strings.Contains(line+" ", " = "+d) }) {
		return false
	}
	kind, words, _ := strings.Cut(want, " ")
	got, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return slices.Contains(strings.Split(kind, "/"), got) && occurs(alternatives(words), strings.ToLower(line))
}

// differences gives the lines that only one of two lists has, by their longest common part.
func differences(a, b []string) (less, add []string) {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && n[i+1][j] >= n[i][j+1]:
			less, i = append(less, a[i]), i+1
		default:
			add, j = append(add, b[j]), j+1
		}
	}
	return less, add
}
