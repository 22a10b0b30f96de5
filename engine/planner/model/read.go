package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/llm"
	"sluice/engine/planner"
	"sluice/engine/planner/account"
	"sluice/engine/planner/english"
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
	r := newReading(m, words, author, w, base)
	t, err := r.tree(ctx)
	if t != nil && base != nil {
		confirm(w, base, t)
	}
	return t, r.usage, err
}

// reading is a conversation with a model about one text.
type reading struct {
	*brief
	model    llm.Model
	author   string
	messages []llm.Message
	answer   string // that the tree was made of
	detailed bool   // it was asked about details
	usage    llm.Usage
}

func newReading(m llm.Model, words, author string, w env.World, base *tree.Tree) *reading {
	r := &reading{brief: newBrief(words, w, base), model: m, author: author}
	r.messages = []llm.Message{{Role: llm.RoleUser, Text: r.data()}}
	return r
}

// tree asks for a tree until nothing is wrong with it, or it was corrected often enough. The best one counts.
func (r *reading) tree(ctx context.Context) (best *tree.Tree, err error) {
	schema, _ := formsOf(wireTree{}, r.brief)
	system := r.system()
	var last []string
	fewest := 0
	for range 1 + corrections {
		res, err := r.model.Chat(ctx, llm.Request{System: system, Messages: r.messages, Schema: schema, Strict: true})
		r.usage = r.usage.Add(res.Usage)
		if err != nil && best == nil {
			return nil, err
		}
		if err != nil { // what is wrong in the answer before is asked about
			break
		}
		t, problems, usable := r.read(res, r.author)
		if usable && (best == nil || len(problems) < fewest) {
			best, fewest, r.answer = t, len(problems), res.Text
		}
		if !r.detailed && usable && len(problems) > 0 { // alone they are left to the comparison
			problems = append(problems, r.details(t)...)
		}
		r.detailed = true
		if len(problems) == 0 {
			break
		}
		last = problems[:min(len(problems), problemsMost)]
		r.goesBack(res.Text, "This has problems.", last)
	}
	if best == nil {
		return nil, &llm.Error{Type: "ModelError", Permanent: true, Message: fmt.Sprintf("the model gave no steps that can be used, after %d corrections (%s)", corrections, english.Shorten(last[0], 200))}
	}
	return best, nil
}

// goesBack tells the model what is wrong with an answer.
func (r *reading) goesBack(answer, why string, problems []string) {
	r.messages = append(r.messages, llm.Message{Role: llm.RoleAssistant, Text: answer},
		llm.Message{Role: llm.RoleUser, Text: why + " Answer with the whole tree again, corrected:\n- " + strings.Join(problems, "\n- ")})
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
		if !slices.ContainsFunc(p.Account, func(c account.Clause) bool { return c.State != account.Became && c.Quote.Overlaps(q) }) {
			f.used = append(f.used, q)
			f.quotesAreOfOneElement()
		}
	}
	before := b.unread()
	for _, c := range p.Account {
		words := strings.TrimSpace(p.Tree.Words(c.Quote))
		if c.State == "not_understood" && words != "" && !f.declared(c.Quote) && !slices.ContainsFunc(before, c.Quote.Overlaps) {
			lack := fmt.Sprintf("No field holds all of these words (mind numbers, names and negations): %q.", english.Shorten(words, 200))
			if s := p.Tree.Step(c.Step); s != nil && s.Doer == tree.DoerTool && c.Quote.Overlaps(s.Said) {
				lack = fmt.Sprintf("The tool %s, which the step %q calls, says nothing of %q.", s.Tool, english.Shorten(s.Text, 200), english.Shorten(words, 200))
			}
			out = append(out, lack+" If no field says exactly this, they go to not_expressible, so that people are asked; no other field changes for them.")
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
			out = append(out, fmt.Sprintf("No field says %q. If it changes what happens or what is said, it belongs into text, another field or not_expressible; else leave it as it is.", english.Shorten(words, 100)))
		}
	}
	return out
}

// unread gives what was not understood of the base.
func (b *brief) unread() (out []tree.Quote) {
	if b.plan == nil {
		return nil
	}
	for _, c := range b.plan.Account {
		if c.State == "not_understood" {
			out = append(out, c.Quote)
		}
	}
	return out
}
