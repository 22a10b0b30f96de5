package operate

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/audit"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Audit handles "audit", "audit refund", "audit refund-1" and "audit @ana": the actions of people, as far as the asker may see their subjects.
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
			return ls.auditRun(ctx, in, r, page)
		}
	}
	q, err := ls.auditQuery(ctx, in, what)
	if err != nil {
		return err
	}
	part, err := auditPartOf(c, page)
	if err != nil {
		return err
	}
	return ls.auditPart(ctx, in, what, q, part)
}

// auditRun answers with everything that was done about a run, oldest first.
func (ls *Lists) auditRun(ctx context.Context, in request.Incoming, r storage.Run, page int) error {
	var entries []audit.Entry
	err := audit.Run(ctx, ls.Store, r, func(e audit.Entry) error { entries = append(entries, e); return nil })
	if err != nil {
		return err
	}
	lines, err := ls.entryLines(ctx, entries)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return ls.nothingRecorded(ctx, in)
	}
	out := card.Card{Title: "Who did what in " + r.Name}
	ls.Replies.PagedCard(&out, lines, page, "audit "+r.Name)
	return ls.Replies.Say(ctx, in, out)
}

func (ls *Lists) nothingRecorded(ctx context.Context, in request.Incoming) error {
	return ls.Replies.SayText(ctx, in, card.Textf("Nothing that you may see is recorded about this."))
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
	f, err := ls.Access.FlowEver(ctx, in, what)
	if err != nil {
		return q, ls.nothingCalled(ctx, in, what, err)
	}
	return audit.Query{Flow: f.Name}, nil
}

// deeds are the words for the actions of the audit.
var deeds = map[string]string{
	"revision_approved": "approved a version of", "draft_discarded": "discarded a draft", "definition_put": "gave a definition of", "flow_paused": "paused", "flow_resumed": "resumed", "flow_removed": "removed",
	"schedule_made": "made a schedule of", "schedule_paused": "paused a schedule of", "schedule_resumed": "resumed a schedule of", "schedule_skipped": "left out a start of",
	"schedule_failed": "a start failed of", "schedule_full": "a start was left out of", "run_started": "started", "voted": "voted in", "gate_decided": "decided in", "call_edited": "changed a call of",
	"limit_lifted": "allowed more in", "revision_changed": "moved to another version:", "run_ended": "ended", "run_reopened": "reopened", "run_paused": "paused", "run_resumed": "resumed", "run_forked": "forked",
}

// viaWords say how somebody did it. What the bot does by itself says so already.
var viaWords = map[string]string{
	string(history.ViaButton): "with a button", string(history.ViaModal): "in a form", string(history.ViaCommand): "with a command", string(history.ViaMessage): "in a message",
	string(history.ViaReaction): "with a reaction", string(history.ViaHome): "on their Home", string(history.ViaCLI): "at the terminal", string(history.ViaHTTP): "over HTTP",
	string(history.ViaRun): "through another run",
}

// entryLines are entries in words. The steps of runs are called as people know them.
func (ls *Lists) entryLines(ctx context.Context, entries []audit.Entry) (out []card.Text, err error) {
	flows := map[string]*flow.Flow{} // by run
	for _, e := range entries {
		f, known := flows[e.Run]
		if e.Node != "" && !known {
			if f, err = ls.flowOf(ctx, e.Run); err != nil {
				return nil, err
			}
			flows[e.Run] = f
		}
		out = append(out, entryLine(e, stepOf(f, e.Node)))
	}
	return out, nil
}

// flowOf is the flow that a run goes by; nil = it is not there any more.
func (ls *Lists) flowOf(ctx context.Context, run string) (*flow.Flow, error) {
	r, err := ls.Store.RunByName(ctx, run)
	if err != nil {
		return nil, storage.IgnoreMissing(err)
	}
	f, err := draft.Saved(ctx, ls.Store, r.Flow, r.Revision)
	return f, storage.IgnoreMissing(err)
}

// stepOf is what people call a node; "" = the entry is about none.
func stepOf(f *flow.Flow, node string) string {
	if f != nil && f.Node(node) != nil {
		return f.Node(node).DisplayName()
	}
	return flow.Words(node)
}

// entryLine is an entry in words: the person and the action.
func entryLine(e audit.Entry, step string) card.Text {
	who := surface.Person(e.User)
	if e.User == "" {
		who = card.Textf("by itself")
	}
	var detail struct {
		Choice   string `json:"choice"`
		Revision int    `json:"revision"`
		Status   string `json:"status"`
		Outcome  string `json:"outcome"`
	}
	read := json.Unmarshal(e.Detail, &detail) == nil
	deed, ok := deeds[e.What]
	switch {
	case detail.Choice == history.ChoiceSuperseded: // nobody decided it
		deed, detail.Choice = "took back a question of", ""
	case !ok:
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
	if step != "" {
		line = card.Textf("%s at “%s”", line, step)
	}
	if read {
		switch {
		case detail.Choice != "":
			line = card.Textf("%s: *%s*", line, surface.ChoiceWords(detail.Choice))
		case detail.Outcome != "":
			line = card.Textf("%s: %s", line, detail.Outcome)
		case detail.Revision > 0:
			line = card.Textf("%s (version %d)", line, detail.Revision)
		}
	}
	if viaWords[e.Via] != "" {
		line = card.Textf("%s, %s", line, viaWords[e.Via])
	}
	return line
}
