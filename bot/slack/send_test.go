package slack

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
)

func TestAPostWhoseRecordWasLostIsFoundAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.surface("lost")
	first, err := w.app.Send(t.Context(), s, card.Card{Text: card.Textf("one")})
	if err != nil {
		t.Fatal(err)
	}
	s.Tries = 1 // the row as a killed process left it: a try was noted, no ts
	again, err := w.app.Send(t.Context(), s, card.Card{Text: card.Textf("two")})
	if err != nil {
		t.Fatal(err)
	}
	if again.TS != first.TS || len(w.messages("#support")) != 1 {
		t.Errorf("the message was posted again: %q, then %q", first.TS, again.TS)
	}
	if got := w.messages("#support")[0].Text; got != "two" {
		t.Errorf("the message shows %q", got)
	}
}

func TestErrorsOfSlackAreSorted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.surface("limited")
	w.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "429", "times": 1})
	_, err := w.app.Send(t.Context(), s, card.Card{Text: card.Textf("x")})
	var retry *project.RetryError
	if !errors.As(err, &retry) || retry.After <= 0 {
		t.Errorf("429 gave %v", err)
	}
	gone := w.surface("gone")
	gone.Channel = "C0NOWHERE"
	_, err = w.app.api.AuthTest()
	if err != nil {
		t.Fatal(err)
	}
	_, err = newWorld(t).app.Send(t.Context(), gone, card.Card{Text: card.Textf("x")})
	var blocked *project.BlockedError
	if !errors.As(err, &blocked) || blocked.Channel != gone.Channel {
		t.Errorf("an unknown channel gave %v", err)
	}
}

func TestAPictureIsSwappedInANewBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := chart.Chart{Title: "p", Nodes: []chart.Node{{ID: "a", Name: "A", Type: flow.TypeStart}}}
	c := card.Card{Picture: &card.Picture{Chart: plan, Key: "1"}}
	upload := func() {
		t.Helper()
		var err error
		if c.Picture.File, err = w.app.Upload(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	upload()
	s, err := w.app.Send(t.Context(), w.surface("picture"), c)
	if err != nil {
		t.Fatal(err)
	}
	before := w.messages("#support")[0].Blocks[0]
	same, err := w.app.Send(t.Context(), s, c)
	if err != nil || same.File != s.File {
		t.Errorf("the same picture was uploaded again: %q, %q, %v", s.File, same.File, err)
	}
	plan.Nodes[0].Name = "B"
	c.Picture = &card.Picture{Chart: plan, Key: "2"}
	upload()
	if _, err := w.app.Send(t.Context(), same, c); err != nil {
		t.Fatal(err)
	}
	after := w.messages("#support")[0].Blocks[0]
	if after.SlackFile.ID == before.SlackFile.ID || after.BlockID == before.BlockID {
		t.Errorf("the picture was not swapped: %v, then %v", before, after)
	}
}

func TestAPrivateLineReachesOnePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana, err := w.app.people.Resolve(t.Context(), "@ana")
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(surface.PrivateBody{Card: card.Card{Text: card.Textf("only you")}})
	if err != nil {
		t.Fatal(err)
	}
	s := w.surface("private")
	s.Kind, s.User, s.Body = surface.KindPrivate, ana.ID, body
	if _, err := w.app.Send(t.Context(), s, card.Card{Text: card.Textf("only you")}); err != nil {
		t.Fatal(err)
	}
	if m := w.messages("#support"); len(m) != 1 || m[0].EphemeralTo != ana.ID {
		t.Errorf("the channel shows %+v", m)
	}
}

// TestAnAnswerToACommandHasNoEmptyMetadata: Slack would refuse it.
func TestAnAnswerToACommandHasNoEmptyMetadata(t *testing.T) {
	t.Parallel()
	var got map[string]json.RawMessage
	slack := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
	}))
	defer slack.Close()
	w := newWorld(t)
	body, err := json.Marshal(surface.PrivateBody{Card: card.Card{Text: card.Textf("only you")}, Reply: slack.URL})
	if err != nil {
		t.Fatal(err)
	}
	s := w.surface("private")
	s.Kind, s.User, s.Body = surface.KindPrivate, "U1", body
	if _, err := w.app.Send(t.Context(), s, card.Card{Text: card.Textf("only you")}); err != nil {
		t.Fatal(err)
	}
	if _, has := got["metadata"]; has || len(got["text"]) == 0 || len(got["blocks"]) == 0 {
		t.Errorf("Slack was sent %v", got)
	}
}

func TestEncodedNamesBecomeWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fin, _ := w.app.people.Resolve(t.Context(), "@fin")
	group, _ := w.app.people.Resolve(t.Context(), "@finance")
	support := w.channel("#support")
	got := w.app.people.plain(t.Context(), "ask <@"+fin.ID+"> or <!subteam^"+group.ID+"|@finance> in <#"+support+"|support> &lt;now&gt; <https://a.example/x> <!here>")
	if want := "ask @fin or @finance in #support <now> https://a.example/x @"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
