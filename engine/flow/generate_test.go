package flow_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	. "sluice/engine/flow"
)

// generator makes random flows: valid in form, with texts and values chosen to be hard to write down.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 1))} }

var hardTexts = []string{
	"plain words", "true", "null", "~", "5", "-1.5e3", "0x1f", "2026-12-01", "12:30", "yes", "no", "- dash", "a: b", "a #b", "#c",
	"{{inputs.order_id}}", "it's", `say "hi" \ back`, "two\nlines", "two\nlines\n", "  lead", "trail  ", "tab\there", "\nfirst empty",
	"blank\n\nbetween", "many\n\n\n", "ünïcödé ✓ 🚀", "日本語", "&anchor", "*alias", "!tag", "%percent", "@at", "`tick`", "|", ">", "?", "[x]",
	"{y}", "a,b", "-", "---", "...", "\u2028sep", "\u0085", "\ufeffbom", "cr\rhere", "\x01", "<<", "=", "key: |\n  text", " ", "a\n b\n  c", "é\nè",
	"deep [1, {2: 3}] text that goes on for so long that it cannot possibly stand on the same line as anything else, and on",
}

func pick[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

func (g generator) text() string { return pick(g, hardTexts...) }
func (g generator) maybe() bool  { return g.IntN(3) == 0 }
func (g generator) optional() string {
	if g.maybe() {
		return g.text()
	}
	return ""
}

func (g generator) duration() Duration {
	if g.maybe() {
		return Duration{WorkingDays: 1 + g.IntN(5)}
	}
	return Duration{Clock: time.Duration(1 + g.Int64N(int64(400*24*time.Hour)))}
}

func (g generator) value(depth int) any {
	if depth > 2 {
		return g.text()
	}
	switch g.IntN(9) {
	case 0:
		return pick[any](g, float64(0), float64(3), -1.25, 1e21, 1e-7, int64(1<<60+1), int64(-1<<62-3), 123456789012345680.0*1e9)
	case 1:
		return g.maybe()
	case 2:
		return nil
	case 3:
		out := make([]any, g.IntN(4))
		for i := range out {
			out[i] = g.value(depth + 1)
		}
		return out
	case 4:
		return g.values(depth + 1)
	default:
		return g.text()
	}
}

func (g generator) values(depth int) map[string]any {
	out := map[string]any{}
	for range 1 + g.IntN(4) {
		out[pick(g, g.text(), "url", "json", "body", "x")] = g.value(depth)
	}
	return out
}

func (g generator) flow() *Flow {
	n := 1 + g.IntN(8)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%d", pick(g, "n", "node-", "Step_"), i)
	}
	f := &Flow{
		Name: "generated", Description: g.optional(), Entry: ids[0], MaxVisits: 1 + g.IntN(100),
		Agents: []Agent{{ID: "bot", Instructions: g.optional(), Tools: []string{"http.get"}}},
		Inputs: []Input{
			{Name: "order_id", Type: "string", Required: true, Description: g.optional(), Example: g.text()},
			{Name: "amount", Type: "number", Default: 2.5, Enum: []any{2.5, float64(7)}, Sensitive: g.maybe()},
		},
	}
	if g.maybe() {
		f.Agents[0].Output = map[string]any{"type": "object", "properties": g.values(1)}
		f.Agents[0].Limits = AgentLimits{Turns: 3, USD: 0.25, Timeout: g.duration()}
	}
	if g.maybe() {
		f.Run = RunSpec{Title: g.text(), Key: "{{inputs.order_id}}", Within: g.duration(), OnDuplicate: pick(g, DuplicateShow, DuplicateQueue)}
		f.Timeout, f.OnLimit = g.duration(), OnLimit{Action: LimitHandoff, To: ids[0]}
		f.Limits, f.Budget = Limits{Steps: 5}, Budget{USDPerMonth: 12.5}
		f.Triggers = []Trigger{
			{Schedule: &ScheduleTrigger{Cron: "0 9 * * 1-5", Inputs: g.values(1), CatchUp: "once"}},
			{Message: &MessageTrigger{Channel: "#refunds", Match: g.text()}},
			{Webhook: &WebhookTrigger{Path: "x"}},
		}
	}
	for i, id := range ids {
		f.Nodes = append(f.Nodes, g.node(id, ids, i))
	}
	return f
}

func (g generator) routes(ids []string, next int) []Route {
	var out []Route
	for range g.IntN(3) {
		out = append(out, Route{When: g.optional(), To: pick(g, ids...), Label: g.optional()})
	}
	to := End
	if next < len(ids) {
		to = ids[next]
	}
	return append(out, Route{To: to})
}

func (g generator) node(id string, ids []string, i int) Node {
	n := Node{ID: id, Name: g.optional(), Description: g.optional(), Routes: g.routes(ids, i+1), Spec: g.spec(ids)}
	n.Kind = n.Spec.Kind()
	if g.maybe() {
		n.OnError = []ErrorRoute{{Match: "Timeout.*", To: End}, {Default: true, To: pick(g, ids...)}}
		n.Retry = &Retry{MaxAttempts: 1 + g.IntN(5), BackoffMS: g.IntN(2) * 40000, Match: g.optional()}
		n.Timeout, n.FlowchartType = g.duration(), pick(g, TypeIO, TypeDatabase, "")
	}
	return n
}

func (g generator) spec(ids []string) Spec {
	form := map[string]FormField{"note": {Type: "string", RequiredFor: []string{"b"}}, "size": {Type: "number", Enum: []any{1.0, 2.5}}}
	switch g.IntN(13) {
	case 0:
		return &AgentSpec{Agent: "bot", Input: g.values(0)}
	case 1:
		return &ToolSpec{Tool: "http.post", Params: g.values(0), Effects: pick(g, EffectsOnce, "")}
	case 2:
		s := &ParallelSpec{Branches: []Route{{To: pick(g, ids...), Label: g.optional()}, {To: pick(g, ids...)}}}
		if g.maybe() {
			s.Join = Join{Type: "count", Count: 1, Timeout: g.duration(), TimeoutSet: true}
		}
		return s
	case 3:
		s := &ApprovalSpec{Message: g.text(), Choices: []string{"a", "b"}, Form: form, Show: []string{"x.y"}}
		if g.maybe() {
			s.Who = &Who{Groups: []string{"@finance"}, Quorum: 2, SelfApproval: new(false)}
			s.Deadline = &Deadline{After: g.duration(), Escalate: &Escalate{After: g.duration(), To: "@cfo"}}
			s.Choices = nil
		}
		return s
	case 4:
		return &DecisionSpec{Expr: g.text()}
	case 5:
		return &TerminalSpec{Output: g.value(0)}
	case 6:
		return &AskSpec{Message: g.text(), Form: form}
	case 7:
		return &SaySpec{Message: g.text()}
	case 8:
		return &WaitSpec{For: g.duration()}
	case 9:
		return &ForeachSpec{Items: "inputs.items", Body: pick(g, ids...), MaxParallel: g.IntN(3)}
	case 10:
		return &SubflowSpec{Flow: "other", Inputs: g.values(0)}
	case 11:
		return &SetSpec{Vars: g.values(0)}
	default:
		return &EmitSpec{Event: "paid", Payload: g.values(0)}
	}
}
