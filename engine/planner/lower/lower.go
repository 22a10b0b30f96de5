package lower

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// maxSteps bounds the steps of a flow in words.
const maxSteps = 300

// lowering makes a flow of a tree: the nodes of its steps, and the ways between them.
type lowering struct {
	*graph
	*conditions
	open  map[string]bool // steps with an open question
	count int             // steps so far
}

// values holds the nodes that the steps of a tree become, and how expressions and messages read their results.
type values struct {
	*noting
	t         *tree.Tree
	w         env.World
	steps     map[string]*tree.Step
	ids       map[string]string   // step id -> its node, or the first of its gates
	gates     map[string][]string // step id -> all its gates
	items     map[string]string   // each step -> the name of its item
	has       map[string][]string // steps that became nodes; nil = not known yet
	acts      map[string][]string // gate -> the refusals behind which something is done
	tools     map[string]tool.Tool
	messenger *env.Messaging
	called    string   // the name of the flow
	failed    string   // the node whose failure leads here; "" = none
	late      string   // the question that was not answered in time, as a template; "" = none
	because   string   // the condition that leads to the step that is being lowered; "" = something else was done since
	inside    []string // names of the items around it
}

// conditions writes conditions as expressions.
type conditions struct {
	*values
	read map[string]bool // steps whose answer a condition reads
}

// noting collects what is noted about the step that is being lowered.
type noting struct {
	step  string
	notes []tree.Note
}

// context describes the steps around a list of steps.
type context struct {
	made  string   // what was made or approved last before it, in words
	next  string   // what is done after it, in words
	facts []string // values that the condition just before has read
	// because is the condition of the branch that it is in, until something is done there
	because string
	stops   *stops // the branch of a parallel step that it is in; nil = none
	loop    *loop  // the repeat that it is in; nil = none
	item    bool   // it is done for an item: what ends there does not end the run
	// last says that nothing follows. A way that ends there with naming values gives those that have names, and so does one that stops.
	last  bool
	named map[string]any
}

// stops are the nodes at which branches of a parallel step end early.
type stops struct {
	marker string // the end that they share; "" = not made yet
	ids    []string
}

// Flow makes a valid flow of a tree. was is the tree that the base of the world was raised to: its unchanged steps keep their nodes. open are
// the steps with an open question: they become nodes that wait for a person. nodes says what each step became; a decision about nothing but
// the answer just before it shares the gates of the question.
func Flow(t *tree.Tree, w env.World, was *tree.Tree, open map[string]bool) (f *flow.Flow, nodes map[string][]string, notes []tree.Note) {
	first := build(t, w, was, open, nil)
	b := build(t, w, was, open, first.nodes)
	return b.flow, b.nodes, b.notes
}

// build lowers a tree. has are the steps that became nodes when it was built before: a value of another step is never there.
func build(t *tree.Tree, w env.World, was *tree.Tree, open map[string]bool, has map[string][]string) *lowering {
	v := &values{
		noting: &noting{}, t: t, w: w, has: has, tools: map[string]tool.Tool{},
		steps: map[string]*tree.Step{}, ids: map[string]string{}, gates: map[string][]string{}, items: map[string]string{},
		acts: map[string][]string{},
	}
	b := &lowering{
		graph:      &graph{flow: &flow.Flow{}, taken: map[string]bool{}, nodes: map[string][]string{}},
		conditions: &conditions{values: v, read: map[string]bool{}}, open: open,
	}
	for _, x := range w.Tools {
		b.tools[x.Name] = x
		if m := env.MessagingOf(x); m != nil && b.messenger == nil {
			b.messenger = m
		}
	}
	b.called = b.name()
	for i := range t.Inputs {
		b.taken["inputs."+idiom.InputName(t.Inputs[i].Name)] = true
	}
	if w.Base != nil {
		for s := range t.Walk {
			b.taken[s.ID] = w.Base.Node(s.ID) != nil
		}
	}
	for s := range t.Walk {
		b.prepare(s)
	}
	b.whole()
	h := head{b.graph, v}
	h.finish()
	if w.Base != nil {
		byHand := slices.ContainsFunc(t.Triggers, func(g tree.Trigger) bool { return g.By })
		r := revision{flow: b.flow, old: w.Base.Clone(), was: was, steps: b.steps, nodes: b.nodes, acts: b.acts, byHand: byHand}
		r.keep()
	}
	h.unscheduled()
	return b
}

// prepare gives a step its ids, so that every other step can name its result.
func (b *lowering) prepare(s *tree.Step) {
	b.steps[s.ID] = s
	if s.Kind == tree.Each {
		b.items[s.ID] = b.unique(cmp.Or(english.Snake(s.As), "item_of_list"))
	}
	own := b.w.Base != nil && b.w.Base.Node(s.ID) != nil
	id := func(words string) string {
		if own {
			own = false
			return s.ID
		}
		return b.unique(english.ID(words))
	}
	asked := "ask"
	if s.Kind == tree.Do {
		asked = english.Plain(s.Text)
	}
	for _, group := range b.groups(s) {
		b.gates[s.ID] = append(b.gates[s.ID], id(asked+" "+strings.Join(group, " ")))
	}
	switch {
	case len(b.gates[s.ID]) > 0:
		b.ids[s.ID] = b.gates[s.ID][0]
	case s.Kind == tree.Set:
		b.ids[s.ID] = id("set " + cmp.Or(s.Result, s.Text))
	default:
		b.ids[s.ID] = id(english.PhraseHead(b.about(s)))
	}
	for _, v := range compared(s) {
		b.read[v.Ref.Step] = true
	}
}

// about gives the words after which a step is named.
func (b *values) about(s *tree.Step) string {
	text := english.Plain(s.Text)
	switch s.Kind {
	case tree.Tell:
		return "tell " + strings.Join(namesOf(s.To), " ")
	case tree.Decide:
		if len(s.Branches) > 0 && s.Branches[0].When != nil {
			c := s.Branches[0].When
			return "check " + cmp.Or(english.Snake(c.Left.Words), c.Left.Ref.Field, c.Left.Ref.Input, english.Snake(CondWords(c)))
		}
		return cmp.Or(text, "decide")
	case tree.Each:
		return "each " + cmp.Or(english.Snake(s.As), text)
	case tree.Parallel:
		return cmp.Or(text, "at the same time")
	case tree.Repeat:
		return "again " + text
	case tree.Wait:
		return "wait " + cmp.Or(s.Event, s.Over.Words, s.Time, s.For)
	}
	return cmp.Or(text, s.Tool, string(s.Kind))
}

func (b *noting) note(code, text string) {
	b.notes = tree.AddNote(b.notes, tree.Note{Step: b.step, Code: code, Text: text})
}

// lost notes words whose steps the flow does not have. Nobody may approve it without them.
func (b *noting) lost(code, text string) {
	b.notes = tree.AddNote(b.notes, tree.Note{Step: b.step, Code: code, Text: text, Blocks: true})
}

// add puts a node with this id behind exits, and gives its own exits, those of each route.
func (b *lowering) add(id string, n flow.Node, in exits) []exits {
	n.ID, n.Kind = id, n.Spec.Kind()
	if b.open[b.step] && id == b.ids[b.step] {
		n.Name, n.Description = n.Name+idiom.Unsure, cmp.Or(n.Description, idiom.Unanswered)
	}
	b.flow.Nodes = append(b.flow.Nodes, n)
	in.connect(id)
	if b.step != "" {
		b.nodes[b.step] = append(b.nodes[b.step], id)
	}
	out := make([]exits, len(n.Routes))
	for i := range n.Routes {
		out[i] = exits{&n.Routes[i].To}
	}
	return out
}

// then adds a node that goes on by one way.
func (b *lowering) then(id string, n flow.Node, in exits) exits {
	n.Routes = []flow.Route{{}}
	return b.add(id, n, in)[0]
}

// put adds the main node of a step, and what the step gives. What several steps make under one name is kept in a variable: behind each of
// them the name means the result of the last one.
func (b *lowering) put(s *tree.Step, n flow.Node, in exits, k known) (exits, known) {
	made, _ := b.made(s.ID, "")
	return b.keep(s, "{{"+made+"}}", b.then(b.ids[s.ID], n, in), k.with(b.source(s)))
}

// keep puts what a step gives into the variable that it shares with others, if it does. k ends with the step.
func (b *lowering) keep(s *tree.Step, made any, in exits, k known) (exits, known) {
	if !b.remade(s) || len(in) == 0 {
		return in, k
	}
	name, last := b.variable(s), len(k)-1
	out := b.then(b.unique("keep_"+name), flow.Node{Name: english.ShortName("Keep the " + english.PlainName(name)), Spec: &flow.SetSpec{Vars: map[string]any{name: made}}}, in)
	before := slices.DeleteFunc(slices.Clone(k[:last]), func(o source) bool { return o.root == k[last].root })
	return out, before.with(k[last])
}

// check adds a condition that is computed, and gives its two sides.
func (b *lowering) check(id, name, expr string, in exits) (yes, no exits) {
	out := b.add(id, flow.Node{
		Name: name, Spec: &flow.DecisionSpec{Expr: expr}, Routes: []flow.Route{{When: "true", Label: "yes"}, {When: "default", Label: "no"}},
	}, in)
	return out[0], out[1]
}

// list puts steps behind exits, one after the other. Steps that nothing leads to are noted.
func (b *lowering) list(steps []tree.Step, in exits, k known, c context) (exits, known) {
	defer func(outer string) { b.step = outer }(b.step)
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		b.step = s.ID
		b.count++
		if b.count > maxSteps {
			b.lost("too_long", fmt.Sprintf("A flow in words may have %d steps. What comes after them is left out; write it as a flow of its own.", maxSteps))
			return in, k
		}
		if len(in) == 0 {
			report := b.note
			if slices.ContainsFunc(steps[i:], func(s tree.Step) bool { return s.Kind != tree.Stop }) { // a second end changes nothing
				report = b.lost
			}
			report("unreachable", english.Quoted(b.about(s))+" is never reached: what stands before it always ends.")
			return nil, k
		}
		here, answers, rest := c, answersOf(s), steps[i+1:]
		if len(rest) > 0 {
			here.next = does(&rest[0])
			if of, only := b.answersIn(&rest[0], s); only { // the decision is a part of the question
				answers, rest = of, rest[1:]
			}
		}
		here.last = c.last && len(rest) == 0
		if s.Kind == tree.Stop && (i == 0 || steps[i-1].Kind != tree.Set) {
			here.named = nil
		}
		if i > 0 {
			here.facts = nil
			if steps[i-1].Kind != tree.Tell {
				c.because, here.because = "", ""
			}
		}
		b.because = here.because
		was := k
		in, k = b.one(s, answers, in, k, here)
		if i+1 < len(steps)-len(rest) {
			i++
			b.nodes[steps[i].ID] = b.gates[s.ID]
		}
		b.extras(s, was, c)
		if s.Kind == tree.Set && !strings.HasPrefix(s.ID, "keep_") { // a raised one that put added
			more := map[string]any{b.variable(s): "{{vars." + b.variable(s) + "}}"}
			maps.Copy(more, c.named)
			if c.named = more; here.last && len(in) > 0 && slices.ContainsFunc(steps, func(s tree.Step) bool { return s.Kind != tree.Set }) {
				b.add(b.unique("results"), flow.Node{Name: idiom.Results, Spec: &flow.TerminalSpec{Output: more}}, in)
				in = nil
			}
		}
		c.made = made(s, c.made)
	}
	return in, k
}

// one puts a step behind exits. answers is what follows the choices, where the step asks people.
func (b *lowering) one(s *tree.Step, answers []answer, in exits, k known, c context) (exits, known) {
	switch s.Kind {
	case tree.Do:
		return b.do(s, answers, in, k, c)
	case tree.Agent:
		return b.agent(s, in, k, c)
	case tree.Ask:
		return b.ask(s, answers, in, k, c)
	case tree.Tell:
		return b.tell(s, in, k), k
	case tree.Decide:
		return b.decide(s, in, k, c)
	case tree.Each:
		return b.each(s, in, k, c)
	case tree.Parallel:
		return b.parallel(s, in, k, c)
	case tree.Repeat:
		return b.repeat(s, in, k, c)
	case tree.Wait:
		return b.wait(s, in, k)
	case tree.Set:
		return b.set(s, in, k)
	case tree.Stop:
		b.stop(s, in, c)
		return nil, k
	}
	return b.waiting(s, in), k
}

// becomes gives the kind of node that a step becomes; "" = none that gives a result.
func (b *values) becomes(s *tree.Step) flow.Kind {
	switch s.Kind {
	case tree.Do:
		if kind := doerKinds[s.Doer]; kind != "" && s.Tool != "" && s.Tool != b.called {
			return kind
		}
		return flow.KindApproval
	case tree.Ask:
		if s.Choices == nil && (s.Free || len(s.Fields) > 0) && !slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return !isTimeout(b.Choice) }) {
			return flow.KindAsk
		}
		return flow.KindApproval
	case tree.Wait:
		if s.Event == "" {
			return ""
		}
	}
	return stepKinds[s.Kind]
}

var (
	doerKinds = map[tree.Doer]flow.Kind{tree.DoerTool: flow.KindTool, tree.DoerFlow: flow.KindSubflow}
	stepKinds = map[tree.Kind]flow.Kind{
		tree.Agent: flow.KindAgent, tree.Each: flow.KindForeach, tree.Parallel: flow.KindParallel, tree.Wait: flow.KindWait, tree.Set: flow.KindSet,
	}
)

// do adds the node of a Do step: a tool, another flow, a person, or a question when the doer is not known yet.
func (b *lowering) do(s *tree.Step, answers []answer, in exits, k known, c context) (exits, known) {
	node := b.titled(s)
	switch b.becomes(s) {
	case flow.KindTool:
		node.Spec = &flow.ToolSpec{Tool: s.Tool, Params: b.params(s, k)}
		return b.put(s, node, in, k)
	case flow.KindSubflow:
		node.Spec = &flow.SubflowSpec{Flow: s.Tool, Inputs: b.params(s, k)}
		return b.put(s, node, in, k)
	}
	if s.Doer == tree.DoerPerson {
		return b.ask(s, answers, in, k, c)
	}
	if s.Doer == tree.DoerFlow && s.Tool == b.called {
		b.note("cannot", "A flow cannot run itself as a step.")
	}
	return b.waiting(s, in), k
}

func (b *values) params(s *tree.Step, k known) map[string]any {
	out := map[string]any{}
	for _, p := range s.Params {
		out[p.Name] = b.parameter(p.Value, k)
		if kind, _ := jsonschema.Property(b.tools[s.Tool].Params, p.Name)["type"].(string); kind == "string" {
			if path, ok := b.path(p.Value.Ref); ok && p.Value.Literal == nil {
				out[p.Name] = b.written(path, p.Value.Ref, k)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// source is what a step gives.
func (b *values) source(s *tree.Step) source {
	root, _ := b.result(s.ID, "")
	src := source{step: s.ID, root: root, name: s.Result, show: s.Kind == tree.Do || s.Kind == tree.Agent, fields: fieldNames(s.Fields)}
	if b.becomes(s) == flow.KindTool {
		src.fields = plainFields(b.tools[s.Tool].Result)
	}
	return src
}

// titled begins the node of a step with its name and, if that is shorter, the full words.
func (b *lowering) titled(s *tree.Step) flow.Node {
	text := placeholder.ReplaceAllString(cmp.Or(english.Plain(s.Text), english.Plain(b.about(s))), "$1$2")
	n := flow.Node{Name: english.ShortName(text)}
	if full := english.SentenceCase(text); full != n.Name {
		n.Description = full
	}
	return n
}

// waiting adds a question to people, for a step whose doer is not known yet.
func (b *lowering) waiting(s *tree.Step, in exits) exits {
	node := b.titled(s)
	if !b.open[s.ID] {
		node.Name += idiom.Unsure
		node.Description = idiom.Unanswered
	}
	node.Spec = &flow.ApprovalSpec{Message: escape(cmp.Or(english.SentenceCase(english.Plain(s.Text)), "This step needs an answer")) + ".", Choices: tree.PersonChoices()}
	return b.then(b.ids[s.ID], node, in)
}
