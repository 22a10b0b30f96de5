package app

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/file"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

// Profile names the format.
const Profile flow.Profile = "app"

// visits bounds a run of a flow without a cap of its own.
const visits = 1000

// answerTime is how long an approval waits.
const answerTime = 30 * time.Minute

// dialect is the form of the graph.
var dialect = file.Dialect{
	Kinds: []flow.Kind{flow.KindAgent, flow.KindTool, flow.KindParallel, flow.KindApproval, flow.KindDecision, flow.KindTerminal},
	Keys: map[reflect.Type][]string{
		reflect.TypeFor[flow.NodeFields]():   {"id", "type", "description", "routes", "on_error", "retry"},
		reflect.TypeFor[flow.Route]():        {"when", "to"},
		reflect.TypeFor[flow.ToolSpec]():     {"tool", "params"},
		reflect.TypeFor[flow.ApprovalSpec](): {"message", "choices"},
		reflect.TypeFor[flow.TerminalSpec](): {"output"},
	},
}

// graphKeys are the keys of the flow.
var graphKeys = []string{"id", "entry", "description", "max_iterations", "nodes"}

// Recognise looks for a flow as apps have it: under flow or runtime.flow, with an id of its own or beside an app.
func Recognise(src []byte) (why string, ok bool) {
	s, err := document.YAML("", src)
	if err != nil {
		return "", false
	}
	graph, path := graphOf(s.Root)
	app := s.Root.Get("app") != nil || s.Root.Get("schema_version") != nil
	switch {
	case graph == nil || graph.Kind != source.Map:
		return "", false
	case app:
		return "it has an app and " + path, true
	case s.Root.Get("name") == nil && graph.Get("id") != nil:
		return "it has " + path + " with an id, and no name outside of it", true
	default:
		return "", false
	}
}

// graphOf finds the graph, and the path of its key.
func graphOf(root *source.Value) (graph *source.Value, path string) {
	if graph := root.Get("flow"); graph != nil {
		return graph, "flow"
	}
	return root.Get("runtime").Get("flow"), "runtime.flow"
}

// Decode reads an app file.
func Decode(name string, src []byte) (document.Document, error) {
	s, err := document.YAML(name, src)
	if err != nil {
		return document.Document{}, err
	}
	r, err := newReading(s)
	if err != nil {
		return document.Document{}, err
	}
	s.RefuseSecrets()
	doc, problems := r.file()
	f := doc.Flow
	r.settle(f)
	document.Keep(f, src)
	strict := *doc
	strict.Flow = f.Clone()
	strict.Flow.Profile = flow.ProfileNative // what the format forbids is forbidden in a flow file, too
	out := document.Document{Flow: f, Problems: append(s.Problems(), problems...).Sorted()}
	return out.ValidatedBy(func(c flow.Checks) flow.Problems {
		agents.Resolve(f, c.Agents)
		c.Expression, c.Template = nil, nil
		if world := c.World; world != nil {
			c.World = func(_ *flow.Flow, report flow.Report) { world(f, report) }
		}
		return append(withoutTimeouts(strict.Validate(c)), unlisted(&strict, c)...)
	}), nil
}

// newReading finds the graph of an app.
func newReading(s *document.Source) (*reading, error) {
	graph, _ := graphOf(s.Root)
	if graph == nil || graph.Kind != source.Map {
		return nil, s.Unreadable(s.Root, "no-flow", "the app has no flow: nothing of it can be run here", "only apps with an explicit flow can be read")
	}
	return &reading{s: s, root: s.Root, graph: graph}, s.Count(graph.Get("nodes"))
}

// file reads the app as a flow file.
func (r *reading) file() (*file.Document, flow.Problems) {
	return file.Read(r.s.File, r.native(), dialect)
}

// withoutTimeouts leaves out that no route says what happens at a deadline: the format says it.
func withoutTimeouts(all flow.Problems) flow.Problems {
	return slices.DeleteFunc(all, func(p flow.Problem) bool { return p.Code == "timeout-unhandled" })
}

// unlisted warns of models that the app names and this installation does not list.
func unlisted(doc *file.Document, c flow.Checks) (all flow.Problems) {
	if c.Priced == nil {
		return nil
	}
	usual, _ := c.Priced("")
	for i, a := range doc.Flow.Agents {
		if name, known := c.Priced(a.Model); a.Model == "" || a.Registered || known || name == usual {
			continue
		}
		p := doc.Problem(fmt.Sprintf("agents[%d].model", i), "unknown-model", fmt.Sprintf("the model '%s' is not one that this installation lists", a.Model),
			"name one of SLUICE_MODELS, or none for the default model")
		p.Severity = flow.SeverityWarning
		all = append(all, p)
	}
	return all
}

// settle sets what the format says of every flow.
func (r *reading) settle(f *flow.Flow) {
	f.Profile = Profile
	f.Inputs, f.Triggers = inputs(f), r.starts()
	r.channelsUsed(f)
	if f.MaxVisits == 0 {
		f.Limits.Steps = visits
	}
	f.Rules.LateChoice = true
	for i := range f.Nodes {
		if s, ok := f.Nodes[i].Spec.(*flow.ApprovalSpec); ok {
			s.Deadline = &flow.Deadline{After: flow.Duration{Clock: answerTime}}
		}
	}
	for i := range f.Agents {
		f.Agents[i].Limits = r.agentLimits()
	}
}

// reading makes a flow file of an app.
type reading struct {
	s           *document.Source
	root, graph *source.Value
}

// native gives the file as the values of a flow file.
func (r *reading) native() *source.Value {
	flowPart := *r.graph
	flowPart.Pairs = nil
	for _, p := range r.graph.Pairs {
		switch {
		case p.Key == "id" || p.Key == "description":
		case slices.Contains(graphKeys, p.Key):
			flowPart.Pairs = append(flowPart.Pairs, p)
		default:
			r.s.Error(p.At, "flow."+p.Key, "unknown-key", fmt.Sprintf("unknown key '%s' in flow", p.Key), "known keys: "+strings.Join(graphKeys, ", "))
		}
	}
	r.id()
	out := source.Value{Kind: source.Map, At: r.root.At}
	out.Pairs = append(out.Pairs, pair("name", text(r.root.At, r.name())), pair("flow", &flowPart))
	if description := r.description(); description != nil {
		out.Pairs = append(out.Pairs, pair("description", description))
	}
	if agents := r.agents(); agents != nil {
		out.Pairs = append(out.Pairs, pair("agents", agents))
	}
	r.unused()
	return &out
}

func pair(key string, v *source.Value) source.Pair { return source.Pair{Key: key, At: v.At, Value: v} }

func text(at source.Place, s string) *source.Value {
	return &source.Value{Kind: source.String, At: at, Text: s}
}

// id checks the id of the flow.
func (r *reading) id() {
	switch id := r.graph.Get("id"); {
	case id == nil || id.Kind == source.Null:
		r.s.Error(r.graph.At, "flow.id", "missing-key", "'id' is missing in flow", "add id: a name for the flow")
	case strings.TrimSpace(id.Text) == "":
		r.s.Error(id.At, "flow.id", "empty", "'id' in flow must not be empty", "")
	}
}

// name is that of the app, or of the flow where there is none.
func (r *reading) name() string {
	app := r.root.Get("app")
	for _, v := range []*source.Value{app.Get("app_id"), app.Get("name"), r.graph.Get("id")} {
		if v != nil {
			if name := flow.Slug(v.Text); name != "" {
				return name
			}
		}
	}
	return "app"
}

// description is that of the flow, or of the app.
func (r *reading) description() *source.Value {
	for _, v := range []*source.Value{r.graph.Get("description"), r.root.Get("app").Get("description")} {
		if v != nil && v.Kind != source.Null {
			return v
		}
	}
	return nil
}
