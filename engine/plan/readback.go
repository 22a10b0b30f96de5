package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

// reader says in words what a flow does. It knows the flow and the catalogue, and nothing of the words that they were made from.
type reader struct {
	f      *flow.Flow
	tools  map[string]tool.Tool
	number map[string]int // of the sentence that each node belongs to
	steps  [][]string     // ids of the nodes of each sentence; the first is its head
	in     map[string]int // edges into each node
}

// ReadBack says in numbered sentences what the flow does, made from the graph alone; then what makes two runs the same, what
// starts runs and what they need. Messages that end a way, and a gate right behind its condition, share a sentence.
func ReadBack(f *flow.Flow, tools []tool.Tool) []string {
	return readBack(f, tools, nil)
}

// ReadBack is the read-back with the numbers of the outline's lines.
func (p *Proposal) ReadBack(tools []tool.Tool) []string {
	if p.Flow == nil {
		return nil
	}
	return readBack(p.Flow, tools, p.Nodes)
}

func readBack(f *flow.Flow, tools []tool.Tool, lines map[int][]string) []string {
	if f == nil {
		return nil
	}
	r := &reader{f: f, tools: map[string]tool.Tool{}, number: map[string]int{}, in: map[string]int{}}
	for _, t := range tools {
		r.tools[t.Name] = t
	}
	r.count()
	numbers := r.group(lines)
	var out []string
	for i, ids := range r.steps {
		out = append(out, fmt.Sprintf("%d. %s", numbers[i], r.step(ids)))
	}
	return append(out, r.whole()...)
}

// count counts the edges into each node.
func (r *reader) count() {
	for i := range r.f.Nodes {
		for _, e := range r.f.Nodes[i].Edges() {
			r.in[e.To]++
		}
	}
}

// group sorts nodes into sentences: by the outline's lines if they are known, else a node with those that only it leads to.
func (r *reader) group(lines map[int][]string) (numbers []int) {
	if len(lines) > 0 {
		for n := range slices.Values(sortedKeys(lines)) {
			r.steps = append(r.steps, lines[n])
			numbers = append(numbers, n)
			for _, id := range lines[n] {
				r.number[id] = n
			}
		}
		return numbers
	}
	for i := range r.f.Nodes {
		id := r.f.Nodes[i].ID
		if r.number[id] != 0 {
			continue
		}
		ids := append([]string{id}, r.parts(&r.f.Nodes[i])...)
		r.steps = append(r.steps, ids)
		numbers = append(numbers, len(r.steps))
		for _, part := range ids {
			r.number[part] = len(r.steps)
		}
	}
	return numbers
}

// parts lists the nodes that belong into a node's sentence: the gate that only its condition leads to, and messages behind which
// the way ends.
func (r *reader) parts(n *flow.Node) []string {
	var out []string
	for i, route := range n.Routes {
		to := r.f.Node(route.To)
		if to == nil || r.number[to.ID] != 0 || slices.Contains(out, to.ID) {
			continue
		}
		gate := n.Kind == flow.KindDecision && i == 0 && to.Kind == flow.KindApproval && r.only(to.ID, n.ID)
		if r.farewell(to) && r.only(to.ID, n.ID) || gate {
			out = append(out, to.ID)
			if gate {
				out = append(out, r.parts(to)...)
			}
		}
	}
	return out
}

// only reports whether all edges into a node come from another.
func (r *reader) only(id, from string) bool {
	n := 0
	for _, e := range r.f.Node(from).Edges() {
		if e.To == id {
			n++
		}
	}
	return n == r.in[id]
}

// farewell reports whether a node is a message behind which the way ends.
func (r *reader) farewell(n *flow.Node) bool {
	return n.Kind == flow.KindSay && len(n.Routes) <= 1 && (len(n.Routes) == 0 || n.Routes[0].To == flow.End)
}

// step is the sentence of one group of nodes.
func (r *reader) step(ids []string) string {
	var parts []string
	for i, id := range ids {
		n := r.f.Node(id)
		if n == nil || i > 0 && r.farewell(n) {
			continue
		}
		parts = append(parts, r.node(n))
	}
	return strings.Join(parts, " ")
}

// node is what one node does and where it leads.
func (r *reader) node(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.DecisionSpec:
		return r.decision(n, s)
	case *flow.ApprovalSpec:
		return r.approval(n, s)
	case *flow.ToolSpec:
		return r.title(n) + " (" + r.toolWords(s) + ")" + r.params(s.Params) + "." + r.ways(n)
	case *flow.AskSpec:
		return fmt.Sprintf("Ask %s %s.", r.who(s.Who), r.text(s.Message)) + r.ways(n)
	case *flow.SaySpec:
		return "Say in the run's thread: " + r.text(s.Message) + "." + r.ways(n)
	case *flow.WaitSpec:
		return waitWords(s) + "." + r.ways(n)
	case *flow.TerminalSpec:
		return r.title(n) + ": the way ends here."
	case *flow.AgentSpec:
		return r.title(n) + " (agent " + s.Agent + ")" + r.params(s.Input) + "." + r.ways(n)
	case *flow.SubflowSpec:
		return r.title(n) + " (runs the flow " + s.Flow + ")" + r.params(s.Inputs) + "." + r.ways(n)
	case *flow.ParallelSpec:
		var to []string
		for _, b := range s.Branches {
			to = append(to, r.target(b.To))
		}
		return r.title(n) + " (at the same time: " + list(to, "and") + ")." + r.ways(n)
	case *flow.ForeachSpec:
		return r.title(n) + " (for each of " + s.Items + ": " + r.target(s.Body) + ")." + r.ways(n)
	case *flow.SetSpec:
		return r.title(n) + " (sets " + list(sortedKeys(s.Vars), "and") + ")." + r.ways(n)
	}
	return r.title(n) + "." + r.ways(n)
}

func (r *reader) title(n *flow.Node) string {
	if n.Description != "" && n.Kind == flow.KindTool {
		return n.Description
	}
	return n.DisplayName()
}

// toolWords name the tool and what it does to which host.
func (r *reader) toolWords(s *flow.ToolSpec) string {
	t, ok := r.tools[s.Tool]
	if !ok {
		return s.Tool + ", which is not connected"
	}
	host := t.Host
	if host != "" {
		host = " " + host
	}
	words := s.Tool
	switch tool.Effects(t, s.Effects) {
	case flow.EffectsRead:
		words += ", reads" + host
	case flow.EffectsIdempotent:
		words += ", writes" + toHost(host)
	default:
		words += ", writes" + toHost(host) + ", never twice by itself"
	}
	if t.Policy == tool.Ask {
		words += ", asks before each call"
	}
	return words
}

func toHost(host string) string {
	if host == "" {
		return ""
	}
	return " to" + host
}

func waitWords(s *flow.WaitSpec) string {
	switch {
	case !s.For.IsZero():
		return "Wait " + s.For.String()
	case s.Until != "":
		return "Wait until " + strings.Replace(s.Until, "T", " ", 1)
	}
	return "Wait for the event " + s.Event
}

// ways says where a node leads when that is not simply the next sentence.
func (r *reader) ways(n *flow.Node) string {
	if len(n.Routes) == 0 {
		return " The run ends here."
	}
	var parts []string
	for _, route := range n.Routes {
		to := r.target(route.To)
		switch {
		case len(n.Routes) == 1 && r.follows(n.ID, route.To):
			continue
		case route.Default() && len(n.Routes) > 1:
			parts = append(parts, "Otherwise: "+to+".")
		case route.Default():
			parts = append(parts, "Then "+to+".")
		default:
			parts = append(parts, "If "+conditionWords(route.When)+": "+to+".")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, " ")
}

// follows reports whether a node is where one reads on.
func (r *reader) follows(from, to string) bool {
	if to == flow.End {
		return r.number[from] == r.number[r.f.Nodes[len(r.f.Nodes)-1].ID]
	}
	return r.nextNumber(r.number[from]) == r.number[to]
}

func (r *reader) nextNumber(n int) int {
	for i, ids := range r.steps {
		if r.number[ids[0]] == n && i+1 < len(r.steps) {
			return r.number[r.steps[i+1][0]]
		}
	}
	return 0
}

// target says where a route leads.
func (r *reader) target(to string) string {
	n := r.f.Node(to)
	switch {
	case n == nil:
		return "the run ends"
	case r.farewell(n) && r.inside(n):
		return "the run ends and tells the requester"
	}
	return "go on with " + strconv.Itoa(r.number[to])
}

// inside reports whether a node is told in the sentence of another.
func (r *reader) inside(n *flow.Node) bool {
	for _, ids := range r.steps {
		if i := slices.Index(ids, n.ID); i > 0 {
			return true
		}
	}
	return false
}

func (r *reader) who(w *flow.Who) string {
	if w == nil || len(w.Groups)+len(w.Users) == 0 {
		return "any member of the channel"
	}
	names := list(slices.Concat(w.Groups, w.Users), "or")
	if w.Quorum > 1 {
		names = fmt.Sprintf("%d of %s", w.Quorum, names)
	}
	if w.SelfApproval != nil && !*w.SelfApproval {
		names += " (never the requester)"
	}
	return names
}

// approval says who is asked what, and where each answer leads.
func (r *reader) approval(n *flow.Node, s *flow.ApprovalSpec) string {
	choices := s.Choices
	if len(choices) == 0 {
		choices = flow.DefaultChoices()
	}
	out := fmt.Sprintf("Ask %s: %s (%s).", r.who(s.Who), r.text(s.Message), strings.Join(choices, ", "))
	if s.Deadline != nil && !s.Deadline.After.IsZero() {
		out += " They have " + s.Deadline.After.String() + "."
	}
	var parts []string
	for _, route := range n.Routes {
		when := "any other answer"
		if !route.Default() {
			when = answerWords(n.ID, route.When)
		}
		if to := r.target(route.To); strings.HasPrefix(to, "go on") {
			parts = append(parts, when+" -> "+strconv.Itoa(r.number[route.To]))
		} else {
			parts = append(parts, when+": "+to)
		}
	}
	if len(parts) > 0 {
		out += " " + sentenceCase(strings.Join(parts, "; ")) + "."
	}
	return out
}

var answerPattern = regexp.MustCompile(`^approvals\.([A-Za-z0-9_-]+) == '((?:[^'\\]|\\.)*)'$`)

func answerWords(gate, when string) string {
	m := answerPattern.FindStringSubmatch(when)
	switch {
	case m == nil || m[1] != gate:
		return "if " + conditionWords(when)
	case m[2] == "timeout":
		return "no answer in time"
	}
	return m[2]
}

// decision says where each side of a condition leads. A side that is told in the same sentence follows behind it.
func (r *reader) decision(n *flow.Node, s *flow.DecisionSpec) string {
	var parts []string
	byTarget := map[string]int{}
	for _, route := range n.Routes {
		when := "otherwise"
		switch {
		case route.When == "true":
			when = "if " + conditionWords(s.Expr)
		case route.Default() && len(n.Routes) > 2:
			when = "if that is not known"
		case route.Default():
		case bareLiteral(route.When):
			when = "if it is " + strings.Trim(route.When, `'"`)
		default:
			when = "if " + conditionWords(route.When)
		}
		if i, ok := byTarget[route.To]; ok && route.To != flow.End {
			parts[i] = strings.Replace(parts[i], ": ", ", or "+when+": ", 1)
			continue
		}
		byTarget[route.To] = len(parts)
		to := r.target(route.To)
		if r.number[route.To] == r.number[n.ID] && strings.HasPrefix(to, "go on") {
			to = "see below"
			if g := r.f.Node(route.To); g.Kind == flow.KindApproval {
				to = "people decide"
			}
		}
		parts = append(parts, when+": "+to)
	}
	return sentenceCase(strings.Join(parts, "; ")) + "."
}

// whole says what holds for the flow as a whole.
func (r *reader) whole() []string {
	var out []string
	var needs []string
	for _, in := range r.f.Inputs {
		w := in.Name
		if !in.Required {
			w += " (or nothing)"
		}
		needs = append(needs, w)
	}
	if len(needs) > 0 {
		out = append(out, "A run is given "+list(needs, "and")+".")
	}
	if names := inputNames(r.f.Run.Key); r.f.Run.Key != "" {
		same := map[flow.OnDuplicate]string{
			flow.DuplicateQueue: "the second waits for the first", flow.DuplicateAllow: "both run",
		}[r.f.Run.OnDuplicate]
		if same == "" {
			same = "the second shows the first"
		}
		within := ""
		if !r.f.Run.Within.IsZero() {
			within = " within " + r.f.Run.Within.String()
		}
		out = append(out, fmt.Sprintf("Two runs with the same %s%s are the same run: %s.", list(names, "and"), within, same))
	}
	for _, t := range r.f.Triggers {
		switch {
		case t.Schedule != nil:
			zone := t.Schedule.Timezone
			if zone != "" {
				zone = " (" + zone + ")"
			}
			out = append(out, "It starts by itself "+cronWords(t.Schedule.Cron)+zone+".")
		case t.Message != nil:
			out = append(out, "A message in "+t.Message.Channel+" that fits "+quote(t.Message.Match)+" starts it.")
		case t.Reaction != nil:
			out = append(out, "The reaction :"+t.Reaction.Emoji+": starts it.")
		case t.Webhook != nil:
			out = append(out, "A signed call of the webhook "+t.Webhook.Path+" starts it.")
		}
	}
	return out
}

var inputRef = regexp.MustCompile(`\binputs\.([A-Za-z_][A-Za-z0-9_]*)`)

// inputNames lists the inputs that a template reads.
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
