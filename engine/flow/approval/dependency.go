package approval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

// LockChange is one difference between two locks.
type LockChange struct {
	Kind    string `json:"kind"` // tool, subflow, agent
	Name    string `json:"name"`
	Riskier bool   `json:"riskier,omitempty"` // a tool may do more than before: its effects, its policy, its host or its request
	Words   string `json:"words"`
}

// In reports whether a lock contains the changed dependency.
func (c LockChange) In(l flow.Lock) bool {
	switch c.Kind {
	case "tool":
		_, ok := l.Tools[c.Name]
		return ok
	case "subflow":
		return l.Subflows[c.Name] != ""
	default:
		return l.Agents[c.Name] != ""
	}
}

// CompareLock lists what changed between the approved lock and the present one, ordered by kind and name.
func CompareLock(old, now flow.Lock) []LockChange {
	var changes []LockChange
	for _, name := range keysOfBoth(old.Tools, now.Tools) {
		was, had := old.Tools[name]
		is, has := now.Tools[name]
		c := LockChange{Kind: "tool", Name: name}
		switch {
		case !has:
			c.Words = fmt.Sprintf("the tool %s is gone", name)
		case !had:
			c.Words = fmt.Sprintf("the tool %s is new", name)
		default:
			c.Words, c.Riskier = toolWords(name, was, is)
		}
		if c.Words == "" {
			continue
		}
		changes = append(changes, c)
	}
	changes = append(changes, changedHashes("subflow", old.Subflows, now.Subflows)...)
	changes = append(changes, changedHashes("agent", old.Agents, now.Agents)...)
	slices.SortStableFunc(changes, func(a, b LockChange) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return changes
}

func changedHashes(kind string, old, now map[string]string) []LockChange {
	var changes []LockChange
	for _, name := range keysOfBoth(old, now) {
		was, had := old[name]
		is, has := now[name]
		word := ""
		switch {
		case !has:
			word = "is gone"
		case !had:
			word = "is new"
		case is != was:
			word = "changed"
		default:
			continue
		}
		changes = append(changes, LockChange{Kind: kind, Name: name, Words: fmt.Sprintf("the %s %s %s", kind, name, word)})
	}
	return changes
}

func keysOfBoth[V any](a, b map[string]V) []string {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// used reports whether a flow names the changed dependency. A dependency that only one of two revisions uses is a change of the flow itself.
func (c LockChange) used(f *flow.Flow) bool {
	switch c.Kind {
	case "tool":
		return slices.Contains(f.ToolNames(), c.Name)
	case "subflow":
		return slices.Contains(f.SubflowNames(), c.Name)
	default:
		a := f.AgentByID(c.Name)
		return a != nil && a.Registered
	}
}

// toolWords describes how a tool differs from the approved one, the most serious difference first; "" = no difference.
func toolWords(name string, was, is flow.ToolLock) (words string, riskier bool) {
	policy := func(p flow.ToolPolicy) int {
		return slices.Index([]flow.ToolPolicy{flow.ToolDeny, flow.ToolAsk, flow.ToolAllow}, p)
	}
	var says []string
	say := func(risk bool, format string, args ...any) {
		says, riskier = append(says, fmt.Sprintf(format, args...)), riskier || risk
	}
	switch {
	case is.Effects.Risk() > was.Effects.Risk():
		say(true, "became riskier: %s instead of %s", is.Effects, was.Effects)
	case is.Effects != was.Effects:
		say(false, "is now %s instead of %s", is.Effects, was.Effects)
	}
	if was.Policy != "" && is.Policy != was.Policy {
		say(policy(is.Policy) > policy(was.Policy), "has the policy %s instead of %s", is.Policy, was.Policy)
	}
	if was.Host != "" && is.Host != was.Host {
		say(true, "talks to %s instead of %s", cmp.Or(is.Host, "any host"), was.Host)
	}
	if was.Request != "" && is.Request != was.Request {
		say(true, "sends another request than the one that was approved")
	}
	if is.Hash != was.Hash && (was.Host == "" || is.Host == was.Host) {
		say(false, "has other parameters or another result")
	}
	if len(says) == 0 {
		return "", false
	}
	return "the tool " + name + " " + naming.List(says, "and"), riskier
}
