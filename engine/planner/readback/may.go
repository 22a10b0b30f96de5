package readback

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/tool"
)

// groups collects different texts by a key, in the order in which the keys come.
type groups struct {
	keys []string
	of   map[string][]string
}

func (g *groups) add(key, text string) {
	if g.of == nil {
		g.of = map[string][]string{}
	}
	if _, known := g.of[key]; !known {
		g.keys = append(g.keys, key)
	}
	if !slices.Contains(g.of[key], text) {
		g.of[key] = append(g.of[key], text)
	}
}

// May lists in sentences the rights of a flow: the data that it reads and can change, and the people and channels that it writes to or asks.
func May(f *flow.Flow, tools []tool.Tool) []string {
	r := newReader(f, tools)
	var u groups // what a flow may do outside: the parts of a sentence by the sentence
	for i := range f.Nodes {
		r.may(&u, &f.Nodes[i])
	}
	return u.sentences()
}

// may adds what one node may do outside.
func (r *reader) may(u *groups, n *flow.Node) {
	for _, s := range n.Uses() {
		switch s.What {
		case flow.UsedAgent:
			r.mayAgent(u, s.Name, nil)
		case flow.UsedFlow:
			u.add("Runs the flow %s.", s.Name)
		case flow.UsedTool:
			r.mayCall(u, n, s)
		}
	}
	if q := n.Question(); q != nil {
		who := WhoDecides(n)
		if q.Who == nil {
			who = []string{"members of the channel"}
		}
		if d := q.Deadline; d != nil && d.Escalate != nil {
			who = append(who, d.Escalate.To)
		}
		for _, name := range who {
			u.add("Asks %s.", name)
		}
	}
}

// sentences are what was collected, one sentence for each sort of thing.
func (g *groups) sentences() []string {
	var out []string
	for _, order := range []string{"Reads", "An AI agent can", "The agent", "Can", "Sends", "Runs", "Writes", "Asks"} {
		for _, sentence := range g.keys {
			if strings.HasPrefix(sentence, order+" ") {
				out = append(out, fmt.Sprintf(sentence, english.Join(g.of[sentence], "and")))
			}
		}
	}
	return out
}

func (r *reader) mayCall(u *groups, n *flow.Node, s flow.Use) {
	t, known := r.tools[s.Name]
	if !known {
		u.add("Can %s.", english.Uncapital(n.DisplayName())+" (no such tool is connected)")
		return
	}
	if m := env.MessagingOf(t); m != nil {
		to := r.address(s.Params[m.To])
		if strings.Contains(to, "{{") {
			to = "an address that a run names"
		}
		u.add("Writes to %s.", to)
		return
	}
	sentence, part := deed(t, tool.Effects(t, s.Effects), hostOf(t, s.Params))
	u.add(sentence, part)
}

// mayAgent adds what an agent may do, and the agents that it may ask. above are those that ask it.
func (r *reader) mayAgent(u *groups, id string, above []string) {
	a := r.f.AgentByID(id)
	if a == nil || slices.Contains(above, id) {
		return
	}
	r.mayAlone(u, a)
	for _, sub := range a.Subagents {
		r.mayAgent(u, sub, append(slices.Clip(above), id))
	}
}

// mayAlone adds what an agent may do by itself. People know an agent of the installation by its id.
func (r *reader) mayAlone(u *groups, a *flow.Agent) {
	sentence := "An AI agent can %s."
	if a.Registered {
		sentence = "The agent " + strings.ReplaceAll(a.ID, "%", "%%") + " can %s."
		if len(a.Tools)+len(a.Subagents) == 0 {
			u.add("The agent %s answers without tools.", a.ID)
		}
	}
	for _, name := range a.Tools {
		t, known := r.tools[name]
		if !known {
			u.add(strings.TrimSuffix(sentence, "%s.")+"use %s (not connected).", name)
			continue
		}
		if t.Effects == flow.EffectsRead && !a.Registered {
			u.add(deed(t, t.Effects, t.Host))
			continue
		}
		u.add(sentence, cmp.Or(english.Uncapital(strings.TrimRight(t.Description, ". ")), name))
	}
	for _, sub := range a.Subagents {
		if a.Registered {
			u.add(sentence, "ask the agent "+sub)
		}
	}
}

// using names what an agent may use, by what it does.
func (r *reader) using(agent string) string {
	a := r.f.AgentByID(agent)
	if a == nil || len(a.Tools) == 0 {
		return ""
	}
	var names []string
	for _, name := range a.Tools {
		names = append(names, cmp.Or(strings.TrimRight(r.tools[name].Description, ". "), name))
	}
	return " using " + english.Join(names, "and")
}

// deed describes the effect of one call.
func deed(t tool.Tool, effects flow.Effects, host string) (sentence, part string) {
	what := english.Uncapital(strings.TrimRight(t.Description, ". "))
	module, action, _ := strings.Cut(t.Name, ".")
	system := cmp.Or(english.SentenceCase(strings.ReplaceAll(module, "_", " ")), "a tool")
	switch host = cmp.Or(host, "an address that a run names"); {
	case generic(t) && effects == flow.EffectsRead:
		return "Reads from %s.", host
	case generic(t):
		return "Sends data to %s.", host
	}
	what = cmp.Or(what, strings.ReplaceAll(action, "_", " "))
	if effects == flow.EffectsRead {
		return "Reads from " + strings.ReplaceAll(system, "%", "%%") + ": %s.", what
	}
	if !strings.Contains(strings.ToLower(what), strings.ToLower(system)) {
		what += " in " + system
	}
	return "Can %s.", what
}

// generic reports whether a tool calls any address: it has a parameter for it and no host of its own.
func generic(t tool.Tool) bool {
	return t.Host == "" && jsonschema.Property(t.Params, "url") != nil
}

// hostOf is the host that a call goes to, when it stands in the flow.
func hostOf(t tool.Tool, params map[string]any) string {
	text, _ := params["url"].(string)
	if u, err := url.Parse(text); err == nil && u.Host != "" && !strings.Contains(u.Host, "{") {
		return u.Host
	}
	return t.Host
}

// Details lists what the read-back leaves out: node ids, tools, hosts, effects, secrets and limits.
func Details(f *flow.Flow, tools []tool.Tool) []string {
	r := newReader(f, tools)
	var out []string
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for _, u := range n.Uses() {
			switch u.What {
			case flow.UsedAgent:
				out = append(out, n.ID+": "+agentDetails(f.AgentByID(u.Name)))
			case flow.UsedFlow:
				out = append(out, n.ID+": flow "+u.Name)
			case flow.UsedTool:
				out = append(out, n.ID+": "+toolDetails(r.tools[u.Name], u))
			}
		}
	}
	for _, limit := range []struct {
		name  string
		value int
	}{{"max_iterations", f.MaxVisits}, {"limits.steps", f.Limits.Steps}, {"limits.items", f.Limits.Items}} {
		if limit.value > 0 {
			out = append(out, fmt.Sprintf("%s: %d", limit.name, limit.value))
		}
	}
	if !f.Timeout.IsZero() {
		out = append(out, "timeout: "+f.Timeout.String())
	}
	if f.Budget.USDPerMonth > 0 {
		out = append(out, fmt.Sprintf("budget: %g USD per month", f.Budget.USDPerMonth))
	}
	return out
}

func toolDetails(t tool.Tool, s flow.Use) string {
	if t.Name == "" {
		return s.Name + ", not connected"
	}
	policy := string(t.Policy)
	if t.Policy == tool.Allow {
		policy = ""
	}
	effects := cmp.Or(tool.Effects(t, s.Effects), flow.EffectsOnce)
	return s.Name + parts("effects", string(effects), "host", hostOf(t, s.Params), "policy", policy, "secrets", english.Join(t.Secrets, "and"))
}

func agentDetails(a *flow.Agent) string {
	if a == nil {
		return "no such agent"
	}
	return "agent " + a.ID + parts("model", cmp.Or(a.Model, "of the installation"), "tools", english.Join(a.Tools, "and"), "asks", english.Join(a.Subagents, "and"))
}

// parts lists names and values, without those that are empty.
func parts(pairs ...string) string {
	var out strings.Builder
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			out.WriteString(", " + pair[0] + " " + pair[1])
		}
	}
	return out.String()
}
