package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
	"sluice/storage"
)

// newDraft handles "new refund: 1. ... 2. ...".
func (b *Bot) newDraft(ctx context.Context, in request.Incoming, c request.Command) error {
	if c.Rest == "" {
		return b.Replies.Say(ctx, in, b.startingPoints(card.Textf("What should happen? Tell me in your own words, step by step.")))
	}
	return b.draftFrom(ctx, in, c.Rest)
}

// draftFrom proposes a flow for the words, in the thread of the message: read by a language model where there is one.
func (b *Bot) draftFrom(ctx context.Context, in request.Incoming, text string) error {
	if m := b.drafter(in); m != nil {
		return b.draftByModel(ctx, in, m, text)
	}
	return b.draftOutline(ctx, in, text)
}

// drafter is the language model that reads somebody's words; nil = there is none.
func (b *Bot) drafter(in request.Incoming) llm.Model {
	if !b.Model {
		return nil
	}
	return b.Engine.Drafter(in.User)
}

// draftOutline is draftFrom without a model.
func (b *Bot) draftOutline(ctx context.Context, in request.Incoming, text string) error {
	t, ok := outline.Read(text, in.User)
	if !ok {
		return b.unreadable(ctx, in, text)
	}
	b.heard(ctx, in)
	return b.propose(ctx, in, t, origin{})
}

// reactionMost is how long an answer waits for the reaction that comes before it.
const reactionMost = 2 * time.Second

// heard puts a reaction on a message, as a sign that it was understood as work.
func (b *Bot) heard(ctx context.Context, in request.Incoming) {
	if in.TS == "" || in.Kind == request.KindCommand || b.Slack == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reactionMost)
	defer cancel()
	if err := b.Slack.React(ctx, in.Channel, in.TS, "eyes"); err != nil {
		b.Log.Info("no reaction", "channel", in.Channel, "error", err)
	}
}

// origin is where a draft comes from.
type origin struct {
	prev  *storage.Draft    // the draft that it replaces, or nil
	begun *storage.Draft    // the stored draft that it becomes, or nil: a model has read the words
	body  project.DraftBody // what is known of it besides what it does
}

// propose makes a draft of what words say and shows it.
func (b *Bot) propose(ctx context.Context, in request.Incoming, t *tree.Tree, from origin) error {
	p, base, home, err := b.plan(ctx, in, t, from.body)
	if err != nil {
		return err
	}
	batch := &storage.Batch{}
	if from.prev == nil {
		newest, err := b.newestDraft(ctx, in)
		if err != nil {
			return err
		}
		if newest != nil {
			from.body.Beside = newest.ID
		}
	}
	if _, err := b.addDraft(ctx, in, p, from, base, home.Head, batch); err != nil {
		return err
	}
	return b.Replies.Write(ctx, in, batch)
}

// plan finds out what words mean here, and which approved flow they revise. What words do not say is taken from that flow, or from the
// file that the steps were made from.
func (b *Bot) plan(ctx context.Context, in request.Incoming, t *tree.Tree, body project.DraftBody) (*planner.Proposal, *flow.Flow, storage.Flow, error) {
	w := b.world(ctx, in)
	p := planner.Plan(t, w)
	if p.Flow == nil {
		return nil, nil, storage.Flow{}, &engine.UserError{Code: "not_understood", Text: "I find no step in these words.", Hint: "Say what should be done first."}
	}
	base, home, err := b.base(ctx, in, p.Flow.Name)
	if err != nil {
		return p, base, home, err
	}
	if w.Base = base; body.Raised != nil {
		if w.Base, err = flow.FromJSON(body.Raised); err != nil {
			return p, base, home, err
		}
		w.Base.Name = p.Flow.Name
	}
	if w.Base != nil {
		p = planner.Plan(t, w)
	}
	if settled := "name:" + home.Name; base != nil && !slices.Contains(t.Settled, settled) {
		p.Questions = slices.Insert(p.Questions, 0, b.nameTaken(ctx, home))
	}
	return p, base, home, nil
}

// addDraft adds a proposal and its card to a batch. base and head are the flow that it revises, if there is one.
func (b *Bot) addDraft(ctx context.Context, in request.Incoming, p *planner.Proposal, from origin, base *flow.Flow, head int, batch *storage.Batch) (storage.Draft, error) {
	if err := b.Access.Present(ctx, in); err != nil {
		return storage.Draft{}, err
	}
	body := from.body
	b.describe(&body, p)
	body.Authors = []string{in.User}
	d := storage.Draft{
		ID: cmp.Or(in.Kept, b.Engine.NewID()), Channel: in.Channel, Thread: in.Root(), Number: 1, Flow: p.Flow.Name, Status: project.DraftOpen, Author: in.User,
		Base: head, Hash: flow.Hash(p.Flow), Created: b.Engine.Now(),
	}
	if from.begun != nil {
		d.ID, d.Version, d.Created = from.begun.ID, from.begun.Version, from.begun.Created
	}
	if from.prev != nil {
		if err := b.replace(from.prev, &d, &body, batch); err != nil {
			return d, err
		}
	}
	if err := b.examine(ctx, &body, p.Flow, base, head); err != nil {
		return d, err
	}
	return d, b.putDraft(&d, body, batch)
}

// putDraft adds a draft and its card to a batch. A draft that is stored already has a card.
func (b *Bot) putDraft(d *storage.Draft, body project.DraftBody, batch *storage.Batch) error {
	var err error
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	batch.Draft = append(batch.Draft, *d)
	if d.Version > 0 {
		batch.Stale = append(batch.Stale, project.DraftRef(d.ID))
		return nil
	}
	batch.Surfaces = append(batch.Surfaces, b.draftSurface(d, d.Thread))
	return nil
}

// draftSurface is a draft's card in a thread.
func (b *Bot) draftSurface(d *storage.Draft, thread string) storage.Surface {
	return storage.Surface{ID: b.Engine.NewID(), Kind: project.KindDraft, Ref: project.DraftRef(d.ID), Channel: d.Channel, Thread: thread, Created: d.Created}
}

// describe puts a proposal into a draft's body.
func (b *Bot) describe(body *project.DraftBody, p *planner.Proposal) {
	p.Notes = append(p.Notes, b.hookNotes(p.Flow)...)
	asksForTool := slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.Kind == "doer" || q.Kind == "tool" })
	if asksForTool && !slices.ContainsFunc(b.Tools.All(), func(t tool.Tool) bool { return !builtIn(t) }) {
		p.Notes = append(p.Notes, tree.Note{Code: "no_actions", Text: "No actions are loaded, so no tool of yours can do a step: an operator declares them in a file (--tools)."})
	}
	body.Tree, body.Flow, body.Questions, body.Notes, body.Second = p.Tree, flow.Canonical(p.Flow), p.Questions, p.Notes, b.SecondPerson
	body.Numbers, body.Open = p.NodeNumbers(), nil
	for step, nodes := range p.Nodes {
		if p.Open[step] && len(nodes) > 0 {
			body.Open = append(body.Open, nodes[0]) // what follows from the answer is open by itself
		}
	}
	slices.Sort(body.Open)
	if len(body.Numbers) == 0 {
		body.Numbers = readback.Numbers(p.Flow)
	}
	tools := b.Tools.All()
	body.Steps, body.May, body.Details = readback.Lines(p.Flow, tools, body.Numbers), readback.May(p.Flow, tools), readback.Details(p.Flow, tools)
}

// reapprove shows an approved flow again as a draft, because something that it depends on has changed.
func (b *Bot) reapprove(ctx context.Context, in request.Incoming, c request.Command) error {
	f, err := b.Access.Flow(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	rev, err := b.store.Revision(ctx, f.Name, f.Head)
	if err != nil {
		return err
	}
	if rev.Draft == "" {
		return &engine.UserError{Code: "no_draft", Text: "This version was not made from a draft here.", Hint: "Draft it again: `/flow new " + f.Name + ": 1. ...`"}
	}
	d, err := b.store.Draft(ctx, rev.Draft)
	if err != nil {
		return err
	}
	return b.repeatDraft(ctx, in, d, f)
}

// repeatDraft proposes an approved draft again, as a new draft where it was asked for. A flow keeps its home: elsewhere it is
// only told where to ask.
func (b *Bot) repeatDraft(ctx context.Context, in request.Incoming, d storage.Draft, f storage.Flow) error {
	if in.Channel != f.Channel {
		return request.Refuse("elsewhere", card.Textf("%s lives in %s.", f.Name, homeWords(f)), "Ask for it there.")
	}
	body, doc, err := project.DecodeDraft(d)
	if err != nil {
		return err
	}
	if body.File != "" {
		return b.proposeWritten(ctx, in, doc, origin{body: project.DraftBody{File: body.File}})
	}
	t, err := treeOf(body)
	if err != nil {
		return err
	}
	t.Settled = append(t.Settled, "name:"+f.Name)
	return b.propose(ctx, in, t, origin{body: project.DraftBody{Raised: body.Raised}})
}

// treeOf gives what a draft's words say. Drafts of earlier releases hold only the words.
func treeOf(body project.DraftBody) (*tree.Tree, error) {
	if body.Tree != nil {
		return body.Tree, nil
	}
	if t, ok := outline.Read(body.Outline.Words(), ""); ok {
		return t, nil
	}
	return nil, &engine.UserError{Code: "old_draft", Text: "This draft was made by an earlier version and cannot be changed by words any more.", Hint: "Say it again: new <name>: ..."}
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
	if body.Undo == "" && body.Redo == "" {
		body.Undo = prev.ID
	}
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
func homeWords(f storage.Flow) card.Text {
	if strings.HasPrefix(f.Channel, "D") {
		return card.Textf("a direct message with its owner")
	}
	return card.Channel(f.Channel)
}

// base finds the flow that a draft of this name revises: one of the same name that the drafter may see. Somebody else's hidden flow of
// the same name is refused without saying more than that the name is taken. A flow is revised where it lives: its members see what
// changes, and they approve.
func (b *Bot) base(ctx context.Context, in request.Incoming, name string) (*flow.Flow, storage.Flow, error) {
	head, err := b.store.Flow(ctx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, storage.Flow{}, nil
	}
	if err != nil {
		return nil, head, err
	}
	err = b.Access.May(ctx, in, authority.ReadFlow, engine.AboutFlow(head))
	if err != nil && !request.Hidden(err) {
		return nil, head, err
	}
	if err != nil {
		return nil, head, &engine.UserError{Code: "name_taken", Text: fmt.Sprintf("The name %q is not free.", name), Hint: "Choose another: new <name>: 1. ..."}
	}
	if in.Channel != head.Channel {
		return nil, head, request.Refuse("elsewhere", card.Textf("%s lives in %s.", name, homeWords(head)), "Revise it there, or choose another name.")
	}
	rev, err := b.store.Revision(ctx, name, head.Head)
	if err != nil {
		return nil, head, err
	}
	f, err := flow.FromJSON(rev.Body)
	return f, head, err
}

// draftOfThread finds the draft that a thread discusses: the newest one in it, or the one whose card started it.
func (b *Bot) draftOfThread(ctx context.Context, in request.Incoming) (storage.Draft, error) {
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
	d, err = b.store.Draft(ctx, strings.TrimPrefix(s.Ref, project.DraftRef("")))
	if err == nil && d.Status == project.DraftDrafting {
		return storage.Draft{}, storage.ErrNotFound // there is nothing to discuss yet
	}
	return d, err
}

// readableDraft is draftOfThread for somebody who may read it; for others there is none.
func (b *Bot) readableDraft(ctx context.Context, in request.Incoming) (storage.Draft, project.DraftBody, error) {
	d, err := b.draftOfThread(ctx, in)
	if err != nil {
		return d, project.DraftBody{}, err
	}
	body, _, err := project.DecodeDraft(d)
	if err != nil {
		return d, body, err
	}
	if err = b.Access.MayDraft(ctx, in, authority.ReadDraft, d, body.Authors); request.Hidden(err) {
		err = storage.ErrNotFound
	}
	return d, body, err
}

// hookNotes says what keeps a flow's webhooks from being heard here.
func (b *Bot) hookNotes(f *flow.Flow) []tree.Note {
	var out []tree.Note
	for _, t := range f.Triggers {
		if t.Webhook == nil || b.HookProblem == nil {
			continue
		}
		if words := b.HookProblem(f.Name, *t.Webhook); words != "" {
			out = append(out, tree.Note{Code: "hook_unheard", Text: "The webhook " + t.Webhook.Path + " is not heard yet: " + words})
		}
	}
	return out
}
