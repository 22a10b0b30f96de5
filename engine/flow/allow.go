package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// AllowanceKind is a sort of thing that a revision may newly allow.
type AllowanceKind string

// The sorts of allowances.
const (
	AllowsEffect       AllowanceKind = "effect"
	AllowsHost         AllowanceKind = "host"
	AllowsChannel      AllowanceKind = "channel"
	AllowsSecret       AllowanceKind = "secret"
	AllowsTrigger      AllowanceKind = "trigger"
	AllowsGateRemoved  AllowanceKind = "gate_removed"
	AllowsGateWeakened AllowanceKind = "gate_weakened"
)

// Allowance is one thing that a revision allows and its predecessor did not. A revision that has any needs a second
// person.
type Allowance struct {
	Kind  AllowanceKind `json:"kind"`
	Node  string        `json:"node,omitempty"` // node, agent or, for gate kinds, the gate's id in the old flow
	Words string        `json:"words"`
}

// ToolFacts says what is known of a tool: its effects, and the host it talks to if that is fixed.
type ToolFacts = func(name string) (effects Effects, host string, known bool)

// NewlyAllows lists what now allows and old did not: non-read effects, hosts, channels, secrets, triggers, gates
// removed or weakened. old is nil for a first revision. An unknown tool counts as once. The order is stable.
func NewlyAllows(old, now *Flow, tool ToolFacts) []Allowance {
	before := &Flow{}
	if old != nil {
		before = old.Clone()
		fillDefaults(before)
	}
	now = now.Clone()
	fillDefaults(now)
	if tool == nil {
		tool = func(string) (Effects, string, bool) { return EffectsOnce, "", false }
	}
	if bytes.Equal(Canonical(before), Canonical(now)) {
		return nil
	}
	var out []Allowance
	out = append(out, newUses(usesOf(before, tool), usesOf(now, tool))...)
	out = append(out, newTriggers(before, now)...)
	out = append(out, weakerGates(before, now, tool)...)
	return out
}

// AffectedGates lists the gates that the allowances remove or weaken, in order: who may decide them may second.
func AffectedGates(all []Allowance) []string {
	var ids []string
	for _, a := range all {
		if (a.Kind == AllowsGateRemoved || a.Kind == AllowsGateWeakened) && !slices.Contains(ids, a.Node) {
			ids = append(ids, a.Node)
		}
	}
	return ids
}

// use is one thing that a node or agent does to the outside.
type use struct {
	kind  AllowanceKind
	what  string // tool, host, channel or secret
	risk  int    // of an effect
	node  string
	words string
}

// usesOf lists what the nodes and agents of a flow do, in declared order.
func usesOf(f *Flow, tool ToolFacts) []use {
	var uses []use
	for i := range f.Nodes {
		n := &f.Nodes[i]
		switch s := n.Spec.(type) {
		case *ToolSpec:
			uses = append(uses, toolUses(n.ID, s, tool)...)
		case *SubflowSpec:
			uses = append(uses, use{AllowsEffect, "flow " + s.Flow, 2, n.ID, fmt.Sprintf("runs the flow %s with all that it does", s.Flow)})
		case *ToolexecSpec:
			for _, name := range s.Tools {
				uses = append(uses, toolUses(n.ID, &ToolSpec{Tool: name}, tool)...)
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
func SecretNames(f *Flow) []string {
	var names []string
	for _, u := range usesOf(f, func(string) (Effects, string, bool) { return "", "", false }) {
		if u.kind == AllowsSecret && !slices.Contains(names, u.what) {
			names = append(names, u.what)
		}
	}
	return names
}

func factsOf(tool ToolFacts, name string) (Effects, string, bool) {
	effects, host, known := tool(name)
	if !known || effects == "" {
		effects = EffectsOnce
	}
	return effects, host, known
}

// effectsOf is what a tool node does: what it says itself, else what the tool says.
func effectsOf(s *ToolSpec, tool ToolFacts) Effects {
	if s.Effects != "" {
		return s.Effects
	}
	effects, _, _ := factsOf(tool, s.Tool)
	return effects
}

func toolUses(node string, s *ToolSpec, tool ToolFacts) []use {
	var uses []use
	if effects := effectsOf(s, tool); effects.Risk() > 0 {
		uses = append(uses, use{AllowsEffect, s.Tool, effects.Risk(), node, fmt.Sprintf("calls %s (%s)", s.Tool, effects)})
	}
	if _, host, known := tool(s.Tool); known && host != "" {
		uses = append(uses, use{AllowsHost, host, 0, node, "talks to " + host})
	}
	eachText("", s.Params, func(key, text string) {
		if host, ok := hostOf(key, text); ok {
			uses = append(uses, use{AllowsHost, host, 0, node, "talks to " + host})
		}
		if key == "channel" || key == "channels" {
			uses = append(uses, channelUse(node, text))
		}
		for _, part := range templateParts(text) {
			for _, ref := range references(part.text) {
				if name, ok := strings.CutPrefix(ref.text, "secret."); ok {
					uses = append(uses, use{AllowsSecret, name, 0, node, fmt.Sprintf("uses the secret %s in %s", name, s.Tool)})
				}
			}
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

// eachText visits every string in a free value with the key it stands under, keys sorted.
func eachText(key string, value any, visit func(key, text string)) {
	switch value := value.(type) {
	case string:
		visit(key, value)
	case []any:
		for _, item := range value {
			eachText(key, item, visit)
		}
	case map[string]any:
		for _, k := range sortedKeys(value) {
			eachText(k, value[k], visit)
		}
	}
}

// hostOf reads the host of an address. One that a template makes is known only when it runs.
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

// newUses lists uses that were not there before: a thing that is used for the first time, an effect that became
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
		out = append(out, Allowance{u.kind, u.node, u.words})
	}
	return out
}

func newTriggers(old, now *Flow) []Allowance {
	had := map[string]bool{}
	for _, t := range old.Triggers {
		had[fingerprint(t)] = true
	}
	var out []Allowance
	for _, t := range now.Triggers {
		if !had[fingerprint(t)] {
			out = append(out, Allowance{AllowsTrigger, "", "starts " + t.words()})
		}
	}
	return out
}

func fingerprint(t Trigger) string {
	b, err := json.Marshal(t)
	if err != nil {
		panic("flow: a value that JSON does not have: " + err.Error())
	}
	return string(b)
}

// words says what starts the runs.
func (t Trigger) words() string {
	switch {
	case t.Schedule != nil:
		s := "by schedule " + t.Schedule.Cron
		if t.Schedule.Timezone != "" {
			s += " (" + t.Schedule.Timezone + ")"
		}
		return s
	case t.Message != nil:
		if t.Message.Match == "" {
			return "by every message in " + t.Message.Channel
		}
		return fmt.Sprintf("by a message in %s that matches %s", t.Message.Channel, t.Message.Match)
	case t.Reaction != nil:
		return "by the reaction :" + t.Reaction.Emoji + ":"
	case t.Webhook != nil:
		return "by the webhook " + t.Webhook.Path
	default:
		return "by nothing"
	}
}

// effectNodes gives, for every non-read thing that a flow does, the nodes that do it.
func effectNodes(f *Flow, tool ToolFacts) map[string][]int {
	out := map[string][]int{}
	for i := range f.Nodes {
		switch s := f.Nodes[i].Spec.(type) {
		case *ToolSpec:
			if effectsOf(s, tool).Risk() > 0 {
				out[s.Tool] = append(out[s.Tool], i)
			}
		case *SubflowSpec:
			out["flow "+s.Flow] = append(out["flow "+s.Flow], i)
		case *ToolexecSpec:
			for _, name := range s.Tools {
				if effectsOf(&ToolSpec{Tool: name}, tool).Risk() > 0 {
					out[name] = append(out[name], i)
				}
			}
		case *AgentSpec:
			for _, name := range agentEffects(f, s.Agent, tool) {
				out[name] = append(out[name], i)
			}
		}
	}
	return out
}

// agentEffects lists the non-read tools of an agent and its sub-agents.
func agentEffects(f *Flow, id string, tool ToolFacts) []string {
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
