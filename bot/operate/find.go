package operate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/usererror"
	"sluice/storage"
)

// foundMost is how many of the newest runs are looked through.
const foundMost = 500

// idLeast is how many characters of the beginning of a run's id find it.
const idLeast = 6

// Find handles "find A-1001 refund": flows and runs that have all of the words in their names, descriptions, titles, keys or inputs, among
// those that the asker may see. Sensitive inputs are not looked at.
func (ls *Lists) Find(ctx context.Context, in request.Incoming, c request.Command) error {
	words := strings.Fields(strings.ToLower(c.Rest))
	if len(words) == 0 {
		return &usererror.Error{Code: "no_words", Text: "Which words?", Hint: "For example: `/flow find A-1001` or `/flow find refund`."}
	}
	flows, err := ls.Access.Readable(ctx, in)
	if err != nil {
		return err
	}
	sensitive := map[string][]string{}
	var lines []card.Text
	for _, f := range flows {
		doc, err := ls.head(ctx, f)
		if err != nil {
			return err
		}
		sensitive[f.Name] = hiddenInputs(doc)
		if hasAll(words, f.Name, flow.Words(f.Name), doc.Description) {
			line := card.Textf("• *%s*  version %d", f.Name, f.Head)
			if doc.Description != "" {
				line = card.Textf("%s: %s", line, card.Shorten(doc.Description, 80))
			}
			lines = append(lines, line)
		}
	}
	found, cut, err := ls.foundRuns(ctx, in, words, sensitive)
	if err != nil {
		return err
	}
	lines = append(lines, found...)
	if len(lines) == 0 {
		return ls.Replies.SayText(ctx, in, card.Textf("Nothing that you may see has all of these words. `%s list` shows your flows, `%s runs` your runs.", ls.Replies.Command, ls.Replies.Command))
	}
	out := card.Card{Title: "Found"}
	var rest []card.Text
	out.Text, rest = ls.Replies.Paged(lines, 1, "find "+c.Rest)
	if len(rest) > 0 {
		out.Context = []card.Text{card.Textf("%d were found; more words leave fewer.", len(lines))}
	}
	if cut {
		out.Context = append(out.Context, card.Textf("Only the newest %d runs were looked through.", foundMost))
	}
	return ls.Replies.Say(ctx, in, out)
}

// hiddenInputs are the inputs that are shown as dots everywhere.
func hiddenInputs(doc *flow.Flow) (out []string) {
	for _, in := range doc.Inputs {
		if in.Sensitive {
			out = append(out, in.Name)
		}
	}
	return out
}

// foundRuns looks through the newest runs. cut says that there are older ones.
func (ls *Lists) foundRuns(ctx context.Context, in request.Incoming, words []string, sensitive map[string][]string) (lines []card.Text, cut bool, err error) {
	q := storage.RunQuery{By: in.User, Flows: []string{}, Limit: foundMost + 1}
	for name := range sensitive {
		q.Flows = append(q.Flows, name)
	}
	rows, err := ls.Store.Runs(ctx, q)
	if err != nil {
		return nil, false, err
	}
	for _, r := range rows[:min(len(rows), foundMost)] {
		parts := []string{r.Name, r.Title, r.Key, standing(r)}
		if slices.ContainsFunc(words, func(w string) bool { return len(w) >= idLeast && strings.HasPrefix(r.ID, w) }) { // any short word may stand within an id
			parts = append(parts, r.ID)
		}
		hidden, known := sensitive[r.Flow]
		if start, err := ls.Engine.StartOf(ctx, r.ID); err == nil && known && start != nil {
			for name, v := range start.Inputs {
				if !slices.Contains(hidden, name) {
					parts = append(parts, fmt.Sprint(v))
				}
			}
		}
		if hasAll(words, parts...) {
			lines = append(lines, runLine(r))
		}
	}
	return lines, len(rows) > foundMost, nil
}

// hasAll reports whether each of the words stands in one of the texts.
func hasAll(words []string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
}
