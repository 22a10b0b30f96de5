package bot

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/request"
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
