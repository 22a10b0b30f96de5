package main

import (
	"context"
	"fmt"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
)

// change sets arguments of a call that waits for a person's permission, from a line such as "amount=50 reason=too much". False: the line is no such
// one. The question is asked again with them.
func (t *terminal) change(ctx context.Context, g storage.Gate, b gate.Body, line string) (bool, error) {
	if b.Opened.Call == nil {
		return false, nil
	}
	known, _ := t.tools.Lookup(b.Opened.Call.Tool)
	names := form.Names(form.Call(g.ID, b.Opened, known.Params).Fields)
	values, rest := form.Typed(line, names)
	if len(values) == 0 || rest != "" {
		return false, nil
	}
	you := history.Actor{Name: "you", Via: history.ViaCLI}
	return true, t.engine.EditCall(context.WithoutCancel(ctx), g.ID, you, values, b.Opened.Shown())
}

// showChange prints which arguments of a call were changed, and how they are.
func (t *terminal) showChange(b gate.Body) {
	if b.Opened.Call == nil {
		return
	}
	if b.Edit == nil {
		fmt.Fprintln(t.std.err, "  (to change an argument first: name=value)")
		return
	}
	before := map[string]any{}
	for _, s := range b.Edit.Args {
		before[s.Name] = s.Value
	}
	for _, s := range b.Opened.Show {
		if was, is := tool.ArgText(before[s.Name]), tool.ArgText(s.Value); was != is {
			fmt.Fprintf(t.std.err, "  changed: %s: %s -> %s\n", card.OneLine(s.Name), card.OneLine(was), card.OneLine(is))
		}
	}
}
