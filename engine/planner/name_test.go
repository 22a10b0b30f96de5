package planner_test

import (
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/tool"
)

// TestNameOfAFlow: a flow that its author gives no name is called by what it is about, and not by a verb, a number or a condition.
func TestNameOfAFlow(t *testing.T) {
	t.Parallel()
	tools, err := tool.LoadActions("actions.yaml", []byte(everydayActions), tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := plannertest.World(tools...)
	for words, want := range map[string]string{
		"When a rep wants to give a discount: below 10% no approval, 10 to 25% ask @bob to approve. After that @fin makes the quote.": "discount",
		"When a parent calls in that their child is sick I'd like this: if the child is out for more than 3 days, ask @bob.":          "child-sick",
		"Every field trip needs an approval. If it costs more than 25 euros @bob has to approve it. Then @ann books the bus.":         "field-trip",
		"an employee requests a laptop with model and price. ask @bob to approve it. tell #ops \"yes\"":                               "laptop",
		"every quarter on the first working day at 8. ask @bob for the compliance rate":                                               "compliance-rate",
		"@bob must speak with the customer in 10 minutes":                                                                             "speak-customer",
		"I want a discount approval: ask @bob to approve. tell #ops \"yes\"":                                                          "discount-approval",
		"ask @bob to approve": "ask-bob",
		"every Friday at 16:00 remind @ana to water the plants":                         "water-plants",
		"get the order from the shop, ask @bob to approve. Then refund it":              "refund-order",
		"1. @ana weighs the parcel\n2. @bob prints the label":                           "weigh-parcel",
		"An employee asks for vacation with start and end date. Ask @bob to approve it": "vacation",
		"A student asks for a certificate. @ana prints it, then tell #ops \"done\"":     "print-certificate",
		"We sell shoes. Ask @bob to approve, then refund order A-1001 with a letter":    "refund-order",
		"when an order arrives, check the stock with @bob":                              "check-stock",
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		if got := planner.Plan(tr, w).Flow.Name; got != want {
			t.Errorf("%q is called %s, not %s", words, got, want)
		}
	}
}

// TestNameStays: a flow that its author gives no name keeps the one that it got when its steps change, until somebody names it.
func TestNameStays(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	tr, _ := outline.Read("@ana prints the label", "U1")
	for _, c := range []struct{ reply, want string }{{"add before 1: @bob weighs the parcel", "print-label"}, {"name: parcels", "parcels"}, {"remove 1", "parcels"}} {
		tr = replied(t, planner.Plan(tr, w).Tree, c.reply)
		if got := planner.Plan(tr, w).Flow.Name; got != c.want {
			t.Errorf("after %q it is called %s, not %s", c.reply, got, c.want)
		}
	}
}
