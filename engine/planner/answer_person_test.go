package planner

import (
	"strings"
	"testing"

	"sluice/engine/planner/raise"
	"sluice/engine/tool"
)

// TestAPersonDecides lets a person decide each condition and runs the flow: "no" does what "otherwise" says, and never rejects the run.
func TestAPersonDecides(t *testing.T) {
	t.Parallel()
	w := worldOf()
	w.Tools = append(w.Tools, tool.PostMessage(nil))
	for _, c := range []struct{ words, answers, messages string }{
		{"1. tell #orders \"hi\"\n2. if its raining ask @bob to bring umbrella\n3. tell #orders \"done\"", "no", "hi done"},
		{"1. tell #orders \"hi\"\n2. if its raining tell #support \"take care\"\n3. tell #orders \"done\"", "yes", "hi take care done"},
		{"1. if the sun shines tell #orders \"go out\", otherwise tell #support \"stay in\"\n2. tell #orders \"done\"", "no", "stay in done"},
		{"1. if the sun shines tell #orders \"go out\"\n2. if the wind blows tell #orders \"fly\"\n3. tell #orders \"done\"", "no no", "done"},
	} {
		f := decidedByAnn(t, w, c.words)
		if got := playAnswers(t, f, strings.Fields(c.answers)); got != c.messages {
			t.Errorf("%q, answered with %s: sent %q, want %q", c.words, c.answers, got, c.messages)
		}
		if _, err := raise.Tree(f); err != nil {
			t.Errorf("%q: %v", c.words, err)
		}
	}
}
