package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/storage"
	"sluice/storage/pgtest"
)

const ibanFlow = `
name: payout
inputs:
  iban: {type: string, required: true, sensitive: true}
  day: {type: date}
flow:
  entry: ask
  nodes:
    - id: ask
      type: approval
      message: "Pay on {{inputs.day}}?"
      form: {reason: {required_for: [reject]}}
      routes: [{when: "approvals.ask == 'approve'", to: end}, {when: "approvals.ask == 'reject'", to: end}]
`

// TestASubmissionSurvivesAKill kills the bot when what somebody sent with a form is stored and not answered. Slack says that it could not
// connect; after the restart the run starts, once, also when the person sends the same form again. When it is done the delivery is empty.
func TestASubmissionSurvivesAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true, database: pgtest.URL(t)})
	db, err := pgx.Connect(t.Context(), w.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	card := approved(w, "ana", w.put("ana", "", "payout.yaml", ibanFlow), 1)
	m := opens(w, "ana", card, "Run now…")
	held, err := db.Begin(t.Context()) // no run is written until this ends
	if err == nil {
		_, err = held.Exec(t.Context(), "LOCK TABLE runs IN EXCLUSIVE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	const iban = "DE02120300000000202051"
	values := fields{"iban": fields{"value": iban}, "day": fields{"value": "2026-12-01"}}
	sent := make(chan error, 1)
	go func() {
		a, err := w.call("POST", "submit", fields{"user": "ana", "view_id": m.ID, "values": values})
		if err == nil && a.OK {
			err = fmt.Errorf("the form was answered %+v", a)
		}
		sent <- err
	}()
	poll(w, "the stored submission", func() (int, bool) {
		n := rowsWith(t, db, "inbox", iban)
		return n, n == 1
	})
	w.bot.kill()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(filter(w.state("#support"), isStatus)); n != 0 {
		t.Fatalf("%d runs before the restart", n)
	}
	w.startBot()
	status := theStatus(w)
	w.untilMessage("#support", "the question", func(m message) bool {
		return m.Thread == status.TS && strings.Contains(m.shown(), "Pay on 2026-12-01?") && slices.Contains(m.buttons(), "Reject…")
	})
	if a := fills(w, "ana", m, fields{"iban": iban, "day": "2026-12-01"}); a.ResponseAction != "close" {
		t.Errorf("the same form once more is answered %+v", a)
	}
	if n := len(filter(w.state("#support"), isStatus)); n != 1 {
		t.Errorf("%d runs were started", n)
	}
	for _, table := range []string{"inbox", "surfaces"} {
		if n := rowsWith(t, db, table, iban); n != 0 {
			t.Errorf("%d rows of %s hold the sensitive input", n, table)
		}
	}
}

// TestASubmissionAtTwoIsDoneOnce: two processes on one Postgres get the same submission at the same time, over different sockets: one run each.
func TestASubmissionAtTwoIsDoneOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true, database: pgtest.URL(t)})
	if _, err := w.serve("the second serve").says(`sluice serves`); err != nil {
		t.Fatal(err)
	}
	card := approved(w, "ana", w.put("ana", "", "payout.yaml", ibanFlow), 1)
	const n = 4 // a form takes three of the four sockets in turn, so that some pairs are of two processes
	for i := range n {
		m := opens(w, "ana", card, "Run now…")
		w.fault(fields{"target": "socket", "kind": "duplicate", "method": "view_submission"})
		if a := fills(w, "ana", m, fields{"iban": fmt.Sprint("DE02-", i), "day": "2026-12-01"}); a.ResponseAction != "close" {
			t.Errorf("form %d is answered %+v", i, a)
		}
	}
	poll(w, "the runs", func() (int, bool) {
		there := len(filter(w.state("#support"), isStatus))
		return there, there >= n
	})
	w.look(func(ctx context.Context, store storage.Store) error {
		rows, err := store.Runs(ctx, storage.RunQuery{Limit: 100})
		if len(rows) != n {
			t.Errorf("%d runs were started by %d forms", len(rows), n)
		}
		pending, wrong := store.PendingInbox(ctx, 0, 10)
		if len(pending) != 0 {
			t.Errorf("%d deliveries are not done", len(pending))
		}
		return errors.Join(err, wrong)
	})
}

// rowsWith counts the rows of a table in which a text stands, as somebody sees them who reads the database.
func rowsWith(t *testing.T, db *pgx.Conn, table, text string) (n int) {
	t.Helper()
	query := `SELECT count(*) FROM ` + table + ` AS r WHERE r::text LIKE '%' || $1::text || '%' OR r::text LIKE '%' || encode(convert_to($1::text, 'UTF8'), 'hex') || '%'`
	if err := db.QueryRow(t.Context(), query, text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAClosedModalDoesNothing: who closes a form, or opens it twice, has started nothing.
func TestAClosedModalDoesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := approved(w, "ana", w.put("ana", "", "payout.yaml", ibanFlow), 1)
	closed := opens(w, "ana", card, "Run now…")
	w.post("close_view", fields{"user": "ana", "view_id": closed.ID})
	m := opens(w, "ana", card, "Run now…")
	if a, err := w.call("POST", "submit", fields{"user": "ana", "view_id": closed.ID, "values": fields{}}); err == nil && a.OK {
		t.Errorf("a closed form is sent: %+v", a)
	}
	if a := fills(w, "ana", m, fields{"iban": "DE02"}); a.ResponseAction != "close" {
		t.Errorf("the form is answered %+v", a)
	}
	theStatus(w)
	if n := len(filter(w.state("#support"), isStatus)); n != 1 {
		t.Errorf("%d runs were started", n)
	}
}
