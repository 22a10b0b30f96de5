package importertest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/enginetest"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// Stage plays runs of imported flows, with the runs that they start, against scripted models, tools and people. Nothing in it knows the graph: a
// model answers from the schema that its step declares and the words that it is given, a person from the words of a question.
type Stage struct {
	Flows  map[string]*flow.Flow                                 // by name, for runs that others start
	Model  func(node string, params map[string]any) any          // an answer, or nil for a generated one
	Tool   func(name string, params map[string]any) (any, error) // nil = a generated result
	Person func(message string) string                           // nil = one of the answers that a question offers, or other words

	Most int // how many things happen in a run at most

	chance *rand.Rand
	asked  map[string]int // how often, by question
	steps  int            // that are left
	played *Played
}

// Played is what came of a run.
type Played struct {
	End     Ending
	Error   string                      // why the run stopped
	Output  any                         // of the run
	Visited map[string]bool             // nodes
	Said    []string                    // messages, those of other runs included
	Params  map[string][]map[string]any // by node, what each of its steps was given
}

// stageSteps is Most of a new stage.
const stageSteps = 150

// NewStage makes a stage. The same seed gives the same runs.
func NewStage(seed uint64, flows ...*flow.Flow) *Stage {
	s := &Stage{Flows: map[string]*flow.Flow{}, asked: map[string]int{}, Most: stageSteps, chance: rand.New(rand.NewPCG(seed, 1))}
	for _, f := range flows {
		s.Flows[f.Name] = f
	}
	return s
}

// Play runs a flow. The error says what was broken that must always hold.
func (s *Stage) Play(f *flow.Flow, inputs map[string]any) (*Played, error) {
	p := &Played{Visited: map[string]bool{}, Params: map[string][]map[string]any{}}
	s.steps, s.played = s.Most, p
	r, err := s.play(f, inputs, 0)
	p.End, p.Error = r.end, r.error
	if p.Output = history.Decode(r.output.Data); p.Output == nil {
		p.Output = r.output.Text
	}
	return p, err
}

// playing is a run on a stage.
type playing struct {
	*enginetest.Driver
	depth  int
	end    Ending
	error  string
	output history.Output
}

func (s *Stage) play(f *flow.Flow, inputs map[string]any, depth int) (*playing, error) {
	d, err := enginetest.NewDriver(f)
	if err != nil {
		return &playing{}, err
	}
	for id, n := range d.Program.Nodes {
		if n.Broken != nil {
			return &playing{}, fmt.Errorf("node %s of %s: %w", id, f.Name, n.Broken)
		}
	}
	p := &playing{Driver: d, depth: depth}
	err = d.Start(inputs)
	for err == nil && p.end == "" {
		if s.steps--; s.steps < 0 || depth > flow.DepthDefault {
			p.end = Capped
			break
		}
		err = s.step(p)
	}
	for _, fact := range d.Facts {
		if depth == 0 {
			s.played.Visited[fact.Node] = true
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", f.Name, err)
	}
	return p, err
}

// step does one thing that a run waits for.
func (s *Stage) step(p *playing) error {
	switch {
	case p.State.Status.Final():
		p.end, p.output = ReachedEnd, result(p.Driver)
		if p.State.Status != history.Succeeded {
			p.end, p.error = Errored, string(p.State.Status)
		}
	case len(p.Performing()) > 0:
		token := p.Performing()[0]
		perform := *p.Leases[token].Perform
		if p.depth == 0 {
			s.played.Params[perform.Node.ID] = append(s.played.Params[perform.Node.ID], perform.Params)
		}
		out, nerr := s.perform(p.Flow, perform)
		return p.Finish(token, out, nerr)
	case len(p.Dispatched()) > 0:
		return p.Claim(p.Dispatched()[0])
	case len(p.State.Gates) > 0:
		return s.answer(p)
	case len(p.Waiting()) > 0:
		return s.others(p)
	case len(p.State.Timers) > 0:
		return p.Fire(slices.MinFunc(p.State.Timers, func(a, b history.Timer) int { return a.Due.Compare(b.Due) }).ID)
	default:
		p.end, p.error = Errored, "the run waits for nothing"
	}
	return nil
}

// result is what a run gave.
func result(d *enginetest.Driver) (out history.Output) {
	for _, f := range d.Facts {
		if f.Seq == d.State.Output {
			out, _ = history.ReadOf(f)
		}
	}
	return out
}

// perform gives what a worker's step gave.
func (s *Stage) perform(f *flow.Flow, p run.Perform) (history.Output, *history.NodeError) {
	tools := f.ToolsOf(p.Node)
	message, posts := p.Params["message"]
	switch spec := p.Node.Spec.(type) {
	case *flow.LLMSpec:
		return s.say(p, spec.Schema, tools, ""), nil
	case *flow.AgentSpec:
		a := f.AgentByID(spec.Agent)
		if a == nil {
			return history.Output{}, &history.NodeError{Type: "UnknownAgentError", Message: spec.Agent, Permanent: true}
		}
		return s.say(p, a.Output, nil, a.Instructions), nil
	}
	switch {
	case len(p.Asked) > 0:
		return s.call(p, tools), nil
	case len(tools) > 0:
		v, err := s.use(tools[0], p.Params)
		if err != nil {
			return history.Output{}, &history.NodeError{Type: "ToolError", Message: err.Error(), Permanent: true}
		}
		return value(v), nil
	case posts:
		s.played.Said = append(s.played.Said, expr.Text(message))
	}
	return history.Output{}, nil
}

// use calls a tool.
func (s *Stage) use(name string, params map[string]any) (any, error) {
	if s.Tool != nil {
		return s.Tool(name, params)
	}
	return map[string]any{"content": s.words(), "text": s.words(), "path": "a.txt", "entries": []any{"a.txt"}}, nil
}

// say is a model's answer: of the schema, or words. One with tools asks for one of them now and then.
func (s *Stage) say(p run.Perform, schema map[string]any, tools []string, instructions string) history.Output {
	out := history.Output{Meta: map[string]any{"model": "scripted"}}
	var v any
	if s.Model != nil {
		v = s.Model(p.Node.ID, p.Params)
	}
	switch words, isText := v.(string); {
	case isText:
		out.Text = words
		return out
	case v == nil && schema == nil:
		out.Text = s.reading(expr.Text(p.Params) + instructions)
	case v == nil:
		v = Answer(s.chance, schema)
	}
	if v != nil {
		out.Data = json.RawMessage(expr.JSON(v))
		out.Text = string(out.Data)
		return out
	}
	if len(tools) > 0 && s.chance.IntN(3) == 0 {
		out.Calls = []history.ToolCall{{ID: "1", Name: tools[s.chance.IntN(len(tools))], Arguments: `{}`}}
	}
	return out
}

var tag = regexp.MustCompile(`<([a-z]+)>[^<]+</[a-z]+>`)

// reading is what a model answers to words alone: JSON where they ask for that, and now and then a phrase in tags that they show.
func (s *Stage) reading(prompt string) string {
	switch phrase := tag.FindString(prompt); {
	case strings.Contains(prompt, "JSON"):
		return `{"answer": "` + s.words() + `"}`
	case phrase != "" && s.chance.IntN(3) == 0:
		return phrase
	}
	return s.words()
}

func (s *Stage) words() string {
	all := []string{"red", "green", "blue", "north", "south", "yes", "no"}
	return all[s.chance.IntN(len(all))] + " " + all[s.chance.IntN(len(all))]
}

func value(v any) history.Output {
	return history.Output{Data: json.RawMessage(expr.JSON(v)), Text: expr.Text(v)}
}

// call makes calls: those that the step allows.
func (s *Stage) call(p run.Perform, allowed []string) history.Output {
	results, all := []any{}, true
	for _, c := range p.Asked {
		arguments, _ := history.Decode([]byte(c.Arguments)).(map[string]any)
		v, err := s.use(c.Name, arguments)
		ok := err == nil && slices.Contains(allowed, c.Name)
		one := map[string]any{"id": c.ID, "name": c.Name, "success": ok}
		if all = all && ok; ok {
			one["result"] = v
		}
		results = append(results, one)
	}
	return value(map[string]any{"results": results, "success": all})
}

// answer answers a question. A step that failed ends the play.
func (s *Stage) answer(p *playing) error {
	g := p.State.Gates[0]
	opened := p.Facts[g.Opened-1].Body.(*history.GateOpened)
	if g.Kind != history.GateAsk {
		p.end, p.error = Errored, opened.Message
		if opened.Error != nil && opened.Error.Type == history.ErrorOpaque {
			p.end = ReachedOpaque
		}
		return nil
	}
	in := run.Answer{At: p.Now, Actor: history.Actor{User: "U1", Via: history.ViaButton}, Gate: g.ID, Shown: g.Shown}
	if in.Text = s.reply(opened.Message); len(g.Choices) > 0 {
		in.Text, in.Choice = "", g.Choices[s.chance.IntN(len(g.Choices))]
	}
	_, err := p.Feed(in)
	return err
}

// options are the words of a question that offer an answer: /quit, 'yes', "no", type stop/end.
var options = regexp.MustCompile(`(?:^|\s)(/[a-z]+)|'([^' ]+)'|"([^" ]+)"|(?i:type) ([a-z]+)/`)

// enough is what people say who are asked the same over and over.
var enough = []string{"/quit", "quit", "exit", "stop", "done"}

// patience is how often a scripted person answers a question before they want to stop.
const patience = 5

// reply answers with one of the words that a question offers, or with others.
func (s *Stage) reply(message string) string {
	if s.Person != nil {
		return s.Person(message)
	}
	s.asked[message]++
	if n := s.asked[message] - patience; n > 0 {
		return enough[n%len(enough)]
	}
	offered := []string{s.words()}
	for _, m := range options.FindAllStringSubmatch(message, -1) {
		offered = append(offered, m[1]+m[2]+m[3]+m[4])
	}
	return offered[s.chance.IntN(len(offered))]
}

// others is what other runs do: one that was started runs to its end, an event happens.
func (s *Stage) others(p *playing) error {
	token := p.Waiting()[0]
	if token.Phase == history.PhaseEvent {
		return p.Tell(fmt.Sprint("event ", s.steps), token.Event, p.Now, json.RawMessage(`{"payload": "news"}`))
	}
	child := p.Children[token.Child]
	f := s.Flows[child.Flow]
	if f == nil {
		p.end, p.error = Errored, "there is no flow "+child.Flow
		return nil
	}
	inner, err := s.play(f, child.Inputs, p.depth+1)
	if err != nil || inner.end != ReachedEnd {
		p.end, p.error = inner.end, child.Flow+": "+inner.error
		return err
	}
	return p.EndChild(token.ID, run.ChildOver{Name: child.Flow, Status: history.Succeeded, Output: inner.output})
}

// Inputs are what a person gives to a run: the defaults, and values of the other types.
func (s *Stage) Inputs(f *flow.Flow) map[string]any {
	given := map[string]any{}
	for _, in := range f.Inputs {
		switch {
		case in.Default != nil:
			given[in.Name] = in.Default
		case in.Type == flow.TypeAny || in.Name == "provider" || in.Name == "model":
		case in.Type == "number":
			given[in.Name] = float64(1 + s.chance.IntN(3))
		default:
			given[in.Name] = Answer(s.chance, map[string]any{"type": in.Type})
		}
	}
	return given
}
