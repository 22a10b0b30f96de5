package draftchart_test

import (
	"fmt"

	"sluice/engine/importer/draftchart"
)

func ExampleDissolve() {
	draft, _ := draftchart.Enrich(draftchart.Draft{
		AgentName: "receipts", Goal: "Send receipts",
		Nodes: []draftchart.Node{{ID: "fetch"}, {ID: "large", FlowchartType: "decision", DecisionClause: "Is the amount above 100?"}, {ID: "pdf"}, {ID: "mail"}},
		Edges: []draftchart.Edge{{Source: "fetch", Target: "large"}, {Source: "large", Target: "pdf", Label: "Yes"}, {Source: "large", Target: "mail", Label: "No"}},
	})
	x := draftchart.Dissolve(draft, nil)
	fmt.Println(x.Draft.Nodes[0].SuccessCriteria)
	for _, e := range x.Draft.Edges {
		fmt.Println(e.Source, e.Condition, e.Target)
	}
	fmt.Println(x.Map["fetch"])
	// Output:
	// Is the amount above 100?
	// fetch on_success pdf
	// fetch on_failure mail
	// [fetch large]
}
