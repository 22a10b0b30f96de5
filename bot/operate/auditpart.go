package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/audit"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Bounds of the list in chat: the command sluice audit gives all.
const (
	auditRuns = 1000 // the newest runs
	auditPage = 20   // entries of an answer, in sections of half as many
)

// auditEdge is the place of an entry in the list, the newest first: its time, and its number among those of the same time.
type auditEdge struct {
	At time.Time
	N  int
}

// String writes a place for a command.
func (e auditEdge) String() string { return fmt.Sprintf("%d.%d", e.At.UnixNano(), e.N) }

// newer reports whether a place is nearer to the beginning of the list.
func (e auditEdge) newer(than auditEdge) bool {
	return e.At.After(than.At) || e.At.Equal(than.At) && e.N < than.N
}

// auditPart is a part of the list: a page by number, or what is beside an entry, so that new entries move nothing.
type auditPart struct {
	page          int // from 1; 0 = by an entry
	before, after *auditEdge
}

func auditPartOf(c request.Command, page int) (auditPart, error) {
	p := auditPart{page: page}
	for name, edge := range map[string]**auditEdge{"before": &p.before, "after": &p.after} {
		if v, ok := c.Pairs[name]; ok {
			var nanos int64
			*edge, p.page = &auditEdge{}, 0
			if n, err := fmt.Sscanf(fmt.Sprint(v), "%d.%d", &nanos, &(*edge).N); n != 2 || err != nil {
				return p, &usererror.Error{Code: "no_page", Text: "I cannot read that place in the list.", Hint: "`/flow audit` begins with the newest."}
			}
			(*edge).At = time.Unix(0, nanos)
		}
	}
	return p, nil
}

// placed is an entry with its place.
type placed struct {
	audit.Entry
	edge auditEdge
}

// auditPart answers with a part of what was done about a flow, by a person or at all, the newest first.
func (ls *Lists) auditPart(ctx context.Context, in request.Incoming, what string, q audit.Query, p auditPart) error {
	need := max(p.page, 1)*auditPage + 1 // one more tells whether there is more
	if p.before != nil {
		q.To, need = p.before.At.Add(1), need+p.before.N+1
	}
	if p.after != nil {
		q.From, need = p.after.At, 0
	}
	all, cut, err := ls.newest(ctx, in, q, need)
	if err != nil {
		return err
	}
	if len(all) == 0 && p.page == 1 {
		return ls.nothingRecorded(ctx, in)
	}
	command := strings.TrimSpace("audit " + what)
	shown, back, more := p.of(all)
	out := card.Card{Title: "Who did what"}
	if what != "" {
		out.Title += ": " + what
	}
	var entries []audit.Entry
	for _, e := range shown {
		entries = append(entries, e.Entry)
	}
	lines, err := ls.entryLines(ctx, entries)
	if err != nil {
		return err
	}
	half := min(len(lines), auditPage/2)
	if out.Text = card.Join("\n", lines[:half]...); len(lines) > half {
		out.Sections = []card.Section{{Text: card.Join("\n", lines[half:]...)}}
	}
	switch {
	case len(shown) == 0:
		out.Context = []card.Text{card.Textf("There is nothing here. `%s %s` shows the newest.", ls.Replies.Command, command)}
	case more && p.page > 0:
		out.Context = []card.Text{card.Textf("The newest first. `%s %s %d` shows older ones.", ls.Replies.Command, command, p.page+1)}
	}
	if cut {
		out.Context = append(out.Context, card.Textf("Of the newest %d runs. `%s audit <run>` shows one run whole; an operator gets everything with `sluice audit --csv`.", auditRuns, ls.Replies.Command))
	}
	if back && len(shown) > 0 {
		out.Buttons = append(out.Buttons, request.Turn("Newer", fmt.Sprint(command, " after=", shown[0].edge)))
	}
	if more && len(shown) > 0 {
		out.Buttons = append(out.Buttons, request.Turn("Older", fmt.Sprint(command, " before=", shown[len(shown)-1].edge)))
	}
	return ls.Replies.Say(ctx, in, out)
}

// of cuts the part out of entries that are near it. back and more say whether there are newer and older ones.
func (p auditPart) of(all []placed) (shown []placed, back, more bool) {
	from, end := min((max(p.page, 1)-1)*auditPage, len(all)), len(all)
	switch {
	case p.before != nil:
		from = len(all)
		if i := slices.IndexFunc(all, func(e placed) bool { return p.before.newer(e.edge) }); i >= 0 {
			from = i
		}
		back = true
	case p.after != nil:
		if i := slices.IndexFunc(all, func(e placed) bool { return !e.edge.newer(*p.after) }); i >= 0 {
			end = i
		}
		from = max(0, end-auditPage)
	}
	end = min(end, from+auditPage)
	return all[from:end], back || from > 0, p.after != nil || end < len(all)
}

// newest gives the newest entries of a query that somebody may see, the latest first, with their places: at least as many as needed, if there
// are so many; 0 = all. cut says that there are older runs that were not looked at.
func (ls *Lists) newest(ctx context.Context, in request.Incoming, q audit.Query, need int) (out []placed, cut bool, err error) {
	flows, err := ls.Access.ReadableEver(ctx, in)
	if err != nil {
		return nil, false, err
	}
	names := request.NamesOf(flows)
	admin, err := request.Allowed(ls.Access.May(ctx, in, authority.OperateAll, people.About{}))
	if err != nil {
		return nil, false, err
	}
	var entries latest
	entries.need = need
	err = audit.Rows(ctx, ls.Store, q, func(e audit.Entry) error {
		if admin || slices.Contains(names, e.Flow) {
			entries.add(e)
		}
		if entries.passed(e.At) {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, false, err
	}
	runs, err := ls.Store.Runs(ctx, storage.RunQuery{Flow: q.Flow, Flows: names, By: in.User, Limit: auditRuns + 1})
	if err != nil {
		return nil, false, err
	}
	for _, r := range runs[:min(len(runs), auditRuns)] {
		if !q.To.IsZero() && !r.Started.Before(q.To) || !r.Ended.IsZero() && (r.Ended.Before(q.From) || entries.passed(r.Ended)) {
			continue
		}
		err := audit.Run(ctx, ls.Store, r, func(e audit.Entry) error {
			if q.Fits(e) {
				entries.add(e)
			}
			return nil
		})
		if err != nil {
			return nil, false, err
		}
	}
	return entries.places(), len(runs) > auditRuns, nil
}

var errEnough = errors.New("there are enough entries")

// latest collects entries, and knows when older ones are not needed any more.
type latest struct {
	need  int // 0 = all
	all   []audit.Entry
	floor time.Time // so many entries are not older; zero = not yet
}

func (l *latest) add(e audit.Entry) {
	if l.all = append(l.all, e); l.need > 0 && len(l.all) >= 2*l.need {
		l.sort()
		l.floor = l.all[l.need-1].At
		l.all = slices.DeleteFunc(l.all, func(e audit.Entry) bool { return e.At.Before(l.floor) })
	}
}

// passed reports whether what happened at a time is older than all that is needed.
func (l *latest) passed(at time.Time) bool { return !l.floor.IsZero() && at.Before(l.floor) }

func (l *latest) sort() {
	slices.SortStableFunc(l.all, func(a, b audit.Entry) int { return b.At.Compare(a.At) })
}

func (l *latest) places() (out []placed) {
	l.sort()
	for i, e := range l.all {
		edge := auditEdge{At: e.At}
		if i > 0 && l.all[i-1].At.Equal(e.At) {
			edge.N = out[i-1].edge.N + 1
		}
		out = append(out, placed{e, edge})
	}
	return out
}
