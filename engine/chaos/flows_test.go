package chaos_test

import (
	"fmt"
	"maps"
	"testing"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/tool"
)

// written are the flows of the mix that were written by hand. To add one, add it here; the oracle finds out what a run of it must come to
// by playing it without faults.
//
// Every tool node gets the parameters run, at and item by itself. want and faults are for the outside service: see question. No person
// answers at a node whose id begins with "silent".
var written = []struct {
	name  string
	loose bool // the fastest branch decides which acts are done: only the run's status and the output of the node "after" are compared
	text  string
}{
	{"chain", false, `
  entry: look
  nodes:
    - {id: look, type: tool, tool: out.read, routes: [{to: first}]}
    - {id: first, type: tool, tool: out.put, params: {n: "{{look.result.n}}"}, routes: [{to: note}]}
    - {id: note, type: set, vars: {seen: "{{first.result.tag}}"}, routes: [{to: second}]}
    - {id: second, type: tool, tool: out.post, routes: [{to: third}]}
    - {id: third, type: tool, tool: out.put, routes: [{to: told}]}
    - {id: told, type: say, message: "{{vars.seen}} and {{second.result.text}}", routes: [{to: done}]}
    - {id: done, type: terminal, output: {seen: "{{vars.seen}}", last: "{{third.result.n}}"}}
`},
	{"fork", false, `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: a}, {to: b}, {to: c}], join: {type: all}, routes: [{to: after}]}
    - {id: a, type: tool, tool: out.post, routes: [{to: a2}]}
    - {id: a2, type: tool, tool: out.put, routes: [{to: end}]}
    - {id: b, type: tool, tool: out.put, params: {want: slow}, routes: [{to: end}]}
    - {id: c, type: wait, for: 1s, routes: [{to: c2}]}
    - {id: c2, type: tool, tool: out.post, routes: [{to: end}]}
    - {id: after, type: tool, tool: out.put, params: {all: "{{split.output}}"}, routes: [{to: end}]}
`},
	{"race", true, `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: quick}, {to: slow}, {to: once}], join: {type: any}, routes: [{to: after}]}
    - {id: quick, type: tool, tool: out.put, routes: [{to: end}]}
    - {id: slow, type: tool, tool: out.put, params: {want: slow}, routes: [{to: end}]}
    - {id: once, type: tool, tool: out.post, params: {want: slow}, routes: [{to: end}]}
    - {id: after, type: tool, tool: out.post, routes: [{to: end}]}
`},
	{"two-of-three", true, `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: a}, {to: b}, {to: silent-c}], join: {type: count, count: 2}, routes: [{to: after}]}
    - {id: a, type: tool, tool: out.put, routes: [{to: end}]}
    - {id: b, type: tool, tool: out.post, params: {want: slow}, routes: [{to: end}]}
    - {id: silent-c, type: ask, message: Anybody?, routes: [{to: end}]}
    - {id: after, type: tool, tool: out.put, routes: [{to: end}]}
`},
	{"each", false, `
  entry: list
  nodes:
    - {id: list, type: tool, tool: out.read, params: {want: list}, routes: [{to: each}]}
    - {id: each, type: foreach, items: list.result.items, as: item, body: mark, max_parallel: 3, on_item_error: keep, routes: [{to: after}]}
    - {id: mark, type: tool, tool: out.put, params: {item_text: "{{item}}"}, routes: [{to: once}]}
    - {id: once, type: tool, tool: out.post, params: {want: maybe}, routes: [{to: end}]}
    - {id: after, type: tool, tool: out.put, params: {got: "{{each.output}}"}, routes: [{to: end}]}
`},
	{"one-by-one", false, `
  entry: each
  nodes:
    - {id: each, type: foreach, items: "[1, 2, 3]", as: item, body: mark, routes: [{to: after}]}
    - {id: mark, type: tool, tool: out.post, params: {number: "{{item}}"}, routes: [{to: end}]}
    - {id: after, type: tool, tool: out.put, routes: [{to: end}]}
`},
	{"again", false, `
  entry: put
  nodes:
    - {id: put, type: tool, tool: out.put, params: {faults: 3}, retry: {max_attempts: 4, backoff_ms: 100}, routes: [{to: post}]}
    - {id: post, type: tool, tool: out.post, params: {faults: 2, mild: "true"}, retry: {max_attempts: 3, backoff_ms: 100}, routes: [{to: after}]}
    - {id: after, type: tool, tool: out.put, routes: [{to: end}]}
`},
	{"doubt", false, `
  entry: post
  nodes:
    - {id: post, type: tool, tool: out.post, params: {faults: 1}, retry: {max_attempts: 2, backoff_ms: 100}, routes: [{to: after}]}
    - {id: after, type: tool, tool: out.post, params: {got: "{{post.result.n}}"}, routes: [{to: end}]}
`},
	{"people", false, `
  entry: may
  nodes:
    - id: may
      type: approval
      message: "May {{inputs.key}} go on?"
      choices: [approve, reject, later]
      who: {quorum: 2}
      routes: [{when: "approvals.may == 'approve'", to: pay}, {when: "approvals.may == 'reject'", to: why}, {to: note}]
    - {id: pay, type: tool, tool: out.post, routes: [{to: note}]}
    - {id: why, type: ask, message: Why not?, routes: [{to: note}]}
    - {id: note, type: tool, tool: out.put, params: {why: "{{why.output}}"}, routes: [{to: end}]}
`},
	{"late", false, `
  entry: silent
  nodes:
    - id: silent
      type: approval
      message: Anybody?
      deadline: {after: 2s, remind: 1s}
      routes: [{when: "approvals.silent == 'approve'", to: pay}, {when: "approvals.silent == 'timeout'", to: note}]
    - {id: pay, type: tool, tool: out.post, routes: [{to: end}]}
    - {id: note, type: tool, tool: out.put, routes: [{to: end}]}
`},
	{"rest", false, `
  entry: a
  nodes:
    - {id: a, type: tool, tool: out.put, routes: [{to: w}]}
    - {id: w, type: wait, for: 1s, routes: [{to: b}]}
    - {id: b, type: tool, tool: out.post, routes: [{to: w2}]}
    - {id: w2, type: wait, for: 1s, routes: [{to: c}]}
    - {id: c, type: tool, tool: out.put, routes: [{to: end}]}
`},
	{"clerk", false, `
  entry: clerk
  nodes:
    - {id: clerk, type: agent, agent: clerk, routes: [{to: after}]}
    - {id: after, type: tool, tool: out.post, params: {said: "{{clerk.output}}"}, routes: [{to: end}]}
`},
	{"refused", false, `
  entry: post
  nodes:
    - id: post
      type: tool
      tool: out.post
      params: {want: refuse}
      on_error: [{match: "HTTPError", to: undo}]
      routes: [{to: end}]
    - {id: undo, type: tool, tool: out.put, params: {why: "{{error.type}}"}, routes: [{to: end}]}
`},
	{"stern", false, `
  entry: put
  nodes:
    - {id: put, type: tool, tool: out.put, params: {faults: 1, stern: "true"}, routes: [{to: post}]}
    - {id: post, type: tool, tool: out.post, params: {faults: 1, stern: "true"}, routes: [{to: after}]}
    - {id: after, type: tool, tool: out.put, params: {got: "{{post.result.n}}"}, routes: [{to: end}]}
`},
	{"tick", false, `
  entry: put
  nodes:
    - {id: put, type: tool, tool: out.put, routes: [{to: post}]}
    - {id: post, type: tool, tool: out.post, routes: [{to: end}]}
`},
	{"skipped", false, `
  entry: put
  nodes:
    - {id: put, type: tool, tool: out.put, params: {want: refuse}, routes: [{to: after}]}
    - {id: after, type: tool, tool: out.post, params: {got: "{{put.result.n}}"}, routes: [{to: end}]}
`},
	{"parent", false, `
  entry: kid
  nodes:
    - {id: kid, type: subflow, flow: chain, inputs: {key: "{{inputs.key}}-kid"}, routes: [{to: after}]}
    - {id: after, type: tool, tool: out.post, params: {got: "{{kid.result.last}}"}, routes: [{to: end}]}
`},
	{"family", false, `
  entry: kids
  nodes:
    - {id: kids, type: foreach, items: "[1, 2, 3]", as: item, body: kid, max_parallel: 2, routes: [{to: after}]}
    - {id: kid, type: subflow, flow: people, inputs: {key: "{{inputs.key}}-{{item}}"}, routes: [{to: mark}]}
    - {id: mark, type: tool, tool: out.put, params: {got: "{{kid.result.n}}"}, routes: [{to: end}]}
    - {id: after, type: tool, tool: out.post, routes: [{to: end}]}
`},
	{"abandoned", true, `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: kid}, {to: quick}], join: {type: any}, routes: [{to: after}]}
    - {id: kid, type: subflow, flow: rest, inputs: {key: "{{inputs.key}}-kid"}, routes: [{to: end}]}
    - {id: quick, type: tool, tool: out.put, routes: [{to: end}]}
    - {id: after, type: tool, tool: out.post, routes: [{to: end}]}
`},
	{"heard", false, `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: work}, {to: hear}, {to: hear-too}], join: {type: all}, routes: [{to: after}]}
    - {id: work, type: tool, tool: out.post, routes: [{to: tell}]}
    - {id: tell, type: emit, event: "ready {{inputs.key}}", payload: {n: "{{work.result.n}}"}, routes: [{to: tell-too}]}
    - {id: tell-too, type: emit, event: "ready too {{inputs.key}}", routes: [{to: more}]}
    - {id: more, type: tool, tool: out.put, routes: [{to: end}]}
    - {id: hear, type: wait, event: "ready {{inputs.key}}", routes: [{to: act}]}
    - {id: act, type: tool, tool: out.post, params: {n: "{{hear.result.n}}"}, routes: [{to: end}]}
    - {id: hear-too, type: wait, event: "ready too {{inputs.key}}", routes: [{to: end}]}
    - {id: after, type: tool, tool: out.put, routes: [{to: end}]}
`},
	{queued, false, `
  entry: put
  nodes:
    - {id: put, type: tool, tool: out.put, routes: [{to: post}]}
    - {id: post, type: tool, tool: out.post, routes: [{to: end}]}
`},
	{"loop", false, `
  max_iterations: 100
  entry: begin
  nodes:
    - {id: begin, type: set, vars: {round: ""}, routes: [{to: put}]}
    - {id: put, type: tool, tool: out.put, params: {item: "r{{vars.round}}"}, routes: [{to: post}]}
    - {id: post, type: tool, tool: out.post, params: {item: "r{{vars.round}}"}, routes: [{to: count}]}
    - {id: count, type: set, vars: {round: "{{vars.round}}i"}, routes: [{to: more}]}
    - {id: more, type: decision, expr: "vars.round != 'iiii'", routes: [{when: "true", to: put}, {to: end}]}
`},
}

const head = `name: %s
inputs: {key: {type: string, required: true}}
agents:
  - {id: clerk, instructions: Do it., tools: [out.put, out.post]}
flow:%s`

// testFlow is a flow of the mix.
type testFlow struct {
	*flow.Flow
	loose bool
	seed  uint64 // of a generated one
}

// mixed gives the flows that were written by hand.
func mixed(t testing.TB, tools tool.Catalogue) (testFlows []testFlow) {
	t.Helper()
	for _, w := range written {
		doc, problems := file.Check(w.name+".yaml", fmt.Appendf(nil, head, w.name, w.text), engine.Checks(tools))
		if problems.HasErrors() {
			t.Fatalf("%v", problems)
		}
		adaptKey(doc.Flow)
		testFlows = append(testFlows, testFlow{Flow: doc.Flow, loose: w.loose})
	}
	return testFlows
}

// adaptKey gives a flow its run key, and its nodes the parameters that name the run, node and item to the outside service.
func adaptKey(f *flow.Flow) {
	f.Run.Key = "{{inputs.key}}"
	if f.Name == queued {
		f.Run.Key, f.Run.OnDuplicate = "the only one", flow.DuplicateQueue
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		place := map[string]any{"run": "{{inputs.key}}", "at": n.ID, "item": "i{{item_index}}"}
		switch s := n.Spec.(type) {
		case *flow.ToolSpec:
			maps.Copy(place, s.Params)
			s.Params = place
		case *flow.AgentSpec:
			s.Input = map[string]any{"task": task(n.ID, "{{inputs.key}}", "i{{item_index}}"), "about": s.Input["about"]}
		}
	}
}
