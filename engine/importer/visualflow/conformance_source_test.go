package visualflow_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/importertest"
	"sluice/engine/importer/visualflow"
)

const say = "a answer_user {\"pinDefaults\":{\"message\":\"a\"}}\nb answer_user {\"pinDefaults\":{\"message\":\"b\"}}\nc answer_user {\"pinDefaults\":{\"message\":\"c\"}}\n"

// says runs a document and compares what it posts.
func says(t *testing.T, lines, list, want string) {
	t.Helper()
	s, f := stage(t, written(lines, list))
	if p := play(t, s, f, nil); strings.Join(p.Said, " ") != want || p.End != importertest.ReachedEnd {
		t.Errorf("the run %s (%s) and said %q, want %q", p.End, p.Error, p.Said, want)
	}
}

// warns looks for words in the problems of a document.
func warns(t *testing.T, lines, list, want string) {
	t.Helper()
	if got := problems(t, written(lines, list)); !strings.Contains(got, want) {
		t.Errorf("the problems are %q, want %q", got, want)
	}
}

// sourceStatements are those that the published source answers.
var sourceStatements = map[string]func(t *testing.T){
	"S4-x01": func(t *testing.T) {
		d := read(t, []byte(`{"flow_id":"doc","nodes":[{"id":"start","type":"on_flow_start","more":1},{"type":"add"}],"edges":[{"source":"start","target":"start"}]}`))
		if len(d.Flow.Nodes) != 1 || len(d.Problems) != 3 {
			t.Errorf("it became %d nodes with %v", len(d.Flow.Nodes), d.Problems)
		}
		odd := strings.NewReplacer(`"nodeType": "add"`, `"nodeType": 7`, `"edges": [`, `"edges": [7, {"targetHandle": []},`).Replace(string(written(ends+"x add", "start>end")))
		if _, ok := visualflow.Recognise([]byte(odd)); !ok || !strings.Contains(odd, `"nodeType": 7`) {
			t.Error("a document with an odd value is not recognised")
		}
		if _, err := visualflow.Decode("doc.json", []byte(`{"nodes":[]}`)); err == nil || !strings.Contains(err.Error(), "no 'id'") {
			t.Errorf("a document without id gives %v", err)
		}
	},
	"S4-x02": func(t *testing.T) {
		src := strings.Replace(string(written("n add\n"+ends, "start>end")), `"entryNode": "start"`, `"entryNode": "n"`, 1)
		if f := read(t, []byte(src)).Flow; f.Entry != "start" {
			t.Errorf("a run begins at %s", f.Entry)
		}
	},
	"S4-x03": func(t *testing.T) {
		f := read(t, written(ends+`x strange {"inputs":[{"id":"go","type":"execution"}]}`+"\ny strange\n", "y.v=end.v start>end")).Flow
		if f.Node("x").Pulled() || !f.Node("y").Pulled() {
			t.Error("a node with an execution pin is executed, and no other")
		}
	},
	"S4-x04": func(t *testing.T) {
		gives(t, ends+"s set_var {\"pinDefaults\":{\"name\":\"n\",\"value\":2}}\ng get_var {\"pinDefaults\":{\"name\":\"n\"}}\nn add {\"pinDefaults\":{\"b\":1}}", "start>s s>end g.value=n.a n.result=end.v", nil, `{"v":3}`)
		says(t, "start on_flow_start\nl loop\nx literal_array {\"literalValue\":[1,2]}\nm multiply {\"pinDefaults\":{\"b\":10}}\na answer_user", "start>l l:loop>a x.value=l.items l.item=m.a m.result=a.message", "10 20")
	},
	"S4-x05": func(t *testing.T) {
		warns(t, ends+"n add\nm add", "start>end n.result=m.a m.result=n.a n.result=end.v", "error data-cycle: the value of node 'n' needs itself")
	},
	"S4-x06": func(t *testing.T) {
		warns(t, ends+"n add", "start>end start.prompt=n.a start.prompt=n.a n.result=end.v", "error second-edge")
	},
	"S4-x07": func(t *testing.T) {
		computes(t, `n coalesce {"pinDefaults":{"a":"default"}}`, "start.nothing=n.a", "result", "null")
	},
	"S4-x08": func(t *testing.T) {
		if got := problems(t, written(ends+say, "start>end")); strings.Contains(got, "error") || !strings.Contains(got, "unreachable") {
			t.Errorf("unreachable nodes give %s", got)
		}
	},
	"S4-x09": func(t *testing.T) { warns(t, ends+say, "start>a start>b a>end b>end", "error second-edge") },
	"S4-x10": func(t *testing.T) {
		says(t, "start on_flow_start\nif if\n"+say, "start>if if:true>a if:false>b", "b")
		says(t, "start on_flow_start\nif if {\"pinDefaults\":{\"condition\":\"x\"}}\n"+say, "start>if if:false>b", "")
	},
	"S4-x11": func(t *testing.T) {
		for value, said := range map[string]string{`1`: "a", `"1"`: "a", `"1.0"`: "c", `null`: "b", `true`: "c"} {
			says(t, "start on_flow_start\nv literal_json {\"literalValue\":"+value+"}\ns switch {\"switchConfig\":{\"cases\":[{\"id\":\"one\",\"value\":\"1\"},{\"id\":\"none\",\"value\":\"\"}]}}\n"+say,
				"start>s s:case:one>a s:case:none>b s:default>c v.value=s.value", said)
		}
	},
	"S4-x12": func(t *testing.T) {
		says(t, "start on_flow_start\ns sequence\n"+say, "start>s s:then:10>c s:then:2>b s:then:0>a", "a b c")
	},
	"S4-x13": func(t *testing.T) {
		s, f := stage(t, written("start on_flow_start\np parallel\n"+say, "start>p p:then:0>a p:then:1>b p:completed>c"))
		p := play(t, s, f, nil)
		if slices.Sort(p.Said[:2]); strings.Join(p.Said, " ") != "a b c" {
			t.Errorf("it said %q", p.Said)
		}
	},
	"S4-x14": func(t *testing.T) {
		for items, said := range map[string]string{`["x","y"]`: "x0 y1 c", `"x"`: "x0 c", `null`: "c"} {
			says(t, "start on_flow_start\nx literal_json {\"literalValue\":"+items+"}\nl loop\nt concat {\"concatConfig\":{\"separator\":\"\"}}\n"+say, "start>l l:loop>a l:done>c x.value=l.items l.item=t.a l.index=t.b t.result=a.message", said)
		}
	},
	"S4-x15": func(t *testing.T) {
		says(t, "start on_flow_start\nf for {\"pinDefaults\":{\"start\":1,\"end\":6,\"step\":2}}\n"+say, "start>f f:loop>a f:done>c f.i=a.message", "1 3 5 c")
		fails(t, "start on_flow_start\nf for {\"pinDefaults\":{\"end\":6,\"step\":0}}\n"+say, "start>f f:loop>a", "step is 0")
		says(t, "start on_flow_start\nw while\nl compare {\"pinDefaults\":{\"op\":\"<\",\"b\":2}}\n"+say, "start>w w:loop>a w:done>c w.index=l.a l.result=w.condition", "a a c")
	},
	"S4-x16": func(t *testing.T) {
		says(t, "start on_flow_start\nend on_flow_end\ns sequence\n"+say, "start>s s:then:0>a s:then:1>b s:then:2>end b>end", "a b")
	},
	"S4-x17": func(t *testing.T) {
		s, f := stage(t, written("start on_flow_start\nf for {\"pinDefaults\":{\"end\":2}}\n"+say, "start>f f:loop>a a>f f:done>c f.i=a.message"))
		s.Most = 20
		if p := play(t, s, f, nil); p.End != importertest.Capped || len(p.Said) < 3 || slices.Contains(p.Said, "1") {
			t.Errorf("the loop does not begin anew: it said %q", p.Said)
		}
	},
	"S4-x18": func(t *testing.T) {
		s, f := stage(t, written("start on_flow_start\nask llm_call {\"pinDefaults\":{\"prompt\":\"x\"}}\nend on_flow_end", "start>ask ask>end"))
		s.Model = func(string, map[string]any) any { return "the last words" }
		if p := play(t, s, f, nil); p.Output != "the last words" {
			t.Errorf("it gave %v", p.Output)
		}
	},
	"S4-x19": func(t *testing.T) {
		s, f := stage(t, written(`start on_flow_start {"outputs":[{"id":"n","type":"number"}],"pinDefaults":{"n":4}}`+"\nend on_flow_end\ng get_var {\"pinDefaults\":{\"name\":\"n\"}}", "start>end g.value=end.v"))
		if f.Inputs[0].Default != 4.0 && f.Inputs[0].Default != int64(4) {
			t.Errorf("the default is %v", f.Inputs[0].Default)
		}
		if got := fmt.Sprint(play(t, s, f, s.Inputs(f)).Output); got != "map[v:4]" {
			t.Errorf("it gave %s", got)
		}
	},
	"S4-x20": func(t *testing.T) {
		fails(t, ends+`n divide {"pinDefaults":{"a":1,"b":0}}`, "start>end n.result=end.v", "divided by 0")
	},
	"S4-x21": func(t *testing.T) {
		computes(t, "n break_object", "start.object=n.object", "a.b.0", "7")
		computes(t, `n break_object {"pinDefaults":{"object":"{\"a\": {\"b\": 1}}"}}`, "", "a.b", "1")
		computes(t, "n break_object", "start.object=n.object", "missing", "null")
	},
	"S4-x22": func(t *testing.T) {
		computes(t, `n string_template {"pinDefaults":{"template":"{{a.b | join(\"-\")}} {{a.b | json}} {{x}} {{s | trim | upper | strange}}","vars":{"a":{"b":[1,2]},"s":" q "}}}`, "", "result", `"1-2 [1,2]  Q"`)
	},
	"S4-x23": func(t *testing.T) {
		computes(t, `n concat {"pinDefaults":{"a":"x","b":"y"}}`, "", "result", `"x y"`)
		computes(t, `n concat {"concatConfig":{"separator":"\\n"},"inputs":[{"id":"b"},{"id":"a"}],"pinDefaults":{"a":"x","b":"y"}}`, "", "result", `"y\nx"`)
		computes(t, `n split {"pinDefaults":{"text":"a\n b \n\n","delimiter":"\\n"}}`, "", "result", `["a","b"]`)
		computes(t, `n join {"pinDefaults":{"items":["a",null,2],"delimiter":"-"}}`, "", "result", `"a--2"`)
	},
	"S4-x24": func(t *testing.T) {
		computes(t, `n compare {"pinDefaults":{"a":1,"op":"<","b":2}}`, "", "result", "true")
		computes(t, `n compare {"pinDefaults":{"a":"x","op":"<=","b":{}}}`, "", "result", "false")
		fails(t, ends+`n compare {"pinDefaults":{"a":1,"op":"is","b":2}}`, "start>end n.result=end.v", "is no comparison")
		computes(t, `n coalesce {"inputs":[{"id":"b"},{"id":"a"}],"pinDefaults":{"a":1,"b":0}}`, "", "result", "0")
		computes(t, `n get {"pinDefaults":{"key":"a.b[0]","default":1}}`, "start.object=n.object", "value", "7")
		computes(t, `n get {"pinDefaults":{"key":"a.x","default":1}}`, "start.object=n.object", "value", "1")
	},
	"S4-x25": func(t *testing.T) {
		gives(t, ends+"s set_var {\"pinDefaults\":{\"name\":\"a.b\",\"value\":\"x\"}}\ng get_var {\"pinDefaults\":{\"name\":\"a\"}}", "start>s s>end g.value=end.v", nil, `{"v":{"b":"x"}}`)
		gives(t, ends+"s set_var {\"inputs\":[{\"id\":\"value\",\"type\":\"number\"}],\"pinDefaults\":{\"name\":\"a\"}}", "start>s s>end s.value=end.v", nil, `{"v":0}`)
		fails(t, ends+`s set_var {"pinDefaults":{"name":"_a"}}`, "start>s s>end", "do not begin with _")
		gives(t, ends+"s set_var {\"pinDefaults\":{\"value\":\"x\"}}\ng get_var {\"pinDefaults\":{\"name\":\"where\"}}\nt trim {\"pinDefaults\":{\"text\":\" where \"}}", "start>s s>end t.result=s.name g.value=end.v", nil, `{"v":"x"}`)
	},
	"S4-x26": func(t *testing.T) {
		const calls = `{"tool_calls":[{"name":"t.a","arguments":{"x":1}}],"allowed_tools":`
		for allowed, want := range map[string]string{`["t.a"]`: "true", `[]`: "false"} {
			gives(t, ends+"c tool_calls {\"pinDefaults\":"+calls+allowed+"}}", "start>c c>end c.success=end.v", nil, `{"v":`+want+`}`)
		}
		s, f := stage(t, written(ends+`c call_tool {"pinDefaults":{"tool_call":{"name":"t.a","arguments":{"x":1}},"allowed_tools":["t.a"]}}`, "start>c c>end c.result=end.v"))
		s.Tool = func(_ string, params map[string]any) (any, error) { return params["x"], nil }
		if got := fmt.Sprint(play(t, s, f, nil).Output); got != "map[v:1]" {
			t.Errorf("it gave %s", got)
		}
	},
	"S4-x27": func(t *testing.T) {
		d := read(t, written(ends+`a agent {"pinDefaults":{"prompt":"x","system":"Be brief.","max_iterations":7,"tools":["read_file"]}}`, "start>a a>end a.response=end.r a.meta=end.m a.success=end.s a.scratchpad=end.p"))
		if a := d.Flow.Agents[0]; a.Limits.Turns != 7 || a.Instructions != "Be brief." || !slices.Equal(a.Tools, []string{"files.read"}) {
			t.Errorf("the agent is %+v", a)
		}
		d = read(t, written(ends+`a agent {"pinDefaults":{"prompt":"x"}}`, "start>a a>end"))
		if a := d.Flow.Agents[0]; a.Limits.Turns != 50 || len(a.Tools) > 0 || d.Problems[0].Code != "no-tools" {
			t.Errorf("an agent without settings is %+v, with %v", a, d.Problems)
		}
	},
	"S4-x28": func(t *testing.T) {
		s, f := stage(t, written(ends+"a ask_user {\"pinDefaults\":{\"prompt\":\"Which?\",\"choices\":[\"x\",\"y\"]}}\ns answer_user {\"pinDefaults\":{\"message\":\"m\",\"level\":\"warn\"}}", "start>a a>s s>end a.response=end.v"))
		s.Person = func(message string) string { return "answer to " + strings.ReplaceAll(message, "\n", " ") }
		p := play(t, s, f, nil)
		if got := fmt.Sprint(p.Output, p.Said); got != "map[v:answer to Which? x / y] [Warning: m]" {
			t.Errorf("it gave %s", got)
		}
		closed := read(t, written(ends+`a ask_user {"pinDefaults":{"prompt":"Which?","choices":["x","y"]},"effectConfig":{"allowFreeText":false}}`, "start>a")).Flow
		if choices := closed.Node("a").Spec.(*flow.AskSpec).Choices; !slices.Equal(choices, []string{"x", "y"}) {
			t.Errorf("the choices are %q", choices)
		}
	},
	"S4-x29": func(t *testing.T) {
		gives(t, ends+"w wait_until {\"pinDefaults\":{\"duration\":2},\"effectConfig\":{\"durationType\":\"minutes\"}}\ne emit_event {\"pinDefaults\":{\"name\":\"n\",\"payload\":{\"a\":1}}}\nx wait_event {\"pinDefaults\":{\"event_key\":\"n\"}}\nd system_datetime", "start>w w>e e>x x>end", nil, `{"payload":"news"}`)
		f := read(t, written("start on_schedule {\"eventConfig\":{\"schedule\":\"30m\",\"recurrent\":true}}\ne on_event {\"eventConfig\":{\"name\":\"n\"}}\n"+say, "start>a e>b")).Flow
		if len(f.Triggers) != 1 || f.Triggers[0].Schedule.Cron != "*/30 * * * *" || f.Node("e").Spec.(*flow.EntrySpec).Event != "n" {
			t.Errorf("it begins by %+v", f.Triggers)
		}
		warns(t, "start on_schedule {\"eventConfig\":{\"schedule\":\"10s\"}}\n"+say, "start>a", "no-schedule")
	},
	"S4-x30": func(t *testing.T) {
		src := written("start on_flow_start {\"outputs\":[{\"id\":\"n\",\"type\":\"number\"}]}\nend on_flow_end\nif if\nm subtract {\"pinDefaults\":{\"b\":1}}\nq compare {\"pinDefaults\":{\"op\":\">\",\"b\":0}}\nx subflow {\"workflowId\":\"doc\"}\nlast on_flow_end",
			"start>if if:true>x x>end if:false>last start.n=m.a start.n=q.a q.result=if.condition m.result=x.n x.v=end.v start.n=last.v")
		s, f := stage(t, src)
		if got := fmt.Sprint(play(t, s, f, map[string]any{"n": 3.0}).Output); got != "map[v:0]" {
			t.Errorf("a flow that runs itself gave %s", got)
		}
	},
	"S4-x31": func(t *testing.T) {
		lines := "start on_flow_start {\"outputs\":[{\"id\":\"prompt\",\"type\":\"string\"}]}\nend on_flow_end\nx set_var {\"pinDefaults\":{\"name\":\"seen\",\"value\":true}}\nif if\ng get_var {\"pinDefaults\":{\"name\":\"seen\"}}\n" +
			`say answer_user {"entryRoutes":[{"sourceNodeId":"start"},{"key":"again","sourceNodeId":"x"}],"inputRouteOverrides":{"message":{"again":{"sourceNodeId":"word","sourceHandle":"value"}}}}` + "\nword literal_string {\"literalValue\":\"second\"}"
		s, f := stage(t, written(lines, "start>say say>if if:true>end if:false>x x>say g.value=if.condition start.prompt=say.message"))
		if p := play(t, s, f, map[string]any{"prompt": "first"}); strings.Join(p.Said, " ") != "first second" {
			t.Errorf("it said %q (%s)", p.Said, p.Error)
		}
	},
	"S4-x32": func(t *testing.T) {
		s, f := stage(t, written("start on_flow_start {\"outputs\":[{\"id\":\"request\",\"type\":\"string\"}]}\nend on_flow_end\na agent\nb break_object", "start>a a>end start.prompt=a.task a.result=b.object b.result=end.v"))
		s.Model = func(_ string, params map[string]any) any { return fmt.Sprint("got ", params["task"]) }
		if got := fmt.Sprint(play(t, s, f, map[string]any{"request": "x"}).Output); got != "map[v:got x]" {
			t.Errorf("it gave %s", got)
		}
	},
	"S4-x33": func(t *testing.T) {
		src := strings.ReplaceAll(string(written(ends+`ask llm_call {"pinDefaults":{"prompt":"x"}}`, "start>ask")), `"type": "llm_call"`, `"type": "NodeType.LLM_CALL"`)
		if n := read(t, []byte(src)).Flow.Node("ask"); n.Kind != flow.KindLLM {
			t.Errorf("it is a %s", n.Kind)
		}
		warns(t, ends+"x function", "start>x", "Python code")
	},
	"S4-x34": func(t *testing.T) {
		edge := func(from, to string) []byte {
			return written(fmt.Sprintf("start on_flow_start {\"outputs\":[{\"id\":\"out\",\"type\":%q}]}\nend on_flow_end {\"inputs\":[{\"id\":\"in\",\"type\":%q}]}", from, to), "start>end start.out=end.in")
		}
		for types, want := range map[string]bool{
			"string string": true, "any number": true, "model any": true, "tools array": true, "array tools": true, "assertions array": true, "object assertions": true,
			"json_schema object": true, "object memory": true, "assertion object": true, "array object": true, "tools object": true, "number string": true, "boolean string": true,
			"workspace_file string": true, "string workspace_file": true, "provider_text provider": true, "provider_text provider_text": true, "model_text model_image": true,
			"object array": false, "string number": false, "string boolean": false, "number boolean": false, "provider_text provider_image": false, "model string": false,
		} {
			from, to, _ := strings.Cut(types, " ")
			d := read(t, edge(from, to))
			if got := len(d.Problems) == 0; got != want {
				t.Errorf("from %s: %v", types, d.Problems)
			}
		}
		if d := read(t, edge("string", "number")); d.Problems[0].Code != "pin-type" || d.Problems.HasErrors() {
			t.Errorf("it is reported as %v", d.Problems)
		}
	},
	"S4-x35": func(t *testing.T) {
		warns(t, ends+`a llm_call {"pinDefaults":{"prompt":"x","provider":"openai"}}`, "start>a", "half-a-model")
	},
	"S4-x36": func(t *testing.T) {
		s, f := stage(t, written(ends+`x code {"outputs":[{"id":"true","type":"execution"},{"id":"false","type":"execution"}]}`+"\n"+say, "start>x x:true>a x:false>b"))
		if p := play(t, s, f, nil); p.End != importertest.ReachedOpaque || !strings.Contains(p.Error, "Python") {
			t.Errorf("the run %s: %s", p.End, p.Error)
		}
		if n := f.Node("x"); len(n.Routes) != 2 || n.Routes[1].When != "output.branch == 'false'" {
			t.Errorf("its routes are %+v", n.Routes)
		}
		fails(t, ends+"x code", "start>end x.output=end.v", "no Python is run here")
	},
	"S4-x37": func(t *testing.T) {
		child := written(ends, "start>end start.prompt=end.v")
		parent := strings.Replace(string(written(ends+`x subflow {"subflowId":"doc"}`, "start>x x>end start.prompt=x.prompt x.v=end.v")), `"id": "doc"`, `"id": "parent"`, 1)
		src := bundle(t, `{"bundle_id":"b","entrypoints":[{"flow_id":"parent"}],"flows":{"doc":"flows/doc.json","parent":"flows/parent.json"}}`,
			map[string]string{"flows/doc.json": string(child), "flows/parent.json": parent})
		if why, ok := visualflow.Recognise(src); !ok || !strings.Contains(why, "manifest.json") {
			t.Errorf("it is not recognised: %s", why)
		}
		s, f := stage(t, src)
		if got := fmt.Sprint(f.Name, play(t, s, f, map[string]any{"prompt": "x"}).Output); got != "parentmap[v:x]" {
			t.Errorf("it gave %s", got)
		}
		if back, err := visualflow.Encode(f); err != nil || string(back) != string(src) {
			t.Errorf("it is given back as %d bytes of %d: %v", len(back), len(src), err)
		}
	},
	"S4-x38": func(t *testing.T) {
		src, err := json.Marshal(map[string]any{
			"id": "chat", "name": "Chat", "interfaces": []any{"abstractcode.agent.v1"},
			"nodes": nodes(`start on_flow_start {"outputs":[{"id":"prompt","type":"string"},{"id":"provider","type":"provider"},{"id":"model","type":"model"},{"id":"tools","type":"tools"},{"id":"context","type":"object"},{"id":"max_iterations","type":"number"}]}` +
				"\na agent\nend on_flow_end"),
			"edges": wires("start>a a>end start.prompt=a.prompt start.provider=a.provider a.response=end.response a.success=end.success"),
		})
		if err != nil {
			t.Fatal(err)
		}
		s, f := stage(t, src)
		s.Model = func(string, map[string]any) any { return "hello" }
		if got := fmt.Sprint(play(t, s, f, map[string]any{"prompt": "hi"}).Output); got != "map[response:hello success:true]" || len(f.Inputs) != 6 {
			t.Errorf("it gave %s of %d inputs", got, len(f.Inputs))
		}
	},
}
