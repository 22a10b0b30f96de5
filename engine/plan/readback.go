package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

// reader says in words what a flow does. It knows the flow and the catalogue, and nothing of the words that they were made from.
type reader struct {
	f      *flow.Flow
	tools  map[string]tool.Tool
	number map[string]int // of the sentence that each node belongs to
	steps  []step
	told   map[string]bool // nodes that were said already
}

// step is the nodes that share a sentence; the first is its head.
type step struct {
	number int
	ids    []string
}

// ReadBack says in numbered sentences what the flow does, made from the graph alone; then what a run is given, what makes two
// runs the same, and what starts runs. What only a condition or a gate leads to shares its sentence. The numbers are those of an
// outline in which every step has a line of its own; [Proposal.ReadBack] has the numbers of the outline that was proposed.
func ReadBack(f *flow.Flow, tools []tool.Tool) []string {
	if f == nil {
		return nil
	}
	r := newReader(f, tools)
	r.groupByGraph()
	return r.read()
}

// ReadBack is the read-back with the numbers of the outline's lines. It is nil without a flow.
func (p *Proposal) ReadBack(tools []tool.Tool) []string {
	if p.Flow == nil {
		return nil
	}
	r := newReader(p.Flow, tools)
	for _, n := range sortedKeys(p.Nodes) {
		r.group(n, p.Nodes[n])
	}
	return r.read()
}

func newReader(f *flow.Flow, tools []tool.Tool) *reader {
	r := &reader{f: f, tools: map[string]tool.Tool{}, number: map[string]int{}, told: map[string]bool{}}
	for _, t := range tools {
		r.tools[t.Name] = t
	}
	return r
}

func (r *reader) group(number int, ids []string) {
	r.steps = append(r.steps, step{number, ids})
	for _, id := range ids {
		r.number[id] = number
	}
}

// groupByGraph gives every node a sentence, except those that belong into the sentence of a condition or a gate: a gate right
// behind its condition, and messages behind which the way ends.
func (r *reader) groupByGraph() {
	into := map[string]int{}
	for i := range r.f.Nodes {
		for _, e := range r.f.Nodes[i].Edges() {
			into[e.To]++
		}
	}
	for i := range r.f.Nodes {
		if n := &r.f.Nodes[i]; r.number[n.ID] == 0 {
			r.group(len(r.steps)+1, append([]string{n.ID}, r.parts(n, into)...))
		}
	}
}

func (r *reader) parts(n *flow.Node, into map[string]int) []string {
	var out []string
	for i, route := range n.Routes {
		to := r.f.Node(route.To)
		if to == nil || r.number[to.ID] != 0 || slices.Contains(out, to.ID) || !onlyFrom(n, to.ID, into) {
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

// onlyFrom reports whether all edges into a node come from one other.
func onlyFrom(from *flow.Node, id string, into map[string]int) bool {
	for _, e := range from.Edges() {
		if e.To == id {
			into[id]--
			defer func() { into[id]++ }()
		}
	}
	return into[id] == 0
}

// farewell reports whether a node is a message behind which the way ends.
func (r *reader) farewell(n *flow.Node) bool {
	return n.Kind == flow.KindSay && len(n.Routes) <= 1 && (len(n.Routes) == 0 || n.Routes[0].To == flow.End)
}

// read says all sentences. Nodes of a line that its head does not lead to follow it.
func (r *reader) read() []string {
	var out []string
	for _, s := range r.steps {
		var parts []string
		for _, id := range s.ids {
			if n := r.f.Node(id); n != nil && !r.told[id] {
				parts = append(parts, r.sentence(n))
			}
		}
		if len(parts) > 0 {
			out = append(out, fmt.Sprintf("%d. %s", s.number, strings.Join(parts, " ")))
		}
	}
	out = append(out, r.given()...)
	out = append(out, r.same()...)
	for _, t := range r.f.Triggers {
		out = append(out, triggerWords(t))
	}
	return out
}

func (r *reader) given() []string {
	var needs []string
	for _, in := range r.f.Inputs {
		w := in.Name
		if !in.Required {
			w += " (or nothing)"
		}
		needs = append(needs, w)
	}
	if len(needs) == 0 {
		return nil
	}
	return []string{"A run is given " + list(needs, "and") + "."}
}

// same says which two runs are the same.
func (r *reader) same() []string {
	run := r.f.Run
	if run.Key == "" || run.OnDuplicate == flow.DuplicateAllow {
		return nil
	}
	within, what := "", "are the same run: the second shows the first"
	if !run.Within.IsZero() {
		within = " within " + durationWords(run.Within)
	}
	if run.OnDuplicate == flow.DuplicateQueue {
		what = "wait for each other: the second starts when the first has ended"
	}
	return []string{fmt.Sprintf("Two runs with the same %s%s %s.", list(inputNames(run.Key), "and"), within, what)}
}

func triggerWords(t flow.Trigger) string {
	switch {
	case t.Schedule != nil && t.Schedule.Timezone != "":
		return "It starts by itself " + cronWords(t.Schedule.Cron) + " (" + t.Schedule.Timezone + ")."
	case t.Schedule != nil:
		return "It starts by itself " + cronWords(t.Schedule.Cron) + "."
	case t.Message != nil:
		return messageWords(*t.Message)
	case t.Reaction != nil:
		return "The reaction :" + strings.Trim(t.Reaction.Emoji, ":") + ": to a message in its channel starts it."
	case t.Webhook != nil:
		return "A signed call of the webhook " + t.Webhook.Path + " starts it."
	}
	return "Something starts it that has no words."
}

// messageWords says which messages start a flow, and what they give.
func messageWords(t flow.MessageTrigger) string {
	if t.Match == "" {
		return "Every message in " + t.Channel + " starts it."
	}
	given := ""
	if names := groups(t.Match); len(names) > 0 {
		given = ", and gives " + list(names, "and")
	}
	return "A message in " + t.Channel + " " + patternWords(t.Match) + " starts it" + given + "."
}

var inputRef = regexp.MustCompile(`\binputs?\.([A-Za-z_][A-Za-z0-9_]*)`)

// inputNames lists the inputs that a template reads, or quotes it.
func inputNames(template string) []string {
	var out []string
	for _, m := range inputRef.FindAllStringSubmatch(template, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	if len(out) == 0 {
		return []string{quote(template)}
	}
	return out
}
