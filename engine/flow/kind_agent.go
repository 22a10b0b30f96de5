package flow

import "fmt"

// KindAgent is the kind of AgentSpec.
const KindAgent Kind = "agent"

// AgentSpec runs a declared agent.
type AgentSpec struct {
	Agent    string         `json:"agent"`
	Input    map[string]any `json:"input,omitempty"`
	ToolMode ToolMode       `json:"tool_mode,omitempty"`
}

// ToolMode says who performs the tool calls of an agent.
type ToolMode string

// The tool modes.
const (
	ToolsInternal ToolMode = ""         // the step itself, until the agent answers
	ToolsExternal ToolMode = "external" // a toolexec node: the calls are the step's output
)

// Kind is KindAgent.
func (*AgentSpec) Kind() Kind { return KindAgent }

func (s *AgentSpec) check(v *validator, a at, _ *Node) {
	if v.required(a.in("agent"), "agent", s.Agent) && v.f.AgentByID(s.Agent) == nil {
		v.error(a.in("agent"), "unknown-agent", fmt.Sprintf("unknown agent '%s'%s", s.Agent, a.on), v.agentHint(s.Agent))
	}
	v.templates(a.in("input"), s.Input, false)
	if s.ToolMode != ToolsInternal && s.ToolMode != ToolsExternal {
		v.error(a.in("tool_mode"), "wrong-value", fmt.Sprintf("unknown tool_mode '%s'%s", s.ToolMode, a.on), "external, or nothing")
	}
}

func (s *AgentSpec) describe(_ *Node) string {
	return "agent " + s.Agent
}

func (s *AgentSpec) chartType(f *Flow, n *Node) FlowchartType {
	agent := f.AgentByID(s.Agent)
	switch {
	case agent == nil:
		return hinted(nil, n.Description)
	case len(agent.Subagents) > 0:
		return TypeSubprocess
	default:
		return hinted(agent.Tools, n.Description)
	}
}

func (*AgentSpec) does() int { return works }

func (*AgentSpec) checkTimeout(v *validator, a at, n *Node) { v.atWork(a, n) }
