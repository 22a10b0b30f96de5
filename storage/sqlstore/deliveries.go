package sqlstore

import (
	"context"
	"slices"
	"time"

	"sluice/storage"

	"github.com/google/uuid"
)

const inboxList = `id, key, thread, kind, payload, received, done`

// deliveryStore has what was delivered to the bot.
type deliveryStore struct {
	*database
	writer *writer
}

type inboxRow struct {
	storage.Inbox
	Received stamp
}

func (r inboxRow) value() storage.Inbox {
	r.Inbox.Received = time.Time(r.Received)
	return r.Inbox
}

// PutInbox stores what Slack delivered. False: the dedupe key is known already.
func (s deliveryStore) PutInbox(ctx context.Context, m storage.Inbox) (bool, error) {
	query := s.dialect.Statement(PutInbox)
	n, err := s.writer.one(ctx, "store delivery "+m.Key, query, m.Key, m.Thread, m.Kind, m.Payload, m.Received)
	return n == 1, err
}

// PutInboxes stores several deliveries in their order, with one commit.
func (s deliveryStore) PutInboxes(ctx context.Context, list []storage.Inbox) error {
	return s.Wrap(ctx, s.putAll(ctx, list), "store deliveries")
}

func (s deliveryStore) putAll(ctx context.Context, list []storage.Inbox) error {
	if len(list) == 0 {
		return nil
	}
	parts := make([]Part, len(list))
	for i, m := range list {
		parts[i] = Part{Name: "inbox", SQL: s.dialect.Statement(PutInbox), Args: []any{m.Key, m.Thread, m.Kind, m.Payload, m.Received}}
	}
	if kind := s.dialect.Kind(parts); kind != "" {
		return s.writer.group(kind).write(ctx, parts)
	}
	put, err := s.write.Prepared(ctx, s.dialect.Statement(PutInbox))
	if err != nil {
		return err
	}
	tx, err := s.write.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	stmt := tx.StmtxContext(ctx, put)
	for _, m := range list {
		if _, err := stmt.ExecContext(ctx, s.bind([]any{m.Key, m.Thread, m.Kind, m.Payload, m.Received})...); err != nil {
			_ = tx.Rollback() // the error says why
			return err
		}
	}
	return tx.Commit()
}

// PendingInbox lists rows that are not done, in order of arrival, with ID > after.
func (s deliveryStore) PendingInbox(ctx context.Context, after int64, limit int) ([]storage.Inbox, error) {
	const query = "SELECT " + inboxList + " FROM inbox WHERE NOT done AND id > $1 ORDER BY id LIMIT $2"
	return list[inboxRow](ctx, s.database, "list pending deliveries", query, after, atMost(limit))
}

// PendingInThread lists a thread's rows that are not done, in order of arrival.
func (s deliveryStore) PendingInThread(ctx context.Context, thread string, limit int) ([]storage.Inbox, error) {
	const query = "SELECT " + inboxList + " FROM inbox WHERE NOT done AND thread = $1 ORDER BY thread, id LIMIT $2"
	return list[inboxRow](ctx, s.database, "list the pending deliveries of a thread", query, thread, atMost(limit))
}

// RemoveInbox takes done deliveries away that were received before a time.
func (s deliveryStore) RemoveInbox(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := s.exec(ctx, "remove old deliveries", s.dialect.Statement(RemoveInbox), before, atMost(limit))
	return int(n), err
}

// probeSize is what a probe stores, in bytes: more than a page, so that a full database cannot take it.
const probeSize = 16 << 10

const deleteProbe = "DELETE FROM inbox WHERE key = $1"

// Probe stores something and removes it again.
func (s deliveryStore) Probe(ctx context.Context) error {
	return s.Wrap(ctx, s.probe(ctx), "store a probe")
}

func (s deliveryStore) probe(ctx context.Context) error {
	put, err := s.write.Prepared(ctx, s.dialect.Statement(PutInbox))
	if err != nil {
		return err
	}
	remove, err := s.write.Prepared(ctx, deleteProbe)
	if err != nil {
		return err
	}
	tx, err := s.write.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	key := "probe:" + uuid.NewString()
	_, err = tx.StmtxContext(ctx, put).ExecContext(ctx, s.bind([]any{key, "", "probe", make([]byte, probeSize), time.Now().UTC()})...)
	if err == nil {
		_, err = tx.StmtxContext(ctx, remove).ExecContext(ctx, key)
	}
	if err != nil {
		_ = tx.Rollback() // the error says why
		return err
	}
	return tx.Commit()
}

// inboxDone compares and sets: a process that was frozen in the middle of a delivery must not repeat what another one did meanwhile. The
// payload is removed: its effect is stored elsewhere, and the key is enough to recognise a repetition. The condition is hidden from
// Postgres's planner, which else reads all pending rows by their index to find these.
func inboxDone(ids []int64) Part {
	var rows [][]any
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if id != 0 {
			rows = append(rows, []any{id})
		}
	}
	return Part{
		Name: "done", SQL: "UPDATE inbox SET done = TRUE, payload = NULL WHERE NOT coalesce(done, TRUE) AND id IN (SELECT id FROM {rows})",
		Columns: []Column{{"id", Int}}, Rows: rows, Must: len(rows), Else: storage.ErrDone,
	}
}
