package operate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/audit"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Audit handles "audit", "audit refund", "audit refund-1" and "audit @ana": who did what, as far as the asker may see what it is about.
func (ls *Lists) Audit(ctx context.Context, in request.Incoming, c request.Command) error {
	what := c.Arg(0)
	if n := len(c.Args); n == 1 && isPage(what) {
		what = ""
	}
	page, err := request.PageOf(c, len(strings.Fields(what)), strings.TrimSpace("audit "+what))
	if err != nil {
		return err
	}
	if what != "" && !strings.HasPrefix(what, "@") {
		r, ok, err := ls.Access.ReadableRun(ctx, in, what)
		if err != nil {
			return err
		}
		if ok {
			return ls.auditOf(ctx, in, "Who did what in "+r.Name, "audit "+r.Name, page, func(visit func(audit.Entry) error) error { return audit.Run(ctx, ls.Store, r, visit) })
		}
	}
	q, err := ls.auditQuery(ctx, in, what)
	if err != nil {
		return err
	}
	return ls.auditOf(ctx, in, strings.TrimSpace("Who did what "+what), strings.TrimSpace("audit "+what), page, func(visit func(audit.Entry) error) error {
		return ls.latest(ctx, in, q, visit)
	})
}

func isPage(word string) bool {
	_, err := request.PageOf(request.Command{Args: []string{word}}, 0, "")
	return err == nil
}

// auditQuery narrows the list to a flow or a person.
func (ls *Lists) auditQuery(ctx context.Context, in request.Incoming, what string) (q audit.Query, err error) {
	switch {
	case what == "":
		return q, nil
	case strings.HasPrefix(what, "@"):
		who, err := ls.Directory.Resolve(ctx, what)
		if errors.Is(err, people.ErrUnknownName) || err == nil && who.Kind != "user" {
			return q, &usererror.Error{Code: "no_person", Text: "I know no person called “" + card.Shorten(what, 40) + "”.", Hint: "For example: `/flow audit @ana`."}
		}
		return audit.Query{User: who.ID}, err
	}
	f, err := ls.Access.Flow(ctx, in, what)
	if err != nil {
		return q, ls.nothingCalled(ctx, in, what, err)
	}
	return audit.Query{Flow: f.Name}, nil
}

// Bounds of a list in chat: the command sluice audit gives all.
const (
	auditRuns    = 50  // the newest runs
	auditEntries = 300 // the newest entries
)

// latest gives the newest entries that somebody may see: rows, and the facts of the newest runs, the latest first.
func (ls *Lists) latest(ctx context.Context, in request.Incoming, q audit.Query, visit func(audit.Entry) error) error {
	flows, err := ls.Access.Readable(ctx, in)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range flows {
		names = append(names, f.Name)
	}
	all := ls.Access.May(ctx, in, authority.OperateAll, people.About{})
	admin, err := request.Allowed(all)
	if err != nil {
		return err
	}
	var entries []audit.Entry
	enough := errors.New("enough")
	err = audit.Rows(ctx, ls.Store, q, func(e audit.Entry) error {
		if admin || slices.Contains(names, e.Flow) {
			entries = append(entries, e)
		}
		if len(entries) >= auditEntries {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return err
	}
	runs, err := ls.Store.Runs(ctx, storage.RunQuery{Flow: q.Flow, Flows: append([]string{}, names...), By: in.User, Limit: auditRuns})
	if err != nil {
		return err
	}
	for _, r := range runs {
		err := audit.Run(ctx, ls.Store, r, func(e audit.Entry) error {
			if q.User == "" || e.User == q.User {
				entries = append(entries, e)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(entries, func(a, b audit.Entry) int { return b.At.Compare(a.At) })
	for _, e := range entries[:min(len(entries), auditEntries)] {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

// auditOf answers with entries.
func (ls *Lists) auditOf(ctx context.Context, in request.Incoming, title, command string, page int, each func(func(audit.Entry) error) error) error {
	var lines []card.Text
	if err := each(func(e audit.Entry) error { lines = append(lines, entryLine(e)); return nil }); err != nil {
		return err
	}
	if len(lines) == 0 {
		return ls.Replies.SayText(ctx, in, card.Textf("Nothing that you may see is recorded about this."))
	}
	out := card.Card{Title: title}
	ls.Replies.PagedCard(&out, lines, page, command)
	if !strings.HasPrefix(title, "Who did what in ") {
		out.Context = append(out.Context, card.Textf("Of the newest %d runs, the newest first. `%s audit <run>` shows one run whole; an operator gets everything with `sluice audit --csv`.", auditRuns, ls.Replies.Command))
	}
	return ls.Replies.Say(ctx, in, out)
}

// deeds are the words for what was done.
var deeds = map[string]string{
	"revision_approved": "approved a version of", "draft_discarded": "discarded a draft", "flow_paused": "paused", "flow_resumed": "resumed",
	"schedule_made": "made a schedule of", "schedule_paused": "paused a schedule of", "schedule_resumed": "resumed a schedule of", "schedule_skipped": "left out a start of",
	"schedule_failed": "a start failed of", "schedule_full": "a start was left out of", "run_started": "started", "voted": "voted in", "gate_decided": "decided in", "call_edited": "changed a call of",
	"limit_lifted": "allowed more in", "revision_changed": "moved to another version:", "run_ended": "ended", "run_reopened": "reopened", "run_paused": "paused", "run_resumed": "resumed", "run_forked": "forked",
}

// entryLine says who did what.
func entryLine(e audit.Entry) card.Text {
	who := surface.Person(e.User)
	if e.User == "" {
		who = card.Textf("by itself")
	}
	deed, ok := deeds[e.What]
	if !ok {
		deed = strings.ReplaceAll(e.What, "_", " ")
	}
	about := e.Run
	if about == "" {
		about = e.Flow
	}
	line := card.Textf("• %s  %s: %s", card.Date(e.At), who, deed)
	if about != "" {
		line = card.Textf("%s *%s*", line, about)
	}
	if e.Node != "" {
		line = card.Textf("%s at %s", line, e.Node)
	}
	var detail struct {
		Choice   string `json:"choice"`
		Revision int    `json:"revision"`
		Status   string `json:"status"`
		Outcome  string `json:"outcome"`
	}
	if json.Unmarshal(e.Detail, &detail) == nil {
		switch {
		case detail.Choice != "":
			line = card.Textf("%s: *%s*", line, detail.Choice)
		case detail.Outcome != "":
			line = card.Textf("%s: %s", line, detail.Outcome)
		case detail.Revision > 0:
			line = card.Textf("%s (version %d)", line, detail.Revision)
		}
	}
	if e.Via != "" {
		line = card.Textf("%s, by %s", line, e.Via)
	}
	return line
}
