package flowtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"sluice/engine/flow"
)

// generator makes random flows: valid in form, with texts and values chosen to be hard to write down.
type generator struct{ *rand.Rand }

// Generated is a random flow; a seed always gives the same one.
func Generated(seed uint64) *flow.Flow { return generator{rand.New(rand.NewPCG(seed, 1))}.flow() }

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

func (g generator) duration() flow.Duration {
	if g.maybe() {
		return flow.Duration{WorkingDays: 1 + g.IntN(5)}
	}
	return flow.Duration{Clock: time.Duration(1 + g.Int64N(int64(400*24*time.Hour)))}
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

func (g generator) flow() *flow.Flow {
	n := 1 + g.IntN(8)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%d", pick(g, "n", "node-", "Step_"), i)
	}
	f := &flow.Flow{
		Name: "generated", Description: g.optional(), Entry: ids[0], MaxVisits: 1 + g.IntN(100),
		Agents: []flow.Agent{{ID: "bot", Instructions: g.optional(), Tools: []string{"http.get"}}},
		Inputs: []flow.Input{
			{Name: "order_id", Type: "string", Required: true, Description: g.optional(), Example: g.text()},
			{Name: "amount", Type: "number", Default: 2.5, Enum: []any{2.5, float64(7)}, Sensitive: g.maybe()},
		},
	}
	if g.maybe() {
		f.Agents[0].Output = map[string]any{"type": "object", "properties": g.values(1)}
		f.Agents[0].Limits = flow.AgentLimits{Turns: 3, USD: 0.25, Timeout: g.duration()}
	}
	if g.maybe() {
		f.Run = flow.RunSpec{Title: g.text(), Key: "{{inputs.order_id}}", Within: g.duration(), OnDuplicate: pick(g, flow.DuplicateShow, flow.DuplicateQueue)}
		f.Timeout, f.OnLimit = g.duration(), flow.OnLimit{Action: flow.LimitHandoff, To: ids[0]}
		f.Limits, f.Budget = flow.Limits{Steps: 5}, flow.Budget{USDPerMonth: 12.5}
		f.Triggers = []flow.Trigger{
			{Schedule: &flow.ScheduleTrigger{Cron: "0 9 * * 1-5", Inputs: g.values(1), CatchUp: "once"}},
			{Message: &flow.MessageTrigger{Channel: "#refunds", Match: g.text()}},
			{Webhook: &flow.WebhookTrigger{Path: "x"}},
		}
	}
	for i, id := range ids {
		f.Nodes = append(f.Nodes, g.node(id, ids, i))
	}
	return f
}

func (g generator) routes(ids []string, next int) []flow.Route {
	var out []flow.Route
	for range g.IntN(3) {
		out = append(out, flow.Route{When: g.optional(), To: pick(g, ids...), Label: g.optional()})
	}
	to := flow.End
	if next < len(ids) {
		to = ids[next]
	}
	return append(out, flow.Route{To: to})
}

func (g generator) node(id string, ids []string, i int) flow.Node {
	n := flow.Node{ID: id, Name: g.optional(), Description: g.optional(), Routes: g.routes(ids, i+1), Spec: g.spec(ids)}
	n.Kind = n.Spec.Kind()
	if g.maybe() {
		n.OnError = []flow.ErrorRoute{{Match: "Timeout.*", To: flow.End}, {Default: true, To: pick(g, ids...)}}
		n.Retry = &flow.Retry{MaxAttempts: 1 + g.IntN(5), BackoffMS: g.IntN(2) * 40000, Match: g.optional()}
		n.Timeout, n.FlowchartType = g.duration(), pick(g, flow.TypeIO, flow.TypeDatabase, "")
	}
	return n
}

func (g generator) spec(ids []string) flow.Spec {
	form := map[string]flow.FormField{"note": {Type: "string", RequiredFor: []string{"b"}}, "size": {Type: "number", Enum: []any{1.0, 2.5}, Sensitive: g.maybe()}}
	if g.maybe() {
		form["about"] = flow.FormField{Type: "string", Order: 3}
	}
	switch g.IntN(13) {
	case 0:
		return &flow.AgentSpec{Agent: "bot", Input: g.values(0)}
	case 1:
		return &flow.ToolSpec{Tool: "http.post", Params: g.values(0), Effects: pick(g, flow.EffectsOnce, "")}
	case 2:
		s := &flow.ParallelSpec{Branches: []flow.Route{{To: pick(g, ids...), Label: g.optional()}, {To: pick(g, ids...)}}}
		if g.maybe() {
			s.Join = flow.Join{Type: "count", Count: 1, Timeout: g.duration(), TimeoutSet: true}
		}
		return s
	case 3:
		s := &flow.ApprovalSpec{Message: g.text(), Choices: []string{"a", "b"}, Form: form, Show: []string{"x.y"}}
		if g.maybe() {
			s.Who = &flow.Who{Groups: []string{"@finance"}, Quorum: 2, SelfApproval: new(false)}
			s.Deadline = &flow.Deadline{After: g.duration(), Escalate: &flow.Escalate{After: g.duration(), To: "@cfo"}}
			s.Choices = nil
		} else if g.maybe() {
			s.Deadline = &flow.Deadline{Until: "friday 16:00"}
		}
		return s
	case 4:
		return &flow.DecisionSpec{Expr: g.text()}
	case 5:
		return &flow.TerminalSpec{Output: g.value(0)}
	case 6:
		return &flow.AskSpec{Message: g.text(), Form: form}
	case 7:
		return &flow.SaySpec{Message: g.text()}
	case 8:
		return &flow.WaitSpec{For: g.duration()}
	case 9:
		return &flow.ForeachSpec{Items: "inputs.items", Body: pick(g, ids...), MaxParallel: g.IntN(3)}
	case 10:
		return &flow.SubflowSpec{Flow: "other", Inputs: g.values(0)}
	case 11:
		return &flow.SetSpec{Vars: g.values(0)}
	default:
		return &flow.EmitSpec{Event: "paid", Payload: g.values(0)}
	}
}
