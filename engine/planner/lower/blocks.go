package lower

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// body gives the steps of the first branch.
func body(s *tree.Step) []tree.Step {
	if len(s.Branches) == 0 {
		return nil
	}
	return s.Branches[0].Steps
}

const gatesAtOnce = 20 // items that ask people at the same time

// each adds a list of steps that is done for every item. A way that ends inside ends for its item.
func (b *lowering) each(s *tree.Step, in exits, k known, c context) (exits, known) {
	spec := &flow.ForeachSpec{Items: "[]", As: b.items[s.ID]}
	switch {
	case s.Over.Literal != nil:
		if spec.Items = constant(s.Over.Literal); !strings.HasPrefix(spec.Items, "[") {
			spec.Items = "[" + spec.Items + "]"
		}
	case !s.Over.Open():
		spec.Items = b.expression(s.Over)
	}
	at := len(b.flow.Nodes)
	on, after := b.put(s, flow.Node{
		Name: english.ShortName("For each " + strings.ReplaceAll(spec.As, "_", " ")), Description: english.SentenceCase(english.Plain(s.Text)), Spec: spec,
	}, in, k)
	b.inside = append(b.inside, spec.As)
	out, inner := b.filled(s, body(s), exits{&spec.Body}, k, context{item: true})
	b.inside = b.inside[:len(b.inside)-1]
	if all := b.ofItem(k, inner); len(all) > 1 && len(out) > 0 && slices.ContainsFunc(b.t.Behind(s), func(s tree.Step) bool { return s.Kind == tree.Agent }) {
		b.add(b.unique("results"), flow.Node{Name: idiom.Results, Spec: &flow.TerminalSpec{Output: all}}, out)
	} else {
		out.connect(flow.End)
	}
	if slices.ContainsFunc(b.flow.Nodes[at+1:], waits) {
		spec.MaxParallel = gatesAtOnce
	}
	return on, after
}

// ofItem lists what the steps for one item give: an agent behind them is given all of it, and not the last result alone.
func (b *lowering) ofItem(before, inner known) map[string]any {
	all := map[string]any{}
	for _, src := range inner {
		if !slices.ContainsFunc(before, func(o source) bool { return o.root == src.root }) {
			all[src.called()] = "{{" + src.root + "}}"
		}
	}
	return all
}

// waits reports whether a node waits for people or for time.
func waits(n flow.Node) bool {
	return n.Kind == flow.KindApproval || n.Kind == flow.KindAsk || n.Kind == flow.KindWait
}

// filled is list for a place where something has to be done.
func (b *lowering) filled(s *tree.Step, steps []tree.Step, in exits, k known, c context) (exits, known) {
	if len(steps) > 0 && b.count < maxSteps {
		return b.list(steps, in, k, c)
	}
	b.note("empty", "Nothing is said of what is done here.")
	return b.then(b.unique(b.ids[s.ID]+"_open"), flow.Node{
		Name: "Nothing yet" + idiom.Unsure, Description: idiom.Unanswered,
		Spec: &flow.ApprovalSpec{Message: "What is done here needs an answer.", Choices: tree.PersonChoices()},
	}, in), k
}

// parallel adds branches that begin at the same time. A branch that ends early ends the run when the branches meet.
func (b *lowering) parallel(s *tree.Step, in exits, k known, c context) (exits, known) {
	var branches []*tree.Branch
	for i := range s.Branches {
		if len(s.Branches[i].Steps) > 0 {
			branches = append(branches, &s.Branches[i])
		}
	}
	if len(branches) < 2 || b.count+len(branches) > maxSteps {
		var steps []tree.Step
		if len(branches) > 0 {
			steps = branches[0].Steps
		}
		return b.filled(s, steps, in, k, c)
	}
	spec := &flow.ParallelSpec{Join: flow.Join{Type: "all"}}
	if s.Any {
		spec.Join.Type = "any"
	}
	for _, branch := range branches {
		spec.Branches = append(spec.Branches, flow.Route{Label: english.Shorten(branch.Label, english.NameLength)})
	}
	node := b.titled(s)
	node.Name, node.Spec = english.ShortName(cmp.Or(english.Plain(s.Text), "At the same time")), spec
	here := context{stops: &stops{}, item: c.item}
	at, after := len(b.flow.Nodes), k
	on := b.then(b.ids[s.ID], node, in)
	for i, branch := range branches {
		out, known := b.list(branch.Steps, exits{&spec.Branches[i].To}, k, here)
		out.connect(flow.End)
		if !s.Any {
			after = append(slices.Clip(after), known[len(k):]...)
		}
	}
	patience(spec, b.flow.Nodes[at+1:])
	return b.met(s, on, here.stops, c), after
}

// patience writes out how long branches may be at work where the default is too short: with agents and tools, unless people are waited
// for, during which the clock of the default stands.
func patience(spec *flow.ParallelSpec, nodes []flow.Node) {
	works := func(n flow.Node) bool {
		return n.Kind == flow.KindAgent || n.Kind == flow.KindTool || n.Kind == flow.KindForeach || n.Kind == flow.KindSubflow
	}
	if slices.ContainsFunc(nodes, works) && !slices.ContainsFunc(nodes, waits) {
		spec.Join.Timeout, spec.Join.TimeoutSet = flow.Duration{Clock: 24 * time.Hour}, true
	}
}

// met ends the run behind branches of which one has ended early.
func (b *lowering) met(s *tree.Step, in exits, early *stops, c context) exits {
	if len(early.ids) == 0 {
		return in
	}
	var tests []string
	for _, id := range early.ids {
		tests = append(tests, id+".result == "+idiom.Literal(idiom.Stopped))
	}
	yes, no := b.check(b.unique(b.ids[s.ID]+"_stopped"), idiom.EndsEarly, strings.Join(tests, " or "), in)
	b.end(yes, c)
	return no
}

// loop is a repeat around steps.
type loop struct {
	asks map[string]bool // steps whose answer says whether it goes on
	back exits           // of those steps, where the answer was no
}

// MaxRounds is how often a loop is done at most where nothing says it. One that waits between its rounds watches something, and may take
// days.
const (
	MaxRounds     = 10
	roundsOfWaits = 200
)

// roundsOf is how often a loop is done at most of which nothing says it.
func roundsOf(s *tree.Step) int {
	for below := range s.Walk {
		if below.Kind == tree.Wait {
			return roundsOfWaits
		}
	}
	return MaxRounds
}

// repeat adds steps that are done again until a condition holds, and a message for when it never does. Rounds are counted in a text that
// grows by a letter, because expressions cannot add.
func (b *lowering) repeat(s *tree.Step, in exits, k known, c context) (on exits, after known) {
	most := min(s.Max, 1000)
	switch {
	case most < 1 && b.t.Input(s.Times) != nil:
		most = 1000
	case most < 1:
		most = roundsOf(s)
	}
	from, visits := len(b.flow.Nodes), b.visits
	counter := b.unique("rounds_" + b.ids[s.ID])
	if c.loop != nil {
		in = b.then(b.unique("begin_"+b.ids[s.ID]), flow.Node{Name: "Begin to count", Spec: &flow.SetSpec{Vars: map[string]any{counter: ""}}}, in)
	}
	head := b.unique("round_" + b.ids[s.ID])
	in = b.then(head, flow.Node{Name: "Begin a round", Spec: &flow.SetSpec{Vars: map[string]any{counter: "{{vars." + counter + "}}x"}}}, in)
	here := context{stops: c.stops, item: c.item, loop: &loop{asks: map[string]bool{}}}
	for _, until := range s.Conds() {
		if ask := b.asked(until.Left); ask != nil {
			here.loop.asks[ask.ID] = true
		}
	}
	out, after := b.filled(s, body(s), in, k, here)
	if out = append(out, here.loop.back...); len(out) == 0 {
		return nil, k
	}
	check := b.rounds(s, out, counter, most)
	check[2].connect(head)
	if on = check[0]; s.Any {
		on = append(on, check[1]...)
	} else {
		b.tooOften(s, check[1], most, c)
	}
	b.loops = true
	b.visits = visits + (len(b.flow.Nodes)-from+b.visits-visits)*most
	return on, after
}

// rounds adds the question whether it was done often enough: it holds, it was done too often, or once more. People answer it when the words
// are no condition.
func (b *lowering) rounds(s *tree.Step, in exits, counter string, most int) []exits {
	limit, times := strconv.Itoa(most), fmt.Sprintf("%d times", most)
	if s.Max < 1 && b.t.Input(s.Times) != nil {
		limit, times = "inputs."+idiom.InputName(s.Times), "often enough"
	}
	id, name, holds := b.ids[s.ID], english.SentenceCase(english.Shorten(CondWords(s.Until), english.QuestionLength))+"?", ""
	often := fmt.Sprintf("len(vars.%s) >= %s", counter, limit)
	f, understood := b.formula(s.Until)
	switch {
	case s.Until == nil && s.Max > 0: // the number of rounds alone ends it
		name, holds = "Once more?", often
	case understood:
		holds = f.yes.expr
	default:
		words := english.SentenceCase(cmp.Or(CondWords(s.Until), "is it done"))
		in = b.then(id, flow.Node{
			Name: english.Shorten(words, english.QuestionLength) + "?", Description: idiom.SomebodyDecides,
			Spec: &flow.ApprovalSpec{Message: "{{run.title}}: " + escape(words) + "?", Choices: []string{"yes", "no"}, Refuses: []string{}},
		}, in)
		holds = idiom.Answered(id, "yes")
		id, name = b.unique(id+"_again"), "Once more?"
	}
	return b.add(id, flow.Node{
		Name: name, Spec: &flow.DecisionSpec{Expr: holds},
		Routes: []flow.Route{
			{When: "true", Label: "yes"},
			{When: often, Label: times},
			{When: "default", Label: "again"},
		},
	}, in)
}

// tooOften tells the requester that a repeat came to nothing, and ends the run as failed.
func (b *lowering) tooOften(s *tree.Step, in exits, most int, c context) {
	times := fmt.Sprintf("%d times", most)
	switch {
	case s.Max < 1 && b.t.Input(s.Times) != nil:
		times = "{{str(inputs." + idiom.InputName(s.Times) + ")}} times"
	case most == 1:
		times = "once"
	}
	in = b.lastWords(b.ids[s.ID]+"_too_often", fmt.Sprintf("{{run.title}} stops here: it was done %s, and that was not enough.", times), idiom.RunEnds, in)
	b.terminal(b.unique(b.ids[s.ID]+"_failed"), flow.Node{Name: "Failed", Spec: &flow.TerminalSpec{Outcome: "failed"}}, in, c)
}

// ofMessage reports whether an agent works on the message that starts a run: its words speak of it, or no step before gives anything.
func (b *values) ofMessage(s *tree.Step, k known) bool {
	started := slices.ContainsFunc(b.t.Triggers, func(g tree.Trigger) bool { return g.Channel != "" || g.Emoji != "" })
	return started && (len(k) == 0 || slices.ContainsFunc(english.Scan(s.Text), func(w english.Word) bool { return w.Low == "message" }))
}

// agent adds a language model with its instruction, which is given the inputs and the results before it, and inside of a loop what people
// said of the round before.
func (b *lowering) agent(s *tree.Step, in exits, k known, c context) (exits, known) {
	id := b.ids[s.ID]
	agent := flow.Agent{ID: id, Instructions: strings.TrimSpace(s.Text), Output: outputOf(s.Fields)}
	for _, name := range s.Tools {
		if _, there := b.tools[name]; there && !slices.Contains(agent.Tools, name) {
			agent.Tools = append(agent.Tools, name)
		}
	}
	b.flow.Agents = append(b.flow.Agents, agent)
	input := map[string]any{}
	for i := range b.t.Inputs {
		name := idiom.InputName(b.t.Inputs[i].Name)
		input[name] = "{{inputs." + name + "}}"
	}
	for _, src := range k {
		if name, set := strings.CutPrefix(src.root, "vars."); set && (input[name] == nil || input[name] == "{{"+src.root+"}}") {
			input[name] = "{{" + src.root + "}}"
			continue
		}
		input[src.called()] = "{{" + src.root + "}}"
		if s := b.steps[src.step]; s != nil && s.Kind == tree.Ask { // of a form, all that was filled in
			for _, name := range src.fields {
				input[src.called()+"_"+name] = "{{" + dotted(src.root, name) + "}}"
			}
		}
	}
	if path, _ := b.path(tree.Ref{Event: "text"}); b.ofMessage(s, k) && input["message"] == nil {
		input["message"] = "{{" + path + "}}"
	}
	if c.loop != nil {
		for _, ask := range slices.Sorted(maps.Keys(c.loop.asks)) {
			input[b.ids[ask]+"_note"] = "{{" + b.choice(ask) + ".note}}"
		}
	}
	for _, name := range b.inside {
		input[name] = "{{" + name + "}}"
	}
	if len(input) == 0 {
		input = nil
	}
	node := b.titled(s)
	node.Spec = &flow.AgentSpec{Agent: id, Input: input}
	return b.put(s, node, in, k)
}

// outputOf is the schema of an agent's answer; nil = text.
func outputOf(fields []tree.Field) map[string]any {
	if len(fields) == 0 {
		return nil
	}
	props, required := map[string]any{}, []any{}
	for _, f := range fields {
		p := map[string]any{"type": schemaType(f.Type)}
		if enum := enumOf(schemaType(f.Type), f.Enum); enum != nil {
			p["enum"] = enum
		}
		if p["type"] == "array" { // some services refuse a list of nothing
			p["items"] = map[string]any{"type": "string"}
		}
		name := fieldName(f.Name)
		if props[name] == nil {
			required = append(required, name)
		}
		props[name] = p
	}
	return map[string]any{"type": "object", "properties": props, "required": required}
}

// wait adds a wait for a while, for a time or for an event.
func (b *lowering) wait(s *tree.Step, in exits, k known) (exits, known) {
	node := b.titled(s)
	d := duration(s.For)
	path, given := b.path(s.Over.Ref)
	clock, zone := calendar.CutZone(s.Time)
	moment := idiom.Moment{Path: path, Side: s.Side, Term: s.For, Clock: clock, Zone: cmp.Or(zone, b.w.Zone)}
	if s.Side == "" {
		moment.Term = d.String()
	}
	switch {
	case given && moment.Until() != "":
		node.Name, node.Description = "Wait", "until "+moment.Words(idiom.Spoken(path))
		if s.Side == "" {
			node.Name, node.Description = english.ShortName("Wait "+moment.Words("["+idiom.Spoken(path)+"]")), "the run says how many"
		}
		node.Spec = &flow.WaitSpec{Until: moment.Until()}
	case !d.IsZero():
		node.Name, node.Spec = cmp.Or(english.ShortName(s.Text), "Wait "+s.For), &flow.WaitSpec{For: d}
	case s.Time != "" && until(s.Time, "") != "":
		node.Name, node.Description = cmp.Or(english.ShortName(s.Text), "Wait"), "until "+idiom.Time(s.Time)
		node.Spec = &flow.WaitSpec{Until: until(s.Time, b.w.Zone)}
	case english.Snake(s.Event) != "":
		node.Spec = &flow.WaitSpec{Event: english.Snake(s.Event)}
		return b.put(s, node, in, k)
	default:
		b.note("cannot", "It is not said how long to wait, or for what.")
		return b.waiting(s, in), k
	}
	return b.then(b.ids[s.ID], node, in), k
}

// until gives a time that a wait can read, in a zone where it names none; "" when it is none.
func until(at, zone string) string {
	if _, ok := calendar.Read(at, time.Time{}, nil); !ok {
		return ""
	}
	_, offset := time.Parse(time.RFC3339, at)
	if _, own := calendar.CutZone(at); own != "" || zone == "" || offset == nil {
		return at
	}
	return at + " " + zone
}

// variable is the name that a set step gives its value.
func (b *values) variable(s *tree.Step) string {
	return cmp.Or(strings.Trim(english.Snake(s.Result), "_0123456789"), b.ids[s.ID])
}

// set gives a value a name.
func (b *lowering) set(s *tree.Step, in exits, k known) (exits, known) {
	name := b.variable(s)
	var value any = ""
	if s.Over.Open() {
		b.note("missing_value", "It is not said what the value is.")
	} else {
		value = b.parameter(s.Over, k)
	}
	node := b.titled(s)
	node.Spec = &flow.SetSpec{Vars: map[string]any{name: value}}
	return b.put(s, node, in, k)
}
