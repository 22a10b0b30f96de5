package enginetest

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// calls are calls of tools by their names, with the ids c1, c2, ...
func calls(names string) []history.ToolCall {
	var all []history.ToolCall
	for i, name := range strings.Split(names, ",") {
		all = append(all, history.ToolCall{ID: fmt.Sprintf("c%d", i+1), Name: name, Arguments: `{"n":1}`})
	}
	return all
}

func called(calls []history.ToolCall) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Name
	}
	return strings.Join(names, ",")
}

// talkWords put the conversation that an agent goes on with on one line: CALLS=RESULTS for each turn, and what was said since.
func talkWords(p run.Perform) string {
	var words []string
	for _, t := range p.Talk {
		if len(t.Said.Calls) == 0 {
			words = append(words, fmt.Sprintf("%s=%s", t.Said.Text, t.Results.Text))
			continue
		}
		words = append(words, fmt.Sprintf("%s=%s", called(t.Said.Calls), t.Results.Data))
	}
	if p.Since != "" {
		words = append(words, "since "+p.Since)
	}
	return strings.Join(words, " ")
}

// says is what the person of a run says.
func (p *player) says(text string) error {
	_, err := p.d.Feed(run.Said{At: p.d.Now, Actor: history.Actor{User: "U1", Via: history.ViaMessage}, Text: text})
	return err
}

// askedWords name the calls that a step performs, and the agent that asked for them.
func askedWords(p run.Perform) string {
	return strings.TrimSpace(called(p.Asked) + " for " + p.Caller)
}

// external makes an agent whose calls another node performs, and that node. The results go to the agent or somewhere else.
func (g *generator) external(next string) string {
	exec := g.add(flow.KindToolexec, &flow.ToolexecSpec{}, "")
	if g.chance(30) {
		g.node(exec).Routes = []flow.Route{{If: flow.IfTool, When: "t.b", To: next}}
	}
	id := g.add(flow.KindAgent, &flow.AgentSpec{Agent: "bot", ToolMode: flow.ToolsExternal, Input: map[string]any{"about": g.template()}}, "")
	g.node(id).Routes = []flow.Route{{If: flow.IfTool, When: "nothing", To: exec}, {To: next}}
	return id
}

// wishes are the calls that an agent asks for in a step, or nothing.
func wishes(h uint64) []history.ToolCall {
	if h%4 == 0 {
		return nil
	}
	return calls([]string{"t.a", "t.a,t.b", "t.b"}[h%3])
}
