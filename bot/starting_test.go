package bot

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/planner"
	"sluice/engine/tool"
	"sluice/examples/starting"
	"sluice/storage"
)

// beginning is what becomes of a starting point: what a newcomer is asked, then the answers of a run and what it posts.
type beginning struct {
	asks    []string // the words of somebody that the names are asked for
	inputs  string
	answers int
	posts   []string
}

var beginnings = map[string]beginning{
	"approval": {[]string{"the team lead", "the managing director"}, `item="A van" price=9000 reason=old`, 2, []string{"C1: You may buy A van."}},
	"feedback": {[]string{"the team", "the team lead"}, ``, 1, []string{"@fin: Good: 7. To change: 7."}},
	"incident": {
		[]string{"the team", "the on-call engineer"},
		`what_is_broken=Mail how_bad_it_is=very`, 2,
		[]string{"@fin: Broken: Mail. How bad: very.", "@fin: Fixed: Mail. Cause: 7. Lesson: 7"},
	},
	"numbers":    {[]string{"the office", "the team"}, ``, 1, []string{"@fin: New customers: 7. Open tickets: 7. Comment: 7"}},
	"onboarding": {[]string{"the office", "IT", "the team lead", "the team"}, `name=Ida first_day=2030-01-02`, 3, []string{"@fin: Everything is ready for Ida, who starts on 2030-01-02."}},
	"release":    {[]string{"the testers", "the product owner", "the release manager", "the team"}, `version=1.2`, 4, []string{"@fin: 1.2 is out."}},
	"reviews":    {[]string{"the legal team", "the security team"}, `title=Plan link_to_the_document=https://docs.example/1`, 3, []string{"C1: All reviews of Plan are done."}},
	"vacation": {
		[]string{"the manager", "the team"},
		`name=Ida first_day=2030-01-02 last_day=2030-01-05 reason=sun`, 1,
		[]string{"C1: Your vacation from 2030-01-02 to 2030-01-05 is approved.", "@fin: Ida is away from 2030-01-02 to 2030-01-05."},
	},
}

// Each starting point becomes a draft with built-in tools alone, asks only who is meant, and can be approved and run to its end.
func TestStartingPoints(t *testing.T) {
	t.Parallel()
	points := starting.Points()
	if len(points) != len(beginnings) {
		t.Errorf("%d starting points, want %d", len(points), len(beginnings))
	}
	for _, p := range points {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			want := beginnings[p.Name]
			w := newWorldWith(t, builtInTools(t), nil)
			w.hear(request.Incoming{Kind: request.KindClick, User: "ana", Action: "starting.use:" + p.Name, Value: p.Name, TS: "1.0"})
			d := w.answerNames(want.asks)
			if got := w.click("ana", "draft.approve", draft.Value(d)); got != "" {
				t.Fatalf("Approve: %q", got)
			}
			if diff := cmp.Diff(want.posts, w.finishes(strings.TrimSpace("run "+d.Flow+" "+want.inputs), want.answers)); diff != "" {
				t.Errorf("posted (-want +got):\n%s", diff)
			}
		})
	}
}

// builtInTools are those that every installation has.
func builtInTools(t *testing.T) *tool.Set {
	t.Helper()
	all, err := tool.HTTP(tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.New(append(all, tool.PostMessage(nil))...)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// answerNames answers the questions of the only draft with @fin. want lists whom they ask for.
func (w *world) answerNames(want []string) storage.Draft {
	w.Helper()
	ref := w.surfaces("draft")[0].Ref
	for {
		d, err := w.store.Draft(w.Context(), strings.TrimPrefix(ref, surface.DraftRef("")))
		if err != nil {
			w.Fatal(err)
		}
		body, _, err := draft.Decode(d)
		if err != nil {
			w.Fatal(err)
		}
		var got []string
		for _, q := range body.Questions {
			if q.Kind != "who" {
				w.Fatalf("it asks %q", q.Text)
			}
			got = append(got, q.Quote)
		}
		if !slices.Equal(got, want) {
			w.Fatalf("it asks for %q, want %q", got, want)
		}
		if len(got) == 0 {
			return d
		}
		q := body.Questions[0]
		o := q.Options[slices.IndexFunc(q.Options, func(o planner.Option) bool { return o.Needs == "name" })]
		if said := said(w.hear(request.Incoming{Kind: request.KindClick, User: "ana", Action: surface.AnswerAction(d.ID, q.ID, o.ID), Chosen: "@fin"})); said != "" {
			w.Fatalf("the answer to %q is answered with %q", q.Text, said)
		}
		want = want[1:]
	}
}

// finishes starts a run and gives what it posts. fin takes the first choice of so many questions, and writes 7 into each field of a form.
func (w *world) finishes(start string, answers int) (posts []string) {
	w.Helper()
	ctx, stop := context.WithCancel(w.Context())
	served := make(chan error, 1)
	go func() { served <- w.bot.Engine.Serve(ctx) }()
	defer func() { stop(); <-served }()
	if got := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: start})); got != "" {
		w.Fatalf("%s: %q", start, got)
	}
	delivered := map[string]bool{}
	for late := time.After(20 * time.Second); ; {
		top, err := w.store.Runs(w.Context(), storage.RunQuery{Top: true})
		if err != nil || len(top) != 1 {
			w.Fatalf("runs: %+v, %v", top, err)
		}
		if s := history.Status(top[0].Status); s == history.Succeeded && answers == 0 {
			return posts
		} else if s == history.Failed || s.Final() {
			w.Fatalf("the run is %s and %d answers are left", s, answers)
		}
		posts = append(posts, w.deliver(delivered)...)
		answers -= w.decideAll(top[0].ID)
		select {
		case <-w.woken:
		case <-late:
			w.Fatalf("the run is %s, %d answers are left, and nothing has happened for 20 s; posted: %q", top[0].Status, answers, posts)
		}
	}
}

// deliver says that messages were posted, and gives what the new ones say.
func (w *world) deliver(delivered map[string]bool) (posts []string) {
	w.Helper()
	for _, s := range w.surfaces(outbox.Kind) {
		b, err := outbox.Decode(s)
		if err != nil {
			w.Fatal(err)
		}
		s.TS = "9." + s.ID
		if err := w.bot.Engine.MessageOver(w.Context(), s, b, nil); err != nil {
			w.Fatal(err)
		}
		if !delivered[s.ID] {
			posts = append(posts, b.To+": "+b.Text)
		}
		delivered[s.ID] = true
	}
	return posts
}

// decideAll has fin answer every open question of a run, and counts them.
func (w *world) decideAll(id string) int {
	w.Helper()
	open, err := w.store.Gates(w.Context(), storage.GateQuery{Run: id, Open: true})
	if err != nil {
		w.Fatal(err)
	}
	for _, g := range open {
		body, err := gate.Decode(g)
		if err != nil {
			w.Fatal(err)
		}
		a := engine.GateAnswer{Gate: g.ID, Actor: request.Incoming{User: "fin"}.Actor(), Shown: body.Opened.Shown(), Form: map[string]any{}}
		for name := range body.Opened.Form {
			a.Form[name] = "7"
		}
		if len(body.Opened.Choices) > 0 {
			a.Choice = body.Opened.Choices[0]
		}
		if _, err := w.bot.Engine.Answer(w.Context(), a); err != nil {
			w.Fatal(err)
		}
	}
	return len(open)
}
