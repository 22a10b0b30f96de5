package model

import (
	"context"

	"sluice/engine/llm"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
)

// Drafted is a tree that a model made of a description.
type Drafted struct {
	Tree       *tree.Tree
	Uncompared error // why nothing has compared it with the words; nil = it was compared
}

// Draft reads a new description with a model, and has the finished draft compared with the words. Differences go back once, and the tree of
// which fewer are told counts; people are asked about those. The usage is that of all calls, also when there is an error.
func Draft(ctx context.Context, m llm.Model, words, author string, w env.World) (Drafted, llm.Usage, error) {
	r := newReading(m, words, author, w, nil)
	t, err := r.tree(ctx)
	if err != nil {
		return Drafted{}, r.usage, err
	}
	first, used, err := Compare(ctx, m, t, w)
	r.usage = r.usage.Add(used)
	if err != nil {
		return Drafted{t, err}, r.usage, nil
	}
	if len(first.Objections) == 0 {
		return Drafted{Tree: first}, r.usage, nil
	}
	var differences []string
	for _, o := range first.Objections {
		differences = append(differences, o.Text)
	}
	r.messages = r.messages[:1]
	r.goesBack(r.answer, "Somebody has compared what this does with the description. Where they are right, the tree is wrong; what it cannot say goes to not_expressible. Where they are not, leave it as it is.", differences)
	if t, err = r.tree(ctx); err != nil {
		return Drafted{Tree: first}, r.usage, nil
	}
	second, used, err := Compare(ctx, m, t, w)
	r.usage = r.usage.Add(used)
	if err != nil || len(second.Objections) >= len(first.Objections) {
		return Drafted{Tree: first}, r.usage, nil
	}
	return Drafted{Tree: second}, r.usage, nil
}
