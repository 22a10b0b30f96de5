package flow

import "fmt"

// KindLLM is the kind of LLMSpec.
const KindLLM Kind = "llm"

// LLMSpec asks a model once. The output contains the tool calls that the model asks for; none of them is performed. The output has the fields
// response (text), data (what the schema asked for), tool_calls, success and meta.
type LLMSpec struct {
	Model       string         `json:"model,omitempty"`  // template; empty = the default of the installation
	System      string         `json:"system,omitempty"` // template
	Prompt      string         `json:"prompt"`           // template
	Schema      map[string]any `json:"schema,omitempty"` // JSON Schema of the answer
	Tools       []string       `json:"tools,omitempty"`  // what the model may ask for
	MaxTokens   int            `json:"max_tokens,omitempty"`
	Temperature *float64       `json:"temperature,omitempty"`
}

// Kind is KindLLM.
func (*LLMSpec) Kind() Kind { return KindLLM }

func (s *LLMSpec) check(v *Checker, a At, _ *Node) {
	if v.Required(a.In("prompt"), "prompt", s.Prompt) {
		v.Template(a.In("prompt"), s.Prompt, false)
	}
	v.Template(a.In("system"), s.System, false)
	v.Template(a.In("model"), s.Model, false)
	if v.Checks.Schema != nil && s.Schema != nil {
		if err := v.Checks.Schema(s.Schema); err != nil {
			v.Error(a.In("schema"), "bad-schema", fmt.Sprintf("'schema' is not a JSON Schema%s: %v", a.On, err), "")
		}
	}
}

func (s *LLMSpec) describe(_ *Node) string {
	return "asks a model: " + withoutTemplates(s.Prompt)
}

func (s *LLMSpec) chartType(_ *Flow, n *Node) FlowchartType {
	return hinted(s.Tools, n.Description)
}

func (*LLMSpec) does() int { return works }

func (*LLMSpec) checkTimeout(v *Checker, a At, n *Node) { v.atWork(a, n) }

func (s *LLMSpec) names() Names {
	return Names{Tools: pointers(s.Tools), Models: []*string{&s.Model}}
}

func (s *LLMSpec) parts() []Part {
	return []Part{{Form: FormValue, Value: map[string]any{"prompt": s.Prompt, "system": s.System, "model": s.Model}}}
}

func (s *LLMSpec) result() Result { return Result{Schema: s.Schema} }

func (*LLMSpec) journals() bool { return true }
