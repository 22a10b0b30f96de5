package gates

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/jsonschema"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/engine/view"
	"sluice/storage"
)

// Gates answers the questions of runs for people, and lists them.
type Gates struct {
	Engine  Engine
	Store   Store
	Access  *request.Access
	Replies *request.Replies
	Cards   *surface.Cards
	Tools   tool.Catalogue
}

// Engine decides gates, and says which people may decide them.
type Engine interface {
	Answer(ctx context.Context, a engine.GateAnswer) (engine.Answered, error)
	Say(ctx context.Context, run string, actor history.Actor, text string, inbox ...int64) (bool, error)
	MayAnswer(ctx context.Context, g storage.Gate, actor history.Actor) error
	Deciders(ctx context.Context, r storage.Run, b gate.Body) (who []people.Principal, users []string, err error)
	AboutGate(ctx context.Context, row storage.Run, body gate.Body) (people.About, error)
	AskByName(ctx context.Context, gate string, actor history.Actor, user string, inbox ...int64) error
	EditCall(ctx context.Context, gate string, actor history.Actor, values map[string]string, shown string, inbox ...int64) error
	Reopen(ctx context.Context, gate string, actor history.Actor, inbox ...int64) error
	View(ctx context.Context, id string) (*view.View, error)
	WaitingFor(ctx context.Context, p authority.Principal, skip, most int) (people.Waiting, error)
}

// Store holds the gates, their runs, and the messages that show them.
type Store interface {
	Gate(ctx context.Context, id string) (storage.Gate, error)
	Gates(ctx context.Context, q storage.GateQuery) ([]storage.Gate, error)
	Run(ctx context.Context, id string) (storage.Run, error)
	RunByName(ctx context.Context, name string) (storage.Run, error)
	Surface(ctx context.Context, id string) (storage.Surface, error)
	Write(ctx context.Context, b *storage.Batch) error
}

// Choose handles a button of a gate card.
func (gs *Gates) Choose(ctx context.Context, in request.Incoming) error {
	part := strings.Fields(in.Value)
	if len(part) < 2 {
		return request.ErrHidden
	}
	g, body, err := gs.gate(ctx, part[0])
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(part[1])
	if err != nil || i < 0 || i >= len(body.Opened.Choices) {
		return request.ErrHidden
	}
	a := engine.GateAnswer{Choice: body.Opened.Choices[i]}
	if len(part) > 2 {
		a.Shown = part[2]
	}
	return gs.decide(ctx, in, g, a)
}

// decide answers a gate, and tells the person when the answer did not count. Every kind of answer ends here.
func (gs *Gates) decide(ctx context.Context, in request.Incoming, g storage.Gate, a engine.GateAnswer) error {
	a, err := gs.settled(ctx, in, g, a)
	if err != nil {
		return err
	}
	a.Gate, a.Row, a.Actor, a.Inbox = g.ID, &g, in.Actor(), []int64{in.Inbox}
	res, err := gs.Engine.Answer(ctx, a)
	if late, ok := errors.AsType[*engine.DecidedError](err); ok {
		return gs.Replies.SayText(ctx, in, decidedWords(late))
	}
	if err != nil {
		return err
	}
	if in.Kind == request.KindClick && res.Decided && !res.Again { // its card shows the decision
		gs.Replies.Wake()
		return nil
	}
	words := card.Textf("Your answer is passed on.")
	switch {
	case !res.Decided:
		words, err = gs.votedWords(ctx, res, a.Choice)
	case res.Gate.Choice != "":
		words, err = answeredWords(res.Gate)
	}
	switch {
	case err != nil:
		return err
	case res.Again: // nothing is stored with the delivery
		return gs.Replies.SayText(ctx, in, words)
	}
	return gs.Replies.After(ctx, in, words)
}

func decidedWords(e *engine.DecidedError) card.Text {
	what := card.Textf(":information_source: This was decided already: *%s*", e.Choice)
	switch e.Choice {
	case "":
		what = card.Textf(":information_source: This was answered already")
	case history.ChoiceTimeout:
		what = card.Textf(":information_source: Nobody answered this in time")
	case history.ChoiceCancelled:
		what = card.Textf(":information_source: The run has ended, and this is not asked any more")
	case history.ChoiceSuperseded:
		what = card.Textf(":information_source: This is not asked here any more; where it still matters, it is asked anew below")
	}
	if e.By == "" {
		return card.Textf("%s, %s.", what, card.Date(e.At))
	}
	return card.Textf("%s, by %s, %s.", what, card.User(e.By), card.Date(e.At))
}

// Answer handles "answer approve" or "answer refund-1 category=refund": in a run's thread the run need not be named.
func (gs *Gates) Answer(ctx context.Context, in request.Incoming, c request.Command) error {
	r, rest, open, err := gs.runInQuestion(ctx, in, c)
	if err != nil {
		return err
	}
	if len(open) == 0 {
		return nothingAsked(r)
	}
	g, body, err := pickGate(open, rest)
	if err != nil {
		return err
	}
	shown, err := gs.shown(ctx, in, g)
	if err != nil {
		return err
	}
	text := c.Rest
	if len(rest) < len(c.Args) { // it begins with the run's name
		text = strings.TrimSpace(strings.TrimPrefix(text, c.Args[0]))
	}
	schema, err := gs.gives(ctx, g)
	if err != nil {
		return err
	}
	a, err := typedAnswer(body.Opened, text, schema)
	if err != nil {
		return err
	}
	a.Shown = shown
	return gs.decide(ctx, in, g, a)
}

func nothingAsked(r storage.Run) error {
	return &usererror.Error{Code: "no_gate", Text: fmt.Sprintf("%s asks nothing now.", r.Name), Hint: "`/flow approvals` lists what waits for you."}
}

// typedAnswer reads a typed answer: a choice with a note behind it, or free text, and values as name=value, of which no word is lost.
// schema is that of what its step gives.
func typedAnswer(o history.GateOpened, text string, schema map[string]any) (engine.GateAnswer, error) {
	values, words := form.Typed(text, slices.Concat(slices.Collect(maps.Keys(o.Form)), []string{"note", "value"}, jsonschema.Names(schema)))
	a := engine.GateAnswer{Form: map[string]any{}}
	for name, v := range values {
		if _, asked := o.Form[name]; asked || len(o.Choices) == 0 {
			a.Form[name] = v
		}
	}
	if len(o.Choices) == 0 {
		a.Text = words
		return a, nil
	}
	var ok bool
	if a.Choice, a.Note, ok = Chosen(o.Choices, words); !ok {
		hint := "Choose one of: " + strings.Join(o.Choices, ", ") + "."
		if choice, note, ok := meant(o.Choices, words); ok {
			hint += " Is “" + strings.TrimSpace(choice+" "+note) + "” meant?"
		}
		return a, &usererror.Error{Code: "bad_choice", Text: fmt.Sprintf("“%s” is not one of the answers.", words), Hint: hint}
	}
	if _, asked := o.Form["note"]; !asked && a.Note == "" {
		a.Note = values["note"]
	}
	if !form.TakesValue(o.Kind, a.Choice) {
		return a, nil
	}
	var err error
	a.Value, err = valueOf(schema, form.TypedValues(schema, values))
	return a, err
}

// shown is the hash of what the card of a question shows in its thread: a person who types an answer has seen that, or nothing. A person
// who may not answer is told so first.
func (gs *Gates) shown(ctx context.Context, in request.Incoming, g storage.Gate) (string, error) {
	if err := gs.Engine.MayAnswer(ctx, g, in.Actor()); err != nil {
		return "", err
	}
	hash, err := surface.ShownAt(ctx, gs.Store, g.ID)
	if err != nil || hash != "" {
		return hash, err
	}
	// A card of an earlier release has not noted what it shows.
	if err := gs.Store.Write(ctx, &storage.Batch{Stale: []string{surface.GateRef(g.ID)}}); err != nil {
		return "", err
	}
	gs.Replies.Wake()
	return "", &usererror.Error{
		Code: "not_shown", Text: "This question has not been shown in full yet, so that nobody can decide on it: your answer does not count.",
		Hint: "Look at its card in the run's thread in a moment. If it has buttons, answer again.",
	}
}

func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
