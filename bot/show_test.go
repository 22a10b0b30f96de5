package bot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/storage"
)

// TestShowGivesAllThatALongFlowDoes: steps that do not fit on the card are on further pages, and the card says how to see them.
func TestShowGivesAllThatALongFlowDoes(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	const steps = 60
	var src strings.Builder
	src.WriteString("name: long\nflow:\n  entry: s1\n  nodes:\n")
	for n := 1; n <= steps; n++ {
		next := fmt.Sprint("s", n+1)
		if n == steps {
			next = "end"
		}
		fmt.Fprintf(&src, "    - {id: s%d, type: say, message: \"this is part %d. of it. %s\", routes: [{to: %s}]}\n", n, n, strings.Repeat("word ", 30), next)
	}
	p.save(src.String(), "author")
	said, pages := "", 0
	for more := true; more; {
		pages++
		c := p.hear(request.Incoming{Kind: request.KindCommand, User: "author", Text: fmt.Sprint("show long ", pages)})[0]
		said += c.Sections[0].Text.String() + "\n"
		var small strings.Builder
		for _, line := range c.Context {
			small.WriteString(line.String() + "\n")
		}
		if more = strings.Contains(small.String(), fmt.Sprintf("show long %d", pages+1)); more && !strings.Contains(small.String(), " of ") || pages > steps {
			t.Fatalf("page %d says %q", pages, small.String())
		}
		if n := c.Sections[0].Text.Length(); n > request.PageMost {
			t.Errorf("page %d has %d characters", pages, n)
		}
	}
	for n := 1; n <= steps; n++ {
		if !strings.Contains(said, fmt.Sprintf("this is part %d. of it", n)) {
			t.Errorf("part %d is on none of %d pages", n, pages)
		}
	}
	if pages < 2 {
		t.Error("it is one page")
	}
}

// TestAFlowchartPressedTwiceIsShownOnce: a second press at once is the same one, and a later one is not.
func TestAFlowchartPressedTwiceIsShownOnce(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	press := func(user string) int {
		return len(p.hear(request.Incoming{Kind: request.KindClick, User: user, Action: "run.show", Value: "ask-1"}))
	}
	if first, second, other := press("asker"), press("asker"), press("owner"); first != 1 || second != 0 || other != 1 {
		t.Errorf("pressed twice it is shown %d and %d times, and to somebody else %d times", first, second, other)
	}
	r, err := p.store.RunByName(t.Context(), "ask-1")
	if err != nil {
		t.Fatal(err)
	}
	old := storage.Surface{ID: "old", Kind: surface.KindPrivate, Ref: "shown:" + r.ID + ":member", Channel: "C1", User: "member", Body: []byte("{}"), Created: time.Now().Add(-time.Minute)}
	if err := p.store.Write(t.Context(), &storage.Batch{Surfaces: []storage.Surface{old}}); err != nil {
		t.Fatal(err)
	}
	if press("member") != 1 {
		t.Error("a minute later it is not shown again")
	}
	if typed := len(p.hear(request.Incoming{Kind: request.KindCommand, User: "asker", Text: "show ask-1"})); typed != 1 {
		t.Error("a command is not answered")
	}
}
