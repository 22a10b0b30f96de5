package run

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// MaxShown is how many characters a flow's own question may show, with its values, its answers and their fields. People read them all
// before they decide.
const MaxShown = 200_000

// openShown opens a gate. A gate that shows more than MaxShown is an error of its node.
func openShown(m *machine, t history.Token, g *history.GateOpened, d *flow.Deadline) {
	all := []any{g.Message, g.Choices, g.Form}
	for _, s := range g.Show {
		all = append(all, s)
	}
	body, err := json.Marshal(all)
	if size := utf8.RuneCount(body); err == nil && size > MaxShown {
		const text = "this question would show %d characters, and people can be shown at most %d in full: let it show less"
		m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorTooLarge, Permanent: true, Message: fmt.Sprintf(text, size, MaxShown)})
		return
	}
	m.open(t, g, d)
}

func shownHash(g *history.Gate) string { return history.ShownHash(g.Shown, g.ID, g.Kind, g.Choices) }
