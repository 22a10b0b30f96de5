package readback

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/tool"
)

// Line is one sentence of what a flow does.
type Line struct {
	Number string // of the step; "" = it concerns the whole
	Text   string
	Node   string // the first node that it tells of
	Step   string `json:",omitempty"` // the step of the tree that this node came from, where it is known
}

// reader describes a flow in sentences. It reads the flow and the catalogue, and not the words that the flow was made from.
type reader struct {
	sentences
	tools map[string]tool.Tool
	told  map[string]bool // nodes that were said already
}

// sentences knows which nodes of a flow share a sentence, and where one reads on.
type sentences struct {
	f      *flow.Flow
	number map[string]string // of the step that each node belongs to
	place  map[string]int    // of that step among the steps
	steps  []step
	inside map[string]string // what ends where a node of a branch or a loop leads to an end
}

// step is the nodes that share a sentence; the first is its head.
type step struct {
	number string
	ids    []string
}

// Lines says in numbered sentences what a flow does, made from the graph alone; then what a run is given, what makes two runs the same,
// and what starts runs. numbers says to which step a node belongs, see [Numbers]. Tools are called by what they do: [Details] has their
// names.
func Lines(f *flow.Flow, tools []tool.Tool, numbers map[string]string) []Line {
	if f == nil || len(f.Nodes) == 0 {
		return nil
	}
	r := newReader(f, tools)
	r.groupBy(numbers)
	return r.read()
}

// Numbers counts the nodes of a flow that no words were read for. What only a condition or a gate leads to shares its number.
func Numbers(f *flow.Flow) map[string]string {
	r := newReader(f, nil)
	var into groups // the nodes that lead to each node
	for i := range f.Nodes {
		for _, e := range f.Nodes[i].Edges() {
			into.add(e.To, f.Nodes[i].ID)
		}
	}
	count := 0
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if r.number[n.ID] != "" {
			continue
		}
		count++
		for _, id := range append([]string{n.ID}, r.parts(n, into)...) {
			r.number[id] = strconv.Itoa(count)
		}
	}
	return r.number
}

func newReader(f *flow.Flow, tools []tool.Tool) *reader {
	r := &reader{
		sentences: sentences{f: f, number: map[string]string{}, place: map[string]int{}, inside: inside(f)},
		tools:     map[string]tool.Tool{}, told: map[string]bool{},
	}
	for _, t := range tools {
		r.tools[t.Name] = t
	}
	return r
}

// groupBy puts the nodes of a step together, in the order of their numbers; one without a number stays behind the one before it.
func (r *sentences) groupBy(numbers map[string]string) {
	var by groups
	for i := range r.f.Nodes {
		id := r.f.Nodes[i].ID
		by.add(cmp.Or(numbers[id], "of itself: "+id), id)
	}
	at := "" // the number at which a step is read
	read := map[string]string{}
	for _, key := range by.keys {
		s := step{numbers[by.of[key][0]], by.of[key]}
		at = cmp.Or(s.number, at)
		read[s.ids[0]] = at
		r.steps = append(r.steps, s)
	}
	slices.SortStableFunc(r.steps, func(a, b step) int { return byNumber(read[a.ids[0]], read[b.ids[0]]) })
	for i, s := range r.steps {
		for _, id := range s.ids {
			r.number[id], r.place[id] = s.number, i
		}
	}
}

var numberPart = regexp.MustCompile(`[0-9]+|[^0-9]+`)

// byNumber compares the numbers of steps part by part: 2, 2a, 2b, 10, and those of the time limit behind them.
func byNumber(a, b string) int {
	return slices.CompareFunc(numberPart.FindAllString(a, -1), numberPart.FindAllString(b, -1), func(x, y string) int {
		letters := func(s string) int { return min(strings.IndexAny(s, "0123456789"), 0) } // -1, and 0 for digits
		return cmp.Or(cmp.Compare(letters(y), letters(x)), cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
}

// parts gives the nodes that share the number of a condition or a gate: a gate right behind its condition, and messages behind which the way
// ends.
func (r *sentences) parts(n *flow.Node, into groups) []string {
	var out []string
	for i, route := range n.Routes {
		to := r.f.Node(route.To)
		if to == nil || r.number[to.ID] != "" || slices.Contains(out, to.ID) || len(into.of[to.ID]) > 1 {
			continue
		}
		gate := n.Kind == flow.KindDecision && i == 0 && to.Kind == flow.KindApproval
		if gate || r.farewell(to) && (n.Kind == flow.KindDecision || n.Kind == flow.KindApproval) {
			out = append(out, to.ID)
		}
		if gate {
			out = append(out, r.parts(to, into)...)
		}
	}
	return out
}

// farewell reports whether a node is a message behind which the way ends.
func (r *sentences) farewell(n *flow.Node) bool {
	if n.Kind != flow.KindSay || len(n.Routes) > 1 || strings.HasSuffix(n.Name, idiom.Unsure) { // who is told is not known yet
		return false
	}
	return len(n.Routes) == 0 || r.over(n.Routes[0].To)
}

// over reports whether a target ends the path.
func (r *sentences) over(to string) bool {
	n := r.f.Node(to)
	if n == nil {
		return true
	}
	s, ok := n.Spec.(*flow.TerminalSpec)
	return ok && (s.Output == idiom.Stopped || s.Output == idiom.Late)
}

// read writes all sentences. Nodes of a step that its head does not lead to follow it.
func (r *reader) read() []Line {
	var out []Line
	for _, s := range r.steps {
		var parts []string
		for _, id := range s.ids {
			if n := r.f.Node(id); n != nil && !r.told[id] && r.closes(n, id) == "" {
				parts = append(parts, r.sentence(n))
			}
		}
		if len(parts) > 0 {
			out = append(out, Line{Number: s.number, Text: strings.Join(parts, " "), Node: s.ids[0]})
		}
	}
	for _, text := range slices.Concat(r.given(), r.talks(), r.same(), r.starts()) {
		out = append(out, Line{Text: text})
	}
	return out
}

func (r *reader) given() []string {
	var needs []string
	for _, in := range r.f.Inputs {
		w := strings.ReplaceAll(in.Name, "_", " ")
		switch {
		case in.Default != nil && !in.Sensitive:
			w += fmt.Sprintf(" (%s unless something else is said)", expr.Text(in.Default))
		case !in.Required:
			w += " (or nothing)"
		}
		needs = append(needs, w)
	}
	if len(needs) == 0 {
		return nil
	}
	return []string{"A run is given " + english.Join(needs, "and") + "."}
}

// talks says that agents converse with a person, and that runs remember what others have noted.
func (r *reader) talks() (out []string) {
	if r.f.Rules.Conversational {
		out = append(out, "Its agents talk with the person who starts it: what they reply in the thread of the run goes to the agents.")
	}
	if r.f.Rules.Remembers {
		out = append(out, "It remembers: what a run notes can be read by later runs of it, as long as the run that noted it is kept.")
	}
	return out
}

// same describes which two runs are the same.
func (r *reader) same() []string {
	run := r.f.Run
	if run.Key == "" || run.OnDuplicate == flow.DuplicateAllow {
		return nil
	}
	within, what := "", "are the same run: the second shows the first"
	if !run.Within.IsZero() {
		within = " within " + Duration(run.Within)
	}
	if run.OnDuplicate == flow.DuplicateQueue {
		what = "wait for each other: the second starts when the first has ended"
	}
	names := idiom.InputsRead(run.Key)
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], "_", " ")
	}
	if strings.Contains(run.Key, "{{run.started_by}}") {
		names = append([]string{"requester"}, names...)
	}
	if len(names) == 0 {
		names = []string{english.Quoted(run.Key)}
	}
	return []string{fmt.Sprintf("Two runs with the same %s%s %s.", english.Join(names, "and"), within, what)}
}

func (r *reader) starts() []string {
	var out []string
	for _, t := range r.f.Triggers {
		out = append(out, triggerWords(t))
	}
	return out
}
