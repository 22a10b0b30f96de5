package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/plan"
)

// taken evaluates a decision as the machine does: bare literals first, then conditions, the default last.
func taken(t *testing.T, n *flow.Node, s expr.Scope) string {
	t.Helper()
	eval := func(src string) any {
		e, err := expr.Compile(src, nil)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		v, err := e.Eval(s, expr.Options{})
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		return v
	}
	value := eval(n.Spec.(*flow.DecisionSpec).Expr)
	to := ""
	for _, r := range n.Routes {
		if r.Default() {
			to = r.To
			continue
		}
		if _, bare := expr.Literal(r.When); bare && expr.EqualLiteral(value, r.When) || !bare && expr.Truthy(eval(r.When)) {
			return r.To
		}
	}
	return to
}

const (
	yes     = "tell_yes"
	no      = "tell_no"
	unknown = "unknown"
)

// TestConditions says in words when a side is taken, and tries it on values that are there and values that are not.
func TestConditions(t *testing.T) {
	t.Parallel()
	type data = map[string]any
	none := data{}
	for _, tt := range []struct {
		words string
		want  map[string]data
	}{
		{"the amount is over 100", map[string]data{yes: {"amount": 100.5}, no: {"amount": 100}, unknown: none}},
		{"amount > 100", map[string]data{yes: {"amount": 101}, no: {"amount": 100}, unknown: none}},
		{"amount >= 100", map[string]data{yes: {"amount": 100}, no: {"amount": 99}, unknown: none}},
		{"the amount of the order exceeds $1,000", map[string]data{yes: {"amount": 1001}, no: {"amount": 1000}, unknown: none}},
		{"the order amount is at least 1.000,50 EUR", map[string]data{yes: {"amount": 1000.5}, no: {"amount": 1000.4}, unknown: none}},
		{"the amount is greater than or equal to 5k", map[string]data{yes: {"amount": 5000}, no: {"amount": 4999}, unknown: none}},
		{"the amount is at most 10", map[string]data{yes: {"amount": 10}, no: {"amount": 11}, unknown: none}},
		{"the amount is under 10", map[string]data{yes: {"amount": 9}, no: {"amount": 10}, unknown: none}},
		{"the amount is not over 10", map[string]data{yes: {"amount": 10}, no: {"amount": 11}, unknown: none}},
		{"the amount isn't more than 10", map[string]data{yes: {"amount": 10}, no: {"amount": 11}, unknown: none}},
		{"the amount is 100 or more", map[string]data{yes: {"amount": 100}, no: {"amount": 99}, unknown: none}},
		{"the amount is 100 or less", map[string]data{yes: {"amount": 100}, no: {"amount": 101}, unknown: none}},
		{"the amount is between 5 and 10 EUR", map[string]data{yes: {"amount": 5}, no: {"amount": 10.1}, unknown: none}},
		{"the amount is over 5 and under 10", map[string]data{yes: {"amount": 6}, no: {"amount": 10}, unknown: none}},
		{"the amount is 5", map[string]data{yes: {"amount": 5}, no: {"amount": 6}, unknown: none}},
		{"the amount equals 0", map[string]data{yes: {"amount": 0}, no: {"amount": 1}, unknown: none}},
		{"the amount is -5", map[string]data{yes: {"amount": -5}, no: {"amount": 5}, unknown: none}},

		{"the status is shipped", map[string]data{yes: {"status": "shipped"}, no: {"status": "open"}, unknown: none}},
		{"status is Shipped", map[string]data{yes: {"status": "shipped"}, no: {"status": "open"}, unknown: {"status": ""}}},
		{"the status is not shipped", map[string]data{yes: {"status": "open"}, no: {"status": "shipped"}, unknown: none}},
		{"the status isn't shipped", map[string]data{yes: {"status": "open"}, no: {"status": "shipped"}, unknown: none}},
		{"the status is shipped or delivered", map[string]data{yes: {"status": "delivered"}, no: {"status": "open"}, unknown: none}},
		{"the status is one of open, shipped or delivered", map[string]data{yes: {"status": "shipped"}, no: {"status": "lost"}, unknown: none}},
		{"the status is not shipped or delivered", map[string]data{yes: {"status": "open"}, no: {"status": "delivered"}, unknown: none}},
		{"the status contains ship", map[string]data{yes: {"status": "shipped"}, no: {"status": "open"}, unknown: none}},
		{`the order_id is "it's"`, map[string]data{yes: {"order_id": "it's"}, no: {"order_id": "its"}, unknown: none}},
		{"order id is A-1001", map[string]data{yes: {"order_id": "A-1001"}, no: {"order_id": "A-1002"}, unknown: none}},

		{"the order is late", map[string]data{yes: {"late": true}, no: {"late": false}, unknown: none}},
		{"it is not late", map[string]data{yes: {"late": false}, no: {"late": true}, unknown: none}},
		{"late is yes", map[string]data{yes: {"late": true}, no: {"late": false}, unknown: none}},

		{"there is no amount", map[string]data{yes: none, no: {"amount": 0}}},
		{"the amount is missing", map[string]data{yes: none, no: {"amount": 1}}},
		{"the status is not set", map[string]data{yes: none, no: {"status": "open"}}},
		{"there is an amount", map[string]data{yes: {"amount": 1}, no: none}},
		{"the amount exists", map[string]data{yes: {"amount": 1}, no: none}},

		{"the country is DE", map[string]data{yes: {"buyer": data{"country": "DE"}}, no: {"buyer": data{"country": "AT"}}, unknown: none}},
		{"the buyer's country is DE", map[string]data{yes: {"buyer": data{"country": "DE"}}, no: {"buyer": data{"country": "AT"}}, unknown: none}},

		{"the amount is over 5 and the order is late", map[string]data{yes: {"amount": 6, "late": true}, no: {"amount": 5}, unknown: {"amount": 6}}},
		{"the amount is over 5 or the order is late", map[string]data{yes: {"late": true}, no: {"amount": 5, "late": false}, unknown: {"amount": 5}}},
		{"the amount is at most 50 and the country is DE or AT", map[string]data{
			yes: {"amount": 50, "buyer": data{"country": "AT"}}, no: {"amount": 51, "buyer": data{"country": "AT"}}, unknown: {"amount": 50},
		}},
		{"the order is late or the amount is over 5 and the status is open", map[string]data{
			yes: {"late": true}, no: {"late": false, "amount": 6, "status": "shipped"}, unknown: {"late": false, "amount": 6},
		}},
	} {
		t.Run(tt.words, func(t *testing.T) {
			t.Parallel()
			o, _ := plan.Read("1. get order 2. if " + tt.words + " tell @yes otherwise tell @no")
			p := plan.Build(o, plan.Options{Tools: fuzzTools(t)})
			for _, n := range p.Notes {
				if n.Code != "mixed_condition" {
					t.Errorf("note %s: %s", n.Code, n.Text)
				}
			}
			d := decisionOf(t, p)
			for want, result := range tt.want {
				got := taken(t, d, expr.Map{"get_order": data{"result": result}})
				if want == unknown && strings.HasSuffix(got, "_unknown") {
					continue
				}
				if got != want {
					t.Errorf("with %v the way leads to %s, want %s\n%s", result, got, want, flow.Format(p.Flow))
				}
			}
		})
	}
}

func decisionOf(t *testing.T, p *plan.Proposal) *flow.Node {
	t.Helper()
	if p.Flow == nil {
		t.Fatal("no flow")
	}
	for i := range p.Flow.Nodes {
		if n := &p.Flow.Nodes[i]; n.Kind == flow.KindDecision {
			return n
		}
	}
	t.Fatalf("no decision:\n%s", flow.Format(p.Flow))
	return nil
}

// "Unless" turns the whole condition round, and keeps a missing value apart.
func TestUnless(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"unless the amount is over 5 or the order is late tell @yes otherwise tell @no",
		"tell @yes unless the amount is over 5 or the order is late",
	} {
		o, _ := plan.Read("1. get order 2. " + words)
		d := decisionOf(t, plan.Build(o, plan.Options{Tools: fuzzTools(t)}))
		for _, tt := range []struct {
			result map[string]any
			want   bool
		}{
			{map[string]any{"amount": 5, "late": false}, true},
			{map[string]any{"amount": 6}, false},
			{map[string]any{"amount": 5}, false},
		} {
			if got := taken(t, d, expr.Map{"get_order": map[string]any{"result": tt.result}}); (got == yes) != tt.want {
				t.Errorf("%s: with %v the way leads to %s", words, tt.result, got)
			}
		}
	}
}

// A missing value goes to people where one of the sides asks some, else it ends the run with a message; never to a tool that
// does something.
func TestMissingValueIsSafe(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"1. get order 2. if the amount is over 5 ask @leads to approve 3. refund it",
		"1. get order 2. if the amount is over 5 refund it otherwise ask @leads to approve 3. tell @x",
		"1. get order 2. if the amount is over 5 refund it 3. tell @x",
		"1. get order 2. refund it unless the amount is over 5",
		"1. get order 2. if the amount is under 5 go to 4 3. stop 4. refund it",
		"1. get order 2. if the amount is under 5 stop 3. refund it",
		"1. get order 2. if the status is not open then stop otherwise go on 3. refund it",
	} {
		o, _ := plan.Read(words)
		p := plan.Build(o, plan.Options{Tools: fuzzTools(t)})
		d := decisionOf(t, p)
		to := taken(t, d, expr.Map{"get_order": map[string]any{"result": map[string]any{}}})
		n := p.Flow.Node(to)
		if n == nil || n.Kind != flow.KindApproval && n.Kind != flow.KindSay {
			t.Errorf("%s: a missing value leads to %s\n%s", words, to, flow.Format(p.Flow))
		}
		if n != nil && n.Kind == flow.KindSay && n.Routes[0].To != flow.End {
			t.Errorf("%s: the run goes on behind the message", words)
		}
		read := strings.Join(p.ReadBack(fuzzTools(t)), "\n")
		if !strings.Contains(read, "there is no ") && !strings.Contains(read, "not known") {
			t.Errorf("%s: the read-back does not say it:\n%s", words, read)
		}
	}
}

// What was refused is not done after all, whatever words say what happens instead.
func TestRefusedIsNotDone(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"ask @leads to approve\nrefund it",
		"ask @leads to approve\notherwise tell @x\nrefund it",
		"ask @leads to approve\nif they reject tell @x\nrefund it",
		"ask @leads to approve\nif approved tell @x otherwise tell @y\nrefund it",
		"ask @leads and @legal to approve\notherwise wait 2 hours\nrefund it",
		"ask @leads to approve within 2 hours\nrefund it",
		"if the order is late ask @leads to approve otherwise ask @legal to approve\nrefund it",
		"ask @leads to choose pay or wait or drop\nrefund it",
	} {
		var text strings.Builder
		text.WriteString("1. get order\n")
		for i, line := range strings.Split(words, "\n") {
			text.WriteString(fmt.Sprintf("%d. %s\n", i+2, line))
		}
		o, _ := plan.Read(text.String())
		p := plan.Build(o, plan.Options{Tools: fuzzTools(t)})
		gates := 0
		for i := range p.Flow.Nodes {
			n := &p.Flow.Nodes[i]
			if n.Kind != flow.KindApproval {
				continue
			}
			gates++
			for _, r := range n.Routes[1:] {
				if reaches(p.Flow, r.To, "refund") {
					t.Errorf("%q: the answer %s of %s leads to the tool\n%s", words, r.Label, n.ID, flow.Format(p.Flow))
				}
			}
			if !reaches(p.Flow, n.Routes[0].To, "refund") {
				t.Errorf("%q: approval does not lead to the tool\n%s", words, flow.Format(p.Flow))
			}
		}
		if gates == 0 {
			t.Errorf("%q: no gate", words)
		}
	}
}

func reaches(f *flow.Flow, from, to string) bool {
	if from == to {
		return true
	}
	n := f.Node(from)
	if n == nil {
		return false
	}
	for _, e := range n.Edges() {
		if reaches(f, e.To, to) {
			return true
		}
	}
	return false
}
