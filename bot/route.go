package bot

import (
	"context"
	"errors"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/drafts"
	"sluice/bot/form"
	"sluice/bot/hometab"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// verb is one command: what it does and how it is shown by help.
type verb struct {
	name  string
	usage string
	help  string
	do    func(ctx context.Context, in request.Incoming, c request.Command) error
	// guests says that guests may use it: its function checks each question for them.
	guests bool
}

// verbs lists every command, in the order of help. The same words work after the slash command and after a mention.
func (b *Bot) verbs() []verb {
	return []verb{
		{"new", "new <name>: 1. ... 2. ...", "draft a flow from an outline", b.drafts.Words.New, false},
		{"run", "run <flow> [input=value ...]", "start a run", b.starts.Start, false},
		{"runs", "runs [flow] [outcome or running] [page]", "runs and where they stand; only the rejected, failed, ... ones", b.lists.Runs, false},
		{"show", "show <run or flow> [page]", "one run or flow, with its picture", b.lists.Show, false},
		{"cancel", "cancel <run>", "end a run", b.runs.Cancel, false},
		{"retry", "retry <run> [node]", "try a failed step again", b.gates.Retry, false},
		{"skip", "skip <run> [node] [value=...], or skip next <flow or schedule>", "go on without a failed step, with a value in its place; or leave out the next start", b.skip, false},
		{"reopen", "reopen <run> [node]", "ask once more what nobody answered in time", b.gates.Reopen, false},
		{"approvals", "approvals [page]", "what waits for your answer", b.gates.Approvals, true},
		{"answer", "answer [run] <choice or text> [field=value ...]", "answer a question of a run, also in its thread", b.gates.Answer, true},
		{"delegate", "delegate [run] <@person>", "ask somebody else who may answer a question, also in its thread", b.gates.Delegate, true},
		{"list", "list [page]", "your flows", b.lists.Flows, false},
		{"agents", "agents [id or page]", "agents that flows can name, and what one is told", b.lists.Agents, false},
		{"approve", "approve <flow>", "show a flow again for approval after a tool has changed", b.drafts.Words.Reapprove, false},
		{"try", "try [flow] [input=value ...] [step=value ...]", "what a flow, or the draft of a thread, would do; nothing happens", b.drafts.Trials.Try, false},
		{"replay", "replay [flow]", "what a draft would have made of the finished runs", b.drafts.Trials.Replay, false},
		{"export", "export [flow] [yaml, mermaid or dot]", "a flow, or the draft of a thread, as a file", b.drafts.Files.Export, false},
		{"schedule", "schedule <flow> <every Monday at 9, or five fields> [input=value ...]", "start runs by the clock", b.holds.Schedule, false},
		{"schedules", "schedules [page]", "schedules and their next start", b.holds.Schedules, false},
		{"pause", "pause <run, flow, schedule or all> [reason]", "let nothing new start; a schedule also until Monday or for two weeks", b.holds.Pause, false},
		{"resume", "resume <run, flow, schedule or all>", "let it go on", b.holds.Resume, false},
		{"fork", "fork <run> <node> [go] [again=node,...]", "a new run that goes on from an earlier node", b.runs.Fork, false},
		{"move", "move <run or flow> [version] [all]", "put runs on another version, when they fit", b.runs.Move, false},
		{"remove", "remove <flow> [go]", "let no run of a flow start any more, after saying what that means; live runs go on", b.holds.Remove, false},
		{"change", "change <flow>: <what should be different>", "propose another version of a flow in words, for approval", b.drafts.Words.Change, false},
		{"history", "history <flow> [page]", "versions of a flow: who wrote and approved them, and what they changed", b.lists.History, false},
		{"rollback", "rollback <flow> <version>", "propose an earlier version again, for approval", b.drafts.Words.Rollback, false},
		{"upgrade", "upgrade <flow>", "propose a flow of an older form of its format in the present one, for approval", b.drafts.Words.Upgrade, false},
		{"find", "find <words>", "flows and runs by name, description, input or id", b.lists.Find, false},
		{"audit", "audit [run, flow or @person] [page]", "who did what", b.lists.Audit, false},
		{"undo", "undo", "in a draft's thread: go back one change", b.drafts.Words.Undo, false},
		{"redo", "redo", "in a draft's thread: go forward again", b.drafts.Words.Redo, false},
		{"tools", "tools", "what flows can use", b.listTools, false},
		{"help", "help [words | TOPIC | COMMAND]", "this list; what steps and changes can say; more about a topic or a command", b.help, false},
	}
}

// sentences are the commands that take whole sentences, where a quotation mark may stand alone.
var sentences = []string{"new", "answer", "run", "try", "schedule", "skip", "change"}

// verb finds a command by its name.
func (b *Bot) verb(name string) (verb, bool) {
	all := b.verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if i < 0 {
		return verb{}, false
	}
	return all[i], true
}

// Handle performs what a delivery asks for. An error is a fault (the database, Slack), after which the delivery is tried again; a mistake of the
// person is answered to them and counts as done.
func (b *Bot) Handle(ctx context.Context, in request.Incoming) error {
	if in.User != "" && !in.Overheard() {
		defer b.HomeChanged(in.User)
	}
	in, err := b.access.Located(ctx, in)
	if err != nil {
		return err
	}
	if err = b.route(ctx, in); errors.Is(err, request.ErrAbsent) {
		return b.absent(ctx, in)
	}
	if wrong, ok := errors.AsType[*form.Problems](err); ok && in.Waits {
		return wrong // nothing is stored: the form shows it
	}
	if _, denied := request.AsDenied(err); denied && in.Overheard() {
		return b.replies.Write(ctx, in, &storage.Batch{}) // it was not said to the bot: no answer is expected
	}
	refused, err := b.refused(err)
	if refused != nil {
		return b.replies.Say(ctx, in, *refused)
	}
	return err
}

// GiveUp ends a delivery that keeps failing: the person is told, and the log knows why.
func (b *Bot) GiveUp(ctx context.Context, in request.Incoming) error {
	if in.Kind == request.KindHook {
		return b.Hooks.GiveUp(ctx, in)
	}
	if in.Overheard() {
		if wanted, err := b.starter.Wants(ctx, in); err != nil {
			return err
		} else if !wanted {
			return b.replies.Write(ctx, in, &storage.Batch{})
		}
	}
	err := b.access.May(ctx, in, authority.Talk, people.About{})
	if denied, ok := request.AsDenied(err); ok && in.Overheard() {
		return b.replies.Write(ctx, in, &storage.Batch{})
	} else if ok && denied.Code == authority.NotOurs {
		return b.replies.Say(ctx, in, b.replies.Refusal(request.Denied(denied)))
	} else if errors.Is(err, people.ErrLookup) {
		return b.replies.SayText(ctx, in, card.Textf(":warning: I cannot look up in Slack who you are, so nothing was done. Please try again in a minute."))
	}
	return b.replies.SayText(ctx, in, card.Textf(":boom: Something broke on my side and this was not done. An operator finds the reason in the log. Please try again later."))
}

func (b *Bot) route(ctx context.Context, in request.Incoming) error {
	switch in.Kind {
	case request.KindClick:
		return b.click(ctx, in)
	case request.KindMessage:
		return b.overheard(ctx, in)
	case request.KindSubmit:
		return b.submitted(ctx, in)
	case request.KindMention, request.KindCommand:
		return b.addressed(ctx, in)
	case request.KindShortcut:
		if err := b.admit(ctx, in, false); err != nil {
			return err
		}
		return b.drafts.Beginnings.OfMessage(ctx, in)
	case request.KindHook:
		return b.Hooks.Delivered(ctx, in)
	}
	if in.Overheard() {
		return b.starter.Start(ctx, in)
	}
	return b.replies.Write(ctx, in, &storage.Batch{})
}

// addressed handles words said to the bot: a command, an edit of the thread's draft, or the outline of a new flow.
func (b *Bot) addressed(ctx context.Context, in request.Incoming) error {
	text, sayErr := b.say(ctx, in, greeting.ReplaceAllString(strings.TrimSpace(in.Text), ""))
	c, quoteErr := request.ParseCommand(text)
	v, known := b.verb(c.Verb)
	known = known && (c.Verb != "remove" || removal(in, c)) && (c.Verb != "change" || b.changes(ctx, in, c))
	files := drafts.Bring(in) && (!known || c.Verb == "new" || c.Verb == "help") // no command beside them
	if err := b.admit(ctx, in, known && v.guests && !files); err != nil {
		return err
	}
	if sayErr != nil {
		return sayErr
	}
	if files {
		return b.drafts.Files.Drop(ctx, in)
	}
	if c.Verb == "" {
		return b.help(ctx, in, c)
	}
	if known {
		if quoteErr != nil && !slices.Contains(sentences, c.Verb) {
			return request.BadQuote(quoteErr, "`/flow "+v.usage+"`")
		}
		return v.do(ctx, in, c)
	}
	if done, err := b.inThread(ctx, in, true); done || err != nil {
		return err
	}
	if err := b.drafts.Words.NotChanged(ctx, in, text); err != nil {
		return err
	}
	if near := b.nearVerb(ctx, in, c); near != nil {
		return near
	}
	return b.drafts.Words.From(ctx, in, text)
}

// removal reports whether words that begin with "remove" are about a flow. In a thread they change its draft, and more words describe something.
func removal(in request.Incoming, c request.Command) bool {
	return in.Thread == "" && len(c.Pairs) == 0 && (len(c.Args) < 2 || len(c.Args) == 2 && c.Arg(1) == "go")
}

// changes reports whether words that begin with "change" are about a flow that the person can see. Without one they describe something, and in
// the thread of a draft they change that.
func (b *Bot) changes(ctx context.Context, in request.Incoming, c request.Command) bool {
	name, words, named := drafts.Changing(c.Rest)
	if drafting, err := b.drafting(ctx, in); err != nil || drafting {
		return false
	}
	_, err := b.access.Flow(ctx, in, name)
	return err == nil || named || words == ""
}

// admit refuses people who may not ask for anything here. Guests may ask about questions that name them: the function itself checks that.
func (b *Bot) admit(ctx context.Context, in request.Incoming, guests bool) error {
	action := authority.Talk
	if guests {
		action = authority.Respond
	}
	return b.access.May(ctx, in, action, people.About{})
}

// overheard handles a message that was not said to the bot: it may be a reply, or start runs. Other messages are ignored.
func (b *Bot) overheard(ctx context.Context, in request.Incoming) error {
	if done, err := b.inThread(ctx, in, false); done || err != nil {
		return err
	}
	return b.starter.Start(ctx, in)
}

// inThread routes a reply in a thread: to the open question that waits for its author, else to the draft that the thread discusses. False:
// it is neither.
func (b *Bot) inThread(ctx context.Context, in request.Incoming, addressed bool) (bool, error) {
	if in.Thread == "" {
		return false, nil
	}
	if done, err := b.gates.Reply(ctx, in); done || err != nil {
		return done, err
	}
	return b.drafts.Words.Edit(ctx, in, addressed)
}

// button is what a click on one does.
type button struct {
	do     func(ctx context.Context, in request.Incoming) error
	guests bool // as in verb
}

// buttons lists every button by the first part of its action.
func (b *Bot) buttons() map[string]button {
	return map[string]button{
		"draft.approve":   {b.drafts.Approvals.Approve, false},
		"draft.try":       {b.drafts.Trials.TryClicked, false},
		"draft.replay":    {b.drafts.Trials.ReplayClicked, false},
		"draft.file":      {b.drafts.Files.ExportClicked, false},
		"draft.changes":   {b.drafts.Files.ChangesClicked, false},
		"draft.answer":    {b.drafts.Questions.Answer, false},
		"draft.details":   {b.drafts.Questions.Details, false},
		"flow.export":     {b.drafts.Files.ExportFlow, false},
		"starting.use":    {b.drafts.Words.UseStartingPoint, false},
		"draft.discard":   {b.drafts.Approvals.Discard, false},
		"gate.choose":     {b.gates.Choose, true},
		"gate.reopen":     {b.gates.ReopenClicked, true},
		"moves.fit":       {b.runs.MoveFits, false},
		"moves.leave":     {b.runs.LeaveThem, false},
		"run.cancel":      {b.runs.CancelClicked, false},
		"run.resume":      {b.holds.ResumeClicked, false},
		"run.anyway":      {b.starts.Anyway, false},
		"run.show":        {b.lists.ShowClicked, false},
		"run.now":         {b.starts.Now, false},
		"list.turn":       {b.turn, false},
		"schedule.add":    {b.holds.AddClicked, false},
		"schedule.resume": {b.holds.ResumeScheduleClicked, false},
		"command.again":   {b.again, false},
		hometab.More:      {b.turn, true},
	}
}

// click performs the action of a button.
func (b *Bot) click(ctx context.Context, in request.Incoming) error {
	action, _, _ := strings.Cut(in.Action, ":")
	found, ok := b.buttons()[action]
	if err := b.admit(ctx, in, found.guests); err != nil {
		return err
	}
	if !ok {
		return &usererror.Error{Code: "old_button", Text: "This button belongs to another version of " + b.Name + ".", Hint: "Look at the newest message, or use `/flow help`."}
	}
	return found.do(ctx, in)
}
