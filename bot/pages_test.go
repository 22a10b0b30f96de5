package bot

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// crowd stores open questions, as a transition writes them: for @finance, and many more for others that came after them.
func (p *doors) crowd(mine, others int) {
	p.Helper()
	old, err := p.store.RunByName(p.Context(), "ask-1")
	if err != nil {
		p.Fatal(err)
	}
	g, err := p.store.Gate(p.Context(), gate.ID(old.ID, 1))
	if err != nil {
		p.Fatal(err)
	}
	// A run holds as many gates as it likes: one write stores them all.
	r := old
	r.ID, r.Name, r.Number, r.Version, r.Key, r.Title = "crowd", "ask-900", 900, 0, "", "Crowd"
	w := &storage.RunWrite{Run: r}
	for i := range mine + others {
		next := g
		next.Num, next.ID, next.Opened = i+1, gate.ID("crowd", i+1), g.Opened.Add(1)
		if i >= mine {
			next.Asked = strings.Replace(g.Asked, "@finance", "@somebody", 1)
			if next.Asked = strings.Replace(next.Asked, "gnamed", "nobody", 1); next.Asked == g.Asked {
				p.Fatalf("the row says %q", g.Asked)
			}
		}
		w.Gates = append(w.Gates, next)
	}
	if err := p.store.Write(p.Context(), &storage.Batch{Run: w}); err != nil {
		p.Fatal(err)
	}
}

// TestApprovalsLosesNoQuestion: those that wait for a person are found among thousands that came later and wait for others, and all of
// them can be reached, page by page.
func TestApprovalsLosesNoQuestion(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	p.crowd(14, 2000)
	seen := map[string]bool{}
	for page := 1; page <= 3; page++ {
		cards := p.hear(request.Incoming{Kind: request.KindCommand, User: "decider", Text: fmt.Sprint("approvals ", page)})
		for _, b := range cards[0].Buttons {
			seen[strings.Fields(b.Value)[0]] = true
		}
		var small strings.Builder
		for _, line := range cards[0].Context {
			small.WriteString(line.String())
		}
		if want := []string{"1 to 6 of 15", "7 to 12 of 15", "13 to 15 of 15"}[page-1]; !strings.Contains(small.String(), want) {
			t.Errorf("page %d says %q", page, small.String())
		}
		if next := strings.Contains(small.String(), fmt.Sprintf("approvals %d", page+1)); next != (page < 3) {
			t.Errorf("page %d says %q", page, small.String())
		}
	}
	if len(seen) != 15 {
		t.Errorf("%d of 15 questions can be answered", len(seen))
	}
	for user, want := range map[string]string{"outside": "Waiting for you", "gnamed": "Waiting for you", "member": "Nothing waits for you", "guest": "Nothing waits for you", "ginside": "Nothing waits for you"} {
		if got := said(p.hear(request.Incoming{Kind: request.KindCommand, User: user, Text: "approvals"})); !strings.Contains(got, want) {
			t.Errorf("%s is told %q", user, got)
		}
	}
	if got := said(p.hear(request.Incoming{Kind: request.KindCommand, User: "decider", Text: "approvals soon"})); !strings.Contains(got, "page") {
		t.Errorf("a page that is none: %q", got)
	}
}

// TestApprovalsFindsQuestionsOfEarlierReleases: their rows do not say whom they are for.
func TestApprovalsFindsQuestionsOfEarlierReleases(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	for stored := false; !stored; { // a timer of the run may move it at the same time
		r, err := p.store.RunByName(t.Context(), "ask-1")
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.store.Gate(t.Context(), gate.ID(r.ID, 1))
		if err != nil {
			t.Fatal(err)
		}
		g.Asked = ""
		err = p.store.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Gates: []storage.Gate{g}}})
		if stored = err == nil; err != nil && !errors.Is(err, storage.ErrConflict) {
			t.Fatal(err)
		}
	}
	for user, want := range map[string]string{"decider": "Waiting for you", "member": "Nothing waits"} {
		if got := said(p.hear(request.Incoming{Kind: request.KindCommand, User: user, Text: "approvals"})); !strings.Contains(got, want) {
			t.Errorf("%s is told %q", user, got)
		}
	}
}

// TestListsSayWhatTheyLeaveOut: runs, flows and schedules are listed in pages; all of them can be reached.
func TestListsSayWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	for range 44 {
		if _, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "ask", Actor: history.Actor{User: "asker"}, Channel: "C1"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		p.save(fmt.Sprintf(askFlow, fmt.Sprintf("flow-with-a-long-name-%02d", i)), "owner")
		p.hear(request.Incoming{Kind: request.KindCommand, User: "owner", Text: fmt.Sprintf(`schedule flow-with-a-long-name-%02d "@daily"`, i)})
	}
	for user, lists := range map[string]map[string]int{"member": {"runs": 46, "runs ask": 45, "list": 62, "schedules": 60}, "asker": {"runs": 46}} {
		for list, want := range lists {
			lines := 0
			for page := 1; page < 40; page++ {
				c := p.hear(request.Incoming{Kind: request.KindCommand, User: user, Text: fmt.Sprint(list, " ", page)})[0]
				text := c.Text.String()
				if len([]rune(text)) > 3000 {
					t.Errorf("%s, page %d: %d characters", list, page, len([]rune(text)))
				}
				lines += len(strings.Split(text, "\n"))
				next := len(c.Context) > 0 && strings.Contains(c.Context[0].String(), fmt.Sprintf("%s %d", list, page+1))
				if at := slices.IndexFunc(c.Buttons, func(b card.Button) bool { return b.Label == "Next" || b.Label == "Older" }); at >= 0 != next {
					t.Errorf("%s, page %d: a button for the next page: %v, words: %v", list, page, at >= 0, next)
				} else if list == "list" && next {
					turned := p.hear(request.Incoming{Kind: request.KindClick, User: user, Action: c.Buttons[at].Action, Value: c.Buttons[at].Value})[0]
					if typed := p.hear(request.Incoming{Kind: request.KindCommand, User: user, Text: fmt.Sprint(list, " ", page+1)})[0]; turned.Text.String() != typed.Text.String() {
						t.Errorf("%s, page %d: the button shows another page than the command", list, page)
					}
				}
				if back := slices.IndexFunc(c.Buttons, func(b card.Button) bool { return b.Label == "Previous" }); list == "list" && page > 1 {
					turned := p.hear(request.Incoming{Kind: request.KindClick, User: user, Action: c.Buttons[back].Action, Value: c.Buttons[back].Value})[0]
					if typed := p.hear(request.Incoming{Kind: request.KindCommand, User: user, Text: fmt.Sprint(list, " ", page-1)})[0]; turned.Text.String() != typed.Text.String() {
						t.Errorf("%s, page %d: the button back shows another page than the command", list, page)
					}
				}
				if !next {
					break
				}
			}
			if lines != want {
				t.Errorf("%s shows %s %d lines of %d", list, user, lines, want)
			}
		}
	}
}
