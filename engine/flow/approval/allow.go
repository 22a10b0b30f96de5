package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/reference"
)

// AllowanceKind is a kind of change that a revision may make or allow.
type AllowanceKind string

// The kinds of allowances.
const (
	AllowsEffect       AllowanceKind = "effect"
	AllowsHost         AllowanceKind = "host"
	AllowsChannel      AllowanceKind = "channel"
	AllowsSecret       AllowanceKind = "secret"
	AllowsTrigger      AllowanceKind = "trigger"
	AllowsGateRemoved  AllowanceKind = "gate_removed"
	AllowsGateWeakened AllowanceKind = "gate_weakened"
	AllowsChange       AllowanceKind = "change"     // any other change of a flow that can write, see Review
	AllowsDependency   AllowanceKind = "dependency" // a tool or a flow that it uses is another one
)

// Allowance is one change that counts: a revision with an allowance needs a second person.
type Allowance struct {
	Kind  AllowanceKind `json:"kind"`
	Node  string        `json:"node,omitempty"` // node, agent or, for gate kinds, the gate's id in the old flow
	Words string        `json:"words"`
	New   bool          `json:"new,omitempty"` // of a change: the node was not there before
}

// ToolFacts gives the known properties of a tool: its effects, and its host if that is fixed.
type ToolFacts = func(name string) (effects flow.Effects, host string, known bool)

// NewlyAllows lists what now allows and old did not: non-read effects, hosts, channels, secrets, triggers, gates
// removed or weakened. old is nil for a first revision. An unknown tool counts as once. The order is stable.
func NewlyAllows(old, now *flow.Flow, tool ToolFacts) []Allowance {
	before := &flow.Flow{}
	if old != nil {
		before = old.WithDefaults()
	}
	now = now.WithDefaults()
	if tool == nil {
		tool = func(string) (flow.Effects, string, bool) { return flow.EffectsOnce, "", false }
	}
	if bytes.Equal(flow.Canonical(before), flow.Canonical(now)) {
		return nil
	}
	var out []Allowance
	out = append(out, newUses(usesOf(before, tool), usesOf(now, tool))...)
	out = append(out, newTriggers(before, now)...)
	out = append(out, weakerGates(before, now, tool)...)
	return out
}

// use is one use of a tool, host, channel or secret by a node or an agent.
type use struct {
	kind  AllowanceKind
	what  string // tool, host, channel or secret
	risk  int    // of an effect
	node  string
	words string
}

// usesOf lists the uses of the nodes and agents of a flow, in declared order.
func usesOf(f *flow.Flow, tool ToolFacts) []use {
	var uses []use
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for _, u := range n.Uses() {
			switch u.What {
			case flow.UsedFlow:
				uses = append(uses, use{AllowsEffect, subflowUse + u.Name, 2, n.ID, fmt.Sprintf("runs the flow %s with all that it does", u.Name)})
			case flow.UsedEvent:
				uses = append(uses, use{AllowsEffect, "event " + u.Name, 1, n.ID, fmt.Sprintf("tells other runs of the event %s", u.Name)})
			case flow.UsedTool, flow.UsedIfAsked:
				uses = append(uses, toolUses(n.ID, u, tool)...)
			}
		}
	}
	for i := range f.Agents {
		g := &f.Agents[i]
		for _, name := range g.Tools {
			effects, host, known := factsOf(tool, name)
			if risk := effects.Risk(); risk > 0 {
				uses = append(uses, use{AllowsEffect, "agent " + g.ID + " " + name, risk, g.ID, fmt.Sprintf("agent '%s' may call %s (%s)", g.ID, name, effects)})
			}
			switch {
			case known && host != "":
				uses = append(uses, use{AllowsHost, host, 0, g.ID, "talks to " + host})
			case strings.HasPrefix(name, "http."):
				uses = append(uses, use{AllowsHost, "any host", 0, g.ID, fmt.Sprintf("agent '%s' may talk to any host with %s", g.ID, name)})
			}
		}
	}
	return uses
}

// SecretNames lists the secrets that the steps of a flow name, in declared order.
func SecretNames(f *flow.Flow) []string {
	var names []string
	for _, u := range usesOf(f, func(string) (flow.Effects, string, bool) { return "", "", false }) {
		if u.kind == AllowsSecret && !slices.Contains(names, u.what) {
			names = append(names, u.what)
		}
	}
	return names
}

func factsOf(tool ToolFacts, name string) (flow.Effects, string, bool) {
	effects, host, known := tool(name)
	if !known || effects == "" {
		effects = flow.EffectsOnce
	}
	return effects, host, known
}

// effectsOf gives the effects of a tool node: the riskier of its own declaration and that of the tool. Its own declaration decides how the
// node is repeated after a crash; it does not turn a tool that writes into one that reads.
func effectsOf(s flow.Use, tool ToolFacts) flow.Effects {
	effects, _, _ := factsOf(tool, s.Name)
	if s.Effects != "" && s.Effects.Risk() > effects.Risk() {
		return s.Effects
	}
	return effects
}

func toolUses(node string, s flow.Use, tool ToolFacts) []use {
	var uses []use
	if effects := effectsOf(s, tool); effects.Risk() > 0 {
		words := fmt.Sprintf("calls %s (%s)", s.Name, effects)
		if s.Effects != "" && s.Effects != effects {
			words = fmt.Sprintf("calls %s (%s; the step says %s)", s.Name, effects, s.Effects)
		}
		uses = append(uses, use{AllowsEffect, s.Name, effects.Risk(), node, words})
	}
	if _, host, known := tool(s.Name); known && host != "" {
		uses = append(uses, use{AllowsHost, host, 0, node, "talks to " + host})
	}
	eachText("", s.Params, func(key, text string) {
		if host, ok := hostOf(key, text); ok {
			uses = append(uses, use{AllowsHost, host, 0, node, "talks to " + host})
		}
		if key == "channel" || key == "channels" {
			uses = append(uses, channelUse(node, text))
		}
		for _, name := range reference.SecretsIn(text) {
			uses = append(uses, use{AllowsSecret, name, 0, node, fmt.Sprintf("uses the secret %s in %s", name, s.Name)})
		}
	})
	return uses
}

func channelUse(node, text string) use {
	if strings.Contains(text, "{{") {
		return use{AllowsChannel, text, 0, node, "writes to a channel that is only known when it runs: " + text}
	}
	return use{AllowsChannel, text, 0, node, "writes to " + text}
}

// eachText visits every string in a free value with its key, keys sorted.
func eachText(key string, value any, visit func(key, text string)) {
	switch value := value.(type) {
	case string:
		visit(key, value)
	case []any:
		for _, item := range value {
			eachText(key, item, visit)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(value)) {
			eachText(k, value[k], visit)
		}
	}
}

// hostOf reads the host of an address. A host from a template is known only at run time.
func hostOf(key, text string) (string, bool) {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL || strings.Contains(scheme, "{{") {
		return "a host that is only known when it runs: " + text, key == "url" && strings.Contains(text, "{{")
	}
	if scheme != "http" && scheme != "https" {
		return "", false
	}
	end := strings.IndexAny(rest, "/?#")
	if open := strings.Index(rest, "{{"); open >= 0 && (end < 0 || open < end) {
		return "a host that is only known when it runs: " + text, true
	}
	if end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	return strings.ToLower(rest), rest != ""
}

// newUses lists the new uses: a tool, host, channel or secret that was not used before, an effect that became
// riskier, or one more node with an effect.
func newUses(old, now []use) []Allowance {
	type key struct {
		kind AllowanceKind
		what string
	}
	risk, count := map[key]int{}, map[key]int{}
	for _, u := range old {
		k := key{u.kind, u.what}
		risk[k] = max(risk[k], u.risk)
		count[k]++
	}
	sameNode := map[use]bool{}
	for _, u := range old {
		sameNode[use{kind: u.kind, what: u.what, node: u.node}] = true
	}
	total := map[key]int{}
	for _, u := range now {
		total[key{u.kind, u.what}]++
	}
	var out []Allowance
	said := map[key]bool{}
	for _, u := range now {
		k := key{u.kind, u.what}
		fresh := count[k] == 0 || u.risk > risk[k]
		more := u.kind == AllowsEffect && total[k] > count[k] && !sameNode[use{kind: u.kind, what: u.what, node: u.node}]
		if !fresh && !more || u.kind != AllowsEffect && said[k] {
			continue
		}
		said[k] = true
		out = append(out, Allowance{Kind: u.kind, Node: u.node, Words: u.words})
	}
	return out
}

func newTriggers(old, now *flow.Flow) []Allowance {
	had := map[string]bool{}
	for _, t := range old.Triggers {
		had[fingerprint(t)] = true
	}
	var out []Allowance
	for _, t := range now.Triggers {
		if !had[fingerprint(t)] {
			out = append(out, Allowance{Kind: AllowsTrigger, Words: "starts " + t.Words()})
		}
	}
	return out
}

func fingerprint(t flow.Trigger) string {
	b, err := json.Marshal(t)
	if err != nil {
		panic("approval: a value that JSON does not have: " + err.Error())
	}
	return string(b)
}

// effectNodes gives, for every non-read effect of a flow, the nodes that have it.
func effectNodes(f *flow.Flow, tool ToolFacts) map[string][]int {
	out := map[string][]int{}
	for i := range f.Nodes {
		for _, u := range f.Nodes[i].Uses() {
			var names []string
			switch u.What {
			case flow.UsedFlow:
				names = []string{subflowUse + u.Name}
			case flow.UsedAgent:
				names = agentEffects(f, u.Name, tool)
			case flow.UsedTool, flow.UsedIfAsked:
				if effectsOf(u, tool).Risk() > 0 {
					names = []string{u.Name}
				}
			}
			for _, name := range names {
				out[name] = append(out[name], i)
			}
		}
	}
	return out
}

// agentEffects lists the non-read tools of an agent and its sub-agents.
func agentEffects(f *flow.Flow, id string, tool ToolFacts) []string {
	seen, names := map[string]bool{}, map[string]bool{}
	var walk func(id string)
	walk = func(id string) {
		g := f.AgentByID(id)
		if g == nil || seen[id] {
			return
		}
		seen[id] = true
		for _, name := range g.Tools {
			if effects, _, _ := factsOf(tool, name); effects.Risk() > 0 {
				names[name] = true
			}
		}
		for _, sub := range g.Subagents {
			walk(sub)
		}
	}
	walk(id)
	return slices.Sorted(maps.Keys(names))
}
