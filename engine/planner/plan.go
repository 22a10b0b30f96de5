package planner

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/account"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/match"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/tree"
	"sluice/engine/typecheck"
)

// Plan resolves a tree in a world, asks what is open, and lowers it to a flow. It does not change the tree that it is given.
func Plan(t *tree.Tree, w env.World) *Proposal { return plan(t, w).out }

func plan(t *tree.Tree, w env.World) *planning {
	p := &planning{inquiry: inquiry{t: t.Clone(), w: w, cat: match.NewCatalogue(w.Tools), kind: w.Kind}}
	if p.kind == nil {
		p.kind = func(string) string { return typecheck.Unasked }
	}
	p.t.Zone = cmp.Or(p.t.Zone, w.Zone)
	p.w.Zone = p.t.Zone
	p.out = &Proposal{Tree: p.t}
	for inputs := -1; inputs != len(p.t.Inputs); { // words of an earlier step may mean an input that a later step adds
		inputs = len(p.t.Inputs)
		p.resolve()
	}
	for s := range p.t.Walk { // now that conditions are known
		if s.Kind == tree.Ask {
			p.askNo(s)
		}
		p.askLateEnds(s)
	}
	p.dropInputs()
	p.askInputs()
	if len(p.t.Steps) > 0 {
		was, err := raise.Steps(w.Base)
		if err != nil {
			was = nil
		}
		f, nodes, notes := lower.Flow(p.t, p.w, was, p.out.Open)
		p.out.Flow, p.out.Nodes, p.out.Notes = f, nodes, append(p.out.Notes, notes...)
		p.t.Called = f.Name
	}
	p.out.Numbers = p.t.Numbers()
	p.typecheck()
	p.out.Account = account.Of(account.Reading{Tree: p.t, Fills: p.fills, Open: p.open, Channel: p.w.Channel})
	p.askClauses()
	p.askObjections()
	askHours(&p.inquiry)
	askToCompare(&p.inquiry)
	p.notes()
	p.order()
	return p
}

// notes adds the notes for the drafter that do not block the draft.
func (p *planning) notes() {
	numbers := p.out.Numbers
	for _, g := range p.t.Triggers {
		p.early(g)
	}
	p.outsiders()
	for s := range p.t.Walk {
		noteLetters(p, s)
		e := p.cat.Find(s.Tool)
		if s.Doer == tree.DoerTool && e != nil && p.w.Secret != nil {
			for _, name := range e.Tool.Secrets {
				if !p.w.Secret(name) {
					p.note(s.ID, "missing_secret", "Step %s needs the secret %s, which is not set.", numbers[s.ID], name)
				}
			}
		}
		p.tooFew(s)
		if (s.Kind == tree.Ask || s.Doer == tree.DoerPerson) && len(s.Who) == 0 {
			p.note(s.ID, "anybody_can_answer", "Step %s names nobody, so any member of the channel may answer.", numbers[s.ID])
		}
		if s.Kind == tree.Agent && !p.w.Model {
			p.note(s.ID, "no_model", "Step %s: no language model is configured, so people in the run's thread answer in its place.", numbers[s.ID])
		}
	}
}

// tooFew notes a question that wants more answers than there are people who are asked.
func (p *planning) tooFew(s *tree.Step) {
	many := func(n tree.Name) bool { return n.Is != tree.NameRequester && p.kind(n.Is) != typecheck.User }
	if n := len(s.Who); n > 0 && s.Quorum > n && !slices.ContainsFunc(s.Who, many) {
		p.note(s.ID, "too_few", "Step %s wants %d people to agree and asks only %d: name more people, or a group. Until then, %d must agree.", p.out.Numbers[s.ID], s.Quorum, n, n)
	}
}

// outsiders notes who is asked and does not see the channel of the flow, each person once.
func (p *planning) outsiders() {
	if p.w.Member == nil || p.w.Channel == "" {
		return
	}
	var who []string
	at := map[string][]string{} // the steps that ask them
	for s := range p.t.Walk {
		for _, n := range s.Names() {
			if number := p.out.Numbers[s.ID]; s.Kind != tree.Tell && p.kind(n.Is) == typecheck.User && !p.w.Member(n.Is) && !slices.Contains(at[n.Is], number) {
				who, at[n.Is] = append(who, n.Is), append(at[n.Is], number)
			}
		}
	}
	for _, name := range who { // a note that is there already is not added
		asks, what := "Step "+at[name][0]+" asks", "question reaches them as a direct message"
		if len(at[name]) > 1 {
			asks, what = "Steps "+english.Join(at[name], "and")+" ask", "questions reach them as direct messages"
		}
		p.note("", "outsider", "%s %s, who is not in %s: the %s.", asks, name, p.w.Channel, what)
	}
}

// trimWords cuts what a sentence ends with.
func trimWords(s string) string { return strings.Trim(s, " \t\n.,;:!?") }
