package drafts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/flow/names"
	"sluice/engine/importer/document"
	"sluice/engine/naming"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/typecheck"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Needs takes what stands here for names of a file: tools, models, people and channels that the file names and that are not known here.
type Needs struct{ *Questions }

// needs lists the names of a flow, as its file has them, for which something must stand here.
func (pl *planning) needs(ctx context.Context, in request.Incoming, read *flow.Flow, table names.Table) []draft.Need {
	world := pl.there(ctx, in)
	here := world.Here()
	takes := here.Takes
	here.Takes = func(tool, param string) bool {
		return takes(cmp.Or(table[names.Name{Kind: names.Tool, Text: tool}.String()], tool), param)
	}
	missing, numbers := names.Missing(read, here), readback.Numbers(read)
	var out []draft.Need
	for _, u := range names.Of(read) {
		stands, settled := table[u.String()]
		if settled || slices.ContainsFunc(missing, func(m names.Use) bool { return m.Name == u.Name }) {
			need := draft.Need{Name: u.Name, Used: usedBy(u, numbers), Without: without(read, u, numbers), Stands: stands, Settled: settled}
			if _, near := world.Meant(u.Name, u.Text); len(near) > 0 {
				need.Near = near[0]
			}
			out = append(out, need)
		}
	}
	return out
}

// usedBy says which steps and agents use a name.
func usedBy(u names.Use, numbers map[string]string) string {
	var parts []string
	if u.Start {
		parts = append(parts, "its start")
	}
	if len(u.Nodes) > 0 {
		parts = append(parts, stepsOf(u.Nodes, numbers))
	}
	if len(u.Agents) > 0 {
		parts = append(parts, counted("agent", u.Agents))
	}
	return naming.List(parts, "and")
}

func stepsOf(nodes []string, numbers map[string]string) string {
	var steps []string
	for _, id := range nodes {
		steps = append(steps, cmp.Or(numbers[id], id))
	}
	return counted("step", steps)
}

// usersMost is how many steps or agents are listed.
const usersMost = 4

func counted(word string, all []string) string {
	if len(all) > 1 {
		word += "s"
	}
	if len(all) > usersMost {
		return fmt.Sprintf("%d %s", len(all), word)
	}
	return word + " " + naming.List(all, "and")
}

// without says what becomes of a flow where nothing stands for a name.
func without(f *flow.Flow, u names.Use, numbers map[string]string) string {
	switch {
	case u.Kind == names.Agent:
		return "a run that comes to it stops there"
	case u.Kind == names.Model:
		return "the model's service is asked for it by this name"
	case u.Kind == names.Person:
		return "nobody answers or hears in their place"
	case u.Kind == names.Channel && u.Start:
		return "no message there starts it"
	case u.Kind == names.Channel:
		return "nothing can be posted there"
	}
	called := slices.DeleteFunc(slices.Clone(u.Nodes), func(id string) bool {
		s, ok := f.Node(id).Spec.(*flow.ToolSpec)
		return !ok || s.Tool != u.Text
	})
	if len(called) == 0 {
		return "agents work without it"
	}
	return "a run that comes to " + stepsOf(called, numbers) + " stops there"
}

// toSettle loads a draft for somebody who may say what stands for names of its file.
func (nd *Needs) toSettle(ctx context.Context, in request.Incoming, id string) (storage.Draft, draft.Body, error) {
	d, body, err := nd.toAnswer(ctx, in, id)
	switch {
	case err != nil:
	case d.Status != draft.Open:
		err = &usererror.Error{Code: "draft_closed", Text: "This draft is " + d.Status + ".", Hint: "Look at the newest card in this thread."}
	case len(body.Needs) == 0:
		err = &usererror.Error{Code: "no_needs", Text: "All that this draft names is known here."}
	}
	return d, body, err
}

// What can be chosen beside the things that there are.
const (
	leaveIt  = "Leave it as it is"
	leaveAll = "Leave all of them as they are"
	later    = "They stay open"
	restOf   = "rest"
)

// optionsMost is how many options the selects of a form have together: a modal has a limited size.
const optionsMost = 1500

// Form asks what stands for each name.
func (nd *Needs) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	_, body, err := nd.toSettle(ctx, in, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	f := form.Form{Ref: ref, Title: "What it needs here", Submit: "Save", Text: "The file stays as it is. What stands here for its names is shown to everybody who approves the flow."}
	f.Fields = nd.fields(ctx, in, body)
	return f, nil
}

// fields are a choice for each name, and words where there is more to choose from than a select holds.
func (nd *Needs) fields(ctx context.Context, in request.Incoming, body draft.Body) (out []form.Field) {
	world := nd.plan.there(ctx, in)
	asked := body.Needs[:min(len(body.Needs), questionsMost)]
	room := min(waysMost-1, optionsMost/len(asked))
	for _, n := range asked {
		label := fmt.Sprintf("The %s %s", n.Kind, n.Text)
		field := form.Field{Name: n.String(), Label: label, Hint: "For " + n.Used + ". Left as it is: " + n.Without + ".", Kind: form.Choice, Value: n.Stands}
		if n.Settled && n.Stands == "" {
			field.Value = leaveIt
		}
		all := world.Candidates(n.Name)
		field.Options = append(slices.Clone(all[:min(len(all), room)]), leaveIt)
		if n.Stands != "" && !slices.Contains(field.Options, n.Stands) {
			field.Options = append([]string{n.Stands}, field.Options...)
		}
		out = append(out, field)
		if len(all) > room {
			out = append(out, form.Field{Name: n.String() + inWords, Label: "Or another " + string(n.Kind), Kind: form.Text})
		}
	}
	if open := slices.ContainsFunc(body.Needs, func(n draft.Need) bool { return !n.Settled }); open && len(body.Needs) > 1 {
		out = append(out, form.Field{Name: restOf, Label: "Those that you do not choose anything for", Kind: form.Choice, Options: []string{later, leaveAll}, Value: later})
	}
	return out
}

// Submit takes what was chosen in the form.
func (nd *Needs) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	d, body, err := nd.toSettle(ctx, in, ref.Subject)
	if err != nil {
		return err
	}
	said := names.Table{}
	for _, n := range body.Needs {
		chosen := cmp.Or(strings.TrimSpace(in.Form[n.String()+inWords]), in.Form[n.String()])
		switch {
		case chosen == leaveIt, chosen == "" && !n.Settled && in.Form[restOf] == leaveAll:
			said[n.String()] = ""
		case chosen != "":
			said[n.String()] = chosen
		}
	}
	said, wrong := nd.here(ctx, in, body, said)
	if len(wrong) > 0 {
		return form.Wrong("bad_answer", nd.fields(ctx, in, body), wrong)
	}
	if len(said) == 0 {
		return &form.Problems{Fields: map[string]string{body.Needs[0].String(): "Choose something, or leave it as it is."}, Err: &usererror.Error{Code: "no_answer", Text: "Nothing was chosen."}}
	}
	return nd.settle(ctx, in, d, body, said)
}

// here checks that what is said to stand for names is here. wrong says of each that is not what is meant.
func (nd *Needs) here(ctx context.Context, in request.Incoming, body draft.Body, said names.Table) (settled names.Table, wrong map[string]string) {
	world, wrong := nd.plan.there(ctx, in), map[string]string{}
	settled = names.Table{}
	for name, stands := range said {
		n, _ := names.Read(name)
		kept := slices.ContainsFunc(body.Needs, func(k draft.Need) bool { return k.Name == n && k.Settled && k.Stands == stands })
		found, near := world.Meant(n, stands)
		switch {
		case stands == "" || kept:
			settled[name] = stands
		case found != "":
			settled[name] = found
		default:
			text := fmt.Sprintf("There is no %s %s here.", n.Kind, stands)
			if len(near) > 0 {
				text += " Did you mean " + naming.List(near, "or") + "?"
			}
			wrong[name] = text
		}
	}
	return settled, wrong
}

// settle shows a draft with what stands for names of its file, under the same card. The person who says it becomes an author of the draft.
func (nd *Needs) settle(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, said names.Table) error {
	read, err := flow.FromJSON(body.Read)
	if err != nil {
		return err
	}
	_, f, err := draft.Decode(d)
	if err != nil {
		return err
	}
	table := document.Names(f)
	maps.Copy(table, said)
	w, err := nd.plan.review(ctx, in, read, table, body.Said)
	if err != nil {
		return err
	}
	for _, p := range typecheck.Check(w.proposal.Flow, nd.plan.there(ctx, in)) {
		if p.Severity == flow.SeverityError && !slices.Contains(noted, p.Code) || refused(w.proposal.Flow, table, p) {
			w.proposal.Notes = append(w.proposal.Notes, tree.Note{Code: p.Code, Text: warningWords(p), Blocks: true})
		}
	}
	body.Needs = w.needs
	return nd.show(ctx, in, d, body, w.proposal, w.base, w.home.Head)
}

// callProblems are those with the call of a tool.
var callProblems = []string{"missing-param", "unknown-param", "wrong-params"}

// refused reports whether a problem is that a tool which stands for another one does not take what the step gives it.
func refused(f *flow.Flow, table names.Table, p flow.Problem) bool {
	if f.Node(p.Node) == nil || !slices.Contains(callProblems, p.Code) {
		return false
	}
	s, ok := f.Node(p.Node).Spec.(*flow.ToolSpec)
	return ok && slices.ContainsFunc(slices.Collect(maps.Keys(table)), func(name string) bool {
		n, _ := names.Read(name)
		return n.Kind == names.Tool && table[name] == s.Tool
	})
}

// said takes what somebody says of names in a draft's thread; false = the words are about something else.
func (nd *Needs) said(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body) (bool, error) {
	said, about := readNeeds(in.Text, body.Needs)
	if !about || d.Status != draft.Open {
		return false, nil
	}
	said, wrong := nd.here(ctx, in, body, said)
	if len(wrong) > 0 {
		return true, &usererror.Error{Code: "bad_answer", Text: strings.Join(slices.Sorted(maps.Values(wrong)), " "), Hint: "*" + surface.NeedsLabel + "* on the draft's card shows what there is."}
	}
	nd.heard(ctx, in)
	return true, nd.settle(ctx, in, d, body, said)
}

// leftAgent reports whether a step names an agent that somebody left as it is.
func leftAgent(f *flow.Flow, node string) bool {
	table := document.Names(f)
	return slices.ContainsFunc(f.Node(node).Names().Agents, func(id *string) bool { return table.Left(names.Name{Kind: names.Agent, Text: *id}) })
}
