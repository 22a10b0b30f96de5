package try

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/tool"
)

// Request says what to try.
type Request struct {
	Flow   *flow.Flow
	Inputs map[string]any    // in their declared types
	Source map[string]Source // of each input; one that is not named is unknown
	Event  map[string]any    // nil = not known
	// Samples are given values by node id: what a step gives, or how a question is answered (the choice or the text alone, or an
	// object with choice, text, note and fields of the form).
	Samples  map[string]any
	Recorded map[string]Recorded // what nodes of recorded runs got, by node id
	Tools    tool.Catalogue      // for their schemas and effects; none is called. nil = nothing is known
	Now      time.Time
	Due      func(from time.Time, d flow.Duration) time.Time // as in run.Context
	Zone     *time.Location
	By       string // who would start the run
}

// Result is what would happen.
type Result struct {
	Flow     *flow.Flow      `json:"-"`
	Nodes    map[string]Mark `json:"nodes"` // by node id; a node that is missing is not reached
	Edges    map[string]Mark `json:"edges"` // by the id of the plan's edge
	Inputs   []Used          `json:"inputs,omitempty"`
	Values   []Used          `json:"values,omitempty"` // what the steps were taken to give, in the order in which they are reached
	Acts     []Act           `json:"acts,omitempty"`   // likewise; none was performed
	Asks     []Ask           `json:"asks,omitempty"`
	Outputs  []Output        `json:"outputs,omitempty"` // of the run: one for each way that ends differently, at most outputsMost
	Limits   []Limit         `json:"limits,omitempty"`
	Problems []Problem       `json:"problems,omitempty"`
	Bounds   []Bound         `json:"bounds,omitempty"` // of the trial itself
	Walks    int             `json:"walks"`            // ways that were walked
}

// Used is a value that was used.
type Used struct {
	Name   string `json:"name"` // of the node or input
	Source Source `json:"source"`
	Run    string `json:"run,omitempty"` // the recorded run
	Text   string `json:"text,omitempty"`
}

// Act is something that would be done outside.
type Act struct {
	Node      string          `json:"node"`
	What      string          `json:"what"` // name of the tool, or the kind of the node
	Effects   flow.Effects    `json:"effects,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`    // without secrets and sensitive inputs
	Uncertain bool            `json:"uncertain,omitempty"` // they hold something that was made up or is not known
	Times     int             `json:"times"`               // at most, on one way with these parameters
}

// Ask is a question that people would get.
type Ask struct {
	Node      string    `json:"node"`
	Message   string    `json:"message"`
	Choices   []string  `json:"choices,omitempty"`
	Who       *flow.Who `json:"who,omitempty"` // nil = the members of the channel
	Uncertain bool      `json:"uncertain,omitempty"`
}

// Output is how a run would end.
type Output struct {
	Status    history.Status `json:"status"`
	Text      string         `json:"text,omitempty"`
	Uncertain bool           `json:"uncertain,omitempty"`
}

// Limit is a limit of the flow that would be hit.
type Limit struct {
	Node   string           `json:"node"`
	Limit  string           `json:"limit"`
	Action flow.LimitAction `json:"action"`
}

// Problem is something that would go wrong.
type Problem struct {
	Node string `json:"node"`
	Text string `json:"text"`
}

// Run walks every way that is open through a flow. The error is that of run.Compile, or a fault of the machine.
func Run(q Request) (*Result, error) {
	p, err := compile.Flow(q.Flow)
	if err != nil {
		return nil, err
	}
	x := newExplorer(q)
	first := &walk{
		stage: newStage(p, x.context(q), q.Now), uncertain: map[int64]bool{}, vars: map[string]bool{}, taken: map[string]int{},
		votes: map[int]run.Answer{},
	}
	first.url = placeholderURL
	start := history.RunStarted{Flow: q.Flow.Name, Name: q.Flow.Name + "-try", Inputs: q.Inputs, Event: q.Event, By: q.By}
	if start.Title, err = p.Title(start, q.Now); err != nil {
		x.problem(Problem{Text: err.Error()})
	}
	if err := x.explore(first, run.Start{At: q.Now, Actor: history.Actor{User: q.By}, Run: start}); err != nil {
		return nil, fmt.Errorf("try %s: %w", q.Flow.Name, err)
	}
	x.settle()
	x.usedInputs(q)
	x.result.Nodes, x.result.Edges, x.result.Walks = x.marks.nodes, x.marks.edges, x.walks
	return x.result, nil
}

func newExplorer(q Request) *explorer {
	x := &explorer{
		flow: q.Flow, marks: newMarks(q.Flow), races: races(q.Flow), raceVars: map[string]bool{}, uncertainInputs: map[string]bool{},
		eventKnown: q.Event != nil, musts: musts{flow: q.Flow, known: map[string]map[string]bool{}}, seen: map[string]bool{}, result: &Result{Flow: q.Flow},
		values: &values{flow: q.Flow, tools: q.Tools, samples: q.Samples, recorded: q.Recorded, known: map[string]Value{}},
	}
	for id := range x.races {
		if s, ok := q.Flow.Node(id).Spec.(*flow.SetSpec); ok {
			for name := range s.Vars {
				x.raceVars[name] = true
			}
		}
	}
	for _, in := range q.Flow.Inputs {
		if source, ok := q.Source[in.Name]; !ok || source.uncertain() {
			x.uncertainInputs[in.Name] = true
		}
	}
	return x
}

func (x *explorer) context(q Request) run.Context {
	return run.Context{
		RunID: "try", HasModel: true, Due: q.Due, Zone: q.Zone,
		Effects: func(name string) flow.Effects {
			if q.Tools == nil {
				return ""
			}
			t, _ := q.Tools.Lookup(name)
			return t.Effects
		},
	}
}

// placeholderURL stands for the address of a run that is only tried.
const placeholderURL = "(the link to the run)"

const (
	outputsMost  = 5
	variantsMost = 3   // acts of one node with different parameters
	textMost     = 500 // characters of a value
	dots         = "•••"
)

func (x *explorer) usedInputs(q Request) {
	for _, in := range q.Flow.Inputs {
		u := Used{Name: in.Name, Source: Unknown, Text: clip(q.Inputs[in.Name], textMost)}
		if s, ok := q.Source[in.Name]; ok {
			u.Source = s
		}
		if list, ok := q.Inputs[in.Name].([]any); ok {
			u.Text = clip(listing.Shown(list), textMost)
		}
		if in.Sensitive && u.Text != "" {
			u.Text = dots
		}
		x.result.Inputs = append(x.result.Inputs, u)
	}
}

// collect takes what a walk that is over did into the result.
func (x *explorer) collect(w *walk) {
	times := map[string]int{}
	for _, f := range w.facts {
		switch b := f.Body.(type) {
		case *history.StepStarted:
			if n := x.flow.Node(f.Node); n != nil && len(heads(n)) == 0 {
				x.act(n, f, b, w.uncertain[f.Seq], times)
			}
		case *history.GateOpened:
			x.asked(f, b, w.uncertain[f.Seq])
		case *history.LimitReached:
			if l := (Limit{f.Node, b.Limit, b.Action}); !slices.Contains(x.result.Limits, l) {
				x.result.Limits = append(x.result.Limits, l)
			}
		case *history.StepFailed:
			x.problem(Problem{Node: f.Node, Text: failureWords(b.Error)})
		}
	}
	x.ended(w)
}

func (x *explorer) act(n *flow.Node, f history.Fact, b *history.StepStarted, uncertain bool, times map[string]int) {
	what := string(n.Kind)
	if s, ok := n.Spec.(*flow.ToolSpec); ok {
		what = s.Tool
		x.checkTool(n, s, b, uncertain)
	}
	x.used(n, x.values.of(n))
	key := n.ID + string(b.Params)
	times[key]++
	variants := 0
	for i := range x.result.Acts {
		a := &x.result.Acts[i]
		if a.Node != n.ID {
			continue
		}
		variants++
		if string(a.Params) == string(b.Params) {
			a.Times, a.Uncertain = max(a.Times, times[key]), a.Uncertain || uncertain
			return
		}
	}
	if variants < variantsMost {
		x.result.Acts = append(x.result.Acts, Act{Node: n.ID, What: what, Effects: b.Effects, Params: b.Params, Uncertain: uncertain, Times: 1})
	}
}

// checkTool says what a tool would refuse. What is not known is not held against the flow.
func (x *explorer) checkTool(n *flow.Node, s *flow.ToolSpec, b *history.StepStarted, uncertain bool) {
	if x.values.tools == nil {
		return
	}
	t, ok := x.values.tools.Lookup(s.Tool)
	if !ok {
		x.problem(Problem{Node: n.ID, Text: fmt.Sprintf("the tool %s is not installed", s.Tool)})
		return
	}
	var params map[string]any
	if uncertain || len(b.Params) > 0 && json.Unmarshal(b.Params, &params) != nil {
		return
	}
	if err := tool.CheckParams(t, params); err != nil && !x.hides(params) {
		x.problem(Problem{Node: n.ID, Text: err.Error()})
	}
}

// hides reports whether dots or redactions stand in parameters, so that a check of them says nothing.
func (x *explorer) hides(params map[string]any) bool {
	for _, v := range params {
		switch v := v.(type) {
		case string:
			if v == dots || len(v) > 0 && v[0] == "«"[0] {
				return true
			}
		case map[string]any:
			if x.hides(v) {
				return true
			}
		}
	}
	return false
}

func (x *explorer) used(n *flow.Node, v Value) {
	if slices.ContainsFunc(x.result.Values, func(u Used) bool { return u.Name == n.ID }) {
		return
	}
	text := v.Output.Text
	if text == "" && len(v.Output.Data) > 0 {
		text = string(v.Output.Data)
	}
	u := Used{Name: n.ID, Source: v.Source, Run: v.Run, Text: clip(text, textMost)}
	if n.Kind == flow.KindSay {
		u = Used{Name: n.ID, Source: FromFlow}
	}
	x.result.Values = append(x.result.Values, u)
}

func (x *explorer) asked(f history.Fact, b *history.GateOpened, uncertain bool) {
	if b.Kind != history.GateApproval && b.Kind != history.GateAsk {
		return
	}
	if slices.ContainsFunc(x.result.Asks, func(a Ask) bool { return a.Node == f.Node && a.Message == b.Message }) {
		return
	}
	x.result.Asks = append(x.result.Asks, Ask{Node: f.Node, Message: b.Message, Choices: b.Choices, Who: b.Who, Uncertain: uncertain})
	if sample, ok := x.values.samples[f.Node]; ok {
		x.result.Values = append(x.result.Values, Used{Name: f.Node, Source: FromSample, Text: clip(expr.Text(sample), textMost)})
	}
}

func (x *explorer) problem(p Problem) {
	if !slices.Contains(x.result.Problems, p) {
		x.result.Problems = append(x.result.Problems, p)
	}
}

// ended notes how a walk ended.
func (x *explorer) ended(w *walk) {
	o := Output{Status: w.state.Status}
	if w.state.Output != 0 {
		out, _ := w.output(w.state.Output)
		o.Text, o.Uncertain = clip(out.Text, textMost), w.uncertain[w.state.Output]
		if o.Text == "" {
			o.Text = clip(string(out.Data), textMost)
		}
	}
	if len(x.result.Outputs) < outputsMost && !slices.Contains(x.result.Outputs, o) {
		x.result.Outputs = append(x.result.Outputs, o)
	}
}

// Reached lists the nodes of the flow with at least this mark, in the order of the document.
func (r *Result) Reached(least Mark) []string {
	k := marks{flow: r.Flow, nodes: r.Nodes}
	return k.order(least)
}

// Unreached lists the nodes that nothing leads to with these inputs.
func (r *Result) Unreached() []string {
	nodes := maps.Clone(r.Nodes)
	var ids []string
	for i := range r.Flow.Nodes {
		if id := r.Flow.Nodes[i].ID; nodes[id] == NotReached {
			ids = append(ids, id)
		}
	}
	return ids
}
