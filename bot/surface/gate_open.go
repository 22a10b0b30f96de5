package surface

import (
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/naming"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/readback"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/storage"
)

// Choices are the buttons of an open gate, one per choice. A choice that ends the run asks for a confirmation that says so.
func (cs *Cards) Choices(v *view.View, g storage.Gate, b gate.Body, suffix string) []card.Button {
	buttons := GateButtons(g.ID, b.Opened, suffix)
	ends := endings(v, g)
	for i, choice := range b.Opened.Choices {
		if !slices.Contains(ends, choice) || buttons[i].Action != chooseAction(g.ID, i) { // a form says it itself
			continue
		}
		label := card.Shorten(ChoiceLabel(choice), 40)
		text := fmt.Sprintf("After %q nothing else of %s is done.", label, v.Run.Name)
		if says := v.Flow.Says(v.Flow.Node(g.Node), choice); len(says) > 0 {
			text = fmt.Sprintf("After %q nothing else of %s is done but this: %s.", label, v.Run.Name, naming.List(says, "and"))
		}
		buttons[i].Confirm = &card.Confirm{Title: "This ends the run", Text: card.Shorten(text, 300), Yes: card.Shorten(label, 30), No: "Back"}
	}
	return buttons
}

// endings lists the choices of a gate after which its run ends.
func endings(v *view.View, g storage.Gate) []string {
	n := v.Flow.Node(g.Node)
	if n == nil || v.Run.Parent != "" || !slices.Contains([]history.GateKind{history.GateApproval, history.GateAsk}, history.GateKind(g.Kind)) {
		return nil
	}
	return v.Flow.Endings(n)
}

// endingWords says which choices end the run.
func endingWords(v *view.View, g storage.Gate) (card.Text, bool) {
	var names []card.Text
	for _, choice := range endings(v, g) {
		names = append(names, card.Textf("*%s*", ChoiceLabel(choice)))
	}
	return card.Textf("%s ends the run.", card.Join(" or ", names...)), len(names) > 0
}

// dueWords states the deadline of a question and its consequence, and the people who may answer from an escalation on.
func dueWords(v *view.View, g storage.Gate, b gate.Body) (out []card.Text) {
	n := v.Flow.Node(g.Node)
	if !g.Due.IsZero() {
		line := card.Textf("until %s", card.Date(g.Due))
		if then := afterTimeout(v, n, b); !then.Empty() {
			line = card.Textf("%s, then %s", line, then)
		}
		out = append(out, line)
	}
	if n == nil || n.Question() == nil || n.Question().Deadline == nil || n.Question().Deadline.Escalate == nil {
		return out
	}
	if e := n.Question().Deadline.Escalate; !slices.Contains(b.Escalated, e.To) {
		out = append(out, card.Textf("after %s %s may answer, too", readback.Duration(e.After), e.To))
	}
	return out
}

// afterTimeout describes what follows when the question is not answered in time; empty = the conditions do not show it.
func afterTimeout(v *view.View, n *flow.Node, b gate.Body) card.Text {
	if n == nil {
		return card.Text{}
	}
	if v.Flow.Rules.LateChoice && b.Opened.Kind == history.GateApproval && len(b.Opened.Choices) > 1 {
		return card.Textf("it counts as *%s*", ChoiceLabel(b.Opened.Choices[1]))
	}
	to, handled := n.AfterTimeout()
	switch next := v.Flow.Node(to); {
	case !handled:
		return card.Textf("the run stops and asks what to do")
	case next != nil && endNote(next):
		return card.Textf("the run ends, and its requester is told")
	case next != nil:
		return card.Textf("it goes on without an answer: %s", next.DisplayName())
	case to == flow.End:
		return card.Textf("it ends without an answer")
	}
	return card.Text{}
}

// endNote reports whether a node only tells that the run ends.
func endNote(n *flow.Node) bool { return n.Kind == flow.KindSay && n.Description == idiom.RunEnds }

// askedWords lists the people who were asked by name, each with the person who asked them.
func askedWords(b gate.Body) (out []card.Text) {
	for _, a := range b.Asks {
		out = append(out, card.Textf("%s has asked %s to answer, %s", card.User(a.By), card.User(a.User), card.Date(a.At)))
	}
	return out
}

// editWords describes the edits of a person in the arguments of a call.
func editWords(b gate.Body) (card.Section, bool) {
	if b.Edit == nil {
		return card.Section{}, false
	}
	was, now := map[string]string{}, map[string]string{}
	var names []string
	for _, side := range []struct {
		in   map[string]string
		args []history.Shown
	}{{was, b.Edit.Args}, {now, b.Opened.Show}} {
		for _, s := range side.args {
			side.in[s.Name] = tool.ArgText(s.Value)
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	var lines []card.Text
	for _, name := range slices.Compact(names) {
		if was[name] != now[name] {
			lines = append(lines, card.Textf("%s: %s → *%s*", strings.ReplaceAll(name, "_", " "), changed(was[name]), changed(now[name])))
		}
	}
	lines = append(lines, card.Textf("by %s, %s", card.User(b.Edit.By), card.Date(b.Edit.At)))
	return card.Section{Title: "Changed before the call", Text: card.Join("\n", lines...)}, true
}

// changed is one side of a change, shortened. The question shows the new value in full.
func changed(text string) string {
	if text == "" {
		return "nothing"
	}
	return card.Shorten(card.OneLine(text), 200)
}

// askButton opens the form in which a decider asks another decider by name. It needs at least two deciders.
func askButton(id string, o history.GateOpened, deciders []string) []card.Button {
	if o.Error != nil || len(deciders) < 2 {
		return nil
	}
	ref := form.Ref{Owner: form.OfAsk, Subject: id, Shown: o.Shown()}
	return []card.Button{{Action: fmt.Sprintf("%s:%s:ask", OpenForm, id), Label: "Ask somebody else…", Value: ref.String()}}
}

// callButton opens the form of the arguments of a call. One that was tried before keeps them.
func callButton(id string, o history.GateOpened) []card.Button {
	if o.Call == nil || o.Call.Attempt > 1 && o.Call.Number == 0 {
		return nil
	}
	ref := form.Ref{Owner: form.OfCall, Subject: id, Shown: o.Shown()}
	return []card.Button{{Action: fmt.Sprintf("%s:%s:call", OpenForm, id), Label: "Change the arguments…", Value: ref.String(), Decides: true}}
}
