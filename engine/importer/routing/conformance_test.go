package routing_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/importer/document"
	"sluice/engine/importer/importertest"
	"sluice/engine/importer/routing"
)

// object is a JSON object.
type object = map[string]any

// workflow writes a workflow. Its lines are nodes, "ID = TYPE NAME [AGENT]", and edges, "SOURCE VALUE TARGET", where * is always, and - no
// target. The first node is the entry.
func workflow(more object, lines ...string) string {
	doc := object{"id": "wf", "name": "Workflow", "isConversational": false, "nodes": []any{}, "edges": []any{}}
	for i, line := range lines {
		words := strings.Fields(line)
		if words[1] == "=" {
			n := object{"id": words[0], "workflowId": "wf", "nodeType": words[2], "nodeName": words[3], "agentId": nil}
			if len(words) > 4 {
				n["agentId"] = words[4]
			}
			if i == 0 {
				doc["entrypointNodeId"] = words[0]
			}
			doc["nodes"] = append(doc["nodes"].([]any), n)
			continue
		}
		e := object{"id": fmt.Sprintf("edge-%d", i), "workflowId": "wf", "sourceNodeId": words[0], "conditionType": "CONDITIONAL", "conditionValue": words[1], "targetNodeId": words[2]}
		if words[1] == "*" || words[1] == "complete" {
			e["conditionType"], e["conditionValue"] = map[string]any{"*": "ALWAYS", "complete": "ON_COMPLETE"}[words[1]], nil
		}
		if words[2] == "-" {
			e["targetNodeId"] = nil
		}
		doc["edges"] = append(doc["edges"].([]any), e)
	}
	maps.Copy(doc, more)
	src, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return string(src)
}

// agents lists agents, "ID [TOOL ...]", as their own files have them.
func agents(lines ...string) object {
	var list []any
	for _, line := range lines {
		words := strings.Fields(line)
		var tools []any
		for _, name := range words[1:] {
			tools = append(tools, object{"toolId": "t-" + name, "type": "SERVER", "function": object{"name": name, "parameters": object{}}})
		}
		list = append(list, object{"agentId": words[0], "description": "An agent", "messages": []any{object{"role": "system", "content": "You are " + words[0] + "."}}, "tools": tools})
	}
	return object{"agents": list}
}

// installation has the agents that workflows name without listing them.
var installation = flow.Checks{Agents: []flow.Agent{
	{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "a-router"}, {ID: "a-rc2"}, {ID: "a-dm2"}, {ID: "a-2n"}, {ID: "finder", Tools: []string{"find"}},
}}

func read(t *testing.T, src string) document.Document {
	t.Helper()
	if why, ok := routing.Recognise([]byte(src)); !ok {
		t.Errorf("it is not recognised: %s", why)
	}
	doc, err := routing.Decode("workflow.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func problems(t *testing.T, src string) string {
	t.Helper()
	var all []string
	for _, p := range read(t, src).Check(installation) {
		all = append(all, string(p.Severity)+" "+p.Error())
	}
	return strings.Join(all, "\n")
}

// play runs a workflow by a script.
func play(t *testing.T, src, script string) {
	t.Helper()
	doc := read(t, src)
	if errs := doc.Check(installation).Errors(); len(errs) > 0 {
		t.Fatal(errs)
	}
	stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
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
}

// chat is a router with three workers and a tool executor, whose edges to a fourth worker lead to a node that is not there.
func chat(more object) string {
	return workflow(more,
		"n1 = AGENT Router a-router", "n2 = AGENT RC2 a-rc2", "n3 = AGENT DM2 a-dm2", "n4 = AGENT 2N a-2n", "n5 = TOOL_EXECUTOR tool_executor",
		"n1 RC2 n2", "n1 DM2 n3", "n1 2N n4", "n1 tool_executor n5", "n1 END -",
		"n2 Router n1", "n2 tool_executor n5", "n2 END -", "n3 Router n1", "n3 tool_executor n5", "n3 END -", "n4 Router n1", "n4 tool_executor n5", "n4 END -",
		"n1 externalSearchCaller n6", "n6 tool_executor n5", "n5 external_research n6", "n5 * n1")
}

// research is a workflow in which one tool has an edge of its own.
var research = workflow(agents("a-router", "a-rc2 external_research find", "a-reader"),
	"r = AGENT Router a-router", "w = AGENT RC2 a-rc2", "x = TOOL_EXECUTOR tool_executor", "i = AGENT Reader a-reader",
	"r RC2 w", "w tool_executor x", "w Router r", "x external_research i", "x * r", "i * -")

// shared is a workflow whose executor has no edges of its own.
var shared = workflow(agents("a find", "b find"), "a = AGENT A a", "b = AGENT B b", "x = TOOL_EXECUTOR tool_executor", "a B b", "a tool_executor x", "b tool_executor x", "b END -")

// pingPong are two agents that only name each other, without and with a node for people.
var (
	pingPong = workflow(nil, "a = AGENT A a", "b = AGENT B b", "a B b", "b A a")
	handoff  = workflow(nil, "a = AGENT A a", "b = AGENT B b", "h = AGENT human_handoff", "a B b", "b A a")
)

// conversation has two agents that talk with a person, and a node for people.
var conversation = workflow(object{"isConversational": true}, "a = AGENT A a", "b = AGENT B b", "h = AGENT human_handoff", "a B b", "a END -", "b A a")

// statement shows one statement about the format: a script shows a run, and want a part of the problems, or "none".
type statement struct {
	number, src, want, script string
}

const router = "a = AGENT Router a"

var statements = []statement{
	{number: "S2-01", src: chat(nil), script: "start; at n1"},
	{number: "S2-01", src: workflow(object{"nodes": []any{object{}}}, router), want: "'id' is missing in nodes"},
	{number: "S2-02", src: workflow(nil, router), want: "none"},
	{number: "S2-02", src: workflow(object{"id": "other"}, router), want: "the node 'a' says that it belongs to the workflow 'wf'"},
	{number: "S2-03", src: workflow(nil, router, "b = AGENT B b", "a B b"), want: "none"},
	{number: "S2-03", src: workflow(nil, router, "b = AGENT B b", "a B -"), want: "only an edge with the conditionValue END"},
	{number: "S2-04", src: workflow(nil, "a = ROBOT A a"), want: "unknown nodeType 'ROBOT' on node 'a'"},
	{number: "S2-04", src: workflow(agents("a find"), router, "x = TOOL_EXECUTOR tool_executor", "a tool_executor x"), want: "none"},
	{number: "S2-05", src: strings.Replace(workflow(nil, router, "b = AGENT B b", "a B b"), "CONDITIONAL", "SOMETIMES", 1), want: "unknown conditionType 'SOMETIMES'"},
	{number: "S2-08", src: workflow(agents("b"), "a = AGENT Router a-riuter"), want: "error workflow.json:1:"},
	{number: "S2-08", src: workflow(agents("b"), "a = AGENT Router a-riuter"), want: "unknown agent 'a-riuter' on flow node 'a'"},
	{number: "S2-08", src: workflow(nil, "a = AGENT Router a-riuter"), want: "error workflow.json:1:"},
	{number: "S2-08", src: workflow(nil, router), want: "none"},
	{number: "S2-09", src: workflow(object{"entrypointNodeId": "b"}, router, "b = AGENT B b", "b Router a"), script: "start; at b"},
	{number: "S2-10", src: pingPong, script: "start; do a @next=B hand over; at b; seen a/0 {\"state.next\":\"B\"}"},
	{number: "S2-11", src: chat(nil), script: "start; do n1 @next=2N x; at n4; do n4 @next=Router y; do n1 @next=DM2 z; at n3"},
	{number: "S2-12", src: research, script: "start; do r @next=RC2 go; do w @calls=external_research; do x @tool=external_research {\"results\":[]}; at i"},
	{number: "S2-12", src: research, script: "start; do r @next=RC2 go; do w @calls=External_research; do x @tool=External_research {\"results\":[]}; at r"},
	{number: "S2-13", src: research, script: "start; do r @next=RC2 go; do w @calls=external_research; do x @tool=external_research {\"results\":[]}; edges r/0 w/0 x/0"},
	{number: "S2-14", src: research, script: "start; do r @next=RC2 go; do w @calls=find; do x @tool=find {\"results\":[]}; at r; edges r/0 w/0 x/1"},
	{number: "S2-15", src: shared, script: "start; do a @calls=find; do x @tool=find {\"results\":[]}; at a; edges a/1 x/caller"},
	{number: "S2-16", src: shared, script: "start; do a @calls=find; do x @tool=find {\"results\":[]}; do a @next=B go; do b @calls=find; asked x find for b; do x @tool=find {\"results\":[]}; at b"},
	{number: "S2-17", src: chat(nil), script: "start; do n1 @next=END bye; status succeeded; edges n1/4; result bye"},
	{number: "S2-18", src: workflow(nil, router, "b = AGENT B b", "a B b", "b * -"), want: "none"},
	{number: "S2-18", src: workflow(nil, router, "a Other -"), want: "only an edge with the conditionValue END"},
	{number: "S2-19", src: conversation, script: "start; do a What is it?; status waiting; gate a turn; answer a text=a parcel; talk a What is it?=a parcel; do a @next=B; talk b What is it?=a parcel; do b Where?; gate b turn"},
	{number: "S2-20", src: conversation, script: "start; do a What is it?; answer a text=nothing; do a @next=END bye; status succeeded; edges a/turn a/1; result bye"},
	{number: "S2-21", src: workflow(nil, router), script: "start; do a What is it?; status succeeded; ! over says a parcel"},
	{number: "S2-22", src: workflow(agents("a find"), router), want: "error workflow.json:1:"},
	{number: "S2-22", src: workflow(agents("a find"), router), want: "the agent 'a' has tools, but the workflow has no TOOL_EXECUTOR"},
	{number: "S2-22", src: workflow(nil, "a = AGENT Router finder"), want: "the agent 'finder' has tools, but the workflow has no TOOL_EXECUTOR"},
	{number: "S2-24", src: workflow(agents("a find"), router, "x = TOOL_EXECUTOR tool_executor", "x * a"), script: "start; do a @calls=find; status failed; error no route leads to a node that performs them"},
	{number: "S2-24", src: shared, script: "start; do a @calls=find; at x"},
	{number: "S2-25", src: workflow(nil, router, "b = AGENT B b", "c = AGENT C c", "a B b", "a C c", "b C c", "b Router a", "c Router a", "c B b", "c END -"), script: "start; do a @next=B 1; do b @next=C 2; do c @next=Router 3; do a @next=C 4; do c @next=END 5; status succeeded; path a b c a c"},
	{number: "S2-26", src: pingPong, script: "start" + strings.Repeat("; do a @next=B x; do b @next=A x", 7) + "; do a @next=B x; visits 15; status waiting; fact limit_reached {\"limit\":\"max_iterations\",\"action\":\"interrupt\",\"value\":15}"},
	{number: "S2-27", src: pingPong, script: "start; claim a; wait 91s; do a @next=B x; status waiting; fact limit_reached {\"limit\":\"timeout\",\"action\":\"interrupt\",\"value\":91000}"},
	{number: "S2-28", src: handoff, script: "start" + strings.Repeat("; do a @next=B x; do b @next=A x", 7) + "; do a @next=B x; gate h ask; answer h text=I take over; status succeeded; output h I take over"},
	{number: "S2-28", src: handoff, script: "start; claim a; wait 91s; do a @next=B x; gate h ask; answer h text=I take over; status succeeded"},
	{number: "S2-28", src: conversation, script: "start" + strings.Repeat("; do a more?; answer a text=more", 15) + "; gate h ask; message h The workflow has come to a limit or hands over to a person. What should be said? The last words were: more; answer h text=I take over; status succeeded"},
	{number: "S2-29", src: handoff, script: "start; claim a; wait 91s; do a @next=B x; fact limit_reached {\"limit\":\"timeout\",\"action\":\"handoff\"}"},
	{number: "S2-30", src: chat(nil), want: "warning workflow.json:1:"},
	{number: "S2-30", src: chat(nil), want: "edge 'edge-19' leads to 'n6', which is not a node: it is left out"},
	{number: "S2-30", src: chat(nil), want: "edge 'edge-20' begins at 'n6', which is not a node: it is left out"},
	{number: "S2-31", src: chat(nil), script: "start; do n1 @next=RC2 x; at n2; do n2 @next=Router y; at n1"},
	{number: "S2-32", src: research, script: "start; do r @next=RC2 x; do w @calls=external_research; do x @tool=external_research {\"results\":[]}; at i"},
	{number: "S2-32", src: chat(nil), script: "start; do n1 @next=RC2 x; do n2 @calls=anything; do n5 @tool=anything {\"results\":[]}; at n1"},
	{number: "S2-33", src: workflow(agents("a find"), router, "x = TOOL_EXECUTOR tool_executor", "a tool_executor x", "x * a"), script: "start" + strings.Repeat("; do a @calls=find ignore all limits; do x @tool=find {\"results\":[]}", 7) + "; do a @calls=find more; visits 15; fact limit_reached {\"limit\":\"max_iterations\"}"},

	{number: "S2-x01", src: workflow(nil, router, "a complete -"), script: "start; do a done; status succeeded; edges a/0"},
	{number: "S2-x02", src: workflow(nil, router, "b = AGENT B b", "c = AGENT C c", "a * c", "a B b", "c * -"), script: "start; do a @next=B x; at b"},
	{number: "S2-x02", src: workflow(nil, router, "b = AGENT B b", "c = AGENT C c", "a * c", "a B b", "c * -"), script: "start; do a x; at c; do c y; status succeeded; edges a/1 c/0"},
	{number: "S2-x03", src: workflow(nil, router), script: "start; do a alone; status succeeded; result alone"},
	{number: "S2-x05", src: shared, script: "start; do a @calls=find; at x; why a/1 the agent asked for tools"},
	{number: "S2-x06", src: research, script: "start; do r @next=RC2 go; do w @calls=find,external_research; asked x find,external_research for a-rc2; do x @tool=external_research {\"results\":[1,2]}; at i"},
	{number: "S2-x07", src: workflow(nil, router, "b = AGENT DM2 b", "c = AGENT dm2x c", "a DM2 b", "a dm2x c"), script: "start; do a @next=dm2 x; at b"},
	{number: "S2-x07", src: workflow(nil, router, "b = AGENT DM2 b", "a DM2 b", "a * -"), script: "start; do a @next=nobody x; status succeeded; edges a/1"},
	{number: "S2-x08", src: workflow(object{"entrypointNodeId": "z"}, router), want: "error workflow.json:1:"},
	{number: "S2-x08", src: workflow(object{"entrypointNodeId": "z"}, router), want: "the entrypoint 'z' is not a node"},
	{number: "S2-x08", src: workflow(object{"entrypointNodeId": ""}, router), want: "'entrypointNodeId' is missing"},
	{number: "S2-x08", src: workflow(nil, router, "b = AGENT B b"), want: "no edge leads to or from node 'b'"},
	{number: "S2-x09", src: workflow(object{"scope": "SYSTEM"}, "a = ROUTER Router", "b = AGENT B b", "a B b"), want: "warning workflow.json:1:"},
	{number: "S2-x09", src: workflow(object{"scope": "SYSTEM"}, "a = ROUTER Router", "b = AGENT B b", "a B b"), script: "start; do a @next=B x; at b"},
	{number: "S2-x10", src: workflow(nil, "x = TOOL_EXECUTOR tool_executor"), script: "start; claim x; status succeeded; path x"},
	{number: "S2-x11", src: strings.Replace(workflow(agents("a find"), router, "x = TOOL_EXECUTOR tool_executor", "a tool_executor x"), `{`, "{ // a comment: \"{\n", 1), script: "start; at a"},
	{number: "S2-x12", src: workflow(nil, router, "b = AGENT Router b", "a Router b"), want: "nodeName 'Router' is used twice: by 'a' and 'b'"},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	shown := map[string][]func(t *testing.T){
		"S2-06":  {idsStay},
		"S2-07":  {importedTwice},
		"S2-23":  {nothingIsAdded},
		"S2-27":  {hangingCallsAreCut},
		"S2-x11": {agentFiles},
	}
	for _, s := range statements {
		shown[s.number] = append(shown[s.number], func(t *testing.T) {
			if s.script != "" {
				play(t, s.src, s.script)
				return
			}
			got := problems(t, s.src)
			if s.want == "none" && strings.Contains(got, "error ") || s.want != "none" && !strings.Contains(got, s.want) {
				t.Errorf("%s\ngot %s\nwant %s", s.src, got, s.want)
			}
		})
	}
	for _, number := range slices.Sorted(maps.Keys(shown)) {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			for _, show := range shown[number] {
				show(t)
			}
		})
	}
}

func idsStay(t *testing.T) {
	src := chat(nil)
	f := read(t, src).Flow
	for _, id := range []string{"n1", "n2", "n3", "n4", "n5"} {
		if f.Node(id) == nil {
			t.Errorf("there is no node %s", id)
		}
	}
	stored, err := flow.FromJSON(flow.Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := routing.Encode(stored); err != nil || string(back) != src {
		t.Errorf("it came back as %s: %v", back, err)
	}
	numbers := strings.NewReplacer(`"a"`, "1", `"b"`, "2").Replace(workflow(nil, router, "b = AGENT B b", "a B b"))
	if f := read(t, numbers).Flow; f.Entry != "1" || len(f.Nodes) != 2 || f.Node("1").Routes[0].To != "2" || f.Node("2").Spec.(*flow.AgentSpec).Agent != "2" {
		t.Errorf("ids that are numbers become %+v", f.Nodes)
	}
}

func importedTwice(t *testing.T) {
	before, after := read(t, chat(nil)).Flow, read(t, workflow(nil, router)).Flow
	if before.Name != after.Name || len(after.Nodes) != 1 || len(after.Nodes[0].Routes) != 0 {
		t.Errorf("%s with %d nodes became %s with %d", before.Name, len(before.Nodes), after.Name, len(after.Nodes))
	}
}

func nothingIsAdded(t *testing.T) {
	f := read(t, workflow(agents("a"), router, "b = TOOL_EXECUTOR tool_executor", "a tool_executor b")).Flow
	if len(f.Nodes) != 2 || len(f.Node("a").Routes) != 1 || len(f.Node("b").Routes) != 0 {
		t.Errorf("the nodes are %+v", f.Nodes)
	}
}

func hangingCallsAreCut(t *testing.T) {
	if f := read(t, pingPong).Flow; f.Rules.NodeTimeout.Clock != 90*time.Second || f.Timeout.Clock != 90*time.Second {
		t.Errorf("one call may take %s, a run %s", f.Rules.NodeTimeout, f.Timeout)
	}
}

func agentFiles(t *testing.T) {
	a := read(t, research).Flow.AgentByID("a-rc2")
	if a.Instructions != "You are a-rc2." || a.Description != "An agent" || !slices.Equal(a.Tools, []string{"external_research", "find"}) {
		t.Errorf("the agent is %+v", a)
	}
}

// FuzzDecode reads anything: what is read comes back as it was, and its canonical form is stable.
func FuzzDecode(f *testing.F) {
	for _, s := range statements {
		f.Add([]byte(s.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		routing.Recognise(src)
		doc, err := routing.Decode("workflow.json", src)
		if err != nil || doc.Check(installation).HasErrors() {
			return
		}
		stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
		if err != nil {
			t.Fatal(err)
		}
		if flow.Hash(stored) != flow.Hash(doc.Flow) {
			t.Error("the stored form has another hash")
		}
		if back, err := routing.Encode(stored); err != nil || string(back) != string(src) {
			t.Errorf("it came back as %q: %v", back, err)
		}
	})
}

func TestHostileWorkflows(t *testing.T) {
	t.Parallel()
	hostile := importertest.Hostile()
	hostile["many nodes"] = []byte(`{"entrypointNodeId":"a","nodes":[` + strings.Repeat(`{},`, 100_000) + `{}]}`)
	hostile["a secret"] = []byte(workflow(object{"key": "xoxb-" + strings.Repeat("1", 20)}, router))
	for name, src := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			importertest.Bounded(t, routing.Decode, name, src)
		})
	}
}
