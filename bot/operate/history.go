package operate

import (
	"context"
	"slices"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/planner/readback"
	"sluice/storage"
)

// History handles "history refund": its versions, the newest first, with who wrote and approved them and what they changed.
func (ls *Lists) History(ctx context.Context, in request.Incoming, c request.Command) error {
	name, err := c.Name("Which flow?", "For example: `/flow history refund`. `/flow list` shows your flows.")
	if err != nil {
		return err
	}
	f, err := ls.Access.FlowEver(ctx, in, name)
	if err != nil {
		return err
	}
	page, err := request.PageOf(c, 1, "history "+f.Name)
	if err != nil {
		return err
	}
	all, err := ls.Store.Revisions(ctx, f.Name)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(rev storage.Revision) bool { return rev.Number < 0 }) // those of single runs
	var lines []card.Text
	for i, rev := range all {
		var before *storage.Revision
		if i+1 < len(all) {
			before = &all[i+1]
		}
		line, err := ls.versionLine(ctx, f, rev, before, all[i+1:])
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	out := card.Card{Title: "Versions of " + f.Name}
	ls.Replies.PagedCard(&out, lines, page, "history "+f.Name)
	if len(all) > 1 {
		out.Context = append(out.Context, card.Textf("`%s rollback %s %d` proposes that version again; it is approved like every change.", ls.Replies.Command, f.Name, all[1].Number))
	}
	return ls.Replies.Say(ctx, in, out)
}

// versionLine says who wrote and approved a version, and when, and what it changed.
func (ls *Lists) versionLine(ctx context.Context, f storage.Flow, rev storage.Revision, before *storage.Revision, older []storage.Revision) (card.Text, error) {
	head := card.Textf("*version %d*", rev.Number)
	if rev.Number == f.Head {
		head = card.Textf("%s, which runs now", head)
	}
	if !rev.At.IsZero() {
		head = card.Textf("%s, %s", head, card.Date(rev.At))
	}
	head = card.Textf("%s, approved by %s", head, surface.Person(rev.By))
	writers, err := ls.writers(ctx, rev)
	if err != nil {
		return head, err
	}
	if len(writers) > 0 {
		head = card.Textf("%s, written by %s", head, card.Join(", ", writers...))
	}
	if i := slices.IndexFunc(older, func(o storage.Revision) bool { return o.Hash == rev.Hash }); i >= 0 {
		return card.Textf("%s: the same as version %d", head, older[i].Number), nil
	}
	if before == nil {
		return card.Textf("%s: the first", head), nil
	}
	changed, err := ls.changes(ctx, *before, rev)
	return card.Textf("%s\n%s", head, card.Join("\n", changed...)), err
}

// writers are the people who wrote a version.
func (ls *Lists) writers(ctx context.Context, rev storage.Revision) (out []card.Text, err error) {
	d, ok, err := draft.OfVersion(ctx, ls.Store, rev.Flow, rev.Number)
	if err != nil || !ok {
		return nil, err
	}
	body, _, err := draft.Decode(d)
	for _, user := range body.Authors {
		out = append(out, surface.Person(user))
	}
	return out, err
}

// changesMost is how many changes of a version the list shows.
const changesMost = 4

// changes lists the differences of a version from the one before.
func (ls *Lists) changes(ctx context.Context, before, rev storage.Revision) (out []card.Text, err error) {
	read := func(rev storage.Revision) ([]readback.Line, error) {
		doc, err := flow.FromJSON(rev.Body)
		if err != nil {
			return nil, err
		}
		numbers, err := ls.Cards.Numbers(ctx, doc, rev.Number)
		if err != nil {
			return nil, err
		}
		return readback.Lines(doc, ls.Tools.All(), numbers), nil
	}
	old, err := read(before)
	if err != nil {
		return nil, err
	}
	now, err := read(rev)
	if err != nil {
		return nil, err
	}
	out = surface.Changed(old, now, "    ")
	switch n := len(out); {
	case n == 0:
		out = []card.Text{card.Textf("    its steps read as before")}
	case n > changesMost:
		out = append(out[:changesMost], card.Textf("    and %d more changes", n-changesMost))
	}
	return out, nil
}
