package flow

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Document is a flow file that was read: the flow and where each of its parts stands.
type Document struct {
	File string
	Flow *Flow // never nil; incomplete where Parse found errors

	src       *source
	places    map[string]*value // by path
	flagged   map[string]bool   // paths with an error, on which Validate has nothing to add
	uncertain map[int]bool      // nodes whose edges could not be read in full
	broken    bool              // nothing was read
}

// Parse reads a flow file, YAML or JSON, and fills in defaults. It reports every problem of form in one pass, ordered
// by place; what names refer to is checked by [Document.Validate]. A flow is good only if both report no error.
// The document is never nil. Limits: [MaxDocumentBytes], [MaxDepth], [MaxNodes], [MaxValues].
func Parse(file string, src []byte) (*Document, Problems) {
	p := &parsing{
		src: &source{file: file}, places: map[string]*value{},
		flagged: map[string]bool{}, uncertain: map[int]bool{},
	}
	doc := &Document{File: file, Flow: &Flow{}, places: p.places, flagged: p.flagged, uncertain: p.uncertain}
	root, bad := p.load(file, src)
	doc.src = p.src
	if bad != nil {
		doc.broken = true
		return doc, Problems{p.src.problem(bad.at, SeverityError, bad.code, bad.message, bad.hint)}
	}
	doc.Flow = p.document(root)
	fillDefaults(doc.Flow)
	return doc, p.problems.sorted()
}

// Check parses and validates a file in one call and returns all problems, ordered by place.
func Check(file string, src []byte, c Checks) (*Document, Problems) {
	doc, problems := Parse(file, src)
	return doc, append(problems, doc.Validate(c)...).sorted()
}

// parsing collects what one call of Parse finds.
type parsing struct {
	src       *source
	problems  Problems
	places    map[string]*value
	flagged   map[string]bool
	uncertain map[int]bool
}

func (p *parsing) load(file string, src []byte) (*value, *badDocument) {
	if len(src) > MaxDocumentBytes {
		return nil, &badDocument{
			code:    "too-large",
			message: fmt.Sprintf("the file has %d bytes; a flow may have %d", len(src), MaxDocumentBytes),
		}
	}
	p.src = newSource(file, src)
	if !validText(p.src.text) {
		return nil, &badDocument{code: "bad-text", at: place{1, 1}, message: "the file is not UTF-8 text"}
	}
	duplicate := func(key string, at, first place) {
		p.add(at, where{}, "duplicate-key", fmt.Sprintf("key '%s' is written twice", key),
			fmt.Sprintf("it stands in line %d already; keep one of them", first.line))
	}
	var root *value
	var bad *badDocument
	text := strings.TrimSpace(p.src.text)
	if strings.HasSuffix(file, ".json") || strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		root, bad = readJSON(p.src, duplicate)
	} else {
		root, bad = readYAML(p.src, duplicate)
	}
	if bad == nil && root.kind != kindMap {
		bad = &badDocument{
			code: "wrong-type", at: root.at, message: "a flow file must be a mapping, not " + root.kind.words(),
			hint: "it begins with name: and flow:",
		}
	}
	return root, bad
}

// where says what a value belongs to, for messages and places.
type where struct {
	path  string
	owner string // "flow node 'gate'", "agent 'bot'"
	inner string // inside the owner: "routes[0]"
	node  string // id of the node
	index int    // of the node, from 1; 0 = none
}

func (w where) in(key string) where {
	w.path = join(w.path, key)
	w.inner = join(w.inner, key)
	return w
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
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
func (p *parsing) add(at place, w where, code, message, hint string) {
	if w.path != "" {
		p.flagged[w.path] = true
	}
	p.report(at, SeverityError, w, code, message, hint)
}

func (p *parsing) report(at place, severity Severity, w where, code, message, hint string) {
	if len(p.problems) >= maxProblems {
		return
	}
	problem := p.src.problem(at, severity, code, message, hint)
	problem.Node, problem.Path = w.node, w.path
	p.problems = append(p.problems, problem)
}

// fileShape is the file from outside, see [field].
type fileShape struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Run         RunSpec    `json:"run,omitzero"`
	Inputs      []Input    `json:"inputs,omitempty"`
	Triggers    []Trigger  `json:"triggers,omitempty"`
	Agents      []Agent    `json:"agents,omitempty"`
	Limits      Limits     `json:"limits,omitzero"`
	Budget      Budget     `json:"budget,omitzero"`
	Flow        graphShape `json:"flow"`
}

// graphShape is the part of the file under the key flow.
type graphShape struct {
	ID          string   `json:"id,omitempty"`
	Description string   `json:"description,omitempty"`
	Entry       string   `json:"entry"`
	MaxVisits   int      `json:"max_iterations,omitempty"`
	Timeout     Duration `json:"timeout,omitzero"`
	OnLimit     OnLimit  `json:"on_limit,omitzero"`
	Nodes       []Node   `json:"nodes"`
}

func (p *parsing) document(root *value) *Flow {
	root = p.legacyRuntime(root)
	var file fileShape
	p.decode(root, &file, where{})
	f := &Flow{
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

// legacyRuntime moves runtime.flow, where older S3 files have the graph, to flow.
func (p *parsing) legacyRuntime(root *value) *value {
	runtime := root.get("runtime")
	if runtime == nil || runtime.kind != kindMap || runtime.get("flow") == nil {
		return root
	}
	for _, pr := range runtime.pairs {
		if pr.key != "flow" {
			w := where{path: "runtime." + pr.key}
			p.add(pr.at, w, "unknown-key", fmt.Sprintf("unknown key '%s' in runtime", pr.key), "only runtime.flow is read here")
		}
	}
	moved := *root
	moved.pairs = nil
	for _, pr := range root.pairs {
		if pr.key == "runtime" {
			if root.get("flow") != nil {
				w := where{path: "runtime"}
				p.add(pr.at, w, "flow-twice", "the graph is written twice: as flow and as runtime.flow", "remove runtime.flow")
				continue
			}
			pr.key, pr.value = "flow", runtime.get("flow")
		}
		moved.pairs = append(moved.pairs, pr)
	}
	return &moved
}

// name settles the name from the file's name and flow.id. An S3 id may hold capitals and underscores; as a name it is
// written with hyphens.
func (p *parsing) name(root *value, f *Flow, id string) {
	fromID := Slug(id)
	switch {
	case f.Name == "" && root.get("name") == nil && id == "":
		w := where{path: "name"}
		p.add(place{1, 1}, w, "missing-key", "the flow has no name", "write for example name: refund-triage at the top")
	case f.Name == "" && root.get("name") == nil:
		f.Name = fromID
		p.places["name"] = p.places["flow.id"]
	case id != "" && fromID != f.Name && id != f.Name && f.Name != "":
		w := where{path: "flow.id"}
		p.add(p.placeOf(w.path), w, "name-mismatch", fmt.Sprintf("flow.id '%s' differs from the name '%s'", id, f.Name),
			"remove flow.id, or make both equal")
	}
}

// Slug turns words into a name of a flow: lower-case letters, digits and single hyphens; "" if nothing is left.
func Slug(words string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(words) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (p *parsing) placeOf(path string) place {
	if v := p.places[path]; v != nil {
		return v.at
	}
	return place{1, 1}
}
