package hometab

import (
	"context"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/examples/starting"
	"sluice/storage"
)

// More is the action of the buttons that give a whole list; their value is one of Lists.
const More = "home.more"

// The commands behind the buttons More.
const (
	listApprovals = "approvals"
	listFailed    = "runs failed"
	listRuns      = "runs"
	listSchedules = "schedules"
	listFlows     = "list"
)

// Lists are the commands that a button More may name.
var Lists = []string{listApprovals, listFailed, listRuns, listSchedules, listFlows}

// How many items each part shows.
const (
	waitingMost   = 8
	failedMost    = 3
	runsMost      = 6
	endedMost     = 4
	schedulesMost = 5
	flowsMost     = 6
)

// Home makes the Homes of people.
type Home struct {
	Engine Engine
	Store  Store
	Access *request.Access
	Cards  *surface.Cards
	// URL is the address of a message; thread is that of a reply. nil = messages have none.
	URL  func(channel, ts, thread string) string
	Name string // the bot's name in chat
}

// Engine says what waits for a person.
type Engine interface {
	WaitingFor(ctx context.Context, p authority.Principal, skip, most int) (people.Waiting, error)
}

// Store holds what a Home shows.
type Store interface {
	Run(ctx context.Context, id string) (storage.Run, error)
	Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error)
	LiveRunsBy(ctx context.Context, user string) (int, error)
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
	Schedules(ctx context.Context, flow string) ([]storage.Schedule, error)
	Pauses(ctx context.Context) ([]storage.Pause, error)
	Surface(ctx context.Context, id string) (storage.Surface, error)
}

// viewer is a person whose Home is made.
type viewer struct {
	in    request.Incoming
	who   authority.Principal
	flows []storage.Flow // that they may read
}

// Card is what a person's Home shows.
func (h *Home) Card(ctx context.Context, user string) (card.Card, error) {
	v := viewer{in: request.Incoming{User: user, Home: true}}
	var err error
	if v.who, err = h.Access.Who(ctx, v.in); err != nil {
		return card.Card{}, err
	}
	if ok, err := request.Allowed(h.Access.MayAs(ctx, v.who, authority.Respond, people.About{})); !ok {
		return page(part("", card.Item{Text: card.Textf("Only people of this workspace can use me.")})), err
	}
	waiting, failed, err := h.questions(ctx, v)
	if err != nil {
		return card.Card{}, err
	}
	nothing := len(waiting.Items) == 0
	if nothing {
		waiting.Items = []card.Item{{Text: card.Textf("Nothing waits for you.")}}
	}
	if ok, err := request.Allowed(h.Access.MayAs(ctx, v.who, authority.Talk, people.About{})); !ok { // a guest
		return page(waiting), err
	}
	if v.flows, err = h.Access.Readable(ctx, v.in); err != nil {
		return card.Card{}, err
	}
	all := []card.Part{waiting}
	for _, next := range []func(context.Context, viewer) (card.Part, error){
		func(ctx context.Context, v viewer) (card.Part, error) { return h.failed(ctx, v, failed) }, h.runs, h.next, h.ownFlows,
	} {
		p, err := next(ctx, v)
		if err != nil {
			return card.Card{}, err
		}
		if len(p.Items) > 0 {
			all = append(all, p)
		}
	}
	if nothing && len(v.flows) == 0 && len(all) == 1 {
		return page(h.welcome(), h.begin(), waiting), nil
	}
	return page(append(all, h.begin())...), nil
}

func page(parts ...card.Part) card.Card { return card.Card{Page: parts} }

func part(title string, items ...card.Item) card.Part { return card.Part{Title: title, Items: items} }

// welcome says to somebody who has nothing here yet what this is.
func (h *Home) welcome() card.Part {
	return part("Welcome", card.Item{
		Text: card.Textf("Tell me in your own words what should happen, step by step. I draw a flowchart of it, you change it until it is right, and once it is approved I run it: I ask people, wait for them, call your tools, and say in the thread where it stands."),
		Sections: []card.Section{{
			Title: "In a channel",
			Text:  card.Textf("Write `/invite @%s` there once. Then everybody in it can write `@%s new …`, and sees the drafts and the runs of that channel.", h.Name, h.Name),
		}},
	})
}

// points are the starting points that a Home offers.
var points = []string{"vacation", "approval", "numbers"}

// begin offers to make a flow.
func (h *Home) begin() card.Part {
	c := card.Item{
		Text:    card.Textf("Describe what should happen, or begin with one of these and change it. The draft comes to you as a direct message: nothing runs before it is approved."),
		Buttons: []card.Button{surface.FormButton("New workflow…", form.Ref{Owner: form.OfNew})},
	}
	for _, name := range points {
		if p, ok := starting.Find(name); ok {
			c.Buttons = append(c.Buttons, card.Button{Action: "starting.use:" + p.Name, Label: p.Title, Value: p.Name})
		}
	}
	return part("New", c)
}

// more says how many others there are, and leads to them.
func more(n int, what, list string) card.Item {
	return card.Item{Text: card.Textf("_and %s_", request.Count(n, "more "+what)), Buttons: []card.Button{showAll(list)}}
}

// showAll opens one of Lists.
func showAll(list string) card.Button {
	return card.Button{Action: More, Label: "Show all", Value: list}
}
