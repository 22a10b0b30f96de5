package routing

import (
	"bytes"
	"fmt"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

// Profile names the format.
const Profile flow.Profile = "routing"

// The limits of a run.
const (
	maxVisits = 15
	maxTime   = 90 * time.Second
)

// Recognise looks for the entry, and for the kinds of nodes and edges that only this format has.
func Recognise(src []byte) (why string, ok bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(withoutComments(src)), []byte("{")) {
		return "", false
	}
	s, err := document.JSON("", withoutComments(src))
	if err != nil {
		return "", false
	}
	nodes, edges := s.Root.Get("nodes"), s.Root.Get("edges")
	switch {
	case nodes == nil || nodes.Kind != source.List:
		return "", false
	case s.Root.Get("entrypointNodeId") != nil:
		return "it has entrypointNodeId and nodes", true
	case anyHas(nodes, "nodeType") && anyHas(edges, "conditionType"):
		return "its nodes have a nodeType and its edges a conditionType", true
	default:
		return "", false
	}
}

func anyHas(list *source.Value, key string) bool {
	if list != nil {
		for _, v := range list.Items {
			if v.Get(key) != nil {
				return true
			}
		}
	}
	return false
}

// withoutComments replaces comments from // to the end of a line by blanks, so that places stay as they are.
func withoutComments(src []byte) []byte {
	out := bytes.Clone(src)
	quoted := false
	for i := 0; i < len(out); i++ {
		switch {
		case quoted && out[i] == '\\':
			i++
		case out[i] == '"':
			quoted = !quoted
		case !quoted && out[i] == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n' && out[i] != '\r'; i++ {
				out[i] = ' '
			}
		}
	}
	return out
}

// Decode reads a workflow.
func Decode(name string, src []byte) (document.Document, error) {
	if err := document.Size(name, src); err != nil {
		return document.Document{}, err
	}
	s, err := document.JSON(name, withoutComments(src))
	if err != nil {
		return document.Document{}, err
	}
	r, err := read(s)
	if err != nil {
		return document.Document{}, err
	}
	doc := s.Document(r.flow)
	document.Keep(doc.Flow, src)
	whole := doc
	whole.Problems = nil
	return doc.ValidatedBy(func(c flow.Checks) flow.Problems {
		all := whole.Check(c)
		for i, p := range all {
			if p.Code == "unknown-agent" && !r.listed && len(c.Agents) == 0 {
				all[i].Severity = flow.SeverityWarning
			}
		}
		return append(all, r.executors(doc.Flow)...)
	}), nil
}

// read reads a workflow from its values.
func read(s *document.Source) (*reading, error) {
	nodes := s.Root.Get("nodes")
	if s.Root.Kind != source.Map || nodes == nil || nodes.Kind != source.List {
		return nil, s.Unreadable(s.Root, "no-nodes", "a workflow is an object with a list of nodes", "")
	}
	if err := s.Count(nodes); err != nil {
		return nil, err
	}
	s.RefuseSecrets()
	r := &reading{s: s, root: s.Root, flow: &flow.Flow{Profile: Profile}, agents: map[string]*source.Value{}, index: map[string]int{}, links: map[*source.Value]link{}}
	r.header()
	r.listAgents()
	r.nodes(nodes)
	r.edges()
	r.handoff()
	return r, nil
}

// reading makes a flow of a workflow.
type reading struct {
	s      *document.Source
	root   *source.Value
	flow   *flow.Flow
	listed bool                     // the file lists agents
	agents map[string]*source.Value // listed agents, by id
	index  map[string]int           // nodes, by id

	written []*source.Value // the nodes as the file has them
	links   map[*source.Value]link
}

// text is the string or number under a key; "" where there is none. Ids may be numbers.
func text(v *source.Value, key string) string {
	if field := v.Get(key); field != nil && (field.Kind == source.String || field.Kind == source.Number) {
		return field.Text
	}
	return ""
}

// at is the place of a key, or of what lacks it.
func at(v *source.Value, key string) source.Place {
	if field := v.Get(key); field != nil {
		return field.At
	}
	return v.At
}

// header reads what holds for the whole workflow.
func (r *reading) header() {
	f := r.flow
	f.Description = text(r.root, "description")
	r.s.Key("description", r.root, "description", nil)
	for _, key := range []string{"id", "name"} {
		if f.Name == "" {
			f.Name = flow.Slug(text(r.root, key))
		}
	}
	if f.Name == "" {
		r.s.Error(at(r.root, "id"), "name", "missing-key", "the workflow has no id", `add "id": a name for the workflow`)
	}
	if v := r.root.Get("isConversational"); v != nil {
		f.Rules.Conversational, _ = v.Data.(bool)
		r.s.At("rules.conversational", v)
		if v.Kind != source.Bool {
			r.s.Error(v.At, "", "wrong-type", "'isConversational' must be true or false", "")
		}
	}
	f.Inputs = []flow.Input{{Name: messageInput, Type: "string", Description: "What the agents are told"}}
	f.MaxVisits = maxVisits
	f.Timeout = flow.Duration{Clock: maxTime}
	f.Rules.NodeTimeout = flow.Duration{Clock: maxTime}
	f.OnLimit.Action = flow.LimitInterrupt
	f.Entry = text(r.root, "entrypointNodeId")
	r.s.At("flow.entry", r.root.Get("entrypointNodeId"))
}

// checkEntry checks the entry once the nodes are known.
func (r *reading) checkEntry() {
	switch _, known := r.index[r.flow.Entry]; {
	case r.flow.Entry == "":
		r.s.Error(at(r.root, "entrypointNodeId"), "flow.entry", "missing-key", "'entrypointNodeId' is missing", "name the node where runs begin")
	case !known:
		r.s.Error(at(r.root, "entrypointNodeId"), "flow.entry", "unknown-target", fmt.Sprintf("the entrypoint '%s' is not a node", r.flow.Entry), "")
	}
}
