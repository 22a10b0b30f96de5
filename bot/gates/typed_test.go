package gates

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
)

// TestTypedAnswersKeepEveryWord: what somebody types behind a choice or a name arrives whole.
func TestTypedAnswersKeepEveryWord(t *testing.T) {
	t.Parallel()
	approval := history.GateOpened{Choices: []string{"approve", "reject", "send back"}}
	rating := history.GateOpened{Form: map[string]flow.FormField{"rating": {Type: "integer"}, "words": {}}}
	reason := history.GateOpened{Choices: []string{"approve", "reject"}, Form: map[string]flow.FormField{"note": {RequiredFor: []string{"reject"}}}}
	for text, c := range map[string]struct {
		opened history.GateOpened
		want   engine.GateAnswer
	}{
		"approve":                       {approval, engine.GateAnswer{Choice: "approve", Form: map[string]any{}}},
		"Reject too old, sorry":         {approval, engine.GateAnswer{Choice: "reject", Note: "too old, sorry", Form: map[string]any{}}},
		"reject note=too old, sorry":    {approval, engine.GateAnswer{Choice: "reject", Note: "too old, sorry", Form: map[string]any{}}},
		"send back it's \"not\" signed": {approval, engine.GateAnswer{Choice: "send back", Note: `it's "not" signed`, Form: map[string]any{}}},
		"reject, too old":               {approval, engine.GateAnswer{Choice: "reject", Note: "too old", Form: map[string]any{}}},
		"rating=4 words=very good, ana": {rating, engine.GateAnswer{Form: map[string]any{"rating": "4", "words": "very good, ana"}}},
		"reject note=too old = no":      {reason, engine.GateAnswer{Choice: "reject", Form: map[string]any{"note": "too old = no"}}},
		"as it was said":                {history.GateOpened{}, engine.GateAnswer{Text: "as it was said", Form: map[string]any{}}},
	} {
		got, err := typedAnswer(c.opened, text, nil)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"perhaps", "rejecting is hard", "no, too old"} {
		if a, err := typedAnswer(approval, text, nil); err == nil {
			t.Errorf("%q was taken as %s", text, a.Choice)
		}
	}
}

// A choice of several words is found in a line, and the note behind it.
func ExampleChosen() {
	fmt.Println(Chosen([]string{"approve", "ask for another offer"}, "Ask for another offer, this one is too dear"))
	// Output: ask for another offer this one is too dear true
}

// TestWordsThatMeanAChoice: what refuses or agrees in other words is understood, so that it can be suggested; talk is not.
func TestWordsThatMeanAChoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no, too old": "reject: too old", "Nope – ask me in May": "reject: ask me in May", "declined": "reject: ", "ok": "approve: ", "yes!": "approve: ",
		"no problem, it is on its way": "", "ok, I look at it tomorrow": "", "what is it for?": "", "": "",
	} {
		choice, note, ok := meant([]string{"approve", "reject"}, text)
		if got := choice + ": " + note; ok != (want != "") || ok && got != want {
			t.Errorf("%q means %q (%t)", text, got, ok)
		}
	}
	if choice, _, ok := meant([]string{"approve", "reject", "cancel"}, "no"); ok {
		t.Errorf("of two refusals, %s is meant", choice)
	}
}

// TestRepliesThatAreAnswers: a reply with all it says in values answers, talk around them does not.
func TestRepliesThatAreAnswers(t *testing.T) {
	t.Parallel()
	two := gate.Body{Opened: history.GateOpened{Form: map[string]flow.FormField{"mood": {}, "details": {}}}}
	for text, want := range map[string]map[string]any{
		"mood=calm details=nothing new, as usual": {"mood": "calm", "details": "nothing new, as usual"},
		"I would say mood=calm":                   nil,
		"what is mood=calm?":                      nil,
		"@ana mood=calm":                          nil,
	} {
		a, fits := answerOf(request.Incoming{Text: text}, two)
		if fits != (want != nil) || fits && !cmp.Equal(want, a.Form) {
			t.Errorf("%q: %v %v", text, fits, a.Form)
		}
	}
}
