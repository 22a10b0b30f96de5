package chatcmd

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/bot/project"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// moved tells of each change of a run.
type moved struct {
	*project.Projector
	change chan struct{}
}

func (m moved) Wake() {
	select {
	case m.change <- struct{}{}:
	default:
	}
}

// asking starts a run that asks U2 or U3, and waits for its question.
func asking(t *testing.T, cfg Config) storage.Gate {
	t.Helper()
	doc, problems := file.Check("ask.yaml", []byte("name: ask\nflow:\n  entry: ok\n  nodes:\n    - {id: ok, type: approval, message: Pay?, who: {users: [U2, U3]}, routes: [{to: end}]}\n"), engine.Checks(cfg.Tools))
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	err := cfg.Store.Write(t.Context(), &storage.Batch{
		Flow:     &storage.Flow{Name: "ask", Head: 1, Channel: "C1", Owner: "U1"},
		Revision: &storage.Revision{Flow: "ask", Number: 1, Hash: flow.Hash(doc.Flow), Body: flow.Canonical(doc.Flow), Lock: []byte("{}"), By: "U1", At: time.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
	messages := moved{project.New(), make(chan struct{}, 1)}
	e := engine.New(engine.Config{Store: cfg.Store, Tools: cfg.Tools, Dispatcher: local.New(local.Options{}), Directory: directory{cfg}, Surfaces: messages, Worker: "test"})
	messages.Connect(e)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = e.Serve(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	if _, err := e.Start(t.Context(), engine.StartRequest{Flow: "ask", Actor: history.Actor{User: "U1"}, Channel: "C1"}); err != nil {
		t.Fatal(err)
	}
	for {
		open, err := cfg.Store.Gates(t.Context(), storage.GateQuery{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(open) == 1 {
			return open[0]
		}
		select {
		case <-messages.change:
		case <-time.After(time.Minute):
			t.Fatal("nothing is asked")
		}
	}
}

// TestDelegate: somebody who may answer a question has somebody else asked who may; the bot gets the message to send.
func TestDelegate(t *testing.T) {
	t.Parallel()
	cfg := kept(t)
	g := asking(t, cfg)
	before, err := cfg.Store.Surface(t.Context(), "spread-"+g.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ as, text, want, code string }{
		{as: "U2", text: "delegate ask-1", code: "no_person"},
		{as: "U4", text: "delegate ask-1 U3", code: "not_decider"},
		{as: "U2", text: "delegate ask-1 U9", code: "not_decider"},
		{as: "U2", text: "delegate ask-1 U3", want: "I ask @U3 in a direct message."},
		{as: "U2", text: "delegate ask-1 U3", code: "not_decider"},
	} {
		var out bytes.Buffer
		cfg.Out, cfg.Person = &out, row.as
		err := Do(t.Context(), cfg, row.text)
		said, _ := errors.AsType[*usererror.Error](err)
		if (said == nil) != (row.code == "") || said != nil && said.Code != row.code || said == nil && (err != nil || !strings.Contains(out.String(), row.want)) {
			t.Errorf("%s by %s: %v\n%s", row.text, row.as, err, out.String())
		}
	}
	g, err = cfg.Store.Gate(t.Context(), g.ID)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := gate.Decode(g); err != nil || len(body.Asks) != 1 || body.Asks[0].User != "U3" {
		t.Errorf("those who are asked by name are %+v, %v", body.Asks, err)
	}
	if after, err := cfg.Store.Surface(t.Context(), before.ID); err != nil || after.Wanted <= before.Wanted {
		t.Errorf("the bot does not learn that U3 is asked: %+v, %v", after, err)
	}
}
