package readback

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/planner/tree"
)

// Opaque warns of every step that came with an imported flow and that nothing here can run, by its name. It blocks nothing: the other
// ways of the flow may be worth running, and a person can go on from such a step with a value.
func Opaque(f *flow.Flow) []tree.Note {
	var notes []tree.Note
	for _, id := range f.Opaque() {
		n := f.Node(id)
		notes = append(notes, tree.Note{Code: "opaque", Text: fmt.Sprintf(
			"%s cannot be run here (%s): a run that comes to it stops, and a person goes on with a value or ends it.", "“"+n.DisplayName()+"”", n.ForeignWords())})
	}
	return notes
}
