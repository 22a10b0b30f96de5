package planner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/tool"
)

// readPlan reads words without a model and plans them.
func readPlan(t *testing.T, words string, w env.World) *planner.Proposal {
	t.Helper()
	tr, ok := outline.Read(words, "U1", planner.People(words, w)...)
	if !ok {
		t.Fatalf("%q is not read", words)
	}
	return planner.Plan(tr, w)
}

// asks reports whether a draft has a question with this text, or one that holds it.
func asks(p *planner.Proposal, text string) bool {
	return slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return strings.Contains(q.Text, text) })
}

// TestQuestionOfWordsCoversOneSentence asks about each sentence that is not understood by itself, and shows all of its words.
func TestQuestionOfWordsCoversOneSentence(t *testing.T) {
	t.Parallel()
	long := "10 days later, if it is still open, ana decides whether we give it to the collection agency, write it off or wait another two weeks before we do anything at all"
	for words, want := range map[string][]string{
		`ask @ana to call the customer. ` + long + `. As soon as the customer pays, stop everything and tell #finance.`: {long, "As soon as the customer pays, stop everything and tell #finance"},
		`tell #ops "a". nothing more of that kind either; and no tea (e.g. green)`:                                      {"nothing more of that kind either", "and no tea (e.g. green)"},
		"tell #ops \"a\". and so on\nforever and a day,\nwhile the moon is full. nothing more of that":                  {"and so on forever and a day, while the moon is full", "nothing more of that"},
		"tell #ops \"a\". Whatever the weather may be\nNo biscuits please":                                              {"Whatever the weather may be", "No biscuits"},
	} {
		p := readPlan(t, words, plannertest.World())
		for _, sentence := range want {
			if !asks(p, "“"+sentence+"”") {
				t.Errorf("%q is not asked about by itself: %+v", sentence, p.Questions)
			}
		}
	}
}

// TestWordsOfAToolStep asks about words beside what a tool does with the name of the tool, and understands number words in the name of a flow.
func TestWordsOfAToolStep(t *testing.T) {
	t.Parallel()
	speak := tool.Tool{Name: "audio.speak", Description: "Turn a text into speech", Words: []string{"turn text into speech"}, Effects: flow.EffectsOnce, Params: map[string]any{
		"type": "object", "required": []any{"text"}, "properties": map[string]any{"text": map[string]any{"type": "string"}},
	}}
	w := plannertest.World(speak)
	for words, want := range map[string]string{
		`1. tell #ops "a" 2. turn the text "hi" into speech as a podcast`: "Step 2 calls “Turn a text into speech”, which says nothing of “as a podcast”. What should happen with these words?",
		`turn the text "hi" into speech with a funny accent`:              "Step 1 calls “Turn a text into speech”, which says nothing of “with a funny accent”.",
	} {
		if p := readPlan(t, words, w); !asks(p, want) {
			t.Errorf("%q asks %+v", words, p.Questions)
		}
	}
	for _, words := range []string{`new bday two: tell #team "happy birthday"`, `two-step check: tell #team "a"`, `phase three: tell #team "a"`} {
		if p := readPlan(t, words, w); len(p.Questions) > 0 {
			t.Errorf("%q asks %+v", words, p.Questions)
		}
	}
}

// TestWordsThatNoToolHas: what a tool that a person chose says nothing of is asked about, in one question for each step, also where something joins it to
// words that the tool has. All of it can be left out, or said as a step.
func TestWordsThatNoToolHas(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	for _, c := range []struct {
		words, tool string
		want        []string
	}{
		{"ship the order and park", "shop.get_order", []string{"“and park”"}},
		{"grab the ticket then park", "tickets.create", []string{"“then park”"}},
		{"inspect the tests, logs & recent crashes", "ci.smoke_tests", []string{"“logs”", "“recent crashes”"}},
		{"score the order (based on size, colour, smell)", "shop.get_order", []string{"“based on size”", "“colour”", "“smell”"}},
	} {
		p := readPlan(t, c.words, w)
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "tool", c.tool, "U1")
		if err != nil {
			t.Fatal(c.words, err)
		}
		all := slices.DeleteFunc(planner.Plan(next, w).Questions, func(q planner.Question) bool { return q.Kind != "clause" })
		if len(all) != 1 {
			t.Errorf("%q: %+v", c.words, all)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(all[0].Text+strings.Join(all[0].Lines, " "), part) {
				t.Errorf("%q: nothing about %s in %+v", c.words, part, all[0])
			}
		}
		for option, typed := range map[string]string{planner.LeavesOut: "", "": "tell #ops \"done\""} {
			if after, err := planner.Answer(next, w, all[0].ID, option, typed, "U1"); err != nil || asks(planner.Plan(after, w), "says nothing of") {
				t.Errorf("%q: %q is still asked about (%v)", c.words, option+typed, err)
			}
		}
	}
}

// TestNotesAreNoStep: words that are a note to the step before are not asked about again, and to leave words out is never the first answer.
func TestNotesAreNoStep(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, words := range []string{"@ana packs the box. forever and 3 days", "ask @bob to approve the plan. never without 2 keys"} {
		p := readPlan(t, words, w)
		q := p.Questions[0]
		if len(q.Options) < 2 || strings.HasPrefix(q.Options[0].ID, planner.LeavesOut) {
			t.Fatalf("%q: %+v", words, q)
		}
		next, err := planner.Answer(p.Tree, w, q.ID, "note", "", "U1")
		if err != nil || asks(planner.Plan(next, w), "did not understand") {
			t.Errorf("%q: a note is asked about again (%v)", words, err)
		}
	}
}
