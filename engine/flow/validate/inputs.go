package validate

import (
	"fmt"
	"slices"

	"sluice/engine/flow"
)

func (v *validator) inputs() {
	for i := range v.Flow.Inputs {
		in := &v.Flow.Inputs[i]
		a := flow.At{Path: "inputs." + in.Name, On: fmt.Sprintf(" on input '%s'", in.Name)}
		if !flow.IsIdentifier(in.Name) {
			v.Error(a, "bad-name", fmt.Sprintf("'%s' is not a name of an input", in.Name), "use letters, digits and _, such as order_id")
		}
		if slices.IndexFunc(v.Flow.Inputs, func(other flow.Input) bool { return other.Name == in.Name }) < i {
			v.Error(a, "duplicate-id", fmt.Sprintf("input '%s' is declared twice", in.Name), "")
		}
		v.Values(a, in)
	}
}
