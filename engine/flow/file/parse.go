package file

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/source"
	"sluice/engine/flow/validate"
)

// Document is a flow file that was read: the flow and the places of its parts.
type Document struct {
	File string
	Flow *flow.Flow // never nil; incomplete where Parse found errors

	src       *source.File
	places    map[string]*source.Value // by path
	flagged   map[string]bool          // paths with an error, on which Validate has nothing to add
	uncertain map[int]bool             // nodes whose edges could not be read in full
	broken    bool                     // nothing was read
}

// Parse reads a flow file, YAML or JSON, and fills in defaults. It reports every problem of form in one pass, ordered
// by place; [Document.Validate] checks the targets of names. A flow is good only if both report no error.
// The document is never nil. Limits: [MaxDocumentBytes], [MaxDepth], [MaxNodes], [MaxValues].
func Parse(file string, src []byte) (*Document, flow.Problems) {
	p := newParsing(&source.File{Name: file}, Dialect{})
	root, bad := p.load(file, src, "it begins with name: and flow:")
	if bad != nil {
		return p.unread(bad)
	}
	return p.read(root)
}

// unread is the document of a file that could not be read.
func (p *parsing) unread(bad *source.Error) (*Document, flow.Problems) {
	return &Document{File: p.src.Name, Flow: &flow.Flow{}, src: p.src, broken: true}, flow.Problems{p.src.Problem(bad.At, flow.SeverityError, bad.Code, bad.Message, bad.Hint)}
}

// Read reads a flow from values that have the form of a flow file in a dialect.
func Read(src *source.File, root *source.Value, d Dialect) (*Document, flow.Problems) {
	return newParsing(src, d).read(root)
}

func newParsing(src *source.File, d Dialect) *parsing {
	return &parsing{src: src, dialect: d, places: map[string]*source.Value{}, flagged: map[string]bool{}, uncertain: map[int]bool{}}
}

func (p *parsing) read(root *source.Value) (*Document, flow.Problems) {
	f := p.document(root).WithDefaults()
	return &Document{File: p.src.Name, Flow: f, src: p.src, places: p.places, flagged: p.flagged, uncertain: p.uncertain}, p.problems.Sorted()
}

// Check parses and validates a file in one call and returns all problems, ordered by place.
func Check(file string, src []byte, c flow.Checks) (*Document, flow.Problems) {
	doc, problems := Parse(file, src)
	return doc, append(problems, doc.Validate(c)...).Sorted()
}

// Value finds the value of a part of the flow in the file, or nil.
func (d *Document) Value(path string) *source.Value { return d.places[path] }

// Broken reports whether nothing was read: the only problem says why.
func (d *Document) Broken() bool { return d.broken }

// parsing collects what one call of Parse finds.
type parsing struct {
	src       *source.File
	dialect   Dialect
	problems  flow.Problems
	places    map[string]*source.Value
	flagged   map[string]bool
	uncertain map[int]bool
}

// load reads a file whose values are a mapping. hint says how such a file begins.
func (p *parsing) load(file string, src []byte, hint string) (*source.Value, *source.Error) {
	if len(src) > flow.MaxDocumentBytes {
		return nil, &source.Error{
			Code:    "too-large",
			Message: fmt.Sprintf("the file has more than %d bytes, as many as a flow may have", flow.MaxDocumentBytes),
			Hint:    "move parts of it into subflows",
		}
	}
	p.src = source.New(file, src)
	if !validText(p.src.Text) {
		return nil, &source.Error{Code: "bad-text", At: source.Place{Line: 1, Column: 1}, Message: "the file is not UTF-8 text"}
	}
	duplicate := func(key string, at, first source.Place) {
		p.add(at, where{}, "duplicate-key", fmt.Sprintf("key '%s' is written twice", key),
			fmt.Sprintf("it is in line %d already; keep one of them", first.Line))
	}
	var root *source.Value
	var bad *source.Error
	text := strings.TrimSpace(p.src.Text)
	if strings.HasSuffix(file, ".json") || strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		root, bad = source.JSON(p.src, duplicate)
	} else {
		root, bad = source.YAML(p.src, duplicate)
	}
	if bad == nil && root.Kind != source.Map {
		bad = &source.Error{Code: "wrong-type", At: root.At, Message: "a flow file must be a mapping, not " + root.Kind.Words(), Hint: hint}
	}
	return root, bad
}

// where is the part of the flow that a value belongs to, for messages and places.
type where struct {
	path  string
	owner string // "flow node 'gate'", "agent 'bot'"
	inner string // inside the owner: "routes[0]"
	node  string // id of the node
	index int    // of the node, from 1; 0 = none
}

func (w where) in(key string) where {
	w.path = flow.JoinPath(w.path, key)
	w.inner = flow.JoinPath(w.inner, key)
	return w
}

// phrase gives " in routes[0] on flow node 'gate'", to follow the name of a key.
func (w where) phrase() string {
	var s string
	if w.inner != "" {
		s = " in " + w.inner
	}
	if w.owner != "" {
		s += " on " + w.owner
	}
	return s
}

// add reports an error.
func (p *parsing) add(at source.Place, w where, code, message, hint string) {
	if w.path != "" {
		p.flagged[w.path] = true
	}
	p.report(at, flow.SeverityError, w, code, message, hint)
}

func (p *parsing) report(at source.Place, severity flow.Severity, w where, code, message, hint string) {
	if len(p.problems) >= flow.MaxProblems {
		return
	}
	problem := p.src.Problem(at, severity, code, message, hint)
	problem.Node, problem.Path = w.node, w.path
	p.problems = append(p.problems, problem)
}

// fileShape is the top level of the file, see [field].
type fileShape struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Run         flow.RunSpec   `json:"run,omitzero"`
	Inputs      []flow.Input   `json:"inputs,omitempty"`
	Triggers    []flow.Trigger `json:"triggers,omitempty"`
	Agents      []flow.Agent   `json:"agents,omitempty"`
	Limits      flow.Limits    `json:"limits,omitzero"`
	Budget      flow.Budget    `json:"budget,omitzero"`
	Flow        graphShape     `json:"flow"`
}

// graphShape is the part of the file under the key flow.
type graphShape struct {
	ID          string        `json:"id,omitempty"`
	Description string        `json:"description,omitempty"`
	Entry       string        `json:"entry"`
	MaxVisits   int           `json:"max_iterations,omitempty"`
	Timeout     flow.Duration `json:"timeout,omitzero"`
	OnLimit     flow.OnLimit  `json:"on_limit,omitzero"`
	Nodes       []flow.Node   `json:"nodes"`
}

func (p *parsing) document(root *source.Value) *flow.Flow {
	root = p.legacyRuntime(root)
	var file fileShape
	p.decode(root, &file, where{})
	f := &flow.Flow{
		Name: file.Name, Description: file.Description, Run: file.Run, Inputs: file.Inputs, Triggers: file.Triggers,
		Agents: file.Agents, Limits: file.Limits, Budget: file.Budget,
		Entry: file.Flow.Entry, MaxVisits: file.Flow.MaxVisits, Timeout: file.Flow.Timeout, OnLimit: file.Flow.OnLimit,
		Nodes: file.Flow.Nodes,
	}
	p.name(root, f, file.Flow.ID)
	switch inner := file.Flow.Description; {
	case f.Description == "":
		f.Description = inner
	case inner != "" && inner != f.Description:
		w := where{path: "flow.description"}
		p.add(p.placeOf(w.path), w, "described-twice", "the flow has two descriptions", "keep the one at the top and remove flow.description")
	}
	return f
}

// legacyRuntime moves runtime.flow, where older files have the graph, to flow.
func (p *parsing) legacyRuntime(root *source.Value) *source.Value {
	runtime := root.Get("runtime")
	if runtime == nil || runtime.Kind != source.Map || runtime.Get("flow") == nil {
		return root
	}
	for _, pr := range runtime.Pairs {
		if pr.Key != "flow" {
			w := where{path: "runtime." + pr.Key}
			p.add(pr.At, w, "unknown-key", fmt.Sprintf("unknown key '%s' in runtime", pr.Key), "only runtime.flow is read here")
		}
	}
	moved := *root
	moved.Pairs = nil
	for _, pr := range root.Pairs {
		if pr.Key == "runtime" {
			if root.Get("flow") != nil {
				w := where{path: "runtime"}
				p.add(pr.At, w, "flow-twice", "the graph is written twice: as flow and as runtime.flow", "remove runtime.flow")
				continue
			}
			pr.Key, pr.Value = "flow", runtime.Get("flow")
		}
		moved.Pairs = append(moved.Pairs, pr)
	}
	return &moved
}

// name determines the name from the file's name and flow.id. A flow.id may contain capitals and underscores; as a name it is
// written with hyphens.
func (p *parsing) name(root *source.Value, f *flow.Flow, id string) {
	fromID := flow.Slug(id)
	switch {
	case f.Name == "" && root.Get("name") == nil && id == "":
		w := where{path: "name"}
		p.add(source.Place{Line: 1, Column: 1}, w, "missing-key", "the flow has no name", "write for example name: refund-triage at the top")
	case f.Name == "" && root.Get("name") == nil:
		f.Name = fromID
		p.places["name"] = p.places["flow.id"]
	case id != "" && fromID != f.Name && id != f.Name && f.Name != "":
		w := where{path: "flow.id"}
		p.add(p.placeOf(w.path), w, "name-mismatch", fmt.Sprintf("flow.id '%s' differs from the name '%s'", id, f.Name),
			"remove flow.id, or make both equal")
	}
}

func (p *parsing) placeOf(path string) source.Place {
	if v := p.places[path]; v != nil {
		return v.At
	}
	return source.Place{Line: 1, Column: 1}
}

// placeOf gives the place of a path. For a part that is not in the file, it gives the place of the nearest part around it.
func (d *Document) placeOf(path string, offset int) source.Place {
	if val := d.places[path]; val != nil && offset >= 0 {
		return d.src.Inside(val, offset)
	}
	for ; path != ""; path = flow.ParentPath(path) {
		if val := d.places[path]; val != nil {
			return val.At
		}
	}
	return source.Place{Line: 1, Column: 1}
}

// Validate checks the flow, see engine/flow/validate.
func (d *Document) Validate(c flow.Checks) flow.Problems {
	if d.broken {
		return nil
	}
	from := &flow.Origin{Size: len(d.src.Text), Flagged: d.flagged, Uncertain: d.uncertain}
	from.Place = func(p flow.Problem, offset int) flow.Problem {
		placed := d.src.Problem(d.placeOf(p.Path, offset), p.Severity, p.Code, p.Message, p.Hint)
		placed.Node, placed.Path, placed.About = p.Node, p.Path, p.About
		return placed
	}
	agents.Resolve(d.Flow, c.Agents)
	return validate.Read(d.Flow, from, c)
}
