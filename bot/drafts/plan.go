package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/names"
	"sluice/engine/importer/document"
	"sluice/engine/llm"
	"sluice/engine/naming"
	"sluice/engine/people"
	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
	"sluice/engine/usererror"
	"sluice/storage"
)

// planning finds out what words or a file mean here, among the flows, tools and people that their author can see.
type planning struct{ *Ports }

// drafter is the language model that reads somebody's words; nil = there is none.
func (pl *planning) drafter(in request.Incoming) llm.Model {
	if !pl.Model {
		return nil
	}
	return pl.Engine.Drafter(in.User)
}

// proposal finds out what words mean here, and which approved flow they revise. Values that the words do not mention are taken from that flow, or from the
// file that the steps were made from.
func (pl *planning) proposal(ctx context.Context, in request.Incoming, t *tree.Tree, body draft.Body) (*planner.Proposal, *flow.Flow, storage.Flow, error) {
	w := pl.world(ctx, in)
	p := planner.Plan(t, w)
	if p.Flow == nil {
		return nil, nil, storage.Flow{}, &usererror.Error{Code: "not_understood", Text: "I find no step in these words.", Hint: "Say what should be done first."}
	}
	base, home, err := pl.base(ctx, in, p.Flow.Name)
	for n := 2; err != nil && n < 100 && chosen(t, p.Flow.Name, err); n++ {
		named := *t
		named.Name = fmt.Sprintf("%s-%d", p.Flow.Name, n)
		if base, home, err = pl.base(ctx, in, named.Name); err == nil {
			t = &named
			p = planner.Plan(t, w)
		}
	}
	if err == nil && body.Only != nil {
		base, home.Head, err = pl.ofRun(ctx, *body.Only)
	}
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
	if err := pl.resolve(ctx, p.Flow); err != nil {
		return p, base, home, err
	}
	if settled := "name:" + home.Name; base != nil && !slices.Contains(t.Settled, settled) {
		p.Questions = slices.Insert(p.Questions, 0, pl.nameTaken(ctx, home))
	}
	return p, base, home, nil
}

// chosen reports whether a draft cannot have a name that nobody wrote: then it gets another one.
func chosen(t *tree.Tree, name string, err error) bool {
	var ue *usererror.Error
	return t.Name == "" && t.About == "" && !slices.Contains(t.Settled, "name:"+name) && errors.As(err, &ue) && (ue.Code == "elsewhere" || ue.Code == "name_taken")
}

// resolve puts the agents of the installation that a flow names into it, as they are now.
func (p *Ports) resolve(ctx context.Context, f *flow.Flow) error {
	known, err := p.Engine.Agents(ctx)
	if err != nil {
		return err
	}
	agents.Resolve(f, known)
	return nil
}

// describe puts a proposal into a draft's body.
func (pl *planning) describe(body *draft.Body, p *planner.Proposal) {
	p.Notes = append(p.Notes, pl.hookNotes(p.Flow)...)
	asksForTool := slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.Kind == "doer" || q.Kind == "tool" })
	if asksForTool && !slices.ContainsFunc(pl.Tools.All(), func(t tool.Tool) bool { return !builtIn(t) }) {
		p.Notes = append(p.Notes, tree.Note{Code: "no_actions", Text: "No actions are loaded, so no tool of yours can do a step: an operator declares them in a file (--tools)."})
	}
	body.Ask(p.Questions)
	body.Tree, body.Notes, body.Second = p.Tree, p.Notes, pl.SecondPerson
	body.Numbers, body.Open = p.NodeNumbers(), nil
	for step, nodes := range p.Nodes {
		if p.Open[step] && len(nodes) > 0 {
			body.Open = append(body.Open, nodes[0]) // steps that depend on the answer are open by themselves
		}
	}
	slices.Sort(body.Open)
	if len(body.Numbers) == 0 {
		body.Numbers = readback.Numbers(p.Flow)
	}
	pl.retell(body, p.Flow)
	steps := p.StepOf()
	for i := range body.Steps {
		body.Steps[i].Step = steps[body.Steps[i].Node]
	}
}

// retell puts a flow and its read-back into a draft's body.
func (pl *planning) retell(body *draft.Body, f *flow.Flow) {
	tools := pl.Tools.All()
	body.Flow = flow.Canonical(f)
	body.Steps, body.May, body.Details = readback.Lines(f, tools, body.Numbers), readback.May(f, tools), readback.Details(f, tools)
}

// homeWords is where a flow lives.
func homeWords(f storage.Flow) card.Text {
	if strings.HasPrefix(f.Channel, "D") {
		return card.Textf("a direct message with its owner")
	}
	return card.Channel(f.Channel)
}

// atHome refuses what is asked for elsewhere than where a flow lives.
func atHome(in request.Incoming, f storage.Flow, hint string) error {
	if in.Channel == f.Channel {
		return nil
	}
	return request.Refuse("elsewhere", card.Textf("%s lives in %s.", f.Name, homeWords(f)), hint)
}

// base finds the flow that a draft of this name revises: one of the same name that the drafter may see. Somebody else's hidden flow of
// the same name is refused without saying more than that the name is taken. A flow is revised where it lives: its members see what
// changes, and they approve.
func (pl *planning) base(ctx context.Context, in request.Incoming, name string) (*flow.Flow, storage.Flow, error) {
	head, err := pl.Store.Flow(ctx, name)
	if err != nil {
		return nil, storage.Flow{}, storage.IgnoreMissing(err)
	}
	err = pl.Access.May(ctx, in, authority.ReadFlow, people.AboutFlow(head))
	if request.Hidden(err) {
		err = &usererror.Error{Code: "name_taken", Text: fmt.Sprintf("The name %q is not free.", name), Hint: "Choose another: new <name>: 1. ..."}
	}
	if err != nil {
		return nil, head, err
	}
	if err := atHome(in, head, "Revise it there, or choose another name."); err != nil {
		return nil, head, err
	}
	if !head.Retired.IsZero() {
		return nil, storage.Flow{}, nil // it is made anew
	}
	f, err := draft.Saved(ctx, pl.Store, name, head.Head)
	return f, head, err
}

// hookNotes lists the reasons why a flow's webhooks cannot be received here.
func (pl *planning) hookNotes(f *flow.Flow) []tree.Note {
	var out []tree.Note
	for _, t := range f.Triggers {
		if t.Webhook == nil || pl.HookProblem == nil {
			continue
		}
		if words := pl.HookProblem(f.Name, *t.Webhook); words != "" {
			out = append(out, tree.Note{Code: "hook_unheard", Text: "The webhook " + t.Webhook.Path + " is not heard yet: " + words})
		}
	}
	return out
}

// written is a flow that is written already, on its way to become a draft.
type written struct {
	proposal *planner.Proposal
	base     *flow.Flow   // the flow that it revises, or nil
	home     storage.Flow // of base
	read     *flow.Flow   // as its file has it, without what stands for names of it
	needs    []draft.Need
}

// review finds out what a written flow revises and what must be said about it. table says what stands for its names.
func (pl *planning) review(ctx context.Context, in request.Incoming, read *flow.Flow, table names.Table, warnings []tree.Note) (written, error) {
	read = agents.Without(read)
	f := document.With(read.Clone(), table)
	base, home, err := pl.base(ctx, in, f.Name)
	var ue *usererror.Error
	if errors.As(err, &ue) && ue.Code == "name_taken" {
		ue.Hint = "Choose another `name:` in the file."
	}
	if err != nil {
		return written{}, err
	}
	if err := pl.resolve(ctx, f); err != nil {
		return written{}, err
	}
	here := pl.world(ctx, in)
	here.Base = base
	needs := pl.needs(ctx, in, read, table)
	here.Asked = func(name string) bool {
		return slices.ContainsFunc(needs, func(n draft.Need) bool { return n.Text == name })
	}
	p := &planner.Proposal{Flow: f, Notes: readback.Review(f, here)}
	p.Notes = append(append(p.Notes, pl.otherFlows(ctx, in, f)...), warnings...)
	return written{p, base, home, read, needs}, nil
}

// warned are the warnings about a file, for the draft's card.
func warned(all flow.Problems) (notes []tree.Note) {
	for _, w := range all.Warnings() {
		if w.Code != "unknown-model" { // needs has it
			notes = append(notes, tree.Note{Code: w.Code, Text: warningWords(w)})
		}
	}
	return notes
}

// otherFlows notes the flows that a flow starts and that its author cannot see. It is no more than a warning, because they may come
// before this one is approved.
func (pl *planning) otherFlows(ctx context.Context, in request.Incoming, f *flow.Flow) []tree.Note {
	var notes []tree.Note
	for _, name := range f.SubflowNames() {
		if _, err := pl.Access.Flow(ctx, in, name); errors.Is(err, storage.ErrRetired) {
			notes = append(notes, tree.Note{Code: "unknown_flow", Text: fmt.Sprintf("It starts the flow %s, which was removed: draft that one anew and approve it first.", name)})
		} else if err != nil {
			notes = append(notes, tree.Note{Code: "unknown_flow", Text: fmt.Sprintf("It starts the flow %s, which you cannot see here. That one must be approved first: write “@%s new %[1]s: …” in this channel, or drop its file there, with @%[2]s. If it lives in another channel, a member of that channel must approve this one.", name, pl.Replies.Name)})
		}
	}
	return notes
}

func warningWords(w flow.Problem) string {
	text := fmt.Sprintf("Line %d of the file: %s.", w.Line, w.Message)
	if w.Line == 0 {
		text = w.Message + "."
	}
	if w.Hint != "" {
		text += " " + strings.ToUpper(w.Hint[:1]) + w.Hint[1:] + "."
	}
	return text
}

// noted are problems that are no fault of the document: [readback.Review] and otherFlows say them on the draft's card, and approval waits
// where it must.
var noted = []string{"unknown-tool", "tool-denied", "unknown-person", "missing-secret", "unknown-flow"}

// checks are the checks of a file that may become a draft, in the workspace and among the flows that its author can see.
func (pl *planning) checks(ctx context.Context, in request.Incoming) flow.Checks {
	c := engine.Checks(pl.Tools)
	c.Ceilings, c.Priced, c.Agents = pl.Ceilings, pl.Engine.Priced, pl.agents(ctx)
	world := pl.there(ctx, in)
	c.World = func(f *flow.Flow, report flow.Report) {
		world.Report(f, func(p flow.Problem, offset int) {
			if !slices.Contains(noted, p.Code) {
				report(p, offset)
			}
		})
	}
	return c
}

// there is what flows are checked against: the workspace, and the flows that somebody can see.
func (pl *planning) there(ctx context.Context, in request.Incoming) typecheck.World {
	w := pl.world(ctx, in)
	return typecheck.World{
		Agents: append([]string{}, w.Agents...), // none is not the same as not known
		Tools:  w.Tools, Kind: w.Kind, Names: func() []string { return pl.names(ctx, "") }, Secret: pl.Secret,
		Flow:   func(name string) ([]flow.Input, bool) { return pl.flowInputs(ctx, in, name) },
		Models: pl.Models, FullModel: func(name string) string { full, _ := pl.Engine.Priced(name); return full },
	}
}

// flowInputs gives the inputs of an approved flow that somebody can see; false when there is none.
func (pl *planning) flowInputs(ctx context.Context, in request.Incoming, name string) ([]flow.Input, bool) {
	head, err := pl.Access.Flow(ctx, in, name)
	if err != nil {
		return nil, false
	}
	f, err := draft.Saved(ctx, pl.Store, name, head.Head)
	if err != nil {
		return nil, false
	}
	return f.Inputs, true
}

// nameQuestion is asked by the bot itself: the planner knows no approved flows.
const nameQuestion = "name"

// nameTaken asks whether words that name an approved flow mean to change it.
func (pl *planning) nameTaken(ctx context.Context, home storage.Flow) planner.Question {
	q := planner.Question{
		ID: nameQuestion, Kind: "name", Text: fmt.Sprintf("%s exists already (version %d). Change it, or is this another flow?", flow.Words(home.Name), home.Head),
		Options: []planner.Option{{ID: "change", Label: "Change it"}, {ID: "other", Label: "Choose another name", Needs: "value"}},
	}
	for n := 2; len(q.Options[1].Values) < 5 && n < 100; n++ {
		name := fmt.Sprintf("%s-%d", home.Name, n)
		if _, err := pl.Store.Flow(ctx, name); errors.Is(err, storage.ErrNotFound) {
			q.Options[1].Values = append(q.Options[1].Values, planner.Choice{Value: name, Label: name})
		}
	}
	return q
}

// read reads words without a model.
func (pl *planning) read(ctx context.Context, in request.Incoming, text string) (*tree.Tree, bool) {
	return outline.Read(text, in.User, planner.People(text, pl.world(ctx, in))...)
}

// world is what the planner may know beside the words of somebody.
func (pl *planning) world(ctx context.Context, in request.Incoming) env.World {
	w := env.World{
		Tools: pl.Tools.All(), Author: "@" + in.Name, Model: pl.Model, Secret: pl.Secret, Flows: pl.flowNames(ctx, in),
		Kind: func(name string) string {
			p, err := pl.Directory.Resolve(ctx, name)
			if err != nil {
				return ""
			}
			return p.Kind
		},
		Names: func(words string) []string { return pl.names(ctx, words) },
	}
	for _, a := range pl.agents(ctx) {
		w.Agents = append(w.Agents, a.ID)
	}
	if p, err := pl.Directory.Person(ctx, in.User); err == nil {
		w.Zone = p.Zone
	}
	if p, err := pl.Directory.Resolve(ctx, in.Channel); err == nil && p.Kind == "channel" && strings.HasPrefix(p.Name, "#") {
		w.Channel = p.Name
		if members, err := pl.Directory.Members(ctx, p); err == nil {
			w.Member = func(name string) bool {
				p, err := pl.Directory.Resolve(ctx, name)
				return err != nil || slices.Contains(members, p.ID)
			}
		}
	}
	return w
}

// flowNames lists the flows that somebody may run as a step.
func (pl *planning) flowNames(ctx context.Context, in request.Incoming) []string {
	flows, err := pl.Access.Readable(ctx, in)
	if err != nil {
		pl.Log.Warn("the flows for a draft cannot be listed", "error", err)
	}
	return request.NamesOf(flows)
}

// agents lists the agents of the installation.
func (pl *planning) agents(ctx context.Context) []flow.Agent {
	known, err := pl.Engine.Agents(ctx)
	if err != nil {
		pl.Log.Warn("the agents for a draft cannot be listed", "error", err)
	}
	return known
}

// names lists people, groups and channels, those nearest to some words first.
func (pl *planning) names(ctx context.Context, words string) []string {
	lister, ok := pl.Directory.(people.Lister)
	if !ok {
		return nil
	}
	all, err := lister.Names(ctx)
	if err != nil {
		pl.Log.Warn("the names for a question cannot be listed", "error", err)
	}
	near := naming.Related(strings.TrimLeft(words, "@#"), all, len(all))
	rank := func(name string) int {
		if i := slices.Index(near, name); i >= 0 {
			return i
		}
		return len(near)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}
