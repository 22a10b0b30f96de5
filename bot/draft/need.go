package draft

import (
	"fmt"
	"slices"

	"sluice/engine/flow/names"
)

// Need is a name in a draft's file that is not known here.
type Need struct {
	names.Name
	Used    string `json:"used"`             // by which steps and agents
	Without string `json:"without"`          // what becomes of the flow where nothing stands for the name
	Stands  string `json:"stands,omitempty"` // what stands for it; "" and settled: nothing
	Settled bool   `json:"settled,omitempty"`
	Near    string `json:"near,omitempty"` // a similar name that is here; shown until it is settled
}

// unsettled counts the names that are not resolved yet.
func (b Body) unsettled() (n int) {
	for _, need := range b.Needs {
		if !need.Settled {
			n++
		}
	}
	return n
}

// Unsettled says what is missing before a draft can be approved; "" = nothing.
func (b Body) Unsettled() string {
	switch n := b.unsettled(); n {
	case 0:
		return ""
	case 1:
		i := slices.IndexFunc(b.Needs, func(n Need) bool { return !n.Settled })
		return fmt.Sprintf("The file needs the %s %s, which is not known here.", b.Needs[i].Kind, b.Needs[i].Text)
	default:
		return fmt.Sprintf("The file needs %d things that are not known here.", n)
	}
}
