package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/bot/triggers"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/gate"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// The people of the table. C1 is the home channel of every flow; all but those marked outside are in it.
var sorts = map[string]people.Person{
	"owner":    {Active: true},
	"member":   {Active: true},
	"author":   {Active: true},              // of the drafts
	"approver": {Active: true},              // of the installation
	"decider":  {Active: true},              // in @finance, whom the question is for
	"admin":    {Active: true, Admin: true}, // of the installation, outside
	"eve":      {Active: true},              // a member of the workspace, outside
	"asker":    {Active: true},              // asked for the runs, outside
	"outside":  {Active: true},              // in @finance, outside
	"guest":    {Active: true, Guest: true},
	"ginside":  {Active: true, Guest: true}, // in @finance
	"gnamed":   {Active: true, Guest: true}, // the question names them by user id; outside
	"foreign":  {Active: true, Foreign: true},
	"fnamed":   {Active: true, Foreign: true}, // in @finance
	"gone":     {},
	"robot":    {Active: true, Bot: true},
	"nobody":   {}, // an id that no user has
}

// sortsOf is the directory of these people.
type sortsOf struct{ workspace }

func (d sortsOf) Person(_ context.Context, id string) (people.Person, error) {
	p, ok := sorts[id]
	if !ok || id == "nobody" {
		return people.Person{}, people.ErrUnknownName
	}
	p.ID, p.Name = id, id
	return p, nil
}

// Sets of people that the rules name.
var (
	ours      = []string{"owner", "member", "author", "approver", "decider", "admin", "eve", "asker", "outside"}
	home      = []string{"owner", "member", "author", "approver", "decider"}
	readers   = append(slices.Clone(home), "admin")
	runs      = append(slices.Clone(readers), "asker")
	operators = []string{"asker", "owner", "approver", "admin"}
	deciders  = []string{"decider", "outside", "gnamed"}
)

// door is a way to ask for something, and the rule for it: who may, and who else may know that what it is about exists. Everybody else of
// this workspace is told what they are told of something that does not exist.
type door struct {
	in     func(p *doors, user string) request.Incoming
	may    []string
	sees   []string
	guests bool // guests are asked about one by one
}

func typed(text string) func(*doors, string) request.Incoming {
	return func(*doors, string) request.Incoming { return request.Incoming{Kind: request.KindCommand, Text: text} }
}

func press(action, value string) func(*doors, string) request.Incoming {
	return func(p *doors, _ string) request.Incoming {
		return request.Incoming{Kind: request.KindClick, Action: action, Value: p.value(value)}
	}
}

// verbRows has a row, or several, for every command.
var verbRows = map[string][]door{
	"help":      {{in: typed("help"), may: ours}},
	"tools":     {{in: typed("tools"), may: ours}},
	"list":      {{in: typed("list"), may: ours}},
	"agents":    {{in: typed("agents"), may: ours}},
	"runs":      {{in: typed("runs"), may: ours}, {in: typed("runs ask"), may: readers}},
	"schedules": {{in: typed("schedules"), may: ours}},
	"approvals": {{in: typed("approvals"), may: append(slices.Clone(ours), "guest", "ginside", "gnamed"), guests: true}},
	"new":       {{in: typed("new another: 1. get the order"), may: ours}},
	"run":       {{in: typed("run ask"), may: readers}},
	"schedule":  {{in: typed(`schedule ask "@daily"`), may: readers}, {in: typed("schedule ask every second friday at 9"), may: readers}},
	"show":      {{in: typed("show ask"), may: readers}, {in: typed("show ask-1"), may: runs}},
	"upgrade":   {{in: typed("upgrade ask"), may: readers}},
	"export":    {{in: typed("export ask"), may: readers}, {in: inDraft("export"), may: readers}},
	"try":       {{in: typed("try ask"), may: readers}, {in: inDraft("try"), may: readers}},
	"replay":    {{in: typed("replay ask"), may: readers}},
	"approve":   {{in: typed("approve ask"), may: readers}},
	"change":    {{in: typed("change ask: remove 1"), may: readers}},
	"history":   {{in: typed("history ask"), may: readers}},
	"rollback":  {{in: typed("rollback ask 1"), may: readers}, {in: typed("rollback ask 7"), may: readers}},
	"find":      {{in: typed("find ask"), may: ours}}, // what is found is what one may see: TestFindShowsWhatTheAskerMaySee
	"audit":     {{in: typed("audit"), may: ours}, {in: typed("audit ask"), may: readers}, {in: typed("audit ask-1"), may: runs}, {in: typed("audit @owner"), may: ours}},
	"undo":      {{in: inDraft("undo"), may: readers}},
	"redo":      {{in: inDraft("redo"), may: readers}},
	"answer":    {{in: typed("answer ask-1 no such choice"), may: deciders, sees: runs, guests: true}, {in: typed("answer ask-1 approve"), may: deciders, sees: runs, guests: true}},
	"delegate":  {{in: typed("delegate ask-1 nobody"), may: deciders, sees: runs, guests: true}},
	"retry":     {{in: typed("retry fails-1"), may: []string{"asker", "owner", "admin"}, sees: runs}},
	"skip": {
		{in: typed("skip fails-1"), may: []string{"asker", "owner", "admin"}, sees: runs},
		{in: typed("skip next ask"), may: readers}, // it has several, or none
		{in: onSchedule("skip %s"), may: []string{"owner", "admin"}, sees: readers},
	},
	"reopen": {{in: typed("reopen ask-1"), may: runs}}, // it has not expired; whose right it would be is that of gate.reopen
	"fork":   {{in: typed("fork ask-1 gate"), may: operators, sees: runs}},
	"pause":  {{in: typed("pause ask-1"), may: operators, sees: runs}, {in: typed("pause ask"), may: operators[1:], sees: readers}, {in: typed("pause all"), may: []string{"admin"}, sees: ours}, {in: onSchedule("pause %s until monday"), may: []string{"owner", "admin"}, sees: readers}},
	"resume": {{in: typed("resume all"), may: []string{"admin"}, sees: ours}, {in: typed("resume ask"), may: operators[1:], sees: readers}, {in: typed("resume ask-1"), may: operators, sees: runs}},
	"remove": {{in: typed("remove ask"), may: home, sees: readers}},
	"move":   {{in: typed("move ask all"), may: operators[1:], sees: readers}, {in: typed("move ask-1 1"), may: operators[1:], sees: readers}, {in: typed("move ask"), may: readers}},
	"cancel": {{in: typed("cancel ask-1"), may: runs}},
}

// buttonRows has a row for every button.
var buttonRows = map[string]door{
	"draft.approve":   {in: press("draft.approve", "draft"), may: home, sees: readers},
	"draft.try":       {in: press("draft.try", "draft"), may: readers},
	"draft.replay":    {in: press("draft.replay", "draft"), may: readers},
	"draft.file":      {in: press("draft.file", "draft"), may: readers},
	"draft.changes":   {in: press("draft.changes", "draft"), may: readers},
	"draft.details":   {in: press("draft.details", "draft"), may: readers},
	"draft.answer":    {in: answers, may: readers},
	"flow.export":     {in: press("flow.export", "flow"), may: readers},
	"starting.use":    {in: press("starting.use:vacation", "vacation"), may: ours},
	"draft.discard":   {in: press("draft.discard", "draft"), may: []string{"author", "admin"}, sees: readers},
	"gate.choose":     {in: press("gate.choose:1", "gate"), may: deciders, sees: runs, guests: true},
	"gate.reopen":     {in: press("gate.reopen", "open"), may: deciders, sees: runs, guests: true},
	"moves.fit":       {in: press("moves.fit", "moves"), may: operators[1:], sees: readers},
	"moves.leave":     {in: press("moves.leave", "moves"), may: operators[1:], sees: readers},
	"run.cancel":      {in: press("run.cancel", "run"), may: runs},
	"run.resume":      {in: press("run.resume", "run"), may: operators, sees: runs},
	"run.anyway":      {in: press("run.anyway", "run"), may: readers},
	"run.show":        {in: press("run.show", "name"), may: runs},
	"run.now":         {in: press("run.now", "flow"), may: readers},
	"list.turn":       {in: press("list.turn:older", "runs before=ask-1"), may: runs},
	"schedule.add":    {in: pressProposed, may: []string{"owner"}}, // who asked for it
	"schedule.resume": {in: press("schedule.resume", "schedule"), may: []string{"owner", "admin"}, sees: readers},
	"command.again":   {in: press("command.again", "none")}, // a command that another person typed
	"home.more":       {in: press("home.more", "list"), may: ours},
}

// triggerRows says who starts a run by what happens, by the name of the field in the flow's trigger.
var triggerRows = map[string][]string{
	"Message":  ours,    // who may write there
	"Reaction": readers, // who may start the flow by a command
	"Webhook":  ours,    // the flow's owner, in whose name the run is
	"Schedule": ours,    // likewise; engine/may_test.go
}

// doors is a world for one person to walk through all doors.
type doors struct {
	*world
}

const askFlow = `
name: %s
triggers:
  - message: {channel: C1, match: "^start %[1]s"}
  - reaction: {emoji: "%[1]s"}
  - webhook: {path: %[1]s}
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Go?", who: {groups: ["@finance"], users: ["gnamed"]}, routes: [{when: "approvals.gate == 'approve'", to: end}, {when: "approvals.gate == 'reject'", to: end}]}
`

const failFlow = `
name: fails
flow:
  entry: pay
  nodes:
    - {id: pay, type: tool, tool: shop.fail, routes: [{to: end}]}
`

func newDoors(t *testing.T) *doors {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]any{"type": "object"}
	tools, err := tool.New(
		tool.Tool{Name: "shop.get_order", Description: "Get an order", Words: []string{"get the order"}, Params: words, Effects: flow.EffectsRead, Call: func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil }},
		tool.Tool{Name: "shop.fail", Description: "Fail", Words: []string{"fail"}, Params: words, Effects: flow.EffectsRead, Call: func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, &tool.Error{Type: "ShopError", Message: "closed", Permanent: true}
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	var everybody []string
	for id := range sorts {
		everybody = append(everybody, id)
	}
	in := append(slices.Clone(home), "guest", "ginside", "foreign", "gone", "robot")
	who := sortsOf{workspace{"everybody": everybody, "@finance": {"decider", "outside", "ginside", "fnamed", "gone", "robot"}, "C1": in, "#general": in}}
	cards := project.New()
	e := engine.New(engine.Config{Store: store, Tools: tools, Dispatcher: local.New(local.Options{}), Directory: who, Surfaces: cards, Worker: "test", Admins: []string{"admin"}, Model: chatModel{}})
	cards.Connect(e)
	w := &doors{world: &world{T: t, store: store, bot: New(Config{
		Engine: e, Tools: tools, Directory: who, Cards: cards.Cards, Slack: wall{"C1/7.1": {User: "member", Text: "hello"}}, Admins: []string{"admin"}, Approvers: []string{"approver"},
	})}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = e.Serve(ctx) }()
	t.Cleanup(func() { cancel(); <-done; _ = store.Close() })
	w.save(fmt.Sprintf(askFlow, "ask"), "owner")
	w.save(failFlow, "owner")
	for _, name := range []string{"ask", "fails"} {
		if _, err := e.Start(t.Context(), engine.StartRequest{Flow: name, Actor: request.Incoming{User: "asker"}.Actor(), Channel: "C1"}); err != nil {
			t.Fatal(err)
		}
	}
	for limit := time.Now().Add(time.Minute); ; {
		open, err := store.Gates(t.Context(), storage.GateQuery{Open: true})
		if err != nil || time.Now().After(limit) {
			t.Fatalf("the questions are not open: %d (%v)", len(open), err)
		}
		if len(open) == 2 {
			return w
		}
		time.Sleep(time.Millisecond)
	}
}

// save approves a flow in C1.
func (p *doors) save(src, owner string) {
	p.Helper()
	doc, problems := file.Check("flow.yaml", []byte(src), engine.Checks(p.bot.Tools))
	if problems.HasErrors() {
		p.Fatal(problems)
	}
	p.saveFlow(doc.Flow, owner)
}

// draft is a new draft by the author in C1.
func (p *doors) draft() storage.Draft {
	p.Helper()
	p.ts++
	thread := fmt.Sprintf("%d.0", p.ts)
	p.hear(request.Incoming{Kind: request.KindMention, User: "author", Text: fmt.Sprintf("new d%d: 1. get the order", p.ts), TS: thread})
	return p.newest(thread)
}

// value is the value of a button.
func (p *doors) value(what string) string {
	p.Helper()
	r, err := p.store.RunByName(p.Context(), "ask-1")
	if err != nil {
		p.Fatal(err)
	}
	switch what {
	case "draft":
		return draft.Value(p.draft())
	case "gate":
		g, err := p.store.Gate(p.Context(), gate.ID(r.ID, 1))
		if err != nil {
			p.Fatal(err)
		}
		body, err := gate.Decode(g)
		if err != nil {
			p.Fatal(err)
		}
		return surface.GateValue(g.ID, 1, body.Opened.Hash)
	case "open":
		return gate.ID(r.ID, 1)
	case "form of a run":
		return form.Ref{Owner: form.OfRun, Subject: "ask"}.String()
	case "moves":
		return p.approvedDraft()
	case "form of an edit":
		return p.editForm()
	case "form of moves":
		return form.Ref{Owner: form.OfMoves, Subject: p.approvedDraft()}.String()
	case "form of a schedule":
		return form.Ref{Owner: form.OfSchedule, Subject: "ask"}.String()
	case "form of a change":
		return form.Ref{Owner: form.OfChange, Subject: "ask"}.String()
	case "form of a new flow":
		return form.Ref{Owner: form.OfNew}.String()
	case "form of a question":
		return form.Ref{Owner: form.OfGate, Subject: gate.ID(r.ID, 1)}.String()
	case "form of a colleague":
		return form.Ref{Owner: form.OfAsk, Subject: gate.ID(r.ID, 1)}.String()
	case "form of a call":
		return form.Ref{Owner: form.OfCall, Subject: gate.ID(r.ID, 1)}.String()
	case "form of a draft":
		return form.Ref{Owner: form.OfDraft, Subject: p.draft().ID}.String()
	case "form of needs":
		return form.Ref{Owner: form.OfNeeds, Subject: p.draft().ID}.String()
	case "form of anyway":
		return form.Ref{Owner: form.OfAnyway, Subject: r.ID}.String()
	case "form of ahead":
		return form.Ref{Owner: form.OfAhead, Subject: r.ID}.String()
	case "run":
		return r.ID
	case "name":
		return r.Name
	case "flow":
		return "ask"
	case "schedule":
		return p.schedule()
	}
	return what
}

// The outcomes.
const (
	done      = "done, or told why it cannot be done"
	refused   = "told who may"
	missing   = "told as of something that does not exist"
	forGuests = "told what guests may"
	others    = "told that only people of this workspace may"
)

// outcome reads an answer.
func outcome(text string) string {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
	switch {
	case has("people of this workspace alone"):
		return others
	case has("Guests of this workspace"):
		return forGuests
	case has("no such flow", "no such run", "Which run do you answer", "no draft in this thread", "Which flow?"):
		return missing
	case has("Only members", "Only the people", "Only who asked", "Only the flow's", "Only admins", "Only the schedule's", "may answer this", "You may not"):
		return refused
	}
	return done
}

// want is the rule for a person at a door.
func (d door) want(user string) string {
	p := sorts[user]
	switch {
	case p.Foreign || p.Bot || !p.Active:
		return others
	case slices.Contains(d.may, user):
		return done
	case p.Guest && d.guests:
		return missing
	case p.Guest:
		return forGuests
	case slices.Contains(d.sees, user):
		return refused
	}
	return missing
}

// TestEveryDoorAsksForEverySortOfPerson walks every command, button and file with every sort of person.
func TestEveryDoorAsksForEverySortOfPerson(t *testing.T) {
	t.Parallel()
	for user := range sorts {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			walk := func(name string, d door) {
				in := d.in(p, user)
				in.User = user
				answer := ""
				if in.Action == surface.OpenForm {
					answer = p.opened(in)
				} else {
					answer = said(p.hear(in))
				}
				if got, want := outcome(answer), d.want(user); got != want {
					t.Errorf("%s, %s: %s; want %s: %s", name, in.Text, got, want, answer)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(otherRows)) {
				walk(name, otherRows[name])
			}
			for _, name := range slices.Sorted(maps.Keys(buttonRows)) {
				if name != "gate.choose" && name != "run.cancel" {
					walk(name, buttonRows[name])
				}
			}
			for _, name := range slices.Sorted(maps.Keys(verbRows)) {
				for _, d := range verbRows[name] {
					if name != "cancel" && name != "answer" {
						walk(name, d)
					}
				}
			}
			walk("gate.choose", buttonRows["gate.choose"]) // what ends the run comes last
			for _, d := range verbRows["answer"] {
				if !slices.Contains(deciders, user) {
					walk("answer", d)
				}
			}
			walk("run.cancel", buttonRows["run.cancel"])
			walk("cancel", verbRows["cancel"][0])
		})
	}
}

// TestEveryDoorHasARow: a command, button or trigger that is added needs its rule in the table.
func TestEveryDoorHasARow(t *testing.T) {
	t.Parallel()
	b := newWorld(t, nil).bot
	for _, v := range b.verbs() {
		if len(verbRows[v.name]) == 0 {
			t.Errorf("the command %q has no row: who may?", v.name)
		}
	}
	for name := range b.buttons() {
		if _, ok := buttonRows[name]; !ok {
			t.Errorf("the button %q has no row: who may?", name)
		}
	}
	trigger := reflect.TypeFor[flow.Trigger]()
	for field := range trigger.Fields() {
		if name := field.Name; field.Type.Kind() == reflect.Pointer && triggerRows[name] == nil {
			t.Errorf("the trigger %q has no row: who starts by it?", name)
		}
	}
}

// TestEveryTriggerAsksForEverySortOfPerson: a message that is not said to the bot starts a run or is not answered.
func TestEveryTriggerAsksForEverySortOfPerson(t *testing.T) {
	t.Parallel()
	for user := range sorts {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			count := func() int {
				rows, err := p.store.Runs(t.Context(), storage.RunQuery{Flow: "ask"})
				if err != nil {
					t.Fatal(err)
				}
				return len(rows)
			}
			check := func(name string, in request.Incoming) {
				before := count()
				in.User = user
				if got := said(p.hear(in)); got != "" {
					t.Errorf("%s is answered %q", name, got)
				}
				if started := count() > before; started != slices.Contains(triggerRows[name], user) {
					t.Errorf("%s started a run: %v", name, started)
				}
			}
			check("Message", request.Incoming{Kind: request.KindMessage, Text: "start ask now"})
			check("Reaction", request.Incoming{Kind: request.KindReaction, Emoji: "ask", TS: "7.1"})
			before := count()
			head, err := p.store.Flow(t.Context(), "ask")
			if err != nil {
				t.Fatal(err)
			}
			head.Owner = user
			if err := p.store.Write(t.Context(), &storage.Batch{Flow: &head}); err != nil {
				t.Fatal(err)
			}
			payload, err := json.Marshal(triggers.Delivery{Path: "ask", Flow: "ask", ID: "1", Body: json.RawMessage(`{}`)})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.bot.Handle(t.Context(), request.Incoming{Kind: request.KindHook, Payload: payload}); err != nil {
				t.Fatal(err)
			}
			if started := count() > before; started != slices.Contains(triggerRows["Webhook"], user) {
				t.Errorf("a webhook of a flow that is theirs started a run: %v", started)
			}
		})
	}
}
