package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/reference"
	"sluice/engine/flow/source"
)

// agents gives the agents as those of a flow file.
func (r *reading) agents() *source.Value {
	list := r.root.Get("agents")
	if list == nil || list.Kind != source.List {
		return list
	}
	out := *list
	out.Items = nil
	for _, a := range list.Items {
		if a.Kind == source.Map {
			a = r.agent(a)
		}
		out.Items = append(out.Items, a)
	}
	return &out
}

// descriptionKeys are the keys of an agent of which the first says what it is.
var descriptionKeys = []string{"description", "specialty", "role"}

// agent keeps what an agent is told, which model it asks and which tools it may call.
func (r *reading) agent(a *source.Value) *source.Value {
	out := source.Value{Kind: source.Map, At: a.At}
	if id := a.Get("id"); id != nil {
		out.Pairs = append(out.Pairs, pair("id", id))
	}
	for _, key := range descriptionKeys {
		if v := a.Get(key); v != nil && v.Kind == source.String {
			out.Pairs = append(out.Pairs, pair("description", v))
			break
		}
	}
	if v := a.Get("system_prompt"); v != nil {
		out.Pairs = append(out.Pairs, pair("instructions", v))
	}
	brain := a.Get("brain")
	for _, key := range []string{"provider", "model", "temperature"} {
		if v := brain.Get(key); v != nil && v.Kind != source.Null && v.Text != "" {
			out.Pairs = append(out.Pairs, pair(key, v))
		}
	}
	if tools := r.agentTools(a); len(tools.Items) > 0 {
		out.Pairs = append(out.Pairs, pair("tools", tools))
	}
	return &out
}

// agentTools lists the actions of an agent's modules.
func (r *reading) agentTools(a *source.Value) *source.Value {
	modules := a.Get("modules")
	if modules == nil {
		return &source.Value{Kind: source.List, At: a.At}
	}
	tools := &source.Value{Kind: source.List, At: modules.At}
	for _, m := range modules.Pairs {
		if m.Value.Kind != source.List {
			r.s.Warn(m.At, "", "not-kept", fmt.Sprintf("which tools of %s the agent may call is not listed: it gets none of them", m.Key), "list their names")
			continue
		}
		for _, action := range m.Value.Items {
			tools.Items = append(tools.Items, text(action.At, m.Key+"."+action.Text))
		}
	}
	return tools
}

// agentLimits are those of one answer.
func (r *reading) agentLimits() (l flow.AgentLimits) {
	runtime := r.root.Get("runtime")
	if n := runtime.Get("max_turns").Float(); n >= 1 {
		l.Turns = int(min(n, 1000))
	}
	if n := runtime.Get("timeout").Float(); n > 0 {
		l.Timeout = flow.Duration{Clock: time.Duration(min(n, 86400) * float64(time.Second))}
	}
	return l
}

// unused warns about parts of the file that have no effect here.
func (r *reading) unused() {
	if agents := r.root.Get("agents"); agents != nil {
		for _, a := range agents.Items {
			if kept := a.Get("brain").Get("config"); kept != nil {
				r.s.Warn(kept.At, "", "not-kept", "the addresses and keys of the models' services are not used", "the providers are those of this installation (SLUICE_MODELS)")
				break
			}
		}
	}
	modules := r.root.Get("tools").Get("modules")
	if modules != nil {
		for _, m := range modules.Pairs {
			if m.Key != channelsModule {
				r.s.Warn(m.At, "", "not-kept", fmt.Sprintf("the settings of %s are not used", m.Key), "")
			}
		}
	}
	if context := r.root.Get("context"); context != nil {
		r.s.Warn(context.At, "", "not-kept", "what the app adds to the words of every agent is not used", "write it into the agents' own words")
	}
}

// inputs lists the inputs that the graph reads.
func inputs(f *flow.Flow) (out []flow.Input) {
	for _, name := range read(f, "input", "inputs") {
		out = append(out, flow.Input{Name: name, Type: "string"})
	}
	return out
}

// read lists the names that the graph reads of what is called so, such as order of input.order, or event.payload's from.
func read(f *flow.Flow, roots ...string) []string {
	names := map[string]bool{}
	see := func(expr string) {
		for _, ref := range reference.In(expr) {
			for _, root := range roots {
				if rest, ok := strings.CutPrefix(ref.Text, root+"."); ok {
					name, _, _ := strings.Cut(rest, ".")
					names[name] = true
				}
			}
		}
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			if key == "when" || key == "expr" {
				see(v)
			}
			for _, part := range reference.InTemplate(v) {
				see(part.Text)
			}
		case []any:
			for _, item := range v {
				walk(key, item)
			}
		case map[string]any:
			for k, item := range v {
				walk(k, item)
			}
		}
	}
	var plain any
	if b, err := json.Marshal(f.Nodes); err == nil && json.Unmarshal(b, &plain) == nil {
		walk("", plain)
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}
