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

func (s *AgentSpec) check(v *Checker, a At, _ *Node) {
	if v.Required(a.In("agent"), "agent", s.Agent) && v.Flow.AgentByID(s.Agent) == nil {
		v.Error(a.In("agent"), "unknown-agent", fmt.Sprintf("unknown agent '%s'%s", s.Agent, a.On), v.AgentHint(s.Agent))
	}
	v.Templates(a.In("input"), s.Input, false)
	if s.ToolMode != ToolsInternal && s.ToolMode != ToolsExternal {
		v.Error(a.In("tool_mode"), "wrong-value", fmt.Sprintf("unknown tool_mode '%s'%s", s.ToolMode, a.On), "external, or nothing")
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

func (*AgentSpec) checkTimeout(v *Checker, a At, n *Node) { v.atWork(a, n) }

func (s *AgentSpec) parts() []Part { return []Part{{Key: "input", Form: FormValue, Value: s.Input}} }

func (s *AgentSpec) uses() []Use { return []Use{{What: UsedAgent, Name: s.Agent}} }

func (s *AgentSpec) names() Names { return Names{Agents: []*string{&s.Agent}} }

func (s *AgentSpec) result() Result { return Result{Agent: s.Agent} }

func (*AgentSpec) journals() bool { return true }
