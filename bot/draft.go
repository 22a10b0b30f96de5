package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/project"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/tool"
	"sluice/storage"
)

func looksLikeOutline(text string) bool {
	_, ok := plan.Read(text)
	return ok
}

// newDraft handles "new refund: 1. ... 2. ...".
func (b *Bot) newDraft(ctx context.Context, in Incoming, c Command) error {
	if c.Rest == "" {
		return &engine.UserError{Code: "empty", Text: "Tell me the steps.", Hint: "For example:\n```" + b.exampleOutline() + "```"}
	}
	return b.draftFrom(ctx, in, c.Rest)
}

// draftFrom proposes a flow for the words, in the thread of the message.
func (b *Bot) draftFrom(ctx context.Context, in Incoming, text string) error {
	o, ok := plan.Read(text)
	if !ok {
		return &engine.UserError{
			Code: "no_steps", Text: "I cannot find steps in this: “" + card.Escape(shorten(text, 300)) + "”.",
			Hint: "Write one step a line, numbered, for example:\n```" + b.exampleOutline() + "```",
		}
	}
	b.heard(ctx, in)
	return b.propose(ctx, in, o.Said("@"+in.Name), nil, "")
}

// reactionMost is how long an answer waits for the reaction that comes before it.
const reactionMost = 2 * time.Second

// heard puts a reaction on a message, as a sign that it was understood as work.
func (b *Bot) heard(ctx context.Context, in Incoming) {
	if in.TS == "" || in.Kind == KindCommand || b.Slack == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reactionMost)
	defer cancel()
	if err := b.Slack.React(ctx, in.Channel, in.TS, "eyes"); err != nil {
		b.Log.Info("no reaction", "channel", in.Channel, "error", err)
	}
}

// propose makes a draft of an outline and shows it. prev is the draft that it replaces, or nil.
func (b *Bot) propose(ctx context.Context, in Incoming, o plan.Outline, prev *storage.Draft, edit string) error {
	base, home, err := b.base(ctx, in, plan.FlowName(o))
	if err != nil {
		return err
	}
	p := plan.Build(o, b.planOptions(ctx, in, base))
	if p.Flow == nil {
		return &engine.UserError{Code: "not_understood", Text: noteWords(p.Notes), Hint: "The current steps:\n```" + o.String() + "```"}
	}
	batch := &storage.Batch{}
	body := project.DraftBody{Outline: o, Edit: edit}
	if prev == nil {
		newest, err := b.newestDraft(ctx, in)
		if err != nil {
			return err
		}
		if newest != nil {
			body.Beside = newest.ID
		}
	}
	if _, err := b.addDraft(in, p, body, base, home.Head, prev, batch); err != nil {
		return err
	}
	return b.write(ctx, in, batch)
}

// addDraft adds a proposal and its card to a batch. body says where it comes from; base and head are the flow that it revises, if there
// is one, and prev the draft that it replaces.
func (b *Bot) addDraft(in Incoming, p *plan.Proposal, body project.DraftBody, base *flow.Flow, head int, prev *storage.Draft, batch *storage.Batch) (storage.Draft, error) {
	b.nothingDeclared(p.Notes)
	p.Notes = append(p.Notes, b.hookNotes(p.Flow)...)
	body.Flow, body.Notes, body.Authors = flow.Canonical(p.Flow), p.Notes, []string{in.User}
	body.ReadBack, body.Lines = p.ReadBack(b.Tools.All()), p.Nodes
	body.Allows, body.Second = flow.NewlyAllows(base, p.Flow, b.toolFacts), b.SecondPerson
	d := storage.Draft{
		ID: b.Engine.NewID(), Channel: in.Channel, Thread: in.Root(), Number: 1, Flow: p.Flow.Name, Status: project.DraftOpen, Author: in.User,
		Base: head, Hash: flow.Hash(p.Flow), Created: b.Engine.Now(),
	}
	var err error
	if prev != nil {
		if err := b.replace(prev, &d, &body, batch); err != nil {
			return d, err
		}
	}
	if d.Body, err = json.Marshal(body); err != nil {
		return d, err
	}
	batch.Draft = append(batch.Draft, d)
	batch.Surfaces = append(batch.Surfaces, storage.Surface{
		ID: b.Engine.NewID(), Kind: "draft", Ref: project.DraftRef(d.ID), Channel: d.Channel, Thread: d.Thread, Created: d.Created,
	})
	return d, nil
}

// nothingDeclared adds to notes about unknown tools that no actions are loaded, where that is so: the nearest names are then far.
func (b *Bot) nothingDeclared(notes []plan.Note) {
	if slices.ContainsFunc(b.Tools.All(), func(t tool.Tool) bool { return !builtIn(t) }) {
		return
	}
	for i := range notes {
		if notes[i].Code == "unknown_tool" {
			notes[i].Text += " No actions are loaded: whoever runs " + b.Name + " declares them in a file (--tools)."
		}
	}
}

// repeatDraft proposes an approved draft again, as a new draft where it was asked for. A flow keeps its home: elsewhere it is
// only told where to ask.
func (b *Bot) repeatDraft(ctx context.Context, in Incoming, d storage.Draft, f storage.Flow) error {
	if in.Channel != f.Channel {
		return &engine.UserError{Code: "elsewhere", Text: fmt.Sprintf("%s lives in %s.", f.Name, homeWords(f)), Hint: "Ask for it there."}
	}
	body, doc, err := project.DecodeDraft(d)
	if err != nil {
		return err
	}
	if body.File != "" {
		return b.proposeWritten(ctx, in, doc, project.DraftBody{File: body.File}, nil)
	}
	return b.propose(ctx, in, body.Outline, nil, "")
}

// replace marks the draft that a new one takes the place of.
func (b *Bot) replace(prev, next *storage.Draft, body *project.DraftBody, batch *storage.Batch) error {
	old, _, err := project.DecodeDraft(*prev)
	if err != nil {
		return err
	}
	for _, a := range old.Authors {
		if !slices.Contains(body.Authors, a) {
			body.Authors = append(body.Authors, a)
		}
	}
	body.Previous, next.Number = prev.ID, prev.Number+1
	old.Next = next.ID
	replaced := *prev
	replaced.Status = project.DraftReplaced
	if replaced.Body, err = json.Marshal(old); err != nil {
		return err
	}
	batch.Draft = append(batch.Draft, replaced)
	batch.Stale = append(batch.Stale, project.DraftRef(prev.ID))
	return nil
}

// homeWords is where a flow lives.
func homeWords(f storage.Flow) string {
	if strings.HasPrefix(f.Channel, "D") {
		return "a direct message with its owner"
	}
	return "<#" + f.Channel + ">"
}

// base finds the flow that a draft of this name revises: one of the same name that the drafter may see. Somebody else's hidden flow of
// the same name is refused without saying more than that the name is taken. A flow is revised where it lives: its members see what
// changes, and they approve.
func (b *Bot) base(ctx context.Context, in Incoming, name string) (*flow.Flow, storage.Flow, error) {
	head, err := b.store.Flow(ctx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, storage.Flow{}, nil
	}
	if err != nil {
		return nil, head, err
	}
	ok, err := b.mayRead(ctx, in.User, head)
	if err != nil {
		return nil, head, err
	}
	if !ok {
		return nil, head, &engine.UserError{Code: "name_taken", Text: fmt.Sprintf("The name %q is not free.", name), Hint: "Choose another: new <name>: 1. ..."}
	}
	if in.Channel != head.Channel {
		return nil, head, &engine.UserError{Code: "elsewhere", Text: fmt.Sprintf("%s lives in %s.", name, homeWords(head)), Hint: "Revise it there, or choose another name."}
	}
	rev, err := b.store.Revision(ctx, name, head.Head)
	if err != nil {
		return nil, head, err
	}
	f, err := flow.FromJSON(rev.Body)
	return f, head, err
}

func (b *Bot) planOptions(ctx context.Context, in Incoming, base *flow.Flow) plan.Options {
	opt := plan.Options{
		Tools: b.Tools.All(), Base: base, Secret: b.Secret, NoModel: !b.Model,
		Exists: func(name string) bool {
			_, err := b.Directory.Resolve(ctx, name)
			return !errors.Is(err, engine.ErrUnknownName) // who cannot be asked about is not called unknown
		},
		Kind: func(name string) string {
			p, err := b.Directory.Resolve(ctx, name)
			if err != nil {
				return ""
			}
			return p.Kind
		},
	}
	if p, err := b.Directory.Person(ctx, in.User); err == nil {
		opt.Zone = p.Zone
	}
	if p, err := b.Directory.Resolve(ctx, in.Channel); err == nil && p.Kind == "channel" {
		opt.Channel = p.Name
	}
	return opt
}

// toolFacts is what the list of newly allowed things must know of a tool.
func (b *Bot) toolFacts(name string) (effects flow.Effects, host string, known bool) {
	t, ok := b.Tools.Lookup(name)
	return t.Effects, t.Host, ok
}

// editInThread treats words in a draft's thread as an edit of it: a numbered line, or "undo". Said to the bot, anybody who may
// write here edits; overheard, only the drafter, and only what parses as an edit. Other talk is left alone.
func (b *Bot) editInThread(ctx context.Context, in Incoming, addressed bool) (bool, error) {
	d, err := b.draftOfThread(ctx, in)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !addressed && in.User != d.Author {
		return false, nil
	}
	if strings.EqualFold(strings.TrimSpace(in.Text), "undo") {
		return true, b.undo(ctx, in, Command{})
	}
	body, doc, err := project.DecodeDraft(d)
	if err != nil {
		return false, err
	}
	if body.File != "" {
		return b.editWritten(ctx, in, d, doc, body.File)
	}
	o, words, ok := body.Outline.Edit(in.Text)
	if !ok {
		return false, nil
	}
	o = o.Said("@" + in.Name)
	if err := editable(d); err != nil {
		return true, err
	}
	b.heard(ctx, in)
	if d.Status == project.DraftApproved {
		return true, b.propose(ctx, in, o, nil, words) // a new revision of the approved flow, discussed in the same thread
	}
	return true, b.propose(ctx, in, o, &d, words)
}

// editable refuses to change a draft that was thrown away or replaced.
func editable(d storage.Draft) error {
	if d.Status == project.DraftOpen || d.Status == project.DraftApproved {
		return nil
	}
	return &engine.UserError{Code: "draft_closed", Text: "This draft is " + d.Status + ".", Hint: "Start another one: new <name>: 1. ..."}
}

// draftOfThread finds the draft that a thread discusses: the newest one in it, or the one whose card started it.
func (b *Bot) draftOfThread(ctx context.Context, in Incoming) (storage.Draft, error) {
	if in.Thread == "" {
		return storage.Draft{}, storage.ErrNotFound
	}
	d, err := b.store.DraftInThread(ctx, in.Channel, in.Thread)
	if !errors.Is(err, storage.ErrNotFound) {
		return d, err
	}
	s, err := b.store.SurfaceAt(ctx, in.Channel, in.Thread)
	if err != nil {
		return d, err
	}
	if s.Kind != project.KindDraft {
		return d, storage.ErrNotFound
	}
	return b.store.Draft(ctx, strings.TrimPrefix(s.Ref, project.DraftRef("")))
}

// undo goes back one edit: the draft before becomes a new draft, so that the thread still reads in order.
func (b *Bot) undo(ctx context.Context, in Incoming, _ Command) error {
	d, err := b.draftOfThread(ctx, in)
	if errors.Is(err, storage.ErrNotFound) {
		return &engine.UserError{Code: "no_draft", Text: "There is no draft in this thread.", Hint: "Use undo as a reply in a draft's thread."}
	}
	if err != nil {
		return err
	}
	body, _, err := project.DecodeDraft(d)
	if err != nil {
		return err
	}
	if d.Status != project.DraftOpen || body.Previous == "" {
		return &engine.UserError{Code: "no_undo", Text: "There is no edit to take back.", Hint: "Change a step with a numbered line, such as “2. ...”."}
	}
	before, err := b.store.Draft(ctx, body.Previous)
	if err != nil {
		return err
	}
	old, doc, err := project.DecodeDraft(before)
	if err != nil {
		return err
	}
	b.heard(ctx, in)
	if old.File != "" {
		return b.proposeWritten(ctx, in, doc, project.DraftBody{File: old.File, Edit: "undo"}, &d)
	}
	return b.propose(ctx, in, old.Outline, &d, "undo")
}

func noteWords(notes []plan.Note) string {
	var out []string
	for _, n := range notes {
		out = append(out, n.Text)
	}
	return strings.Join(out, " ")
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
