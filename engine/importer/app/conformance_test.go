package app_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/flowtest"
	"sluice/engine/importer/app"
	"sluice/engine/importer/document"
)

// head is an app with two agents, up to its nodes.
const head = "agents: [{id: bot}, {id: clerk}]\nflow:\n  id: f\n  entry: x\n  max_iterations: 50\n  nodes:\n"

// nodes is an app with some nodes.
func nodes(list ...string) string {
	var b strings.Builder
	b.WriteString(head)
	for _, n := range list {
		b.WriteString("    - " + n + "\n")
	}
	return b.String()
}

// only is an app whose one node has some keys.
func only(keys string) string { return nodes("{id: x, " + keys + "}") }

func read(t *testing.T, src string) document.Document {
	t.Helper()
	doc, err := app.Decode("app.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// problems gives the errors of an app, one a line.
func problems(t *testing.T, src string) string {
	t.Helper()
	var all []string
	for _, p := range read(t, src).Check(flowtest.Checks()).Errors() {
		all = append(all, p.Error())
	}
	return strings.Join(all, "\n")
}

// play runs an app by a script.
func play(t *testing.T, src, script string) {
	t.Helper()
	doc := read(t, src)
	if errs := doc.Check(flowtest.Checks()).Errors(); len(errs) > 0 {
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

// statement is one statement about the format. Without a script it is about the file: want is a part of an error, "" for none.
type statement struct {
	number, src, want, script string
}

const end = "routes: [{to: end}]"

// files are the statements about what a file may hold.
var files = []statement{
	{number: "S3-03", src: "flow: {entry: x, nodes: [{id: x, type: terminal}]}", want: "'id' is missing in flow"},
	{number: "S3-03", src: `flow: {id: "", entry: x, nodes: [{id: x, type: terminal}]}`, want: "'id' in flow must not be empty"},
	{number: "S3-04", src: "flow: {id: f, nodes: [{id: x, type: terminal}]}", want: "'entry' is missing in flow"},
	{number: "S3-04", src: `flow: {id: f, entry: "", nodes: [{id: x, type: terminal}]}`, want: "'entry' must not be empty"},
	{number: "S3-04", src: "flow: {id: f, entry: y, nodes: [{id: x, type: terminal}]}", want: "entry 'y' is not a node"},
	{number: "S3-05", src: "flow: {id: f, entry: x, nodes: []}", want: "at least one node"},
	{number: "S3-05", src: "flow: {id: f, entry: x}", want: "'nodes' is missing in flow"},
	{number: "S3-06", src: "flow: {id: f, description: d, entry: x, nodes: [{id: x, type: terminal}]}"},
	{number: "S3-07", src: "flow: {id: f, max_iterations: -1, entry: x, nodes: [{id: x, type: terminal}]}", want: "must not be negative"},
	{number: "S3-07", src: "flow: {id: f, max_iterations: 1.5, entry: x, nodes: [{id: x, type: terminal}]}", want: "'max_iterations'"},
	{number: "S3-08", src: "flow: {id: f, colour: red, entry: x, nodes: [{id: x, type: terminal}]}", want: "unknown key 'colour' in flow"},
	{number: "S3-08", src: only("type: terminal, colour: red"), want: "unknown key 'colour' on flow node 'x'"},
	{number: "S3-08", src: only("type: terminal, name: X"), want: "unknown key 'name' on flow node 'x'"},
	{number: "S3-08", src: only("type: approval, message: m, who: {users: [ana]}"), want: "unknown key 'who' on flow node 'x'"},
	{number: "S3-08", src: only("type: terminal, routes: [{to: end, label: l}]"), want: "unknown key 'label' in routes[0] on flow node 'x'"},
	{number: "S3-08", src: only("type: terminal, on_error: [{to: end, when: a}]"), want: "unknown key 'when' in on_error[0] on flow node 'x'"},
	{number: "S3-08", src: only("type: parallel, branches: [end, end], join: {colour: red}"), want: "unknown key 'colour' in join on flow node 'x'"},
	{number: "S3-09", src: only("type: say, message: m"), want: "unknown type 'say' on flow node 'x'"},
	{number: "S3-09", src: only("type: robot"), want: "unknown type 'robot' on flow node 'x'"},
	{number: "S3-09", src: nodes("{id: x, type: agent, agent: bot, routes: [{to: b}]}", "{id: b, type: tool, tool: http.get, routes: [{to: c}]}", "{id: c, type: parallel, branches: [d, e]}", "{id: d, type: approval, message: m}", "{id: e, type: decision, expr: a, routes: [{to: g}]}", "{id: g, type: terminal}")},
	{number: "S3-10", src: only("type: agent, agent: bot, tool: http.get"), want: "key 'tool' belongs to tool nodes, not to the agent node 'x'"},
	{number: "S3-11", src: nodes("{id: x, type: terminal}", "{id: x, type: terminal}"), want: "node id 'x' is used twice"},
	{number: "S3-11", src: only("type: terminal, description: d, routes: [], on_error: []")},
	{number: "S3-11", src: nodes("{type: terminal}"), want: "'id' is missing"},
	{number: "S3-12", src: only("type: agent"), want: "'agent' is missing"},
	{number: "S3-12", src: only("type: agent, agent: bot")},
	{number: "S3-12", src: only("type: agent, agent: bot, input: {user_message: hi}")},
	{number: "S3-13", src: only("type: tool"), want: "'tool' is missing"},
	{number: "S3-13", src: only("type: tool, tool: http.get")},
	{number: "S3-13", src: only("type: tool, tool: http.get, params: {url: x}")},
	{number: "S3-14", src: only("type: parallel, branches: [{to: end}]"), want: "at least 2 branches"},
	{number: "S3-14", src: only("type: parallel"), want: "'branches' is missing"},
	{number: "S3-14", src: only("type: parallel, branches: [{to: end}, {to: end}]")},
	{number: "S3-16", src: only("type: parallel, branches: [end, end], join: {type: some}"), want: "must be one of all, any, first, count"},
	{number: "S3-16", src: only("type: parallel, branches: [end, end], join: {type: first}")},
	{number: "S3-17", src: only("type: parallel, branches: [end, end], join: {type: count}"), want: "needs 'count' of at least 1"},
	{number: "S3-17", src: only("type: parallel, branches: [end, end], join: {type: count, count: 1}")},
	{number: "S3-18", src: only("type: parallel, branches: [end, end], join: {timeout: 0}"), want: "'timeout' must be more than 0"},
	{number: "S3-18", src: only("type: parallel, branches: [end, end], join: {timeout: 15.0}")},
	{number: "S3-19", src: only(`type: approval, message: ""`), want: "'message' must not be empty"},
	{number: "S3-19", src: only("type: approval, message: m, choices: [one]"), want: "at least 2 choices"},
	{number: "S3-20", src: only(`type: decision, expr: ""`), want: "'expr' must not be empty"},
	{number: "S3-22", src: only("type: terminal, routes: [{when: default}]"), want: "'to' is missing in routes[0]"},
	{number: "S3-23", src: only("type: terminal, on_error: [{default: true}]"), want: "'to' is missing in on_error[0]"},
	{number: "S3-24", src: only("type: terminal, on_error: [{default: true, to: end}, {match: a, to: end}]"), want: "must be the last"},

	{number: "S3-25", src: nodes("{id: x, type: terminal, routes: [{to: bar}]}", "{id: bar, type: agent, agent: foo}"), want: "app.yaml:8:37: unknown agent 'foo' on flow node 'bar'"},
	{number: "S3-26", src: nodes("{id: x, type: terminal, routes: [{to: X}]}", "{id: X, type: tool, tool: module.bad}"), want: "app.yaml:8:33: unknown tool 'module.bad' on flow node 'X'"},
	{number: "S3-27", src: nodes("{id: x, type: terminal, routes: [{to: X}]}", "{id: X, type: terminal, routes: [{to: Y}]}"), want: "unknown target 'Y' on flow node 'X'"},
	{number: "S3-28", src: only("type: terminal, on_error: [{match: a, to: Y}]"), want: "unknown target 'Y' on flow node 'x'"},
	{number: "S3-28", src: only("type: parallel, branches: [{to: Y}, {to: end}]"), want: "unknown target 'Y' on flow node 'x'"},
	{number: "S3-29", src: only("type: parallel, branches: [{to: end}, end], on_error: [{match: a, to: end}, {default: true, to: end}], routes: [{to: end}]")},
	{number: "S3-30", src: "flow: {id: a, entry: triage, nodes: [{id: triage, type: terminal}, {id: orphan, type: terminal}]}", want: "flow node 'orphan' is not reachable from entry 'triage'"},
	{number: "S3-31", src: nodes("{id: x, type: parallel, branches: [a, b], on_error: [{default: true, to: c}], routes: [{to: d}]}", "{id: a, type: terminal}", "{id: b, type: terminal}", "{id: c, type: terminal}", "{id: d, type: terminal}")},
	{number: "S3-32", src: "flow: {id: f, entry: x, nodes: [{id: x, type: terminal, routes: [{to: x}]}]}", want: "flow has cycles but max_iterations=0"},
	{number: "S3-33", src: "flow: {id: f, entry: x, max_iterations: 1, nodes: [{id: x, type: terminal, routes: [{to: x}]}]}"},
	{number: "S3-34", src: "flow: {id: f, entry: x, max_iterations: 0, nodes: [{id: x, type: terminal}]}"},
	{number: "S3-36", src: only(`type: agent, agent: bot, routes: [{when: "a = = 'b", to: end}]`)},

	{number: "S3-x10", src: only("type: terminal, routes: [{default: true, to: end}]")},
	{number: "S3-x10", src: only("type: parallel, branches: [end, end], join: {type: min, min: 1}")},
	{number: "S3-x10", src: only("type: agent, agent: bot, params: {task: hi}")},
	{number: "S3-x10", src: only("type: terminal, params: {output: done}")},
	{number: "S3-x10", src: nodes("{id: x, type: agent, agent: bot, params: , routes: [{to: y}]}", "{id: y, type: agent, agent: bot, params: {}, routes: [{to: z}]}", "{id: z, type: terminal, params: {}}")},
	{number: "S3-x10", src: only("type: approval, message: m, params: {}"), want: "key 'params' belongs to tool nodes"},
	{number: "S3-x11", src: only("type: tool, tool: http.get, retry: {max_attempts: 3, backoff_ms: 10, multiplier: 2, max_backoff_ms: 50, match: Timeout}")},
	{number: "S3-x18", src: nodes("{id: x, type: terminal, routes: [{to: end}]}", "{id: end, type: terminal}"), want: "'end' is reserved"},
	{number: "S3-x18", src: nodes("{id: x, type: terminal, routes: [{to: sned}]}", "{id: send, type: terminal}"), want: "unknown target 'sned'"},
	{number: "S3-x22", src: nodes("{id: x, type: agent, agent: bot, retry: &r {max_attempts: 2}, routes: [{to: b}]}", "{id: b, type: agent, agent: bot, retry: *r}")},
}

// runs are the statements about runs.
var runs = []statement{
	{number: "S3-15", src: nodes("{id: x, type: parallel, branches: [a, b], routes: [{to: c}]}", "{id: a, type: tool, tool: t.a}", "{id: b, type: tool, tool: t.b}", "{id: c, type: terminal}"), script: "start; at x a b; timers join; do a; at x b; do b; status succeeded"},
	{number: "S3-19", src: only("type: approval, message: Go on?"), script: "start; gate x approval approve reject"},
	{number: "S3-21", src: only("type: terminal"), script: "start; status succeeded; result"},
	{number: "S3-36", src: only(`type: agent, agent: bot, routes: [{when: "a = = 'b", to: end}]`), script: "start; do x hm; status failed; error ExpressionError"},
	{number: "S3-37", src: only("type: agent, agent: bot"), script: "start; do x hello; status succeeded; output x hello; visits 1"},
	{number: "S3-38", src: nodes("{id: x, type: tool, tool: t.a, routes: [{when: \"x.result.n == 5\", to: y}]}", "{id: y, type: terminal, output: \"{{x.result.n}}\"}"), script: "start; do x {\"n\":5}; status succeeded; result 5"},
	{number: "S3-39", src: nodes("{id: x, type: agent, agent: bot, input: {m: \"{{event.payload.message}}!\"}, routes: [{to: y}]}", "{id: y, type: tool, tool: t.a, params: {text: \"{{x.output}}\"}}"), script: "event {\"payload\":{\"message\":\"hi\"}}; start; params x {\"m\":\"hi!\"}; do x hello; params y {\"text\":\"hello\"}"},
	{number: "S3-40", src: nodes("{id: x, type: approval, message: \"{{event.type}}?\", routes: [{to: y}]}", "{id: y, type: tool, tool: t.a, routes: [{to: z}]}", "{id: z, type: agent, agent: bot, routes: [{to: last}]}", "{id: last, type: terminal, output: \"{{event.type}} {{y.result.n}} {{z.output}} {{approvals.x}}\"}"), script: "event {\"type\":\"message\"}; start; message x message?; answer x approve; do y {\"n\":2}; do z three; result message 2 three approve"},
	{number: "S3-41", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: \"n == 1\", to: a}, {when: \"n > 0\", to: b}, {when: default, to: end}]}", "{id: a, type: agent, agent: bot}", "{id: b, type: agent, agent: bot}"), script: "start; do x {\"n\":1}; at a"},
	{number: "S3-42", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: default, to: a}, {when: \"n == 1\", to: b}]}", "{id: a, type: agent, agent: bot}", "{id: b, type: agent, agent: bot}"), script: "start; do x {\"n\":1}; at a"},
	{number: "S3-43", src: nodes("{id: x, type: agent, agent: bot, routes: [{to: a}]}", "{id: a, type: agent, agent: bot}"), script: "start; do x hm; at a"},
	{number: "S3-44", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: \"n == 1\", to: a}]}", "{id: a, type: agent, agent: bot}"), script: "start; do x {\"n\":2}; status succeeded; path x"},
	{number: "S3-45", src: only("type: agent, agent: bot, routes: []"), script: "start; do x hm; status succeeded"},
	{number: "S3-46", src: fork("{}"), script: "start; at x a b c"},
	{number: "S3-47", src: fork("{type: all}"), script: "start; do a 1; do c 3; at x b; do b 2; at after"},
	{number: "S3-48", src: fork("{type: any}"), script: "start; do b 2; at after; gates 0"},
	{number: "S3-49", src: fork("{type: first}"), script: "start; do c 3; at after"},
	{number: "S3-50", src: fork("{type: count, count: 2}"), script: "start; do a 1; at x b c; do c 3; at after"},
	{number: "S3-51", src: fork("{type: count, count: 1, timeout: 15.0}"), script: "start; claim a; timers join; fire join; error join not satisfied"},
	{number: "S3-51", src: fork("{type: all, timeout: 15.0}"), script: "start; do a 1; do b 2; fire join; error BranchTimeout"},
	{number: "S3-52", src: fork("{type: count, count: 2}"), script: "start; do a one; do b two; params after {\"m\":\"one two \"}"},
	{number: "S3-53", src: nodes("{id: x, type: parallel, branches: [a, b, c], routes: [{to: after}]}", "{id: a, type: tool, tool: t.a, routes: [{to: end}]}", "{id: b, type: terminal, routes: [{to: never}]}", "{id: never, type: agent, agent: bot}", "{id: c, type: tool, tool: t.c, routes: [{when: \"output.no\", to: end}]}", "{id: after, type: agent, agent: clerk}"), script: "start; do a; do c; do after; path x a b c after; status succeeded"},
	{number: "S3-54", src: gate, script: "start; status waiting; gate x approval approve reject escalate; message x Refund 1200?; answer x approve; approval x approve; at pay"},
	{number: "S3-55", src: gate, script: "start; ! choice answer x maybe; status waiting"},
	{number: "S3-56", src: gate, script: "start; answer x escalate; at human"},
	{number: "S3-56", src: gate, script: "start; answer x reject; status succeeded; path x"},
	{number: "S3-57", src: decision, script: "start; do x {\"priority\":\"p0\"}; at now; seen d/1 {\"x.priority\":\"p0\"}; edges x/0 d/1"},
	{number: "S3-57", src: decision, script: "start; do x {\"priority\":\"p9\"}; at queue"},
	{number: "S3-58", src: nodes("{id: x, type: agent, agent: bot, routes: [{to: t}]}", "{id: t, type: terminal, output: {answer: \"{{x.output}}\"}}"), script: "start; do x 5 times; status succeeded; result {\"answer\":\"5 times\"}"},
	{number: "S3-59", src: nodes("{id: x, type: terminal, output: done, routes: [{to: more}]}", "{id: more, type: agent, agent: bot}"), script: "start; status succeeded; path x; result done"},
	{number: "S3-60", src: only("type: agent, agent: bot, " + end), script: "start; do x hello; status succeeded; edges x/0"},
	{number: "S3-61", src: errorsOf, script: "start; fail x TimeoutError: took long; at slow"},
	{number: "S3-61", src: errorsOf, script: "start; fail x HTTPError: 429 quota exceeded; at quota"},
	{number: "S3-62", src: nodes("{id: x, type: tool, tool: t.a, on_error: [{match: TimeoutError, to: end}, {default: true, to: y}]}", "{id: y, type: agent, agent: bot}"), script: "start; fail x AnyError: hm; at y"},
	{number: "S3-63", src: errorsOf, script: "start; fail x OtherError: hm; status failed; error OtherError: hm"},
	{number: "S3-64", src: errorsOf, script: "start; fail x TimeoutError: took long; do slow ok; status succeeded"},
	{number: "S3-65", src: "agents: [{id: bot}]\nflow: {id: f, entry: x, max_iterations: 3, nodes: [{id: x, type: agent, agent: bot, routes: [{to: y}]}, {id: y, type: agent, agent: bot, routes: [{to: x}]}]}", script: "start; do x; do y; do x; status succeeded; visits 3; fact limit_reached {\"limit\":\"max_iterations\",\"action\":\"end_path\",\"value\":3}"},
	{number: "S3-66", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: \"category == 'refund'\", to: gate}]}", "{id: gate, type: approval, message: m, routes: [{when: \"approvals.gate == 'approve'\", to: pay}]}", "{id: pay, type: tool, tool: t.pay}"), script: "start; do x {\"category\":\"refund\"}; answer gate approve; at pay"},
	{number: "S3-67", src: decision, script: "start; do x {\"priority\":\"p1\"}; at senior; edges x/0 d/2; questions senior"},
	{number: "S3-68", src: support, script: "event {\"payload\":{\"message\":\"money back\",\"from\":\"ana@example.com\"}}; start; params triage {\"user_message\":\"money back\"}; do triage {\"category\":\"refund\"}; do refund fine; gate gate approval approve reject; answer gate approve; params send_refund {\"channel\":\"email\",\"to\":\"ana@example.com\",\"body\":\"Refund approved...\"}; do send_refund; status succeeded; path triage refund gate send_refund"},

	{number: "S3-x01", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: \"(a == 'b' || n >= -2.5) && !(done == true) and not c\", to: y}]}", "{id: y, type: agent, agent: bot}"), script: "start; do x {\"n\":-2,\"done\":false}; at y"},
	{number: "S3-x01", src: only(`type: agent, agent: bot, routes: [{when: "a = 'b'", to: end}]`), script: "start; do x {\"a\":\"b\"}; status failed; error ExpressionError"},
	{number: "S3-x02", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: nothing, to: end}, {when: \"nothing == 'x'\", to: end}, {when: default, to: y}]}", "{id: y, type: terminal, output: \"<{{nothing}}>\"}"), script: "start; do x hm; result <>"},
	{number: "S3-x03", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: \"word < 5 or word > 5\", to: end}, {when: \"n == 7\", to: y}]}", "{id: y, type: agent, agent: bot}"), script: "start; do x {\"n\":\"7.0\",\"word\":\"many\"}; at y"},
	{number: "S3-x04", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: \"category == 'a' and x.category == 'a' and x.output.category == 'a'\", to: y}]}", "{id: y, type: agent, agent: bot}"), script: "start; do x Here: ```json {\"category\":\"a\"} ``` as asked; at y"},
	{number: "S3-x05", src: nodes("{id: x, type: agent, agent: bot, routes: [{to: y}]}", "{id: y, type: terminal, output: \"{{x.output}}\"}"), script: "start; do x {\"category\":\"a\",\"message\":\"\",\"answer\":\"A reply\"}; result A reply"},
	{number: "S3-x06", src: nodes("{id: x, type: tool, tool: t.a, params: {n: 5, on: true, j: \"{{event.payload | json}}\", none: \"{{nothing | json}}\", gone: \"a{{nothing}}b\"}}"), script: "event {\"payload\":{\"a\":1}}; start; params x {\"n\":5,\"on\":true,\"j\":\"{\\\"a\\\":1}\",\"none\":\"null\",\"gone\":\"ab\"}"},
	{number: "S3-x07", src: nodes("{id: x, type: tool, tool: t.a, params: {key: \"{{secret.SHOP}}\"}, on_error: [{default: true, to: y}]}", "{id: y, type: terminal, output: \"{{error.node}} {{error.type}} {{error.message}}\"}"), script: "start; fail x ShopError: closed; result x ShopError closed"},
	{number: "S3-x08", src: nodes("{id: x, type: agent, agent: bot, routes: [{when: \"output.go and input.level == 'high' and not event.continued\", to: y}]}", "{id: y, type: terminal, output: \"{{previous.output.go}}\"}"), script: "start level=high; do x {\"go\":\"now\"}; result now"},
	{number: "S3-x09", src: decision, script: "start priority=high; do x {\"priority\":\"p9\"}; at urgent"},
	{number: "S3-x09", src: decision, script: "start priority=high; do x {\"priority\":\"p1\"}; at senior"},
	{number: "S3-x10", src: nodes("{id: x, type: agent, agent: bot, params: {task: Do it}, routes: [{default: true, to: y}]}", "{id: y, type: terminal, params: {output: \"{{x.output}}!\"}}"), script: "start; params x {\"task\":\"Do it\"}; do x ok; result ok!"},
	{number: "S3-x11", src: nodes("{id: x, type: tool, tool: t.a, retry: {max_attempts: 2, match: Slow}, on_error: [{default: true, to: y}]}", "{id: y, type: agent, agent: bot}"), script: "start; fail x SlowError: hm; timers retry; fire retry; fail x SlowError: hm; at y"},
	{number: "S3-x11", src: nodes("{id: x, type: tool, tool: t.a, retry: {max_attempts: 2, match: Slow}, on_error: [{default: true, to: y}]}", "{id: y, type: agent, agent: bot}"), script: "start; fail x OtherError: hm; at y"},
	{number: "S3-x12", src: fork("{}"), script: "start; do c three; do a one; do b; fact step_finished {\"output\":{\"text\":\"one\\n\\nthree\"}}"},
	{number: "S3-x13", src: fork("{}"), script: "start; fail a HTTPError: hm; do b; do c; at help"},
	{number: "S3-x13", src: fork("{type: any}"), script: "start; fail a HTTPError: x; fail b HTTPError: y; fail c HTTPError: z; at help"},
	{number: "S3-x13", src: fork("{type: count, count: 2}"), script: "start; do a 1; fail b HTTPError: y; fail c HTTPError: z; at help; error join not satisfied"},
	{number: "S3-x14", src: "flow: {id: f, entry: x, max_iterations: 4, nodes: [{id: x, type: parallel, branches: [a, b]}, {id: a, type: tool, tool: t.a, routes: [{to: a}]}, {id: b, type: tool, tool: t.b, routes: [{to: b}]}]}", script: "start; do a; do b; do a; status succeeded; visits 4"},
	{number: "S3-x16", src: gate, script: "start; timers deadline; fire deadline; approval x reject; status succeeded; path x"},
	{number: "S3-x17", src: nodes("{id: x, type: agent, agent: bot, routes: [{to: t}]}", "{id: t, type: terminal}"), script: "start; do x the last words; result the last words"},
	{number: "S3-x19", src: "flow: {id: f, entry: x, max_iterations: 1, nodes: [{id: x, type: tool, tool: t.a, retry: {max_attempts: 2}, routes: [{to: x}]}]}", script: "start; fact run_started; claim x; fact step_started {\"attempt\":1}; fail x HTTPError: hm; fact step_failed {\"next\":\"retry\"}; fire retry; do x; fact step_finished; fact limit_reached; fact run_ended {\"status\":\"succeeded\"}; visits 1"},
	{number: "S3-x20", src: only("type: tool, tool: t.a, on_error: [{match: HTTP, to: end}]"), script: "start; fail x HTTPError: hm; status succeeded; edges x/error/0"},
	{number: "S3-x21", src: "agents: [{id: bot}]\nflow: {id: f, entry: a-b, nodes: [{id: a-b, type: agent, agent: bot, routes: [{when: \"a-b.output.go == 'x'\", to: t}]}, {id: t, type: terminal, output: \"{{a-b.go}} {{nodes['a-b'].go}}\"}]}", script: "start; do a-b {\"go\":\"x\"}; result x x"},
}

const gate = head + "    - {id: x, type: approval, message: Refund 1200?, choices: [approve, reject, escalate], routes: [{when: \"approvals.x == 'approve'\", to: pay}, {when: \"approvals.x == 'escalate'\", to: human}, {when: default, to: end}]}\n    - {id: pay, type: tool, tool: t.pay}\n    - {id: human, type: agent, agent: bot}\n"

const decision = head + "    - {id: x, type: agent, agent: bot, routes: [{to: d}]}\n    - {id: d, type: decision, expr: x.priority, routes: [{when: default, to: queue}, {when: p0, to: now}, {when: p1, to: senior}, {when: \"input.priority == 'high'\", to: urgent}]}\n" +
	"    - {id: now, type: agent, agent: bot}\n    - {id: senior, type: agent, agent: bot}\n    - {id: urgent, type: agent, agent: bot}\n    - {id: queue, type: agent, agent: bot}\n"

const errorsOf = head + "    - {id: x, type: tool, tool: t.a, on_error: [{match: TimeoutError, to: slow}, {match: \"(?i)QUOTA\", to: quota}]}\n    - {id: slow, type: agent, agent: bot}\n    - {id: quota, type: agent, agent: bot}\n"

// fork has three branches, with a join of some keys.
func fork(join string) string {
	return nodes("{id: x, type: parallel, branches: [{to: a}, {to: b}, {to: c}], join: "+join+", routes: [{to: after}], on_error: [{default: true, to: help}]}",
		"{id: a, type: tool, tool: t.a}", "{id: b, type: tool, tool: t.b}", "{id: c, type: tool, tool: t.c}", "{id: after, type: agent, agent: bot, input: {m: \"{{a.output}} {{b.output}} {{c.output}}\"}}", "{id: help, type: agent, agent: clerk}")
}

const support = `agents: [{id: triage_bot}, {id: refund_specialist}, {id: tech_specialist}]
flow:
  id: support_main
  entry: triage
  description: "Support triage with refund gate"
  max_iterations: 100
  nodes:
    - {id: triage, type: agent, agent: triage_bot, input: {user_message: "{{event.payload.message}}"}, routes: [{when: "category == 'refund'", to: refund}, {when: "category == 'tech'", to: tech_support}, {when: default, to: end}]}
    - {id: refund, type: agent, agent: refund_specialist, routes: [{to: gate}]}
    - {id: gate, type: approval, message: "Confirm refund request?", choices: [approve, reject], routes: [{when: "approvals.gate == 'approve'", to: send_refund}, {when: default, to: end}]}
    - {id: send_refund, type: tool, tool: channels.send_message, params: {channel: email, to: "{{event.payload.from}}", body: "Refund approved..."}, routes: [{to: end}]}
    - {id: tech_support, type: agent, agent: tech_specialist, routes: [{to: end}]}
`

// TestConformance shows every statement about the format, in one subtest for each number.
func TestConformance(t *testing.T) {
	t.Parallel()
	shown := map[string][]func(t *testing.T){
		"S3-01":  {appWithoutFlow},
		"S3-02":  {flowUnderRuntime},
		"S3-35":  {allProblemsAtOnce},
		"S3-x15": {ceilingWithoutCap},
		"S3-x16": {halfAnHour},
	}
	for _, s := range slices.Concat(files, runs) {
		shown[s.number] = append(shown[s.number], func(t *testing.T) {
			if s.script != "" {
				play(t, s.src, s.script)
			} else if got := problems(t, s.src); s.want == "" && got != "" || !strings.Contains(got, s.want) {
				t.Errorf("%s\ngot %q, want %q", s.src, got, s.want)
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

func appWithoutFlow(t *testing.T) {
	src := []byte("app: {app_id: a}\nagents: [{id: bot}]\n")
	if why, ok := app.Recognise(src); ok {
		t.Errorf("an app without a flow is recognised: %s", why)
	}
	if _, err := app.Decode("a.yaml", src); err == nil || !strings.Contains(err.Error(), "the app has no flow") {
		t.Errorf("an app without a flow gives %v", err)
	}
	if _, ok := app.Recognise([]byte("app: {app_id: a}\n" + only("type: terminal"))); !ok {
		t.Error("an app with a flow is not recognised")
	}
}

func flowUnderRuntime(t *testing.T) {
	src := "app: {app_id: a}\nruntime: {mode: background, flow: {id: f, entry: x, nodes: [{id: x, type: terminal, output: here}]}}\n"
	if _, ok := app.Recognise([]byte(src)); !ok {
		t.Error("it is not recognised")
	}
	play(t, src, "start; result here")
}

func allProblemsAtOnce(t *testing.T) {
	got := problems(t, nodes("{id: x, type: agent, agent: foo, colour: red, routes: [{to: Y}]}", "{id: orphan, type: tool, tool: module.bad}"))
	for _, want := range []string{"unknown key 'colour'", "unknown agent 'foo'", "unknown target 'Y'", "unknown tool 'module.bad'"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not among\n%s", want, got)
		}
	}
}

func halfAnHour(t *testing.T) {
	d := read(t, gate).Flow.Node("x").Spec.(*flow.ApprovalSpec).Deadline
	if d == nil || d.After.Clock != 30*time.Minute {
		t.Errorf("people have %+v", d)
	}
}

func ceilingWithoutCap(t *testing.T) {
	if got := read(t, "flow: {id: f, entry: x, nodes: [{id: x, type: terminal}]}").Flow.Limits.Steps; got != 1000 {
		t.Errorf("a run has at most %d steps", got)
	}
}
