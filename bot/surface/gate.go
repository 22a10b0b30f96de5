package surface

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/view"
	"sluice/storage"
)

// gate reads a question.
func (cs *Cards) gate(ctx context.Context, id string) (storage.Gate, gate.Body, error) {
	g, err := cs.Engine.Store().Gate(ctx, id)
	if err != nil {
		return g, gate.Body{}, err
	}
	b, err := gate.Decode(g)
	return g, b, err
}

// GateCard shows a question: the question, the values to approve, the people who may answer, and the deadline; after the decision its outcome with
// the person and the time, without buttons. The flowchart of its run is on the status message.
func (cs *Cards) GateCard(ctx context.Context, id string) (card.Card, error) {
	g, b, err := cs.gate(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	v, err := cs.Engine.View(ctx, g.Run)
	if err != nil {
		return card.Card{}, err
	}
	if g.Status != "open" {
		c := cs.decided(v, g, b)
		if g.Choice == history.ChoiceTimeout && history.Status(v.Run.Status) == history.Failed && v.Visit(b.Step).State == history.StateError {
			c.Buttons = []card.Button{{Action: "gate.reopen", Label: "Reopen", Value: g.ID}}
		}
		return c, nil
	}
	c := cs.Asked(v, g, b)
	return c, cs.openGate(ctx, &c, v, g, b, storage.Surface{ID: gateSurface(g.ID), Channel: v.Run.Channel})
}

// decided shows a question after its decision.
func (cs *Cards) decided(v *view.View, g storage.Gate, b gate.Body) card.Card {
	c := cs.Asked(v, g, b)
	if !cs.Fits(c) {
		c = beginnings(c)
	}
	if b.Opened.Kind != history.GateTurn || b.Via != history.ViaMessage { // else the answer stands below
		words, ok := askedAnew(v, g)
		if !ok {
			words = outcome(g, b)
		}
		c.Sections = append(c.Sections, card.Section{Text: words})
	}
	if form.TakesValue(b.Opened.Kind, g.Choice) {
		if given, ok := standIn(v, b.Step); ok {
			c.Sections = append(c.Sections, card.Section{Title: "Instead of the step", Text: shownValue(given)})
		}
	}
	c.Context = []card.Text{card.Plain(v.Run.Name)}
	return c
}

// standIn is the value that a person gave in the place of a step; false = none.
func standIn(v *view.View, step int) (value any, ok bool) {
	for _, f := range v.Facts {
		if done, finished := f.Body.(*history.StepFinished); finished && f.Step == step {
			value, ok = history.Decode(done.Output.Data), len(done.Output.Data) > 0
		}
	}
	return value, ok
}

// Asked is all that a question shows: the question, the values, what happened, what each answer is called.
func (cs *Cards) Asked(v *view.View, g storage.Gate, b gate.Body) card.Card {
	c := card.Card{Text: question(v, g, b)}
	c.Sections = append(c.Sections, shownSections(v, b.Opened.Show)...)
	if edit, ok := editWords(b); ok {
		c.Sections = append(c.Sections, edit)
	}
	if e := b.Opened.Error; e != nil {
		c.Sections = append(c.Sections, card.Section{Title: "What happened", Text: card.Quote(e.Message)})
		if e.Type == history.ErrorTooLarge && v.Run.By != "" {
			c.Sections = append(c.Sections, card.Section{Text: card.Textf("%s: nobody was asked, because nobody could have read it all.", card.User(v.Run.By))})
		}
		if cause := b.Opened.Cause; cause != nil {
			c.Sections = append(c.Sections, card.Section{Title: "Why this is not known", Text: card.Quote(cause.Message)})
		}
		if in := v.Given(g.Num, b.Step); in != "" {
			c.Sections = append(c.Sections, card.Section{Title: "What it was given", Text: givenWords(in)})
		}
	}
	if names := longNames(b.Opened.Choices); !names.Empty() {
		c.Sections = append(c.Sections, card.Section{Title: "The answers", Text: names})
	}
	return c
}

// givenWords shows the parameters of a step, in lines where none of them nests.
func givenWords(params string) card.Text {
	values, _ := history.Decode([]byte(params)).(map[string]any)
	if lines, flat := flatLines(values); flat && len(values) > 0 {
		return lines
	}
	return card.Block(params)
}

// longNames lists answers in full when a button has no room for one of them.
func longNames(choices []string) card.Text {
	if !slices.ContainsFunc(choices, longName) {
		return card.Text{}
	}
	var lines []card.Text
	for i, choice := range choices {
		lines = append(lines, card.Textf("%d. %s", i+1, ChoiceLabel(choice)))
	}
	return card.Join("\n", lines...)
}

// openGate adds the parts of an open question: votes, buttons, deciders and deadline. at is the place of the card.
func (cs *Cards) openGate(ctx context.Context, c *card.Card, v *view.View, g storage.Gate, b gate.Body, at storage.Surface) error {
	if needed := b.Opened.Needed(); needed > 1 {
		c.Sections = append(c.Sections, card.Section{Text: Votes(b)})
	}
	c.Buttons = cs.Choices(v, g, b, "")
	if len(b.Opened.Choices) == 0 {
		if at.Kind != KindCopy && at.Kind != KindHome { // there the thread is elsewhere
			c.Sections = append(c.Sections, card.Section{Text: HowToAnswer(cs.Name, b)})
		}
		if b.Opened.Kind == history.GateTurn {
			c.Buttons = append(c.Buttons, cancelButton("Stop", v.Run.ID))
		}
	} else {
		c.Buttons = append(c.Buttons, moreButtons(g.ID, b.Opened)...)
	}
	asked, deciders, err := cs.Engine.Deciders(ctx, v.Run, b)
	if err != nil {
		return err
	}
	c.Buttons = append(append(c.Buttons, callButton(g.ID, b.Opened)...), askButton(g.ID, b.Opened, deciders)...)
	each := b.Opened.Needed() > 1 && b.Opened.Needed() == len(deciders)
	line := append([]card.Text{card.Textf("Who may answer: %s%s", named(asked, true, each), agreeing(b.Opened.Needed(), len(deciders)))}, dueWords(v, g, b)...)
	c.Context = []card.Text{card.Join(" · ", append(line, card.Plain(v.Run.Name))...)}
	if words, ok := endingWords(v, g); ok {
		c.Context = append(c.Context, words)
	}
	c.Context = append(c.Context, askedWords(b)...)
	c.Shows = b.Opened.Shown()
	if at.Kind == KindHome || cs.Fits(*c) { // a Home has limits of its own
		return nil
	}
	return cs.tooLong(ctx, c, v, g, at)
}

// agreeing says how many of those who may answer have to give the same answer; "" = one is enough.
func agreeing(needed, deciders int) string {
	switch {
	case needed < 2:
		return ""
	case needed == 2 && deciders == 2:
		return ", both must agree"
	}
	return fmt.Sprintf(", %d must agree", needed)
}

// tooLong makes the card of a question that it cannot show in full: the whole text is in a file, and before that is posted there are no
// buttons.
func (cs *Cards) tooLong(ctx context.Context, c *card.Card, v *view.View, g storage.Gate, at storage.Surface) error {
	posted, words, err := cs.whole(ctx, at, FileBody{Gate: g.ID, Flow: fmt.Sprintf("%s, question %d", v.Run.Name, g.Num), Format: formatWhole})
	if err != nil {
		return err
	}
	short := beginnings(*c)
	short.Text = card.Join("\n", short.Text, words)
	if !posted || !cs.Fits(short) {
		short.Buttons, short.Shows = nil, ""
	}
	*c = short
	return nil
}

// RemindCard reminds the people of an open question, and leads to it; once it is decided the card says so.
func (cs *Cards) RemindCard(ctx context.Context, id string) (card.Card, error) {
	g, b, err := cs.gate(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c, err := cs.remind(ctx, g, b)
	if err != nil || g.Status != gate.Open || cs.URL == nil {
		return c, err
	}
	s, err := cs.Engine.Store().Surface(ctx, gateSurface(g.ID))
	if errors.Is(err, storage.ErrNotFound) {
		return c, nil
	}
	if address := cs.URL(s.Channel, s.TS, s.Thread); s.TS != "" && address != "" {
		c.Text = card.Textf("%s · %s", c.Text, card.Link(address, "Go to the question"))
	}
	return c, err
}

// remind says since when a question is open, and who may answer it; or how it was decided.
func (cs *Cards) remind(ctx context.Context, g storage.Gate, b gate.Body) (card.Card, error) {
	if g.Status != gate.Open {
		return card.Card{Text: card.Textf("Meanwhile: %s", outcome(g, b))}, nil
	}
	r, err := cs.Engine.Store().Run(ctx, g.Run)
	if err != nil {
		return card.Card{}, err
	}
	what, err := cs.inShort(ctx, r, g, b)
	if err != nil {
		return card.Card{}, err
	}
	nobody, err := cs.Engine.Unanswerable(ctx, r, b)
	if err != nil {
		return card.Card{}, err
	}
	if nobody != "" {
		const text = ":warning: Still open since %s, and %s. It stays open: a member who comes back may answer, and `/flow cancel %s` ends it. %s"
		return card.Card{Text: card.Textf(text, card.Date(g.Opened), nobody, r.Name, what)}, nil
	}
	who, users, err := cs.Engine.Deciders(ctx, r, b)
	if err != nil {
		return card.Card{}, err
	}
	called := Who(who, true)
	if len(users) > 0 && len(users) <= remindMost {
		called = mentions(users)
	}
	return card.Card{Text: card.Textf(":bell: Still open since %s, %s may answer: %s", card.Date(g.Opened), called, what)}, nil
}

// inShort is what a question is about: its words, or for a failed step the run and the step.
func (cs *Cards) inShort(ctx context.Context, r storage.Run, g storage.Gate, b gate.Body) (card.Text, error) {
	if b.Opened.Kind != history.GateFailure {
		return beginning(asked(b)), nil
	}
	v, err := cs.Engine.View(ctx, g.Run)
	if err != nil {
		return card.Text{}, err
	}
	return card.Textf("*%s* %s", card.Shorten(r.Title, 100), question(v, g, b)), nil
}

// Who names the people of a gate. Called, they are notified; otherwise groups and channels are only named.
func Who(who []people.Principal, call bool) card.Text { return named(who, call, false) }

// named is Who with "or" between people of whom some answer, and with "and" where each has to.
func named(who []people.Principal, call, each bool) card.Text {
	var out []card.Text
	for _, p := range who {
		switch {
		case p.Kind == "user":
			out = append(out, card.User(p.ID))
		case p.Kind == "unknown":
			out = append(out, card.Textf("%s (nobody here is called that)", p.Name))
		case p.Kind == "group" && call:
			out = append(out, card.Textf("members of %s", card.Group(p.ID, p.Name)))
		default:
			out = append(out, card.Textf("members of %s", p.Name))
		}
	}
	if len(out) == 0 {
		return card.Textf("nobody")
	}
	if each {
		return card.Join(" and ", out...)
	}
	return card.Join(" or ", out...)
}

// remindMost is how many people a reminder calls by name; a larger group is only named.
const remindMost = 5

func question(v *view.View, g storage.Gate, b gate.Body) card.Text {
	text := asked(b)
	own := len(b.Opened.Model) > 0 || strings.Contains(b.Opened.Message, "\n")
	if own { // its lines and marks must not look like those of the card
		text = card.Textf("\n%s", card.QuoteText(text))
	}
	switch b.Opened.Kind {
	case history.GateFailure: // the lines below say what happened
		if slices.Contains(b.Opened.Choices, history.ChoiceContinue) {
			return card.Textf(":raised_hand: *The agent has come to its limit: %s.* Continue with as much again, answer in its place, or abort the run.", strings.TrimRight(stepName(v, g.Node), ".?!"))
		}
		return card.Textf(":x: *A step failed: %s.*", strings.TrimRight(stepName(v, g.Node), ".?!"))
	case history.GateUnknown:
		return card.Textf(":grey_question: *It is not known whether this was done.* %s", text)
	case history.GateCall:
		return card.Textf(":raised_hand: *%s: %s* This tool is asked for before each call.", stepName(v, g.Node), text)
	case history.GateAgent:
		return card.Textf(":speech_balloon: *Please answer in the agent's place.*\n%s", text)
	case history.GateTurn:
		return card.Textf(":speech_balloon: *%s*\n%s", stepName(v, g.Node), card.QuoteText(asked(b)))
	case history.GateJudge:
		return card.Textf(":scales: *Please judge what the step gave.*\n%s", text)
	}
	if own {
		return card.Textf(":raised_hand: *Please decide:*%s", text)
	}
	return card.Textf(":raised_hand: *%s*", text)
}

// stepName is how a person knows a node of a run.
func stepName(v *view.View, id string) string {
	if n := v.Flow.Node(id); n != nil {
		return n.DisplayName()
	}
	return flow.Words(id)
}

func shownValue(v any) card.Text {
	switch v := v.(type) {
	case nil:
		return card.Textf("_nothing_")
	case string:
		return card.Quote(v)
	case map[string]any:
		if lines, flat := flatLines(v); flat {
			return lines
		}
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return card.Plain(fmt.Sprint(v))
	}
	if _, list := v.([]any); !list && b[0] != '{' { // a number, or yes and no
		return card.Quote(string(b))
	}
	return card.Block(string(b))
}

// flatLines writes an object of plain values as lines, the names in first before the others; false when it nests.
func flatLines(m map[string]any, first ...string) (card.Text, bool) {
	var lines []card.Text
	place := func(name string) int {
		if at := slices.Index(first, name); at >= 0 {
			return at
		}
		return len(first)
	}
	for _, k := range slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) }) {
		switch value := m[k].(type) {
		case map[string]any, []any:
			return card.Text{}, false
		case string:
			if strings.Contains(value, "\n") {
				return card.Text{}, false
			}
		}
		lines = append(lines, card.Textf(">%s: *%s*", strings.ReplaceAll(k, "_", " "), fmt.Sprint(m[k])))
	}
	return card.Join("\n", lines...), true
}

// Votes says how many people have given the answer that most of them gave, how many are needed, and who answered what.
func Votes(b gate.Body) card.Text {
	most, out := 0, []card.Text(nil)
	for _, v := range b.Votes {
		most = max(most, history.VotesFor(v.Choice, b.Votes))
		out = append(out, card.Textf("%s %s", card.User(v.By.User), ChoiceLabel(v.Choice)))
	}
	text := card.Textf("%d of %d answers", most, b.Opened.Needed())
	if len(out) == 0 {
		return text
	}
	return card.Textf("%s: %s", text, card.Join(", ", out...))
}

// HowToAnswer tells how a question without choices is answered.
func HowToAnswer(name string, b gate.Body) card.Text {
	if b.Opened.Kind == history.GateTurn {
		return card.Textf("Reply in this thread.")
	}
	if len(b.Opened.Form) == 0 {
		return card.Textf("Reply in this thread: `@%s answer …`", name)
	}
	var fields, optional []string
	for _, f := range flow.InOrder(b.Opened.Form) {
		field, v := b.Opened.Form[f], "…"
		if field.Type == "array" {
			v = "…, …"
		}
		if len(field.Enum) > 0 {
			var all []string
			for _, e := range field.Enum {
				all = append(all, fmt.Sprint(e))
			}
			v = strings.Join(all, "|")
		}
		if field.Required || len(field.RequiredFor) > 0 {
			fields = append(fields, f+"="+v)
		} else {
			optional = append(optional, f+"="+v)
		}
	}
	how := card.Textf("Press *Answer…*, or reply in this thread: `@%s answer %s`", name, strings.Join(append(fields, optional...), " "))
	if len(optional) > 0 && len(fields) > 0 {
		how = card.Textf("%s (`%s` may be left out)", how, strings.Join(optional, " "))
	}
	return how
}

// outcome says how a question was decided.
func outcome(g storage.Gate, b gate.Body) card.Text {
	switch g.Choice {
	case history.ChoiceTimeout:
		return card.Textf(":alarm_clock: *%s*, %s", ChoiceWords(g.Choice), card.Date(g.Decided))
	case history.ChoiceCancelled, history.ChoiceSuperseded:
		return withNotes(card.Textf(":no_entry_sign: *%s*, %s", ChoiceWords(g.Choice), card.Date(g.Decided)), b.Note)
	}
	mark, label := card.Textf(":white_check_mark:"), ChoiceLabel(g.Choice)
	if b.Ends != "" || b.Opened.Error != nil && g.Choice == history.ChoiceAbort || b.Opened.Kind == history.GateCall && g.Choice == history.ChoiceNo {
		mark = card.Textf(":no_entry:")
	}
	if g.Choice == "" {
		label = "Answered"
	}
	text := withNotes(card.Textf("%s *%s* by %s, %s", mark, label, decidedBy(g, b), card.Date(g.Decided)), b.Text, b.Note)
	for _, v := range b.Votes {
		if !v.By.Same(history.Actor{User: g.By}) && (v.Choice != g.Choice || v.Note != "") {
			text = withNotes(card.Textf("%s\n%s: %s", text, card.User(v.By.User), ChoiceLabel(v.Choice)), v.Note)
		}
	}
	for _, a := range Entered(b.Opened.Form, b.Form) {
		if a.Name != "note" || b.Note == "" { // else it stands there already
			text = card.Textf("%s\n%s", text, answerLine(a))
		}
	}
	return text
}

// decidedBy names everybody who gave the answer that decided, the person who gave it last at the end.
func decidedBy(g storage.Gate, b gate.Body) card.Text {
	var all []card.Text
	for _, v := range b.Votes {
		if v.Choice == g.Choice && !v.By.Same(history.Actor{User: g.By}) {
			all = append(all, card.User(v.By.User))
		}
	}
	return card.Join(" and ", append(all, Person(g.By))...)
}

// askedAnew says that a question was asked again in the place of this one because its run moved to another version; false = it was not.
func askedAnew(v *view.View, g storage.Gate) (card.Text, bool) {
	token, version := 0, 0
	for _, f := range v.Facts {
		switch b := f.Body.(type) {
		case *history.RevisionChanged:
			version = b.Revision
		case *history.GateDecided:
			if b.Gate == g.Num && b.Choice == history.ChoiceSuperseded && version > 0 {
				token = f.Token
			}
		case *history.GateOpened:
			if token != 0 && f.Token == token && f.Node == g.Node {
				return card.Textf(":arrow_down: *Asked anew below*, %s: the run goes by version %d now, and answers given here do not count.", card.Date(g.Decided), version), true
			}
		}
	}
	return card.Text{}, false
}

// answerLine shows one value of an answer, below its name where it takes several lines.
func answerLine(a history.Shown) card.Text {
	if lines, flat := flatLines(map[string]any{a.Name: a.Value}); flat {
		return lines
	}
	return card.Textf(">%s:\n%s", strings.ReplaceAll(a.Name, "_", " "), shownValue(a.Value))
}

// withNotes adds the notes of deciders to a sentence.
func withNotes(text card.Text, notes ...string) card.Text {
	for _, n := range notes {
		if n != "" {
			text = card.Textf("%s\n%s", text, card.Quote(n))
		}
	}
	return text
}
