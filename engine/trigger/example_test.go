package trigger_test

import (
	"fmt"

	"sluice/engine/trigger"
	"sluice/storage"
)

func ExampleMatchMessage() {
	row := storage.Trigger{Flow: "refund", Kind: trigger.Message, Subject: "C1", Body: []byte(`{"message": {"channel": "#refunds", "match": "refund (?P<order>A-\\d+)"}}`)}
	fmt.Println(trigger.MatchMessage(row, "please refund A-17"))
	fmt.Println(trigger.MatchMessage(row, "good morning"))
	// Output:
	// map[order:A-17] true <nil>
	// map[] false <nil>
}
