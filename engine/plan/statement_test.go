package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/plan"
)

// shape says what nodes a flow has, in order: the tool, or the kind.
func shape(f *flow.Flow) string {
	var out []string
	for _, n := range f.Nodes {
		switch s := n.Spec.(type) {
		case *flow.ToolSpec:
			_, action, _ := strings.Cut(s.Tool, ".")
			out = append(out, action)
		default:
			out = append(out, string(n.Kind))
		}
	}
	return strings.Join(out, " ")
}

// TestStatements says which nodes a line becomes.
func TestStatements(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"get the order":                                   "get_order",
		"please get the order from the shop now":          "get_order",
		"fetching the order":                              "ask", // no tool is called so
		"get the order and refund it":                     "get_order refund",
		"get the order, refund it, tell #x":               "get_order refund post_message",
		"get the order then refund it and tell @a and @b": "get_order refund post_message post_message",
		"notify #x that it is done":                       "post_message",
		"post message to #x":                              "post_message",
		"ask @a to approve and refund it":                 "approval say refund",
		"ask @a to approve, then refund it; tell #x":      "approval say refund post_message",
		"ask @a":                          "approval say",
		"ask to approve":                  "approval say",
		"ask for approval":                "approval say",
		"ask @a for approval of the plan": "approval say",
		"get approval from @a or @b":      "approval say",
		"@a approves":                     "approval say",
		"ask @a and @b to sign off":       "approval say approval say",
		"ask someone in @a whether the parcel is there":          "approval say",
		"ask @a if the parcel is there":                          "approval say",
		"ask @a to choose between red, green and blue":           "approval say",
		"ask @a for the colour":                                  "ask",
		"ask @a: what is the colour?":                            "ask",
		"say hello":                                              "say",
		"say \"hello and tell #x nothing\"":                      "say",
		"wait 2 hours":                                           "wait",
		"wait for 3 working days":                                "wait",
		"wait until 2030-12-01 09:00":                            "wait",
		"wait until the cows come home":                          "ask",
		"refund it, stop":                                        "refund",
		"tell #x the order is late, if you must know":            "post_message",
		"tell #x \"nothing, then something\"":                    "post_message",
		"tell #x if the amount is over 5":                        "decision post_message",
		"if the amount is over 5: refund it, then tell #x":       "decision refund post_message",
		"if the amount is over 5 go on otherwise stop":           "decision",
		"if the amount is over 5 if the amount is under 9 stop":  "decision decision",
		"if the amount is over 5 stop else if it is odd tell #x": "decision decision post_message",
		"if the colour is red refund it":                         "decision refund",
		"if the colour is red, green or blue, then refund it":    "decision refund",
		"unless the amount is under 5 ask @a to approve":         "decision approval say",
		"when the amount is over 5, @a approves":                 "decision approval say",
		"refund it without asking":                               "ask",
		"refund nothing":                                         "ask",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			p := plan.Build(outline("x", "say go", line), plan.Options{Tools: fuzzTools(t)})
			got := strings.TrimSpace(strings.TrimPrefix(shape(p.Flow), "say"))
			if got != want {
				t.Errorf("got %s, want %s\n%s", got, want, flow.Format(p.Flow))
			}
			if strings.HasPrefix(want, "ask") && !strings.HasPrefix(line, "ask") && !p.Blocked() {
				t.Error("a step that was not understood can be approved")
			}
		})
	}
}

// TestParameters says where the parameters of a step come from.
func TestParameters(t *testing.T) {
	t.Parallel()
	type params = map[string]any
	for line, want := range map[string]params{
		"refund order 20 EUR":                             {"order_id": "{{inputs.order_id}}", "amount": 20.0},
		"refund order_id A-7 amount 1,000.50":             {"order_id": "A-7", "amount": 1000.5},
		"refund A-7 with 20 and reason damaged":           {"order_id": "A-7", "amount": 20.0, "reason": "damaged"},
		"refund \"A 7\" because it is damaged":            {"order_id": "A 7", "amount": "{{inputs.amount}}", "reason": "damaged"},
		"refund it with the reason":                       {"order_id": "{{inputs.order_id}}", "amount": "{{inputs.amount}}", "reason": "{{inputs.reason}}"},
		"refund it, reason: other":                        {"order_id": "{{inputs.order_id}}", "amount": "{{inputs.amount}}", "reason": "other"},
		"send a voucher worth 5 to email kim@x.example":   {"email": "kim@x.example", "worth": 5.0},
		"send a voucher worth 5 to \"kim@x.example\"":     {"email": "kim@x.example", "worth": 5.0},
		"create an account with role admin and seats 3":   {"email": "{{inputs.email}}", "role": "admin", "seats": 3.0},
		"create an account with seats 3.5":                {"email": "{{inputs.email}}", "role": "{{inputs.role}}", "seats": "{{inputs.seats}}"}, // and the number is quoted back
		"open a ticket \"Say {{hi}}\" with high priority": {"headline": `Say {{ "{{" }}hi}}`, "priority": "high"},
		"book a desk in office Berlin":                    {"office": "Berlin", "person_id": "{{inputs.person_id}}"},
		"restart host web-1":                              {"host": "web-1"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			p := plan.Build(outline("x", line), plan.Options{Tools: fuzzTools(t)})
			spec, ok := p.Flow.Nodes[0].Spec.(*flow.ToolSpec)
			if !ok {
				t.Fatalf("no tool: %+v", p.Notes)
			}
			if diff := cmp.Diff(want, params(spec.Params)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestKinds sorts names into people and groups when it is known what they are.
func TestKinds(t *testing.T) {
	t.Parallel()
	opt := plan.Options{Tools: fuzzTools(t), Kind: func(name string) string {
		return map[string]string{"@kim": "user", "@lee": "user", "@leads": "group", "#team": "channel"}[name]
	}}
	p := plan.Build(outline("x", "ask two of @kim or @leads or #team to approve", "ask two of @kim to approve", "tell #team", "tell @leads"), opt)
	checkProposal(t, p, opt)
	who := p.Flow.Node("ask_kim_leads_team").Spec.(*flow.ApprovalSpec).Who
	if diff := cmp.Diff(&flow.Who{Users: []string{"@kim"}, Groups: []string{"@leads", "#team"}, Quorum: 2}, who); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !slices.ContainsFunc(p.Notes, func(n plan.Note) bool { return n.Line == 4 && n.Blocks && n.Code == "unknown_address" }) {
		t.Errorf("a message to a group can be approved: %+v", p.Notes)
	}
}
