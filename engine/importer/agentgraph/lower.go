package agentgraph

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

// Profile names the format.
const Profile flow.Profile = "agentgraph"

const subagentTurns = 20 // of an agent that another one calls

const messageParam = "user_message" // of an agent

// InputName is the one input of a run: what the start gives.
const InputName = "input"

// Recognise looks for a list of connections, and for a node of a type that the format has.
func Recognise(src []byte) (why string, ok bool) {
	s, err := document.JSON("", src)
	if err != nil || s.Root.Get("nodes") == nil || s.Root.Get("connections") == nil || s.Root.Get("connections").Kind != source.List {
		return "", false
	}
	for _, n := range list(s.Root, "nodes") {
		if kind := text(n, "type"); slices.Contains([]string{typeStart, typeAgent, typeIf, typeApproval}, kind) {
			return "it has connections, and a node of the type " + kind, true
		}
	}
	return "", false
}

// Decode reads a document. Its error lists every violation of the format.
func Decode(name string, src []byte) (document.Document, error) {
	s, err := document.JSON(name, src)
	if err != nil {
		return document.Document{}, err
	}
	if s.Root.Kind != source.Map || s.Root.Get("nodes") == nil {
		return document.Document{}, s.Unreadable(s.Root, "missing-key", "the document has no nodes", "")
	}
	for _, key := range []string{"nodes", "connections"} {
		if len(list(s.Root, key)) > 10*flow.MaxNodes {
			return document.Document{}, s.Unreadable(s.Root.Get(key), "too-large", "the document has too many "+key, "")
		}
	}
	if err := s.Count(s.Root.Get("nodes")); err != nil {
		return document.Document{}, err
	}
	s.RefuseSecrets()
	l, err := lowered(name, s)
	if err != nil {
		return document.Document{}, err
	}
	return s.Document(l.flow), nil
}

// lowered makes the flow of a document.
func lowered(name string, s *document.Source) (*lowering, error) {
	r := reader{s}
	g := r.graph()
	r.preflight(g)
	if err := s.Problems().Err(); err != nil {
		return nil, err
	}
	l := &lowering{reader: r, graph: g, ids: map[string]string{}, nested: map[string]bool{}}
	l.lower(strings.TrimSuffix(name, ".json"))
	return l, nil
}

// lowering makes the flow of a graph.
type lowering struct {
	reader
	graph  graph
	ids    map[string]string // by id of the document: the id in the flow
	nested map[string]bool   // agents that others call
	flow   *flow.Flow
}

func (l *lowering) lower(name string) {
	l.flow = &flow.Flow{
		Name: cmp.Or(flow.Slug(l.graph.name), flow.Slug(name), "graph"), Profile: Profile,
		Rules: flow.Rules{PauseAll: true, InputAlone: true}, OnLimit: flow.OnLimit{Action: flow.LimitInterrupt},
	}
	for _, n := range l.graph.nodes {
		l.name(n.id)
		if n.kind == typeStart {
			l.flow.Entry = l.ids[n.id]
		}
		for _, id := range l.graph.subagents(n.id) {
			l.nested[id] = true
		}
	}
	for _, n := range l.graph.nodes {
		out := flow.Node{ID: l.ids[n.id], Policy: flow.PolicyAll, Spec: l.spec(n)}
		if n.kind == typeAgent {
			out.Name, out.Subagents = agentName(n), l.named(l.graph.subagents(n.id))
		}
		out.Aside = n.kind == typeApproval
		for _, c := range l.graph.execution(n.id) {
			route := flow.Route{If: flow.IfAlways, To: l.ids[c.target]}
			if n.kind == typeIf || n.kind == typeApproval {
				route.If, route.When = flow.IfHandle, c.handle
			}
			if route.If == flow.IfAlways || route.When != "" {
				out.Routes = append(out.Routes, route)
			}
		}
		if n.kind == typeStart {
			l.flow.Inputs = []flow.Input{{Name: InputName, Type: "string", Default: text(n.data, "initialInput")}}
		}
		l.At(fmt.Sprintf("flow.nodes[%d]", len(l.flow.Nodes)), n.at)
		l.slots(n)
		l.flow.Nodes = append(l.flow.Nodes, out)
	}
}

var oddCharacter = regexp.MustCompile(`[^\p{L}\p{N}_.-]+`)

// name gives an id of the document an id that a flow may have.
func (l *lowering) name(id string) {
	base := cmp.Or(strings.Trim(oddCharacter.ReplaceAllString(id, "-"), "-"), "node")
	if base == flow.End {
		base = "node-end"
	}
	free := base
	taken := func(name string) bool {
		for _, other := range l.ids {
			if other == name {
				return true
			}
		}
		return false
	}
	for k := 2; taken(free); k++ {
		free = fmt.Sprintf("%s-%d", base, k)
	}
	l.ids[id] = free
}

func (l *lowering) named(ids []string) (out []string) {
	for _, id := range ids {
		out = append(out, l.ids[id])
	}
	return out
}

// spec makes the part of a node that belongs to its kind.
func (l *lowering) spec(n node) flow.Spec {
	switch n.kind {
	case typeStart:
		return &flow.EntrySpec{Outputs: map[string]any{"initial": "{{default(inputs." + InputName + ", " + expression(text(n.data, "initialInput")) + ")}}"}}
	case typeAgent:
		return &flow.AgentSpec{Agent: l.agent(n), Input: map[string]any{messageParam: l.prompt(text(n.data, "userPrompt"))}}
	case typeIf:
		return &flow.DecisionSpec{Cases: l.cases(n.conditions()), Expr: "'" + handleFalse + "'"}
	case typeApproval:
		return &flow.ApprovalSpec{Message: literal(cmp.Or(text(n.data, "prompt"), defaultApproval)), Choices: []string{handleApprove, handleReject}}
	default:
		return &flow.DecisionSpec{Expr: "''"}
	}
}

// previous is the expression of the previous output as a text. Before any agent has answered it is what the start gives.
func (l *lowering) previous() string {
	return fmt.Sprintf(`default(default(previous.text, previous), nodes["%s"].initial)`, l.flow.Entry)
}

// prompt is the template of a user prompt. Only the one placeholder is replaced; everything else is text.
func (l *lowering) prompt(src string) string {
	if strings.TrimSpace(src) == "" {
		src = placeholder
	}
	parts := strings.Split(src, placeholder)
	for i := range parts {
		parts[i] = literal(parts[i])
	}
	return strings.Join(parts, "{{"+l.previous()+"}}")
}

// literal is a template that gives a text as it is.
func literal(s string) string { return strings.ReplaceAll(s, "{{", `{{"{"}}{{"{"}}`) }

// cases are the conditions of an if, the input being compared in small letters. A condition without a value never holds, and its number
// stays taken.
func (l *lowering) cases(conditions []condition) (all []flow.Case) {
	for i, c := range conditions {
		value := strings.ToLower(strings.TrimSpace(c.value))
		if value == "" {
			continue
		}
		when := fmt.Sprintf(`concat("=", lower(str(%s))) == %s`, l.previous(), expression("="+value)) // texts, also where they are numbers
		if c.operator == "contains" {
			when = fmt.Sprintf(`lower(str(%s)) contains %s`, l.previous(), expression(value))
		}
		all = append(all, flow.Case{When: when, Value: conditionHandle(i)})
	}
	return all
}

// expression writes a text as an expression.
func expression(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	if !strings.Contains(s, "}}") {
		return `"` + s + `"`
	}
	return `concat("` + strings.ReplaceAll(s, "}", `", "}", "`) + `")`
}

func agentName(n node) string { return cmp.Or(text(n.data, "agentName"), defaultName) }

// ToolName is the name of the tool by which an agent calls another.
func ToolName(agentName, nodeID string) string {
	return strings.ToLower("subagent_" + slug(agentName) + "_" + slug(nodeID))
}

// agent declares the agent of a node, and gives its id.
func (l *lowering) agent(n node) string {
	a := flow.Agent{
		ID: l.agentID(n.id), Model: text(n.data, "model"),
		Instructions: cmp.Or(text(n.data, "systemPrompt"), defaultSystem),
		Description:  l.summary(n),
	}
	if flag(n.data.Get("tools"), "web_search") {
		a.Tools = []string{"web_search"}
	}
	for _, id := range l.graph.subagents(n.id) {
		a.Subagents = append(a.Subagents, l.agentID(id))
	}
	if l.nested[n.id] {
		a.Limits.Turns = subagentTurns
	}
	if effort := text(n.data, "reasoningEffort"); effort != "" && effort != "low" {
		l.Warn(n.at.At, "", "reasoning-effort", fmt.Sprintf("the reasoning effort of '%s' is left to the model", n.id), "")
	}
	l.flow.Agents = append(l.flow.Agents, a)
	return a.ID
}

// agentID is the id of a node's agent. That of a subagent is the name of its tool.
func (l *lowering) agentID(id string) string {
	if !l.nested[id] {
		return l.ids[id]
	}
	name := ToolName(agentName(l.graph.nodes[l.graph.index[id]]), id)
	clash := slices.ContainsFunc(l.graph.nodes, func(n node) bool {
		return n.id != id && (l.ids[n.id] == name || l.nested[n.id] && ToolName(agentName(n), n.id) == name)
	})
	if clash {
		return name + "_" + fmt.Sprint(l.graph.index[id])
	}
	return name
}

// The limits of the description of a subagent.
const (
	summaryMost = 280 // characters of its prompt
	nestedMost  = 4   // names of its own subagents
)

// summary describes an agent to the agents that call it.
func (l *lowering) summary(n node) string {
	words := []rune(strings.Join(strings.Fields(cmp.Or(text(n.data, "systemPrompt"), text(n.data, "userPrompt"))), " "))
	parts := []string{agentName(n) + ": " + string(words[:min(len(words), summaryMost)])}
	if flag(n.data.Get("tools"), "web_search") {
		parts = append(parts, "Tools: web search.")
	}
	var names []string
	for _, id := range l.graph.subagents(n.id) {
		names = append(names, agentName(l.graph.nodes[l.graph.index[id]]))
	}
	if more := len(names) - nestedMost; more > 0 {
		names = append(names[:nestedMost], fmt.Sprintf("+%d more", more))
	}
	if len(names) > 0 {
		parts = append(parts, "Subagents: "+strings.Join(names, ", ")+".")
	}
	return strings.Join(parts, " ")
}
