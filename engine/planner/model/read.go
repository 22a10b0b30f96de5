package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/llm"
	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
)

// corrections is how often the problems of an answer go back to the model.
const corrections = 3

// problemsMost is how many problems go back at once.
const problemsMost = 20

// Read reads words with a model: a new description, or a change of base. What the words do not say is not in the tree; what the model left
// out is found by [planner.Plan], as with any tree. The usage is that of all calls, also when there is an error. Errors of the model are
// of type [*llm.Error].
func Read(ctx context.Context, m llm.Model, words, author string, w env.World, base *tree.Tree) (*tree.Tree, llm.Usage, error) {
	b := newBrief(words, w, base)
	messages := []llm.Message{{Role: llm.RoleUser, Text: b.data()}}
	schema, _ := formsOf(wireTree{}, b)
	system := b.system()
	var usage llm.Usage
	var best *tree.Tree
	var last []string
	fewest := 0
	for try := 0; try <= corrections; try++ {
		res, err := m.Chat(ctx, llm.Request{System: system, Messages: messages, Schema: schema, Strict: true})
		usage = usage.Add(res.Usage)
		if err != nil && best == nil {
			return nil, usage, err
		}
		if err != nil { // what is wrong in the answer before is asked about
			break
		}
		t, problems, usable := b.read(res, author)
		if usable && (best == nil || len(problems) < fewest) {
			best, fewest = t, len(problems)
		}
		if try == 0 && usable {
			problems = append(problems, b.details(t)...)
		}
		if len(problems) == 0 {
			break
		}
		last = problems[:min(len(problems), problemsMost)]
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Text: res.Text},
			llm.Message{Role: llm.RoleUser, Text: "This has problems. Answer with the whole tree again, corrected:\n- " + strings.Join(last, "\n- ")})
	}
	if best != nil && base != nil {
		confirm(w, base, best)
	}
	if best != nil {
		return best, usage, nil
	}
	return nil, usage, &llm.Error{Type: "ModelError", Permanent: true, Message: fmt.Sprintf("the model gave no steps that can be used, after %d corrections (%s)", corrections, cut(last[0], 200))}
}

// read makes a tree of an answer, with what is wrong with it. usable: people can be asked about what is wrong.
func (b *brief) read(res llm.Response, author string) (t *tree.Tree, problems []string, usable bool) {
	switch res.Stop {
	case llm.StopRefusal, llm.StopFilter:
		return nil, []string{"There is no tree in the answer."}, false
	case llm.StopLength:
		return nil, []string{"The answer was cut off: write less."}, false
	}
	var wt wireTree
	if err := decode(res.Text, &wt); err != nil {
		return nil, []string{"The answer is not JSON of the schema: " + err.Error()}, false
	}
	f := newFill(b, author)
	f.tree(&wt)
	if len(f.t.Steps) == 0 {
		return nil, append(f.problems, "There is no step whose text stands in the description."), false
	}
	if gone := f.gatesGone(); len(gone) > 0 {
		return nil, append(f.problems, gone...), false
	}
	return f.t, append(f.problems, b.missed(f)...), true
}

// missed lists what the plan of a tree does not understand or refuses, but for what the model says it cannot express.
func (b *brief) missed(f *fill) (out []string) {
	p := planner.Plan(f.t, b.w)
	for _, q := range f.admitted { // people are asked about it, also where another quote holds it
		if !slices.ContainsFunc(p.Account, func(c planner.Clause) bool { return c.State != "became" && c.Quote.Overlaps(q) }) {
			mark(f.used, q)
			f.quotesAreOfOneElement()
		}
	}
	before := b.unread()
	for _, c := range p.Account {
		words := strings.TrimSpace(p.Tree.Words(c.Quote))
		if c.State == "not_understood" && words != "" && !f.declared(c.Quote) && !slices.ContainsFunc(before, c.Quote.Overlaps) {
			out = append(out, fmt.Sprintf("No field holds these words: %q. If no field says exactly this, they go to not_expressible, so that people are asked; no other field changes for them.", cut(words, 200)))
		}
	}
	for _, n := range p.Notes {
		if n.Blocks {
			out = append(out, n.Text)
		}
	}
	return out
}

// details asks once about details that no field says.
func (b *brief) details(t *tree.Tree) (out []string) {
	for _, words := range unsaid(t) {
		if strings.Contains(b.words, words) {
			out = append(out, fmt.Sprintf("No field says %q. If it changes what happens or what is said, it belongs into text, another field or not_expressible; else leave it as it is.", cut(words, 100)))
		}
	}
	return out
}

// unread gives what was not understood of the base.
func (b *brief) unread() (out []tree.Quote) {
	if b.base == nil {
		return nil
	}
	for _, c := range planner.Plan(b.base, b.w).Account {
		if c.State == "not_understood" {
			out = append(out, c.Quote)
		}
	}
	return out
}
