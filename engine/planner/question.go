package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
)

// Ids of options.
const (
	optPerson    = "person"
	optAll       = "all" // one person for this and all other open steps
	optTool      = "tool"
	optAgent     = "agent"
	optLeave     = "leave"
	optName      = "name"
	optInput     = "input"
	optValue     = "value"
	optWords     = "words"   // the words themselves are the value or the text
	optNear      = "near."   // a time near the one that cannot be had; behind it the place in the list
	optStart     = "start"   // somebody starts it
	optChannel   = "channel" // a message in a channel starts it
	optWebhook   = "webhook"
	optNote      = "note"    // words belong to the text of the step before
	optChecked   = "checked" // the value that was checked
	optNow       = "now"     // the value that the step gets now
	optRight     = "right"   // the draft is meant as it is
	optNothing   = "nothing" // nothing more is done
	optOnlyThen  = "only"
	optEitherWay = "either"
	optTerm      = "term." // with a duration: so long people have
	optThen      = "then." // with the id of a step: it is done, too
)

// asking is a question with its place in the words, by which questions are ordered.
type asking struct {
	Question
	at tree.Quote
}

// inquiry collects the questions about a tree, and what a drafter should know.
type inquiry struct {
	t      *tree.Tree
	w      env.World
	cat    *match.Catalogue
	out    *Proposal
	asked  []asking
	names  map[string]*nameSlot // by question: names that are not known
	hidden int                  // above 0, questions wait for another one
	open   []tree.Quote         // places that a question asks about
}

// Options that several questions have.
var (
	leaveOut   = Option{ID: optLeave, Label: "Leave it out"}
	starterHas = Option{ID: optInput, Label: "The person who starts it gives it"}
)

// person offers somebody for something; words say who is near.
func (p *inquiry) person(label, words string) Option {
	return Option{ID: optPerson, Label: label, Needs: "name", Values: p.near(words)}
}

// offer adds values of the run to the options, when there are some.
func (q *Question) offer(all []match.Candidate) {
	if len(all) > 0 {
		q.Options = append(q.Options, Option{ID: optValue, Label: "A value...", Needs: "value", Values: choices(all)})
	}
}

// add asks a question once. The question waits while another open question may remove the step.
func (p *inquiry) add(q Question, at tree.Quote) {
	if q.Step != "" {
		p.out.Open[q.Step] = true
		if at.Empty() {
			at = placeOf(p.t.Step(q.Step))
		}
	}
	if !at.Empty() {
		p.open = append(p.open, at)
	}
	if p.hidden > 0 || slices.ContainsFunc(p.asked, func(a asking) bool { return a.ID == q.ID }) {
		return
	}
	if at.Empty() && len(p.asked) > 0 {
		last := p.asked[len(p.asked)-1].at
		at = tree.Quote{Text: last.Text, From: last.From}
	}
	p.asked = append(p.asked, asking{q, at})
}

// questions are those that were asked, in the order of the words.
func (p *inquiry) questions() []Question {
	slices.SortStableFunc(p.asked, func(a, b asking) int {
		return cmp.Or(cmp.Compare(a.at.Text, b.at.Text), cmp.Compare(a.at.From, b.at.From))
	})
	var out []Question
	for _, a := range p.asked {
		out = append(out, a.Question)
	}
	forAll(out)
	return out
}

// forAll offers one person for all steps and conditions that people probably do or decide, when there are several.
func forAll(all []Question) {
	count := 0
	for _, q := range all {
		if q.Default == optPerson {
			count++
		}
	}
	for i := range all {
		if q := &all[i]; q.Default == optPerson && count > 1 {
			one := Option{ID: optAll, Label: fmt.Sprintf("One person for all %d open steps...", count), Needs: "name", Values: q.Options[0].Values}
			q.Options = slices.Insert(slices.Clone(q.Options), 1, one)
		}
	}
}

// placeOf is where a step stands in the words.
func placeOf(s *tree.Step) tree.Quote {
	if s == nil {
		return tree.Quote{}
	}
	if !s.Said.Empty() || len(s.At) == 0 {
		return s.Said
	}
	return s.At[0]
}

// askDoer asks for the person or tool that performs a step.
func (p *inquiry) askDoer(s *tree.Step, words []english.Word) {
	step := english.Stems(words)
	ranked := p.cat.Rank(step)
	q := Question{ID: s.ID + ".doer", Step: s.ID, Kind: "doer", Quote: s.Text, Default: optPerson}
	q.Text = fmt.Sprintf("Who or what does %s?", english.Quote(s.Text))
	q.Options = []Option{p.person("A person does it...", s.Text)}
	if tools := toolChoices(p.cat, step, hasURL(words)); len(tools) > 0 {
		q.Options = append(q.Options, Option{ID: optTool, Label: "Use a tool...", Needs: "tool", Values: tools})
		if len(ranked) > 0 && ranked[0].Sure {
			q.Default = optTool
		}
	}
	if p.w.Model {
		q.Options = append(q.Options, Option{ID: optAgent, Label: "An AI agent"})
	}
	q.Options = append(q.Options, leaveOut)
	p.add(q, placeOf(s))
	p.open = append(p.open, s.Said)
}

// askEvent asks who reports the event that a step waits for, when the words name no event that is sent here.
func (p *inquiry) askEvent(s *tree.Step) {
	id := s.ID + ".event"
	if s.Event == "" || slices.Contains(p.t.Settled, id) {
		return
	}
	q := Question{ID: id, Step: s.ID, Kind: "event", Quote: s.Event, Default: optPerson, Text: fmt.Sprintf("Who says when this has happened: %s?", english.Quote(s.Event))}
	q.Options = []Option{
		p.person("A person says so...", ""),
		{ID: optNow, Label: "Another flow sends the event"},
		leaveOut,
	}
	p.add(q, placeOf(s))
}

// askLate asks how long people have, where the words say what happens when nobody answers and not when.
func (p *inquiry) askLate(s *tree.Step) {
	q := Question{ID: s.ID + ".late", Step: s.ID, Kind: "late", Quote: s.Text, Free: true, Text: fmt.Sprintf("How long may %s take to answer?", people(s))}
	for _, o := range []Option{{ID: "1h", Label: "1 hour"}, {ID: "1d", Label: "1 day"}, {ID: "3d", Label: "3 days"}, {ID: "1w", Label: "1 week"}} {
		o.ID = optTerm + o.ID
		q.Options = append(q.Options, o)
	}
	q.Default = q.Options[1].ID
	p.add(q, placeOf(s))
}

const maxNear = 30 // names that are suggested

// near suggests names of the directory.
func (p *inquiry) near(words string) []Choice {
	if p.w.Names == nil {
		return nil
	}
	var out []Choice
	for _, n := range p.w.Names(words) {
		if c := (Choice{Value: n, Label: n}); len(out) < maxNear && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// askWho asks for the person that a name means, once for all places that have the same words.
func (p *inquiry) askWho(s *tree.Step, n *tree.Name, words string, tell bool) {
	q := Question{ID: "name." + nameKey(words), Kind: "who", Quote: words, Default: optName, Text: fmt.Sprintf("Who is meant by %s?", english.Quote(words))}
	switch _, why := p.nameFits(words, tell); {
	case words == "":
		q.Text = "Who is asked in this step?"
	case isName(words) && why != "":
		q.Text = english.SentenceCase(why) + ": who is meant?"
	case !tell && relative(words):
		q.Text = fmt.Sprintf("The person who starts a run never chooses who answers, so %s has to be the same person or group in every run: who is it?", english.Quote(words))
	}
	q.Options = []Option{{ID: optName, Label: "Who is it?", Needs: "name", Values: p.near(words)}}
	if tell && p.byPeople() && !isName(words) {
		q.Options = append(q.Options, Option{ID: optInput, Label: "Ask the person who starts it"})
	}
	if s != nil {
		q.Step = s.ID
	}
	slot := p.names[q.ID]
	if slot == nil {
		slot = &nameSlot{words: words}
		p.names[q.ID] = slot
	}
	slot.tell, slot.gate = slot.tell || tell, slot.gate || !tell
	if i := slices.IndexFunc(p.asked, func(a asking) bool { return a.ID == q.ID }); i >= 0 && slot.gate {
		p.asked[i].Options = p.asked[i].Options[:1]
	}
	p.add(q, n.At)
}

// relative reports whether words name a person that depends on the requester: "my manager", "the employee's lead".
func relative(words string) bool {
	all := strings.Fields(strings.ToLower(words))
	return len(all) > 1 && superiors[all[len(all)-1]]
}

var superiors = english.WordSet("manager boss lead leader supervisor superior head director teamlead deputy")

// nameKey writes the words of a name as a part of an id.
func nameKey(words string) string {
	return strings.Join(strings.Fields(strings.ToLower(words)), "_")
}

// askCond asks who decides a condition that is not understood.
func (p *inquiry) askCond(s *tree.Step, c *tree.Cond, where string, k match.Scope, offered []match.Candidate) {
	words := condSaid(c)
	q := Question{ID: s.ID + "." + where, Step: s.ID, Kind: "condition", Quote: words, Default: optPerson}
	q.Text = fmt.Sprintf("Who decides whether %s?", english.Quote(words))
	q.Options = []Option{p.person("A person decides...", "")}
	if len(offered) == 0 {
		want := wantedType(c)
		if c.Op == "" {
			want = func(typ string) bool { return typ == "boolean" }
		}
		offered = k.All(want)
	} else {
		q.Default = optValue
	}
	if !needsRight(c.Op) || !c.Right.Open() || c.Op == "" {
		q.offer(offered)
	}
	if needsRight(c.Op) && c.Op != "" && len(c.Parts) == 0 && !c.Right.Open() && p.byPeople() && asksFor(c) != "" {
		q.Options = append(q.Options, Option{ID: optInput, Label: english.Shorten("The person who starts it gives “"+asksFor(c), 74) + "”"})
	} else if p.w.Model {
		q.Options = append(q.Options, Option{ID: optAgent, Label: "An AI agent decides"})
	}
	if s.Kind == tree.Decide {
		q.Options = append(q.Options, Option{ID: optLeave, Label: "Leave it out, with its steps"})
	}
	at := c.Left.At
	if len(c.At) > 0 {
		at = c.At[0]
	}
	p.add(q, at)
}

// askTrigger asks what starts the flow.
func (p *inquiry) askTrigger(i int, g *tree.Trigger) {
	q := Question{ID: fmt.Sprintf("trigger.%d", i), Kind: "trigger", Quote: g.Words, Default: optStart}
	q.Text = fmt.Sprintf("What starts this: %s?", english.Quote(g.Words))
	if first, rest, _ := strings.Cut(g.Words, " "); strings.EqualFold(first, "when") || strings.EqualFold(first, "whenever") {
		q.Text = fmt.Sprintf("What starts this when %s?", english.Quote(rest))
	}
	for i, near := range times.Nearest(g.Words) {
		q.Text = fmt.Sprintf("I cannot start this at %s. Which of these is near enough?", english.Quote(g.Words))
		q.Options = append(q.Options, Option{ID: optNear + strconv.Itoa(i), Label: english.SentenceCase(near.Words)})
		q.Default = q.Options[0].ID
	}
	q.Options = append(q.Options,
		Option{ID: optStart, Label: "Somebody starts it"},
		Option{ID: optChannel, Label: "A message in a channel...", Needs: "name"},
		Option{ID: optWebhook, Label: "A webhook"},
		leaveOut)
	var at tree.Quote
	if len(g.At) > 0 {
		at = g.At[0]
	}
	p.add(q, at)
	p.open = append(p.open, g.At...)
}

// askValue asks for the value of the run that words mean. With fixed it offers no value that the starter gives.
func (p *inquiry) askValue(s *tree.Step, where string, v tree.Value, offered []match.Candidate, fixed bool) {
	q := Question{ID: s.ID + "." + where, Step: s.ID, Kind: "value", Quote: v.Words, Text: fmt.Sprintf("Which value is %s?", english.Quote(cmp.Or(v.Words, s.Text)))}
	q.offer(offered)
	if !fixed && p.byPeople() {
		q.Options = append(q.Options, starterHas)
	}
	leave := leaveOut
	if s.Kind == tree.Each {
		leave.Label = "Leave it out, with its steps"
	}
	q.Options = append(q.Options, leave)
	q.Default = q.Options[0].ID
	p.add(q, v.At)
}

// askText asks for the text of a message whose words name nothing that exists.
func (p *inquiry) askText(s *tree.Step, k match.Scope) {
	q := Question{ID: s.ID + ".text", Step: s.ID, Kind: "value", Quote: s.Text, Free: true, Text: fmt.Sprintf("What is %s in this message?", english.Quote(s.Text))}
	switch {
	case s.Text == "" && s.Kind == tree.Do:
		q.Text = fmt.Sprintf("What should %s do?", people(s))
	case s.Text == "":
		q.Text = "What should this message say?"
	case slices.Contains(outcomes, strings.ToLower(trimWords(s.Text))):
		q.Text = fmt.Sprintf("What should this message say for %s?", english.Quote(s.Text))
	}
	if s.Kind != tree.Do {
		q.offer(k.All(match.AnyType))
	}
	if p.byPeople() && s.Text != "" {
		q.Options = append(q.Options, starterHas)
	}
	if s.Text != "" {
		q.Options = append(q.Options, Option{ID: optWords, Label: "Send these words as they are"})
	}
	q.Options = append(q.Options, leaveOut)
	q.Default = q.Options[0].ID
	p.add(q, placeOf(s))
}

// missing handles parameters without a value. They become inputs when a person starts the run by hand, else the draft asks for them.
func (p *planning) missing(s *tree.Step, f *match.Filling, k match.Scope) {
	rest := f.Unexplained()
	for _, prm := range f.Entry.Params {
		if f.Has(prm.Name) || !prm.Required && !f.Wanted[prm.Name] {
			continue
		}
		words := ""
		if len(rest) == 1 && env.PlainText(prm) && !prm.Key() && !prm.Person() {
			r := f.Spoken(rest[0])
			words = f.Span(r[0], r[1])
		}
		switch {
		case words == "" && slices.ContainsFunc(p.t.Triggers, tree.Trigger.Open): // the answer tells whether people start runs
			p.out.Open[s.ID] = true
		case words == "" && p.byPeople() && !k.Items(prm):
			s.Params = append(s.Params, tree.Param{Name: prm.Name, Value: tree.Value{Ref: tree.Ref{Input: p.input(s, prm)}}})
			f.Passed = true
		default:
			p.askParam(s, prm, words, f, k)
		}
	}
	f.Values = s.Params
}

func (p *inquiry) askParam(s *tree.Step, prm env.Param, words string, f *match.Filling, k match.Scope) {
	q := Question{ID: s.ID + ".param." + prm.Name, Step: s.ID, Kind: "param", Quote: words, Free: prm.Typ != "object" && prm.Typ != "array"}
	q.Text = fmt.Sprintf("What is %s in %s?", english.Quote(english.PlainName(prm.Name)), english.Quote(s.Text))
	at := placeOf(s)
	if words != "" {
		q.Options = append(q.Options, Option{ID: optWords, Label: english.Shorten("“"+words+"”", 75)})
		for _, r := range f.Unexplained() {
			if at = f.Quote(r[0], r[1]); !at.Empty() {
				p.open = append(p.open, at)
			}
		}
	}
	q.offer(k.All(func(typ string) bool { return match.Compatible(typ, prm.Typ) }))
	if p.byPeople() {
		q.Options = append(q.Options, starterHas)
	}
	q.Options = append(q.Options, Option{ID: optLeave, Label: "Leave this step out"})
	q.Default = q.Options[0].ID
	for _, r := range f.Unexplained() { // "the topic" is rather a value than a text
		if p.byPeople() && slices.ContainsFunc(f.Words[r[0]:r[1]], func(w english.Word) bool { return w.Low == "the" }) {
			q.Default = optInput
		}
	}
	p.add(q, at)
}

// input declares an input for a parameter, or finds the one of the same name and type.
func (p *inquiry) input(s *tree.Step, prm env.Param) string {
	in := tree.Input{Name: idiom.InputName(prm.Name), Type: prm.Typ, About: prm.Description}
	for _, e := range prm.Enum {
		if text, ok := e.(string); ok {
			in.Enum = append(in.Enum, text)
		}
	}
	name, added := p.t.Declare(in)
	if added {
		p.note(s.ID, "input", fmt.Sprintf("Each run is asked for %s, which %s needs.", english.Quote(english.PlainName(name)), english.Quote(s.Text)))
	}
	return name
}

func (p *inquiry) note(step, code, text string) {
	p.out.Notes = tree.AddNote(p.out.Notes, tree.Note{Step: step, Code: code, Text: text})
}

func hasURL(words []english.Word) bool {
	return slices.ContainsFunc(words, func(w english.Word) bool { return w.Kind == english.URLWord })
}

// toolChoices lists all tools for a select, the best fit first. Tools that call any address fit only words with an address.
func toolChoices(c *match.Catalogue, step []string, url bool) []Choice {
	var out []Choice
	seen := map[string]bool{}
	add := func(e *match.Entry) {
		if len(out) < maxChoices && !seen[e.Tool.Name] && (url || !e.NeedsURL()) {
			seen[e.Tool.Name] = true
			out = append(out, Choice{Value: e.Tool.Name, Label: english.Shorten(cmp.Or(strings.TrimSuffix(e.Tool.Description, "."), e.Tool.Name), 75)})
		}
	}
	for _, m := range c.Rank(step) {
		add(m.Entry)
	}
	for i := range c.Entries {
		add(&c.Entries[i])
	}
	return out
}

const maxChoices = 100 // entries of one select

// choices writes candidates for a select.
func choices(all []match.Candidate) []Choice {
	var out []Choice
	for _, c := range all[:min(len(all), maxChoices)] {
		out = append(out, Choice{Value: refText(c.Ref), Label: english.Shorten(c.Label, 75)})
	}
	return out
}

// refText writes a reference as one word, for the value of a choice; refOf reads it.
func refText(r tree.Ref) string {
	kind, of := "input", r.Input
	switch {
	case r.Step != "":
		kind, of = "step", r.Step
	case r.Item != "":
		kind, of = "item", r.Item
	case r.Event != "":
		kind, of = "event", r.Event
	}
	return strings.TrimRight(kind+":"+of+":"+r.Field, ":")
}

func refOf(text string) (tree.Ref, bool) {
	part := strings.SplitN(text, ":", 3)
	if len(part) < 2 || part[1] == "" {
		return tree.Ref{}, false
	}
	r := tree.Ref{}
	if len(part) == 3 {
		r.Field = part[2]
	}
	switch part[0] {
	case "input":
		r.Input = part[1]
	case "step":
		r.Step = part[1]
	case "item":
		r.Item = part[1]
	case "event":
		r.Event = part[1]
	default:
		return tree.Ref{}, false
	}
	return r, true
}
