package approval_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/flow/flowtest"
)

// paying is a flow that pays behind a gate.
const paying = `
name: pay
description: Pay refunds
run: {title: "Refund {{inputs.order}}", key: "{{inputs.order}}", within: 90d}
inputs:
  order: {type: string, required: true, description: Order number, example: A-1}
  amount: {type: number, default: 1, enum: [1, 2]}
triggers:
  - schedule: {cron: "0 9 * * 1", timezone: Europe/Berlin, inputs: {order: A-1}}
limits: {steps: 100}
budget: {usd_per_month: 5}
flow:
  entry: get
  timeout: 10m
  nodes:
    - {id: get, type: tool, tool: shop.get_order, params: {order: "{{inputs.order}}"}, routes: [{to: gate}]}
    - id: gate
      type: approval
      message: "Refund {{get.result.amount}}?"
      choices: [approve, reject]
      who: {groups: ["@finance"]}
      show: [get.result]
      form: {note: {type: string, description: Why}}
      deadline: {after: 2d, remind: 4h}
      routes: [{when: "approvals.gate == 'approve'", to: refund, label: pay}, {when: default, to: end}]
    - id: refund
      name: Refund
      type: tool
      tool: http.post
      effects: once
      params: {url: "https://pay.example/refunds", json: {amount: "{{get.result.amount}}", order: "{{inputs.order}}"}}
      retry: {max_attempts: 1}
      on_error: [{match: Timeout, to: help}]
      routes: [{to: tell}]
    - {id: tell, type: say, message: "paid {{get.result.amount}}", routes: [{to: end}]}
    - {id: help, type: ask, message: "what now?", who: {groups: ["@finance"]}, routes: [{to: end}]}
`

// reading is a flow that only reads.
const reading = `
name: look
flow:
  entry: get
  nodes:
    - {id: get, type: tool, tool: shop.get_order, params: {order: A-1}, retry: {max_attempts: 2}, routes: [{to: tell}]}
    - {id: tell, type: say, message: "it is {{get.result.amount}}", routes: [{to: end}]}
`

// agentic is a flow in which an agent pays.
const agentic = `
name: helper
description: Help people
agents:
  - {id: bot, instructions: Be careful., tools: [shop.refund], limits: {turns: 3}}
flow:
  entry: work
  nodes:
    - {id: work, type: agent, agent: bot, input: {order: A-1}, routes: [{to: end}]}
`

// calling is a flow that pays through a subflow.
const calling = `
name: parent
flow:
  entry: sub
  nodes:
    - {id: sub, type: subflow, flow: payout, inputs: {amount: 5}, routes: [{to: tell}]}
    - {id: tell, type: say, message: done, routes: [{to: end}]}
`

// reviewed is a change of a flow: pairs of an old part of its file and its replacement.
type reviewed struct {
	name  string
	flow  string // its file before
	edit  []string
	about func(*approval.Surroundings)
	want  string // a part of the sentences; "" = no second person
}

// reviews is the table of changes that need a second person, and of those that do not.
var reviews = []reviewed{
	{"the amount in the body", paying, []string{`{amount: "{{get.result.amount}}"`, `{amount: "{{inputs.amount}}"`}, nil, "step 3 'Refund': json.amount was {{get.result.amount}}, becomes {{inputs.amount}}"},
	{"an amount that is a number now", paying, []string{`{amount: "{{get.result.amount}}"`, `{amount: 1000000`}, nil, "step 3 'Refund': json.amount was {{get.result.amount}}, becomes 1000000"},
	{"the path", paying, []string{"pay.example/refunds", "pay.example/payouts"}, nil, "step 3 'Refund': url was https://pay.example/refunds, becomes https://pay.example/payouts"},
	{"one more field", paying, []string{`order: "{{inputs.order}}"}}`, `order: "{{inputs.order}}", currency: BTC}}`}, nil, "step 3 'Refund': json.currency was not set, becomes BTC"},
	{"the step in a foreach", paying, []string{"entry: get", "entry: each", "  nodes:\n", "  nodes:\n    - {id: each, type: foreach, items: \"[1,2,3]\", body: get, routes: [{to: end}]}\n"}, nil, "step 'Each' is new: foreach {as: item, body: get, items: [1,2,3]"},
	{"the step in a loop", paying, []string{"timeout: 10m", "timeout: 10m\n  max_iterations: 9", "routes: [{to: tell}]", "routes: [{when: \"inputs.amount < 5\", to: refund}, {to: tell}]"}, nil, "step 3 'Refund': it goes on to step 3 'Refund' when inputs.amount < 5, which is new"},
	{"no run key any more", paying, []string{`key: "{{inputs.order}}", `, ""}, nil, "the flow: run key was {{inputs.order}}, is not set any more"},
	{"idempotent with nine retries", paying, []string{"effects: once", "effects: idempotent", "max_attempts: 1", "max_attempts: 9"}, nil, "step 3 'Refund': retry max attempts was 1, becomes 9"},
	{"the gate's question", paying, []string{`Refund {{get.result.amount}}?`, "Pay 1?"}, nil, "step 2 'Gate': message was Refund {{get.result.amount}}?, becomes Pay 1?"},

	{"a shorter time for which a key is taken", paying, []string{"within: 90d", "within: 1h"}, nil, "run within was 90d, becomes 1h"},
	{"what a second start does", paying, []string{"within: 90d", "within: 90d, on_duplicate: allow"}, nil, "run on duplicate was show, becomes allow"},
	{"the title of runs", paying, []string{`title: "Refund {{inputs.order}}"`, `title: "Nothing to see"`}, nil, "run title was Refund {{inputs.order}}, becomes Nothing to see"},
	{"the name of a step", paying, []string{"name: Refund", "name: Say hello"}, nil, "step 3 'Say hello': it was called 'Refund'"},
	{"the description of a step", paying, []string{"      name: Refund\n", "      name: Refund\n      description: Harmless\n"}, nil, "description was not set, becomes Harmless"},
	{"the label of a route", paying, []string{"label: pay", "label: no payment"}, nil, "the way to step 3 'Refund' was called 'pay', and is called 'no payment'"},
	{"what an input is called for people", paying, []string{"description: Order number", "description: Amount in cents"}, nil, "input 'order': description was Order number, becomes Amount in cents"},
	{"the example of an input", paying, []string{"example: A-1", "example: A-2"}, nil, "input 'order': example was A-1, becomes A-2"},
	{"the default of an input", paying, []string{"default: 1", "default: 2"}, nil, "input 'amount': default was 1, becomes 2"},
	{"the values that an input may have", paying, []string{"enum: [1, 2]", "enum: [1, 2, 1000000]"}, nil, "input 'amount': enum was [1, 2], becomes [1, 2, 1000000]"},
	{"an input that is optional now", paying, []string{"required: true, desc", "desc"}, nil, "input 'order': required was true, is not set any more"},
	{"an input that is hidden now", paying, []string{"example: A-1}", "example: A-1, sensitive: true}"}, nil, "input 'order': sensitive was not set, becomes true"},
	{"one more input", paying, []string{"inputs:\n  order:", "inputs:\n  to: {type: string}\n  order:"}, nil, "input 'to' is new"},
	{"the inputs of a schedule", paying, []string{"inputs: {order: A-1}", "inputs: {order: A-666}"}, nil, "triggers 1 schedule order was A-1, becomes A-666"},
	{"a schedule that is gone", paying, []string{"triggers:\n  - schedule: {cron: \"0 9 * * 1\", timezone: Europe/Berlin, inputs: {order: A-1}}\n", ""}, nil, "triggers 1 was {schedule:"},
	{"more steps", paying, []string{"steps: 100", "steps: 1000"}, nil, "limits steps was 100, becomes 1000"},
	{"more money", paying, []string{"usd_per_month: 5", "usd_per_month: 500"}, nil, "budget usd per month was 5, becomes 500"},
	{"more time", paying, []string{"timeout: 10m", "timeout: 10h"}, nil, "timeout was 10m, becomes 10h"},
	{"what happens at a limit", paying, []string{"timeout: 10m", "timeout: 10m\n  on_limit: {action: handoff, to: refund}"}, nil, "on limit to was not set, becomes refund"},
	{"the entry", paying, []string{"entry: get", "entry: gate"}, nil, "the flow: entry was get, becomes gate"},
	{"what the gate shows", paying, []string{"show: [get.result]", "show: [get.result.id]"}, nil, "show 1 was get.result, becomes get.result.id"},
	{"a field of the gate's form", paying, []string{"description: Why", "description: Nothing"}, nil, "form note description was Why, becomes Nothing"},
	{"when the gate reminds", paying, []string{"remind: 4h", "remind: 40h"}, nil, "deadline remind was 4h, becomes 1d16h"},
	{"more choices", paying, []string{"choices: [approve, reject]", "choices: [approve, reject, later]"}, nil, "choices was [approve, reject], becomes [approve, reject, later]"},
	{"where an answer leads", paying, []string{"to: refund, label: pay", "to: tell, label: pay"}, nil, "step 2 'Gate': after 'approve' it went on to step 3 'Refund', and goes on to step 'Tell'"},
	{"the condition behind the gate", paying, []string{"approvals.gate == 'approve'", "approvals.gate != 'x'"}, nil, "step 2 'Gate': it went on to step 3 'Refund' after 'approve', and does when approvals.gate != 'x'"},
	{"one more thing that the gate shows", paying, []string{`show: [get.result]`, `show: [get.result, "1"]`}, nil, "show was [get.result], becomes [get.result, 1]"},
	{"where an error leads", paying, []string{"match: Timeout, to: help", "match: Timeout, to: tell"}, nil, "on error 1 to was help, becomes tell"},
	{"the time of a step", paying, []string{"retry: {max_attempts: 1}", "timeout: 5m\n      retry: {max_attempts: 1}"}, nil, "step 3 'Refund': timeout was not set, becomes 5m"},
	{"another tool", paying, []string{"tool: http.post", "tool: shop.refund"}, nil, "tool was http.post, becomes shop.refund"},
	{"another host", paying, []string{"https://pay.example/", "https://evil.example/"}, nil, "talks to evil.example"},
	{"what a message says about the payment", paying, []string{"paid {{get.result.amount}}", "nothing was paid"}, nil, "message was paid {{get.result.amount}}, becomes nothing was paid"},
	{"a step that is gone", paying, []string{"to: help}]", "to: tell}]", "    - {id: help, type: ask, message: \"what now?\", who: {groups: [\"@finance\"]}, routes: [{to: end}]}\n", ""}, nil, "step 'Help' is gone"},
	{"the order of the steps", paying, []string{"    - {id: tell, type: say, message: \"paid {{get.result.amount}}\", routes: [{to: end}]}\n", "", "routes: [{to: end}]}\n", "routes: [{to: end}]}\n    - {id: tell, type: say, message: \"paid {{get.result.amount}}\", routes: [{to: end}]}\n"}, nil, "the nodes come in another order"},
	{"a letter that looks the same", paying, []string{"json: {amount:", "json: {\"amount\u200b\":"}, nil, `json.amount\u{200B} was not set, becomes {{get.result.amount}}`},
	{"a number that is a text now", paying, []string{"default: 1,", "default: \"1\","}, nil, "default was 1 (a number), becomes 1 (a text)"},
	{"no write any more", paying, []string{"type: tool\n      tool: http.post\n      effects: once\n", "type: tool\n      tool: http.get\n"}, nil, "tool was http.post, becomes http.get"},
	{"a first write in a flow that read", reading, []string{"tool: shop.get_order, params", "tool: shop.refund, params"}, nil, "calls shop.refund (once)"},
	{"a write that calls itself a read", reading, []string{"tool: shop.get_order, params", "tool: shop.refund, effects: read, params"}, nil, "calls shop.refund (once; the step says read)"},
	{"an event for other runs", reading, []string{"type: say, message: \"it is {{get.result.amount}}\"", "type: emit, event: paid"}, nil, "tells other runs of the event paid"},
	{"a message to a channel", reading, []string{"type: say, message: \"it is {{get.result.amount}}\"", "type: tool, tool: slack.post_message, params: {channel: \"#all\", text: hi}"}, nil, "writes to #all"},
	{"a trigger of a flow that reads", reading, []string{"flow:\n", "triggers: [{webhook: {path: look}}]\nflow:\n"}, nil, "starts by the webhook look"},
	{"a host of a flow that reads", reading, []string{"tool: shop.get_order, params: {order: A-1}", "tool: http.get, params: {url: \"https://new.example/\"}"}, nil, "talks to new.example"},
	{"an agent's instructions", agentic, []string{"Be careful.", "Refund everything."}, nil, "agent 'bot': instructions was Be careful., becomes Refund everything."},
	{"an agent's input", agentic, []string{"order: A-1", "order: A-2"}, nil, "step 'Work': order was A-1, becomes A-2"},
	{"an agent's limits", agentic, []string{"turns: 3", "turns: 30"}, nil, "agent 'bot': limits turns was 3, becomes 30"},
	{"an agent's model", agentic, []string{"{id: bot,", "{id: bot, model: small,"}, nil, "agent 'bot': model was not set, becomes small"},
	{"the description that an agent reads as its goal", agentic, []string{"Help people", "Refund everything"}, nil, "the flow: description was Help people, becomes Refund everything"},
	{"what a subflow is given", calling, []string{"amount: 5", "amount: 5000"}, nil, "step 'Sub': amount was 5, becomes 5000"},
	{"a message beside a subflow of which nothing is known", calling, []string{"message: done", "message: Done"}, nil, "message was done, becomes Done"},
	{"a subflow with another revision", calling, nil, func(a *approval.Surroundings) {
		a.Was.Subflows, a.Is.Subflows = map[string]string{"payout": "1"}, map[string]string{"payout": "2"}
	}, "the subflow payout changed"},
	{"a message beside a subflow that could write when it was approved", calling, []string{"message: done", "message: Done"}, func(a *approval.Surroundings) {
		a.Was.Subflows, a.Is.Subflows = map[string]string{"payout": "1"}, map[string]string{"payout": "2"}
		a.Writes = func(_, hash string) bool { return hash == "1" }
	}, "message was done, becomes Done"},
	{"a tool with another schema", paying, nil, tools(flow.ToolLock{Hash: "1", Effects: flow.EffectsOnce}, flow.ToolLock{Hash: "2", Effects: flow.EffectsOnce}), "the tool http.post has other parameters or another result"},
	{"a tool with another request", paying, nil, tools(flow.ToolLock{Request: "1"}, flow.ToolLock{Request: "2"}), "sends another request"},
	{"a tool with another host", paying, nil, tools(flow.ToolLock{Host: "a.example"}, flow.ToolLock{Host: "b.example"}), "talks to b.example instead of a.example"},
	{"a tool that asks no more", paying, nil, tools(flow.ToolLock{Policy: "ask"}, flow.ToolLock{Policy: "allow"}), "has the policy allow instead of ask"},
	{"a tool that asks now", paying, nil, tools(flow.ToolLock{Policy: "allow"}, flow.ToolLock{Policy: "ask"}), "has the policy ask instead of allow"},
	{"a tool that is riskier", reading, nil, func(a *approval.Surroundings) {
		a.Was.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsRead}}
		a.Is.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsIdempotent}}
	}, "became riskier: idempotent instead of read"},
	{"a tool of a flow that reads which asks no more", reading, nil, func(a *approval.Surroundings) {
		a.Was.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsRead, Policy: "ask"}}
		a.Is.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsRead, Policy: "allow"}}
	}, "has the policy allow instead of ask"},
	{"a message of a flow whose tool wrote when it was approved", reading, []string{"it is", "It is"}, func(a *approval.Surroundings) {
		a.Was.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsOnce}}
		a.Is.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsRead}}
	}, "message was it is"},

	{"nothing", paying, nil, nil, ""},
	{"the description of a flow without a model", paying, []string{"description: Pay refunds", "description: Pay all refunds"}, nil, ""},
	{"the shape of a step", paying, []string{"      name: Refund\n", "      name: Refund\n      flowchart_type: database\n"}, nil, ""},
	{"comments and spaces", paying, []string{"  nodes:\n", "  nodes:   # what it does\n\n"}, nil, ""},
	{"a default that is written out", paying, []string{"within: 90d", "within: 90d, on_duplicate: show"}, nil, ""},
	{"the message of a flow that reads", reading, []string{"it is", "It is"}, nil, ""},
	{"another order in a flow that reads", reading, []string{"order: A-1", "order: A-2"}, nil, ""},
	{"more retries in a flow that reads", reading, []string{"max_attempts: 2", "max_attempts: 9"}, nil, ""},
	{"one more message in the run's own thread", reading, []string{"routes: [{to: end}]}", "routes: [{to: bye}]}\n    - {id: bye, type: say, message: bye, routes: [{to: end}]}"}, nil, ""},
	{"a message beside a subflow that only reads", calling, []string{"message: done", "message: Done"}, func(a *approval.Surroundings) { a.Writes = func(string, string) bool { return false } }, ""},
	{"a tool that is milder in a flow that reads", reading, nil, func(a *approval.Surroundings) {
		a.Was.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsRead, Hash: "1"}}
		a.Is.Tools = map[string]flow.ToolLock{"shop.get_order": {Effects: flow.EffectsRead, Hash: "2"}}
	}, ""},
	{"what an older release did not record", paying, nil, tools(flow.ToolLock{Effects: flow.EffectsOnce, Hash: "1"}, flow.ToolLock{Effects: flow.EffectsOnce, Hash: "1", Policy: "ask", Host: "x", Request: "2"}), ""},
}

func tools(was, is flow.ToolLock) func(*approval.Surroundings) {
	return func(a *approval.Surroundings) {
		a.Was.Tools, a.Is.Tools = map[string]flow.ToolLock{"http.post": was}, map[string]flow.ToolLock{"http.post": is}
	}
}

// about gives the surroundings of the reviews in these tests.
func about() approval.Surroundings {
	numbers := map[string]string{"get": "1", "gate": "2", "refund": "3"}
	return approval.Surroundings{Tool: shopTools, Step: func(id string) string { return numbers[id] }}
}

func TestChangesThatNeedASecondPerson(t *testing.T) {
	t.Parallel()
	for _, r := range reviews {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			edited := r.flow
			for i := 0; i < len(r.edit); i += 2 {
				if !strings.Contains(edited, r.edit[i]) {
					t.Fatalf("the flow does not hold %q", r.edit[i])
				}
				edited = strings.Replace(edited, r.edit[i], r.edit[i+1], 1)
			}
			a := about()
			if r.about != nil {
				r.about(&a)
			}
			all := approval.Review(flowtest.Parsed(t, []byte(r.flow)), flowtest.Parsed(t, []byte(edited)), a)
			words := allWords(all)
			switch {
			case r.want == "" && len(all) > 0:
				t.Errorf("it needs a second person: %q", words)
			case !strings.Contains(strings.Join(words, "\n"), r.want) || r.want != "" && len(all) == 0:
				t.Errorf("it says %q instead of %q", words, r.want)
			}
			for _, w := range words {
				if len([]rune(w)) > 800 || strings.Contains(w, "\n") {
					t.Errorf("too long: %q", w)
				}
			}
		})
	}
}

func allWords(all []approval.Allowance) []string {
	var words []string
	for _, a := range all {
		words = append(words, a.Words)
	}
	return words
}

func TestALongTextShowsThePartThatChanged(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Please be careful with the money of our customers. ", 100)
	old := flowtest.Parsed(t, []byte(strings.Replace(agentic, "Be careful.", long+"Refund 1 EUR. "+long, 1)))
	now := flowtest.Parsed(t, []byte(strings.Replace(agentic, "Be careful.", long+"Refund 1000000 EUR. "+long, 1)))
	words := strings.Join(allWords(approval.Review(old, now, about())), "\n")
	if !strings.Contains(words, "Refund 1 EUR") || !strings.Contains(words, "Refund 1000000 EUR") || len(words) > 400 {
		t.Errorf("it says %q", words)
	}
	now = flowtest.Parsed(t, []byte(strings.Replace(agentic, "Be careful.", strings.ToUpper(long), 1)))
	if words := strings.Join(allWords(approval.Review(old, now, about())), "\n"); !strings.Contains(words, "more characters, see the file") {
		t.Errorf("what is cut is not said to be cut: %q", words)
	}
}

// harmlessPaths are the only parts of the format whose change needs no second person in a flow that can write. The test repeats the list
// on purpose.
var harmlessPaths = []string{"Flow.Description", "Flow.Nodes.FlowchartType", "Flow.Raw"}

// TestEveryFieldOfTheFormatCounts changes every field of the format by itself, in nodes of every kind. It includes fields that are added later.
func TestEveryFieldOfTheFormatCounts(t *testing.T) {
	t.Parallel()
	write := func() flow.Node {
		return flow.Node{ID: "write", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.refund"}}
	}
	tried := 0
	check := func(base *flow.Flow, root reflect.Value, path string) {
		eachField(root, path, func(path string, set func()) {
			before := base.Clone()
			set()
			tried++
			counts := len(approval.Review(before, base, about())) > 0
			if harmless := slices.Contains(harmlessPaths, path); counts == harmless {
				t.Errorf("%s: counts is %v", path, counts)
			}
		})
	}
	base := full(reflect.TypeFor[flow.Flow]()).Interface().(flow.Flow)
	base.Agents, base.Profile = nil, "" // the description counts only if a model reads it
	base.Nodes = []flow.Node{write()}
	check(&base, reflect.ValueOf(&base).Elem(), "Flow")
	agents := flow.Flow{Name: "a", Entry: "write", Nodes: []flow.Node{write()}, Agents: []flow.Agent{full(reflect.TypeFor[flow.Agent]()).Interface().(flow.Agent)}}
	check(&agents, reflect.ValueOf(&agents).Elem().FieldByName("Agents"), "Flow.Agents")
	for _, spec := range specs() {
		n := full(reflect.TypeFor[flow.Node]()).Interface().(flow.Node)
		n.Kind, n.Spec = spec.Kind(), spec
		f := flow.Flow{Name: "a", Entry: "write", Nodes: []flow.Node{write(), n}}
		check(&f, reflect.ValueOf(&f.Nodes[1]).Elem(), "Flow.Nodes")
	}
	if tried < 300 {
		t.Errorf("only %d fields were tried", tried)
	}
}

// specs gives a spec of every kind, with every field set.
func specs() []flow.Spec {
	var out []flow.Spec
	for _, t := range []reflect.Type{
		reflect.TypeFor[flow.AgentSpec](), reflect.TypeFor[flow.ToolSpec](), reflect.TypeFor[flow.ParallelSpec](), reflect.TypeFor[flow.ApprovalSpec](),
		reflect.TypeFor[flow.DecisionSpec](), reflect.TypeFor[flow.TerminalSpec](), reflect.TypeFor[flow.AskSpec](), reflect.TypeFor[flow.SaySpec](),
		reflect.TypeFor[flow.WaitSpec](), reflect.TypeFor[flow.ForeachSpec](), reflect.TypeFor[flow.SubflowSpec](), reflect.TypeFor[flow.SetSpec](),
		reflect.TypeFor[flow.EmitSpec](), reflect.TypeFor[flow.EntrySpec](), reflect.TypeFor[flow.LLMSpec](), reflect.TypeFor[flow.ToolexecSpec](),
		reflect.TypeFor[flow.LoopSpec](), reflect.TypeFor[flow.SequenceSpec](), reflect.TypeFor[flow.ComputeSpec](), reflect.TypeFor[flow.OpaqueSpec](),
	} {
		v := reflect.New(t)
		v.Elem().Set(full(t))
		out = append(out, v.Interface().(flow.Spec))
	}
	return out
}

// full gives a value with every field set.
func full(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Struct:
		if t == reflect.TypeFor[flow.Duration]() {
			return reflect.ValueOf(flow.Duration{WorkingDays: 3})
		}
		for i := range t.NumField() {
			if t.Field(i).Type != reflect.TypeFor[flow.Spec]() {
				v.Field(i).Set(full(t.Field(i).Type))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(full(t.Elem()))
	case reflect.Slice:
		v.Set(reflect.Append(v, full(t.Elem())))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(reflect.ValueOf("key").Convert(t.Key()), full(t.Elem()))
	case reflect.Interface:
		v.Set(reflect.ValueOf("value"))
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(3)
	}
	return v
}

// eachField calls visit for every scalar inside a value with a function that changes it, and then restores the scalar.
func eachField(v reflect.Value, path string, visit func(path string, set func())) {
	change := func(to reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		visit(path, func() { v.Set(to) })
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[flow.Duration]() {
			change(reflect.ValueOf(flow.Duration{WorkingDays: 4}))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "Kind" || v.Type() != reflect.TypeFor[flow.Node]() { // it follows from Spec
				eachField(v.Field(i), path+"."+f.Name, visit)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachField(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachField(v.Index(i), path, visit)
		}
	case reflect.Interface:
		if s, ok := v.Interface().(flow.Spec); ok {
			eachField(reflect.ValueOf(s).Elem(), path+"."+string(s.Kind()), visit)
			return
		}
		change(reflect.ValueOf("other"))
	case reflect.Map:
		to := reflect.MakeMap(v.Type())
		to.SetMapIndex(reflect.ValueOf("other").Convert(v.Type().Key()), full(v.Type().Elem()))
		change(to)
	case reflect.String:
		change(reflect.ValueOf("other").Convert(v.Type()))
	case reflect.Bool:
		change(reflect.ValueOf(!v.Bool()))
	case reflect.Int, reflect.Int64:
		change(reflect.ValueOf(v.Int() + 1).Convert(v.Type()))
	case reflect.Float64:
		change(reflect.ValueOf(v.Float() + 1).Convert(v.Type()))
	}
}

// TestTheOrderOfFieldsIsTold: it is told once, by the names, when fields are asked in another order. A field that comes between others moves none.
func TestTheOrderOfFieldsIsTold(t *testing.T) {
	t.Parallel()
	of := func(form string) *flow.Flow {
		return flowtest.Parsed(t, []byte("name: hires\nflow:\n  entry: ask\n  nodes:\n    - {id: ask, type: ask, message: Who?, form: "+form+", routes: [{to: pay}]}\n"+
			"    - {id: pay, type: tool, tool: shop.refund, routes: [{to: end}]}\n"))
	}
	old := of("{name: {}, start: {}, reason: {}}")
	for form, want := range map[string][]string{
		"{name: {}, reason: {}, start: {}}":           {"the fields come in another order: name, reason, start"},
		"{name: {}, team: {}, start: {}, reason: {}}": {"form team"},
		"{name: {}, start: {}, reason: {}}":           nil,
	} {
		got := allWords(approval.Review(old, of(form), about()))
		if len(got) != len(want) || len(want) > 0 && (!strings.Contains(got[0], want[0]) || strings.Contains(got[0], `"order"`)) {
			t.Errorf("%s: %q", form, got)
		}
	}
}
