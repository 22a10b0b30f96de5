package change_test

import (
	"fmt"

	"sluice/engine/planner/change"
	"sluice/engine/planner/outline"
)

func ExampleApply() {
	t, _ := outline.Read("1. ask @finance to approve the invoice\n2. wait 2 days\n3. tell #books \"It is paid.\"", "U1")
	_, said, err := change.Apply(t, "swap 2 and 3", "U1")
	fmt.Println(said, err)
	_, _, err = change.Apply(t, "remove 9", "U1")
	fmt.Println(err)
	_, _, err = change.Apply(t, "thank you", "U1")
	fmt.Println(err)
	// Output:
	// [Steps 2 and 3 have changed places.] <nil>
	// There is no step 9. The last one is step 3.
	// these words change nothing
}
