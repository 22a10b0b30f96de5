package flow

import "sluice/engine/naming"

// KindToolexec is the kind of ToolexecSpec.
const KindToolexec Kind = "toolexec"

// ToolexecSpec performs the pending tool calls of a token, one after the other.
type ToolexecSpec struct {
	// Calls is an expression that gives the calls: a list of {name, arguments}. Without it they are those of the agent that
	// the token comes from, and Tools restricts them further.
	Calls string   `json:"calls,omitempty"`
	Tools []string `json:"tools,omitempty"` // what may be called; closed for Calls
}

// Kind is KindToolexec.
func (*ToolexecSpec) Kind() Kind { return KindToolexec }

func (s *ToolexecSpec) check(v *Checker, a At, _ *Node) {
	v.Expression(a.In("calls"), s.Calls)
	if s.Calls != "" && len(s.Tools) == 0 {
		v.Warn(a.In("tools"), "empty", "no tool may be called"+a.On, "list the tools that may be called")
	}
}

func (s *ToolexecSpec) describe(_ *Node) string {
	if len(s.Tools) > 0 {
		return "calls " + naming.List(s.Tools, "or") + " as asked"
	}
	return "performs the tool calls of an agent"
}

func (*ToolexecSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeProcess
}

func (*ToolexecSpec) does() int { return works }

func (*ToolexecSpec) checkTimeout(v *Checker, a At, n *Node) { v.atWork(a, n) }

func (s *ToolexecSpec) names() Names { return Names{Tools: pointers(s.Tools)} }

func (s *ToolexecSpec) parts() []Part {
	if s.Calls == "" {
		return nil
	}
	return []Part{{Key: "calls", Form: FormExpr, Text: s.Calls}}
}

func (s *ToolexecSpec) uses() []Use {
	all := make([]Use, len(s.Tools))
	for i, name := range s.Tools {
		all[i] = Use{What: UsedIfAsked, Name: name}
	}
	return all
}

func (*ToolexecSpec) journals() bool { return true }
