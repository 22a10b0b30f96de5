package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/storage"
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
	w := newWorld(t, setup{apart: true})
	card := approved(w, "ana", w.put("ana", "", "payout.yaml", ibanFlow), 1)
	m := opens(w, "ana", card, "Run now…")
	w.fault(fields{"target": "api", "kind": "hold", "method": "conversations.members", "times": 100})
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
	poll(w, "the stored submission", func() (storage.Inbox, bool) {
		var rows []storage.Inbox
		w.look(func(ctx context.Context, s storage.Store) (err error) {
			rows, err = s.PendingInbox(ctx, 0, 10)
			return err
		})
		i := slices.IndexFunc(rows, func(r storage.Inbox) bool { return r.Kind == "view_submission" })
		if i < 0 {
			return storage.Inbox{}, false
		}
		return rows[i], true
	})
	if n := w.rowsWith("inbox", iban); n != 1 {
		t.Errorf("%d stored deliveries hold what was sent", n)
	}
	w.bot.kill()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	w.post("heal", fields{})
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
		if n := w.rowsWith(table, iban); n != 0 {
			t.Errorf("%d rows of %s hold the sensitive input", n, table)
		}
	}
}

// rowsWith counts the rows of a table in which a text stands, as somebody sees them who reads the database.
func (w *world) rowsWith(table, text string) (n int) {
	w.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.botData(), "sluice.db"))
	if err != nil {
		w.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(w.Context(), "SELECT * FROM "+table)
	if err != nil {
		w.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		w.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			w.Fatal(err)
		}
		for _, v := range values {
			if b, ok := (*v.(*any)).([]byte); ok && strings.Contains(string(b), text) || !ok && strings.Contains(fmt.Sprint(*v.(*any)), text) {
				n++
				break
			}
		}
	}
	if err := rows.Err(); err != nil {
		w.Fatal(err)
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
