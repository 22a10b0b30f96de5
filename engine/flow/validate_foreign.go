package flow

import (
	"fmt"
	"slices"
)

// foreignSpec checks the part of a node that belongs to a foreign kind.
func (v *validator) foreignSpec(a at, n *Node) {
	switch s := n.Spec.(type) {
	case *EntrySpec:
		v.entry(a, s)
	case *LLMSpec:
		if v.required(a.in("prompt"), "prompt", s.Prompt) {
			v.template(a.in("prompt"), s.Prompt, false)
		}
		v.template(a.in("system"), s.System, false)
		v.template(a.in("model"), s.Model, false)
		if v.checks.Schema != nil && s.Schema != nil {
			if err := v.checks.Schema(s.Schema); err != nil {
				v.error(a.in("schema"), "bad-schema", fmt.Sprintf("'schema' is not a JSON Schema%s: %v", a.on, err), "")
			}
		}
		v.tools(a, s.Tools)
	case *ToolexecSpec:
		v.expression(a.in("calls"), s.Calls)
		v.tools(a, s.Tools)
		if s.Calls != "" && len(s.Tools) == 0 {
			v.warn(a.in("tools"), "empty", "no tool may be called"+a.on, "list the tools that may be called")
		}
	case *LoopSpec:
		v.loop(a, n, s)
	case *SequenceSpec:
		if len(s.Branches) == 0 {
			v.error(a.in("branches"), "too-few-branches", "a sequence needs at least one branch"+a.on, "")
		}
	case *ComputeSpec:
		v.templates(a.in("value"), s.Value, false)
		if s.Pull && len(n.Routes) > 0 {
			v.error(a.in("routes"), "out-of-place", "no token passes a value that is made when it is read, so it has no routes"+a.on, "")
		}
	case *OpaqueSpec:
		v.warn(a, "opaque", fmt.Sprintf("'%s' cannot be run here (%s): a run that reaches it stops there", n.ID, s.what()), "replace it by steps that can be run")
	}
}

func (v *validator) tools(a at, names []string) {
	for i, name := range names {
		v.tool(a.item("tools", i), name)
	}
}

func (v *validator) entry(a at, s *EntrySpec) {
	if !slices.Contains([]StartKind{StartManual, StartRequest, StartEvent, StartSchedule}, s.Start) {
		v.error(a.in("start"), "wrong-value", fmt.Sprintf("unknown start '%s'%s", s.Start, a.on), "one of manual, request, event, schedule")
	}
	v.templates(a.in("outputs"), s.Outputs, false)
	for i, name := range s.Vars {
		_, known := s.Outputs[name]
		if s.Outputs != nil && !known || s.Outputs == nil && v.inputNamed(name) == nil {
			v.error(a.item("vars", i), "unknown-name", fmt.Sprintf("'%s' is not an output%s", name, a.on), "")
		}
	}
}

func (v *validator) loop(a at, n *Node, s *LoopSpec) {
	switch s.Type {
	case LoopFor:
		v.required(a.in("to"), "to", s.To)
		v.expression(a.in("from"), s.From)
		v.expression(a.in("to"), s.To)
		v.expression(a.in("step"), s.Step)
	case LoopWhile:
		v.required(a.in("while"), "while", s.While)
		v.expression(a.in("while"), s.While)
	case LoopEach:
		v.required(a.in("items"), "items", s.Items)
		v.expression(a.in("items"), s.Items)
	default:
		v.error(a.in("loop"), "wrong-value", fmt.Sprintf("unknown loop '%s'%s", s.Type, a.on), "one of for, while, each")
	}
	if !identifier.MatchString(s.As) || slices.Contains(contextRoots, s.As) || v.f.Node(s.As) != nil {
		v.error(a.in("as"), "bad-name", fmt.Sprintf("'%s' cannot be a name%s", s.As, a.on), "use letters, digits and _, and no id of a node")
	}
	if body := a.in("body"); v.required(body, "body", s.Body) {
		if s.Body == End || s.Body == n.ID {
			v.error(body, "bad-body", fmt.Sprintf("'%s' cannot be the body%s", s.Body, a.on), "name the first node that each round goes through")
		}
	}
}

// beginnings lists the nodes that tokens come to without an edge: entries, and values that are made when they are read.
func (v *validator) beginnings() []int {
	var all []int
	for i := range v.f.Nodes {
		switch s := v.f.Nodes[i].Spec.(type) {
		case *EntrySpec:
			all = append(all, i)
		case *ComputeSpec:
			if s.Pull {
				all = append(all, i)
			}
		}
	}
	return all
}
