package agentgraph_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/flowtest"
	"sluice/engine/flow/validate"
	"sluice/engine/importer/agentgraph"
	"sluice/engine/importer/document"
)

// graph writes a document: nodes with a word for each (ID:TYPE, then JSON of its data after =), and connections with a word for each
// (a>b, a>b@handle, a>b@handle@targetHandle).
func graph(nodes, connections string) string {
	var all, edges []string
	for word := range strings.FieldsSeq(nodes) {
		head, data, _ := strings.Cut(word, "=")
		id, kind, _ := strings.Cut(head, ":")
		if data == "" {
			data = "{}"
		}
		all = append(all, fmt.Sprintf(`{"id": %q, "type": %q, "x": 1, "y": 2, "data": %s}`, id, kind, strings.ReplaceAll(data, "~", " ")))
	}
	for word := range strings.FieldsSeq(connections) {
		parts := append(strings.Split(word, "@"), "", "")
		from, to, _ := strings.Cut(parts[0], ">")
		edge := fmt.Sprintf(`"source": %q, "target": %q`, from, to)
		if parts[1] != "" {
			edge += fmt.Sprintf(`, "sourceHandle": %q`, parts[1])
		}
		if parts[2] != "" {
			edge += fmt.Sprintf(`, "targetHandle": %q`, parts[2])
		}
		edges = append(edges, "{"+edge+"}")
	}
	return `{"nodes": [` + strings.Join(all, ", ") + `], "connections": [` + strings.Join(edges, ", ") + `]}`
}

func decode(t *testing.T, src string) document.Document {
	t.Helper()
	doc, err := agentgraph.Decode("graph.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if errs := doc.Check(flowtest.Checks()).Errors(); len(errs) > 0 {
		t.Fatal(errs)
	}
	return doc
}

func refused(t *testing.T, src, words string) {
	t.Helper()
	if _, err := agentgraph.Decode("graph.json", []byte(src)); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%s\ngave %v, want %q", src, err, words)
	}
}

// play runs a document by a script, whose commands stand between semicolons.
func play(t *testing.T, src, script string) *enginetest.Driver {
	t.Helper()
	stored, err := flow.FromJSON(flow.Canonical(decode(t, src).Flow))
	if err != nil {
		t.Fatal(err)
	}
	d, err := enginetest.NewDriver(stored)
	if err != nil {
		t.Fatal(err)
	}
	d.Context.HasModel = true
	if err := d.Script(strings.ReplaceAll(script, "; ", "\n")); err != nil {
		t.Errorf("%v\n%s", err, enginetest.Print(d.Facts))
	}
	return d
}

func record(t *testing.T, src, script string) agentgraph.Record {
	t.Helper()
	d := play(t, src, script)
	return agentgraph.NewRecord("r1", d.Flow, d.Facts)
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// logOf writes the types of a record's log with their nodes.
func logOf(r agentgraph.Record) string {
	var all []string
	for _, e := range r.Logs {
		all = append(all, e.NodeID+":"+e.Type)
	}
	return strings.Join(all, " ")
}

const (
	line    = `s:start={"initialInput":"hello"} a:agent={"userPrompt":"Say~{{PREVIOUS_OUTPUT}}~and~{{PREVIOUS_OUTPUT}}","systemPrompt":"Be~kind.","model":"small"} b:agent`
	caller  = `s:start p:agent={"tools":{"subagents":true}} c:agent={"agentName":"Clerk","tools":{"subagents":true}} d:agent`
	decided = `{"decision":"%s","note":"%s"}`
)

// pick is a graph with an if behind an agent.
func pick(conditions string) string {
	return graph(`s:start a:agent i:if=`+conditions+` x:agent y:agent z:agent`, "s>a a>i i>x@condition-0 i>y@condition-1 i>z@false")
}

const two = `{"conditions":[{"operator":"equal","value":"Yes"},{"operator":"contains","value":"es"}]}`

// gate is a graph with an approval behind an agent.
var gate = graph(`s:start a:agent g:approval={"prompt":"Send~{{it}}?"} yes:agent no:agent`, "s>a a>g g>yes@approve g>no@reject")

// beside is a graph in which one branch pauses and another goes on.
var beside = graph(`s:start a:agent b:agent g:approval h:approval after:agent yes:agent`, "s>a s>g s>b a>after b>h g>yes@approve h>yes@approve")

func TestConformance(t *testing.T) {
	t.Parallel()
	shown := map[string]func(t *testing.T){}
	for _, group := range []map[string]func(t *testing.T){steps(), subagents(), branches(), older(), sources()} {
		maps.Copy(shown, group)
	}
	for _, number := range slices.Sorted(maps.Keys(shown)) {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			shown[number](t)
		})
	}
}

// steps are the statements about nodes.
func steps() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		"S1-01": func(t *testing.T) { play(t, graph("a:agent s:start", "s>a"), "start; path s a") },
		"S1-02": func(t *testing.T) {
			play(t, graph(line, "s>a a>b"), `start; params a {"user_message": "Say hello and hello"}`)
			play(t, graph("s:start a:agent", "s>a"), `start; params a {"user_message": ""}`)
			play(t, graph(`s:start={"initialInput":"{{a}}~\\\"b"} a:agent`, "s>a"), `start; params a {"user_message": "{{a}} \\\"b"}`)
			play(t, graph(line, "s>a a>b"), `start input=bye; params a {"user_message": "Say bye and bye"}`)
		},
		"S1-03": func(t *testing.T) {
			refused(t, graph("a:agent", ""), "no start")
			if why, ok := agentgraph.Recognise([]byte(graph("a:agent", ""))); !ok {
				t.Errorf("a graph without a start is not recognised, so that nobody hears of it: %s", why)
			}
			refused(t, graph("s:start r:start a:agent", "s>a r>a"), "two starts")
		},
		"S1-04": func(t *testing.T) {
			a := decode(t, graph(line, "s>a a>b")).Flow.Agents[0]
			equal(t, []string{a.Instructions, a.Model}, []string{"Be kind.", "small"})
			play(t, graph(`s:start a:agent={"userPrompt":"Work."}`, "s>a"), `start input=x; params a {"user_message": "Work."}`)
			doc := decode(t, graph(`s:start a:agent={"reasoningEffort":"high"}`, "s>a"))
			if !strings.Contains(doc.Problems.Error(), "reasoning effort") {
				t.Errorf("got %v", doc.Problems)
			}
		},
		"S1-05": func(t *testing.T) {
			f := decode(t, graph(`s:start a:agent={"tools":{"web_search":true,"subagents":true}} b:agent`, "s>a a>b@subagent")).Flow
			equal(t, f.Agents[0].Tools, []string{"web_search"})
			equal(t, len(f.Agents[0].Subagents), 1)
		},
		"S1-06": func(t *testing.T) {
			play(t, graph(line, "s>b b>a"), `start; do b one; params a {"user_message": "Say one and one"}`)
		},
		"S1-07": func(t *testing.T) {
			play(t, graph(line, "s>a a>b"), `start; do a it is done; params b {"user_message": "it is done"}`)
			play(t, graph(`s:start a:agent b:agent={"userPrompt":"~~"}`, "s>a a>b"), `start; do a it is done; params b {"user_message": "it is done"}`)
		},
		"S1-08": func(t *testing.T) { play(t, pick(two), "start; do a YES; at x") },
		"S1-09": func(t *testing.T) {
			play(t, pick(two), "start; do a yes; at x")
			play(t, pick(two), "start; do a yes sir; at y")
			play(t, pick(`{"conditions":[{"operator":"equal","value":"1"}]}`), "start; do a 01; at z")
		},
		"S1-10": func(t *testing.T) { play(t, pick(two), "start; do a THE BEST; at y") },
		"S1-11": func(t *testing.T) { play(t, pick(two), "start; do a Yes; at x; path s a i x") },
		"S1-12": func(t *testing.T) { play(t, pick(two), "start; do a test; at y; edges s/0 a/0 i/1") },
		"S1-13": func(t *testing.T) { play(t, pick(two), "start; do a no; at z") },
		"S1-14": func(t *testing.T) {
			src := graph(`s:start a:agent i:if=`+two+` x:agent`, "s>a a>i i>x@true")
			play(t, src, "start; do a yes; at x")
			play(t, src, "start; do a test; status succeeded")
		},
		"S1-15": func(t *testing.T) {
			r := record(t, gate, "start; do a done; gate g approval approve reject; message g Send {{it}}?")
			equal(t, []any{r.Status, r.WaitingForInput, r.CurrentNodeID}, []any{"paused", true, "g"})
		},
		"S1-16": func(t *testing.T) {
			for script, want := range map[string]agentgraph.Decision{
				"answer g reject note=too dear": {Decision: "reject", Note: "too dear"}, "answer g approve": {Decision: "approve"},
			} {
				r := record(t, gate, "start; do a done; "+script)
				equal(t, r.State["g_approval"], any(want))
				data, err := json.Marshal(want)
				equal(t, r.Logs[6].Type+string(data), "input_received"+r.Logs[6].Content)
				if err != nil {
					t.Error(err)
				}
			}
		},
		"S1-17": func(t *testing.T) {
			play(t, gate, "start; do a x; answer g approve; at yes")
			play(t, gate, "start; do a x; answer g reject; at no")
		},
		"S1-x05": func(t *testing.T) {
			play(t, pick(`{"conditions":[{"operator":"contains","value":"~~"},{"operator":"equal","value":"~B~"}]}`), "start; do a b; at y")
			play(t, pick(`{"conditions":[{"operator":"contains","value":""}]}`), "start; do a b; at z")
		},
		"S1-x06": func(t *testing.T) {
			play(t, graph("s:start a:agent b:agent", "s>a a>b"), `start; do a {"n": 1}; params b {"user_message": "{\"n\":1}"}`)
		},
		"S1-x07": func(t *testing.T) {
			play(t, pick(two), `start; do a Yes; params x {"user_message": "Yes"}`)
		},
		"S1-x08": func(t *testing.T) {
			play(t, graph("s:start a:agent g:approval b:agent", "s>a a>g g>b@approve"), "start; do a x; answer g reject; status succeeded")
		},
		"S1-x09": func(t *testing.T) {
			play(t, gate, `start; do a the draft; answer g approve note=fine; params yes {"user_message": "the draft"}`)
		},
		"S1-x11": func(t *testing.T) {
			// Refused instead, as the statement prefers: an answer is one of the two choices.
			for _, answer := range []string{"later", "I-REJECT-it", "Approve"} {
				play(t, gate, "start; do a x; ! choice answer g "+answer+"; gate g approval approve reject")
			}
		},
		"S1-x14": func(t *testing.T) {
			f := decode(t, graph("s:start a:agent g:approval i:if b:agent", "s>a a>g g>i@approve i>b@false")).Flow
			equal(t, []string{f.Agents[0].Instructions, f.Node("a").Name, f.Node("g").Spec.(*flow.ApprovalSpec).Message},
				[]string{"You are a helpful assistant.", "Agent", "Review and approve this step."})
			equal(t, len(f.Node("i").Spec.(*flow.DecisionSpec).Cases), 0)
			play(t, graph("s:start a:agent", "s>a"), `start input=hello; params a {"user_message": "hello"}`)
		},
		"S1-x21": func(t *testing.T) {
			src := graph(`s:start a:agent b:agent={"userPrompt":"{{~PREVIOUS_OUTPUT~}}~{{previous_output}}~{{inputs.input}}~{{PREVIOUS_OUTPUT}}~{"}`, "s>a a>b")
			play(t, src, `start; do a $& {{run.id}}; params b {"user_message": "{{ PREVIOUS_OUTPUT }} {{previous_output}} {{inputs.input}} $& {{run.id}} {"}`)
		},
	}
}

// subagents are the statements about agents that are tools of others.
func subagents() map[string]func(t *testing.T) {
	tree := graph(caller, "s>p p>c@subagent@input c>d@subagent")
	return map[string]func(t *testing.T){
		"S1-18": func(t *testing.T) { play(t, tree, "start; do p x; status succeeded; path s p") },
		"S1-19": func(t *testing.T) {
			f := decode(t, tree).Flow
			equal(t, f.Node("p").Subagents, []string{"c"})
			equal(t, f.AgentByID("p").Subagents, []string{"subagent_clerk_c"})
		},
		"S1-20": func(t *testing.T) { refused(t, graph(caller, "s>p s>c@subagent"), "'s' is no agent") },
		"S1-21": func(t *testing.T) {
			refused(t, graph(caller+" g:approval", "s>p p>g@subagent"), "'g' is no agent: it cannot be a subagent")
		},
		"S1-22": func(t *testing.T) {
			refused(t, graph("s:start p:agent c:agent", "s>p p>c@subagent"), "the tools of 'p' do not have subagents")
		},
		"S1-23": func(t *testing.T) { refused(t, graph(caller, "s>p p>c@subagent@output"), "instead of input") },
		"S1-24": func(t *testing.T) { refused(t, graph(caller, "s>p p>p@subagent"), "its own subagent") },
		"S1-25": func(t *testing.T) {
			refused(t, graph(caller, "s>d p>c@subagent c>p@subagent"), "p -> c -> p")
		},
		"S1-26": func(t *testing.T) {
			refused(t, graph(caller, "s>p p>c@subagent p>d@subagent c>d@subagent"), "'d' is the subagent of several agents")
		},
		"S1-27": func(t *testing.T) {
			refused(t, graph(caller, "s>p p>c@subagent p>c"), "'c' is a subagent and a step")
			refused(t, graph(caller, "s>p p>c@subagent c>d"), "'c' is a subagent and a step")
		},
		"S1-28": func(t *testing.T) {
			f := decode(t, tree).Flow
			f.Node("d").Subagents = []string{"p"}
			if err := validate.Flow(f, flow.Checks{}); !err.HasErrors() {
				t.Error("agents that call each other in a circle were accepted")
			}
		},
		"S1-29": func(t *testing.T) { equal(t, decode(t, tree).Flow.Node("c").Subagents, []string{"d"}) },
		"S1-34": subagentEvents,
		"S1-x24": func(t *testing.T) {
			equal(t, agentgraph.ToolName("The Clerk!", "Node-1"), "subagent_the_clerk_node_1")
			long := strings.Repeat("x", 300)
			src := graph(`s:start p:agent={"tools":{"subagents":true}} c:agent={"agentName":"Clerk","systemPrompt":"`+long+`","tools":{"web_search":true,"subagents":true}} d1:agent d2:agent d3:agent d4:agent d5:agent d6:agent`,
				"s>p p>c@subagent c>d1@subagent c>d2@subagent c>d3@subagent c>d4@subagent c>d5@subagent c>d6@subagent")
			a := decode(t, src).Flow.AgentByID("subagent_clerk_c")
			equal(t, a.Description, "Clerk: "+long[:280]+" Tools: web search. Subagents: Agent, Agent, Agent, Agent, +2 more.")
			equal(t, a.Limits.Turns, 20)
		},
		"S1-x25": func(t *testing.T) {
			data, err := json.Marshal(agentgraph.Event{ParentCallID: "1", Message: "m"})
			var keys map[string]any
			if err != nil || json.Unmarshal(data, &keys) != nil {
				t.Fatal(err)
			}
			equal(t, slices.Sorted(maps.Keys(keys)), []string{"callId", "depth", "message", "parentCallId", "parentNodeId", "subagentName", "subagentNodeId", "type"})
		},
	}
}

// subagentEvents plays an agent that calls another, which calls a third.
func subagentEvents(t *testing.T) {
	turn := func(text, calls string) string { return fmt.Sprintf(`{"text":%q,"calls":[%s]}`, text, calls) }
	call := func(id, agent string) string {
		return fmt.Sprintf(`{"id":%q,"name":"%s","arguments":"{\"task\":\"do it\"}"}`, id, agent)
	}
	script := "start"
	for i, result := range []string{turn("", call("1", "subagent_clerk_c")), turn("", call("2", "subagent_agent_d")), turn("deep", ""), turn("middle", ""), turn("over", "")} {
		script += fmt.Sprintf("\nclaim p\ncall p %d model\ncalled p %d %s", i+1, i+1, result)
		if i > 0 {
			script = strings.Replace(script, fmt.Sprintf("\nclaim p\ncall p %d", i+1), fmt.Sprintf("\ncall p %d", i+1), 1)
		}
	}
	src := graph(caller, "s>p p>c@subagent c>d@subagent")
	r := record(t, src, script+"\ndo p over")
	var got []string
	for _, e := range r.Logs {
		var event agentgraph.Event
		if json.Unmarshal([]byte(e.Content), &event) == nil && event.Type != "" {
			got = append(got, fmt.Sprintf("%s %s of %s call %s in %q depth %d: %s", event.Type, event.SubagentNodeID, event.ParentNodeID, event.CallID, event.ParentCallID, event.Depth, event.Message))
		}
	}
	equal(t, got, []string{
		`subagent_call_start c of p call 1 in "" depth 1: do it`, `subagent_call_start d of c call 2 in "1" depth 2: do it`,
		`subagent_call_end d of c call 2 in "1" depth 2: deep`, `subagent_call_end c of p call 1 in "" depth 1: middle`,
	})
}

// branches are the statements about branches and pauses.
func branches() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		"S1-30": func(t *testing.T) {
			play(t, graph("s:start a:agent b:agent", "s>a s>b"), "start; at a b; claim a; claim b")
		},
		"S1-31": func(t *testing.T) {
			play(t, beside, "start; gate g approval approve reject; claim a; deferred a b; answer g reject; do a x; at after b; do after y; do b z")
		},
		"S1-32": func(t *testing.T) {
			play(t, beside, "start; answer g approve; do yes x; do a x; do after x; do b x; gate h approval approve reject; answer h approve; do yes y; status succeeded")
		},
		"S1-33": func(t *testing.T) {
			r := record(t, gate, "start input=go; do a draft; answer g approve note=fine; do yes sent")
			equal(t, logOf(r), "s:step_start a:step_start a:start_prompt a:llm_response g:step_start g:wait_input g:input_received yes:step_start yes:start_prompt yes:llm_response")
			equal(t, []string{r.Logs[2].Content, r.Logs[3].Content, r.Logs[8].Content}, []string{"go", "draft", "draft"})
			equal(t, r.Logs[6].Content, fmt.Sprintf(decided, "approve", "fine"))
			checked := record(t, pick(two), "start; do a no; do z x")
			equal(t, logOf(checked), "s:step_start a:step_start a:start_prompt a:llm_response i:step_start i:logic_check z:step_start z:start_prompt z:llm_response")
		},
		"S1-x02": func(t *testing.T) {
			equal(t, agentgraph.NewRecord("r1", decode(t, gate).Flow, nil).Status, "pending")
			for script, want := range map[string]string{"start": "running", "start; do a x": "paused", "start; do a x; answer g approve; do yes x": "completed", "start; fail a final E: no": "failed"} {
				equal(t, record(t, gate, script).Status, want)
			}
		},
		"S1-x10": func(t *testing.T) {
			r := record(t, gate, "start; do a x; answer g reject note=no")
			equal(t, r.State["g_approval"], any(agentgraph.Decision{Decision: "reject", Note: "no"}))
		},
		"S1-x12": func(t *testing.T) {
			src := graph("s:start g:approval h:approval x:agent y:agent", "s>g s>h g>x@approve h>y@approve")
			play(t, src, "start; gates 1; deferred h; answer g approve; gates 0; do x 1; gate h approval approve reject; answer h approve; do y 1; status succeeded")
		},
		"S1-x13": func(t *testing.T) { play(t, gate, "start; ! nogate answer a approve; at a") },
		"S1-x15": func(t *testing.T) {
			src := graph("s:start a:agent b:agent c:agent d:agent", "s>a s>b a>c b>d")
			d := play(t, src, `start; do a one; do b two; params c {"user_message": "one"}; params d {"user_message": "two"}`)
			equal(t, agentgraph.NewRecord("r1", d.Flow, d.Facts).State["a"], any("one"))
		},
		"S1-x16": func(t *testing.T) {
			play(t, graph("s:start a:agent b:agent c:agent", "s>a s>b a>c b>c"), "start; do a 1; do b 2; do c x; do c y; status succeeded; visits 5")
		},
		"S1-x19": func(t *testing.T) {
			r := record(t, graph("s:start a:agent b:agent", "s>a a>b"), "start; fail a final ModelError: no; status failed")
			equal(t, logOf(r), "s:step_start a:step_start a:start_prompt a:llm_error system:error")
		},
		"S1-x20": func(t *testing.T) { play(t, beside, "start; at a g b; claim a; deferred a b") },
		"S1-x26": func(t *testing.T) {
			d := play(t, gate, "start; do a x")
			again, err := enginetest.Resume(d, len(d.Inputs))
			if err != nil {
				t.Fatal(err)
			}
			r := agentgraph.NewRecord("r1", again.Flow, again.Facts)
			equal(t, r, agentgraph.NewRecord("r1", d.Flow, d.Facts))
			equal(t, []any{r.RunID, r.Status, r.WaitingForInput, r.CurrentNodeID, string(r.Workflow), r.State["a"]}, []any{"r1", "paused", true, "g", gate, any("x")})
			data, err := json.Marshal(r)
			var keys map[string]any
			if err != nil || json.Unmarshal(data, &keys) != nil {
				t.Fatal(err)
			}
			equal(t, slices.Sorted(maps.Keys(keys)), []string{"currentNodeId", "logs", "runId", "state", "status", "waitingForInput", "workflow"})
			equal(t, slices.Sorted(maps.Keys(keys["logs"].([]any)[0].(map[string]any))), []string{"content", "nodeId", "timestamp", "type"})
		},
		"S1-x27": func(t *testing.T) { play(t, gate, "start; do a x; answer g approve; ! nogate answer g approve") },
		"S1-x28": func(t *testing.T) {
			equal(t, decode(t, gate).Flow.Inputs, []flow.Input{{Name: "input", Type: "string", Default: ""}})
		},
	}
}

// older are the statements about older documents.
func older() map[string]func(t *testing.T) {
	old := graph(`s:start a:agent g:input i:if={"condition":"yes"} x:agent e:end`, "s>a a>g g>i@approve i>x@true x>e")
	return map[string]func(t *testing.T){
		"S1-35": func(t *testing.T) { play(t, old, "start; do a x; gate g approval approve reject") },
		"S1-36": func(t *testing.T) {
			play(t, old, "start; do a oh yes; answer g approve; at x")
			play(t, strings.Replace(old, `"condition":"yes"`, `"condition":"yes","conditions":[]`, 1), "start; do a oh yes; answer g approve; at x")
		},
		"S1-37": func(t *testing.T) {
			now, err := agentgraph.Upgrade([]byte(old))
			if err != nil || !strings.Contains(string(now), `"condition-0"`) || strings.Contains(string(now), `"input"`) || strings.Contains(string(now), `"true"`) {
				t.Errorf("%s %v", now, err)
			}
			play(t, string(now), "start; do a oh yes; answer g approve; at x")
			equal(t, string(flow.Canonical(without(decode(t, string(now)).Flow))), string(flow.Canonical(without(decode(t, old).Flow))))
		},
		"S1-x01": func(t *testing.T) {
			doc := decode(t, old)
			back, err := agentgraph.Encode(doc.Flow)
			equal(t, string(back), old)
			if err != nil {
				t.Error(err)
			}
		},
		"S1-x03": func(t *testing.T) { play(t, old, "start; do a yes; answer g approve; do x done; status succeeded") },
		"S1-x04": func(t *testing.T) {
			play(t, pick(`{"conditions":[{"operator":"matches","value":"yes"}]}`), "start; do a yes sir; at z")
			play(t, pick(`{"conditions":[{"operator":"matches","value":"yes"}]}`), "start; do a yes; at x")
		},
	}
}

// without is a flow without its source.
func without(f *flow.Flow) *flow.Flow {
	f = f.Clone()
	f.Raw = nil
	return f
}

// sources are the statements about what is refused.
func sources() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		"S1-x17": func(t *testing.T) {
			src := graph("s:start a:agent m:magic b:agent", "s>a a>m m>b")
			if p := decode(t, src).Problems; !strings.Contains(p.Error(), "unknown type 'magic'") {
				t.Errorf("got %v", p)
			}
			play(t, src, "start; do a x; at b")
		},
		"S1-x18": func(t *testing.T) {
			t.Skip("a graph with a connection to a missing node is refused before a run, as the preflight of the format does")
		},
		"S1-x22": func(t *testing.T) {
			refused(t, graph("s:start a:agent", ""), "nothing is connected with the start")
			refused(t, graph("s:start a:agent", "s>a a>gone"), "there is no node 'gone'")
			refused(t, graph("s:start i:if a:agent", "s>i i>a@other"), "nothing is connected with the conditions of 'i'")
			refused(t, graph("s:start g:approval a:agent", "s>g g>a@other"), "nothing is connected with the answers of 'g'")
		},
		"S1-x23": func(t *testing.T) {
			play(t, graph("s:start a:agent i:if b:agent lone:agent", "s>a a>i i>a@false"), "start; do a x; at a")
		},
	}
}

func ExampleDecode() {
	doc, err := agentgraph.Decode("hello.json", []byte(graph(`s:start={"initialInput":"Ana"} a:agent={"userPrompt":"Greet~{{PREVIOUS_OUTPUT}}"}`, "s>a")))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range doc.Flow.Nodes {
		fmt.Println(n.ID, n.Spec.Kind())
	}
	// Output:
	// s entry
	// a agent
}
