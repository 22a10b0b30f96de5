package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/engine"
	"sluice/engine/tool"
	"sluice/storage"
)

// verb is one command: what it does and how it is shown by help.
type verb struct {
	usage string
	help  string
	do    func(b *Bot, ctx context.Context, in Incoming, c Command) error
}

// verbs lists every command. The same words work after the slash command and after a mention.
func verbs() map[string]verb {
	return map[string]verb{
		"help":      {"help", "this list", (*Bot).help},
		"list":      {"list", "your flows", (*Bot).list},
		"new":       {"new <name>: 1. ... 2. ...", "draft a flow from an outline", (*Bot).newDraft},
		"run":       {"run <flow> [input=value ...]", "start a run", (*Bot).start},
		"runs":      {"runs [flow]", "runs and where they stand", (*Bot).runs},
		"show":      {"show <run or flow>", "one run or flow, with its picture", (*Bot).show},
		"cancel":    {"cancel <run>", "end a run", (*Bot).cancel},
		"approvals": {"approvals", "what waits for your answer", (*Bot).approvals},
		"answer":    {"answer [run] <choice or text> [field=value ...]", "answer a question of a run, also in its thread", (*Bot).answer},
		"approve":   {"approve <flow>", "show a flow again for approval after a tool has changed", (*Bot).reapprove},
		"export":    {"export [flow] [yaml, mermaid or dot]", "a flow, or the draft of a thread, as a file", (*Bot).export},
		"schedule":  {`schedule <flow> "<cron>" [zone] [input=value ...]`, "start runs by the clock", (*Bot).schedule},
		"schedules": {"schedules", "schedules and their next start", (*Bot).schedules},
		"pause":     {"pause <run, flow, schedule or all> [reason]", "let nothing new start", (*Bot).pause},
		"resume":    {"resume <run, flow, schedule or all>", "let it go on", (*Bot).resume},
		"retry":     {"retry <run> [node]", "try a failed step again", (*Bot).retry},
		"skip":      {"skip <run> [node] [value=...]", "go on without a failed step, with a value in its place", (*Bot).skip},
		"reopen":    {"reopen <run> [node]", "ask once more what nobody answered in time", (*Bot).reopen},
		"fork":      {"fork <run> <node> [go] [again=node,...]", "a new run that goes on from an earlier node", (*Bot).fork},
		"move":      {"move <run or flow> [revision] [all]", "put runs on another revision, when they fit", (*Bot).move},
		"try":       {"try [flow] [input=value ...] [step=value ...]", "what a flow, or the draft of a thread, would do; nothing happens", (*Bot).try},
		"replay":    {"replay [flow]", "what a draft would have made of the finished runs", (*Bot).replay},
		"undo":      {"undo", "in a draft's thread: go back one edit", (*Bot).undo},
	}
}

// Handle does what a delivery means. An error is a fault (the database, Slack) and the delivery is tried again; what a person
// did wrong is answered to them and counts as done.
func (b *Bot) Handle(ctx context.Context, in Incoming) error {
	err := b.route(ctx, in)
	var ue *engine.UserError
	if errors.As(err, &ue) {
		if ue.Err != nil {
			b.Log.Info("refused", "code", ue.Code, "error", ue.Err)
		}
		return b.say(ctx, in, b.refusal(ue))
	}
	return err
}

// GiveUp ends a delivery that keeps failing: the person is told, and the log knows why.
func (b *Bot) GiveUp(ctx context.Context, in Incoming) error {
	if in.Kind == KindHook {
		return b.giveUpHook(ctx, in)
	}
	if in.Kind == KindMessage || in.Kind == KindReaction {
		if wanted, err := b.wantsRun(ctx, in); err != nil {
			return err
		} else if !wanted {
			return b.write(ctx, in, &storage.Batch{})
		}
	}
	return b.sayText(ctx, in, ":boom: Something broke on my side and this was not done. An operator finds the reason in the log. Please try again later.")
}

func (b *Bot) refusal(e *engine.UserError) card.Card {
	c := card.Card{Text: ":warning: " + e.Text}
	if e.Hint != "" {
		c.Text += "\n" + b.spell(e.Hint)
	}
	c.Text = card.Guard(c.Text)
	return c
}

// spell writes commands the way this installation calls them.
func (b *Bot) spell(s string) string { return strings.ReplaceAll(s, "`/flow ", "`"+b.Command+" ") }

func (b *Bot) route(ctx context.Context, in Incoming) error {
	switch in.Kind {
	case KindClick:
		return b.click(ctx, in)
	case KindMessage:
		return b.overheard(ctx, in)
	case KindReaction:
		return b.startByReaction(ctx, in)
	case KindMention, KindCommand:
		return b.addressed(ctx, in)
	case KindHook:
		return b.delivered(ctx, in)
	}
	return b.write(ctx, in, &storage.Batch{})
}

// addressed handles words said to the bot: a command, an edit of the thread's draft, or the outline of a new flow.
func (b *Bot) addressed(ctx context.Context, in Incoming) error {
	text := strings.TrimSpace(in.Text)
	c, quoteErr := ParseCommand(text)
	if brings(in, c) {
		return b.drop(ctx, in)
	}
	if c.Verb == "" || c.Verb == "hello" || c.Verb == "hi" {
		return b.help(ctx, in, c)
	}
	if v, ok := verbs()[c.Verb]; ok {
		if quoteErr != nil && c.Verb != "new" {
			return &engine.UserError{Code: "bad_quote", Text: "I cannot read that: " + quoteErr.Error() + ".", Hint: "`/flow " + v.usage + "`"}
		}
		return v.do(b, ctx, in, c)
	}
	if in.Thread != "" {
		if done, err := b.editInThread(ctx, in, true); done || err != nil {
			return err
		}
	}
	if looksLikeOutline(text) {
		return b.draftFrom(ctx, in, text)
	}
	return b.unknownVerb(ctx, in, c)
}

// overheard handles a message that was not said to the bot. In a draft's thread a numbered line by its drafter is an edit; elsewhere
// it may start runs. Other talk is left alone.
func (b *Bot) overheard(ctx context.Context, in Incoming) error {
	if in.Thread != "" {
		if done, err := b.editInThread(ctx, in, false); done || err != nil {
			return err
		}
	}
	return b.startByMessage(ctx, in)
}

// click finds the function of a button by the first part of its action.
func (b *Bot) click(ctx context.Context, in Incoming) error {
	switch action, _, _ := strings.Cut(in.Action, ":"); action {
	case "draft.approve":
		return b.approveDraft(ctx, in)
	case "draft.try":
		return b.tryClicked(ctx, in)
	case "draft.replay":
		return b.replayClicked(ctx, in)
	case "draft.file":
		return b.fileClicked(ctx, in)
	case "draft.discard":
		return b.discardDraft(ctx, in)
	case "gate.choose":
		return b.chooseAtGate(ctx, in)
	case "run.cancel":
		return b.cancelClicked(ctx, in)
	case "run.resume":
		return b.resumeClicked(ctx, in)
	case "gate.reopen":
		return b.reopenGate(ctx, in, in.Value)
	case "run.anyway":
		return b.startAnyway(ctx, in)
	case "run.ahead":
		return b.goAhead(ctx, in)
	case "run.show":
		return b.showClicked(ctx, in)
	case "run.now":
		return b.startNow(ctx, in)
	}
	return &engine.UserError{Code: "old_button", Text: "This button belongs to another version of " + b.Name + ".", Hint: "Look at the newest message, or use `/flow help`."}
}

func (b *Bot) unknownVerb(ctx context.Context, in Incoming, c Command) error {
	hint := "`/flow help` lists what I understand."
	if near := tool.Nearest(c.Verb, slices.Sorted(maps.Keys(verbs())), 1); len(near) == 1 {
		hint = fmt.Sprintf("Did you mean `%s`? %s", near[0], hint)
	}
	text := in.Text
	if len([]rune(text)) > 200 {
		text = string([]rune(text)[:200]) + "..."
	}
	if d, err := b.draftOfThread(ctx, in); err == nil {
		body, _, err := project.DecodeDraft(d)
		if err != nil {
			return err
		}
		if body.File != "" {
			return noEditOfFile(text)
		}
		return &engine.UserError{
			Code: "no_edit", Text: "I cannot read this as a change of the draft: “" + card.Escape(text) + "”.",
			Hint: "Reply with the number and the new words of a step. The steps now:\n```" + card.Escape(body.Outline.String()) + "```",
		}
	}
	return &engine.UserError{
		Code: "not_understood", Text: "I do not understand this: “" + card.Escape(text) + "”.",
		Hint: hint + "\nTo draft a flow, write its steps as a numbered list:\n```" + b.exampleOutline() + "```",
	}
}
