package bot

import (
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
)

// TestStepsOfARunStandInTheirOrder: by number, also where a branch comes to the same step as another one; what only tells that the run ends is
// listed once it did.
func TestStepsOfARunStandInTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", "new big: 1. get the order 2. ask @bob whether it is fine. If not, ask @fin to take over. 3. tell @ana done")
	for _, answer := range []string{"only", "right"} {
		w.click("ana", surface.AnswerAction(d.ID, w.body(d).Questions[0].ID, answer), draft.Value(d))
		d = w.newest(thread)
	}
	w.click("ana", "draft.approve", draft.Value(w.newest(thread)))
	w.hear(request.Incoming{Kind: request.KindCommand, User: "bob", Text: "run big order_id=A-1"})
	r, err := w.store.RunByName(t.Context(), "big-1")
	if err != nil {
		t.Fatalf("%v, of the draft %+v", err, w.body(d).Questions)
	}
	c, err := w.bot.Cards.StatusCard(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, task := range c.Tasks {
		titles = append(titles, task.Title)
	}
	if got := strings.Join(titles, " | "); got != "1. Get the order | 2. @bob chooses | 2a. Take over | 3. Tell @ana" {
		t.Errorf("the steps are %s", got)
	}
}
