package planner_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/planner"
	"sluice/engine/planner/change"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

// unfinished are words behind others that leave something out.
var unfinished = []string{" and when", " and who", " until when", ", and if so"}

// TestNoLastWordIsLost: the account covers all texts of a tree, and the last word of each is held by a part of the tree, or is asked about. It
// appends unfinished words to descriptions and to replies.
func TestNoLastWordIsLost(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	archive, err := txtar.ParseFile("testdata/everyday.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.Files {
		words, _, _ := strings.Cut(string(f.Data), "\n=>\n")
		words = strings.TrimRight(words, "\n .") + unfinished[i%len(unfinished)]
		if tr, ok := outline.Read(words, "U1"); ok {
			accounted(t, planner.Plan(tr, w))
		}
	}
	for _, reply := range []string{"1. tell #ops who is off", "2. @ana says who has them", "add after 1: tell #ops who is off", "add at the end: ask @ana who pays it", "after 1 @bob checks the fridge", "2. ask @bob to approve"} {
		for _, end := range unfinished {
			tr, _ := outline.Read("1. get the order\n2. tell #ops the amount", "U1")
			if next, _, err := change.Apply(tr, reply+end, "U2"); err == nil {
				accounted(t, planner.Plan(next, w))
			}
		}
	}
}

// accounted checks the account of a proposal.
func accounted(t *testing.T, p *planner.Proposal) {
	t.Helper()
	to := make([]int, len(p.Tree.Texts)) // what is covered of each text
	open := map[int]bool{}               // texts whose last clause is no part of the tree
	for _, c := range p.Account {
		if c.Quote.From != to[c.Quote.Text] {
			t.Errorf("%q: the account has a gap or an overlap before %q", p.Tree.Texts[c.Quote.Text].Words, p.Tree.Words(c.Quote))
		}
		to[c.Quote.Text], open[c.Quote.Text] = c.Quote.To, c.State != "became"
	}
	held := tree.Quotes(p.Tree)
	for i, text := range p.Tree.Texts {
		last := tree.Quote{Text: i, From: strings.LastIndex(text.Words, " ") + 1, To: len(text.Words)}
		if to[i] != len(text.Words) {
			t.Errorf("%q: the account ends at byte %d", text.Words, to[i])
		}
		if !open[i] && !slices.ContainsFunc(held, last.Overlaps) {
			t.Errorf("%q: the last word became nothing", text.Words)
		}
	}
}
