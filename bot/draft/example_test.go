package draft_test

import (
	"fmt"

	"sluice/bot/draft"
	"sluice/engine/flow"
	"sluice/storage"
)

// The row of a draft holds its flow beside what people still have to say about it.
func Example() {
	row := storage.Draft{ID: "d1", Flow: "refund", Number: 2, Base: 1, Status: draft.Open, Body: fmt.Appendf(nil,
		`{"flow": %s, "authors": ["ana"], "needs": [{"kind": "tool", "text": "crm.find"}]}`, flow.Canonical(&flow.Flow{Name: "refund"}))}
	body, f, err := draft.Decode(row)
	if err != nil {
		panic(err)
	}
	fmt.Println(draft.Title(row), "of", f.Name)
	fmt.Println(body.Unsettled())
	// Output:
	// Refund, draft 2: change to version 1 of refund
	// The file needs the tool crm.find, which is not known here.
}
