package plan

import (
	"fmt"

	"sluice/engine/flow"
)

// Opaque warns of every step that came with an imported flow and that nothing here can run, by its name. It blocks nothing: the other
// ways of the flow may be worth running, and a person can go on from such a step with a value.
func Opaque(f *flow.Flow) []Note {
	var notes []Note
	for _, id := range f.Opaque() {
		n := f.Node(id)
		notes = append(notes, Note{Code: "opaque", Text: fmt.Sprintf(
			"%s cannot be run here (%s): a run that comes to it stops, and a person goes on with a value or ends it.", quote(n.DisplayName()), n.ForeignWords())})
	}
	return notes
}
