package planner

import (
	"strings"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/raise"
	"sluice/engine/tool"
)

// TestAPersonDecides lets a person decide each condition and runs the flow: "no" does what "otherwise" says, and never rejects the run.
func TestAPersonDecides(t *testing.T) {
	t.Parallel()
	w := worldOf()
	w.Tools = append(w.Tools, tool.PostMessage(nil))
	for _, c := range []struct{ words, answer, messages string }{
		{"1. tell #orders \"hi\"\n2. if its raining ask @bob to bring umbrella\n3. tell #orders \"done\"", "no", "hi done"},
		{"1. tell #orders \"hi\"\n2. if its raining tell #support \"take care\"\n3. tell #orders \"done\"", "yes", "hi take care done"},
		{"1. if the sun shines tell #orders \"go out\", otherwise tell #support \"stay in\"\n2. tell #orders \"done\"", "no", "stay in done"},
		{"1. if the sun shines tell #orders \"go out\"\n2. if the wind blows tell #orders \"fly\"\n3. tell #orders \"done\"", "no", "done"},
	} {
		tr, ok := outline.Read(c.words, "U1")
		if !ok {
			t.Fatalf("%q is no outline", c.words)
		}
		p := Plan(tr, w)
		for len(p.Questions) > 0 {
			q, option, value := p.Questions[0], optPerson, "@ann"
			if q.Kind == "value" {
				option, value = "words", ""
			}
			next, err := Answer(tr, w, q.ID, option, value, "U1")
			if err != nil {
				t.Fatalf("%q: %s: %v", c.words, q.Text, err)
			}
			tr = next
			p = Plan(tr, w)
		}
		if got := messagesOf(t, p.Flow, c.answer); got != c.messages {
			t.Errorf("%q, answered with %s: sent %q, want %q", c.words, c.answer, got, c.messages)
		}
		if _, err := raise.Tree(p.Flow); err != nil {
			t.Errorf("%q: %v", c.words, err)
		}
	}
}

// messagesOf runs a flow, answers each of its gates, and gives the messages that it sends.
func messagesOf(t *testing.T, f *flow.Flow, answer string) string {
	t.Helper()
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(nil); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for done := map[string]bool{}; ; {
		at := ""
		for _, n := range f.Nodes {
			if len(d.Tokens(n.ID)) > 0 && !done[n.ID] {
				at = n.ID
			}
		}
		if at == "" {
			break
		}
		done[at] = true
		act := "do " + at
		switch s := f.Node(at).Spec.(type) {
		case *flow.ApprovalSpec:
			act = "answer " + at + " " + answer
		case *flow.ToolSpec:
			text, _ := s.Params["text"].(string)
			sent = append(sent, text)
		}
		if err := d.Script(act); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Script("outcome done"); err != nil {
		t.Error(err)
	}
	return strings.Join(sent, " ")
}
