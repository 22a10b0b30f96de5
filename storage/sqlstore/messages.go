package sqlstore

import (
	"context"
	"slices"
	"time"

	"sluice/storage"
)

const (
	inboxList   = `id, key, thread, kind, payload, received, done`
	surfaceList = `id, kind, ref, channel, thread, user_id, ts, body, wanted, shown, hash, file, retry_at, tries, created`
	auditList   = `id, at, user_id, team, via, what, ref, detail`
)

type inboxRow struct {
	storage.Inbox
	Received stamp
}

func (r inboxRow) value() storage.Inbox {
	r.Inbox.Received = time.Time(r.Received)
	return r.Inbox
}

type surfaceRow struct {
	storage.Surface
	RetryAt, Created stamp
}

func (r surfaceRow) value() storage.Surface {
	r.Surface.RetryAt, r.Surface.Created = time.Time(r.RetryAt), time.Time(r.Created)
	return r.Surface
}

type auditRow struct {
	storage.Audit
	At stamp
}

func (r auditRow) value() storage.Audit {
	r.Audit.At = time.Time(r.At)
	return r.Audit
}

// PutInbox stores what Slack delivered. False: the dedupe key is known already.
func (s *Store) PutInbox(ctx context.Context, m storage.Inbox) (bool, error) {
	query := s.dialect.Statement(PutInbox)
	n, err := s.exec(ctx, "store delivery "+m.Key, query, m.Key, m.Thread, m.Kind, m.Payload, m.Received)
	return n == 1, err
}

// PendingInbox lists rows that are not done, in order of arrival, with ID > after.
func (s *Store) PendingInbox(ctx context.Context, after int64, limit int) ([]storage.Inbox, error) {
	const query = "SELECT " + inboxList + " FROM inbox WHERE NOT done AND id > $1 ORDER BY id LIMIT $2"
	return list[inboxRow](ctx, s, "list pending deliveries", query, after, atMost(limit))
}

// PendingInThread lists a thread's rows that are not done, in order of arrival.
func (s *Store) PendingInThread(ctx context.Context, thread string, limit int) ([]storage.Inbox, error) {
	const query = "SELECT " + inboxList + " FROM inbox WHERE NOT done AND thread = $1 ORDER BY thread, id LIMIT $2"
	return list[inboxRow](ctx, s, "list the pending deliveries of a thread", query, thread, atMost(limit))
}

// Surface loads a surface by id.
func (s *Store) Surface(ctx context.Context, id string) (storage.Surface, error) {
	return one[surfaceRow](ctx, s, "load surface "+id, "SELECT "+surfaceList+" FROM surfaces WHERE id = $1", id)
}

// SurfacesOf lists the surfaces that show a reference, by id.
func (s *Store) SurfacesOf(ctx context.Context, ref string) ([]storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE ref = $1 ORDER BY ref, id"
	return list[surfaceRow](ctx, s, "list surfaces of "+ref, query, ref)
}

// StaleSurfaces lists surfaces with Wanted > Shown that are due, those that are stale for longest first.
func (s *Store) StaleSurfaces(ctx context.Context, now time.Time, limit int) ([]storage.Surface, error) {
	const query = "SELECT " + surfaceList + ` FROM surfaces
		WHERE since IS NOT NULL AND (retry_at IS NULL OR retry_at <= $1) ORDER BY since LIMIT $2`
	return list[surfaceRow](ctx, s, "list stale surfaces", query, now, atMost(limit))
}

// SurfaceAt finds the surface behind a message.
func (s *Store) SurfaceAt(ctx context.Context, channel, ts string) (storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE channel = $1 AND ts = $2 AND ts <> '' LIMIT 1"
	return one[surfaceRow](ctx, s, "find the surface of message "+ts, query, channel, ts)
}

// SaveSurface stores what was sent. It never lowers Wanted; a surface that is still stale goes to the end of the line.
func (s *Store) SaveSurface(ctx context.Context, f storage.Surface) error {
	const query = `UPDATE surfaces SET channel = $1, thread = $2, ts = $3, body = $4, shown = $5, hash = $6, file = $7,
			retry_at = $8, tries = $9, wanted = CASE WHEN wanted < $10 THEN $10 ELSE wanted END,
			since = CASE WHEN wanted > $5 OR $10 > $5 THEN CAST($11 AS BIGINT) END
		WHERE id = $12`
	n, err := s.exec(ctx, "save surface "+f.ID, query, f.Channel, f.Thread, f.TS, f.Body, f.Shown, f.Hash, f.File,
		f.RetryAt, f.Tries, f.Wanted, time.Now().UnixMicro(), f.ID)
	if err == nil && n == 0 {
		return s.Wrap(ctx, storage.ErrNotFound, "save surface "+f.ID)
	}
	return err
}

// Audit lists audit rows of a reference, newest first; ref "" = all.
func (s *Store) Audit(ctx context.Context, ref string, limit int) ([]storage.Audit, error) {
	if ref == "" {
		return list[auditRow](ctx, s, "list the audit", "SELECT "+auditList+" FROM audit ORDER BY id DESC LIMIT $1", atMost(limit))
	}
	const query = "SELECT " + auditList + " FROM audit WHERE ref = $1 ORDER BY id DESC LIMIT $2"
	return list[auditRow](ctx, s, "list the audit of "+ref, query, ref, atMost(limit))
}

// staleSurfaces comes before newSurfaces, so that a surface that this batch inserts is wanted once. The references are sorted, so
// that two writes are unlikely to wait for each other's surfaces.
func staleSurfaces(refs []string, now time.Time) Part {
	refs = slices.Compact(slices.Sorted(slices.Values(refs)))
	rows := make([][]any, len(refs))
	for i, ref := range refs {
		rows[i] = []any{ref}
	}
	return Part{
		Name:    "stale",
		SQL:     "UPDATE surfaces SET wanted = wanted + 1, since = coalesce(since, ?) WHERE ref IN (SELECT ref FROM {rows})",
		Columns: []Column{{"ref", Text}}, Rows: rows, Args: []any{now.UnixMicro()},
	}
}

func newSurfaces(list []storage.Surface, now time.Time) Part {
	list = newest(list, func(s storage.Surface) any { return s.ID })
	rows := make([][]any, len(list))
	for i, s := range list {
		var since any = now.UnixMicro()
		if s.Shown > 0 {
			since = nil
		}
		rows[i] = []any{
			s.ID, s.Kind, s.Ref, s.Channel, s.Thread, s.User, s.TS, s.Body, 1, s.Shown, s.Hash, s.File, s.RetryAt, s.Tries,
			s.Created, since,
		}
	}
	return surfaces.part(rows)
}

// inboxDone compares and sets: a process that was frozen in the middle of a delivery must not do once more what another one did
// meanwhile. The condition is hidden from Postgres's planner, which else reads all pending rows by their index to find these.
func inboxDone(ids []int64) Part {
	var rows [][]any
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if id != 0 {
			rows = append(rows, []any{id})
		}
	}
	return Part{
		Name: "done", SQL: "UPDATE inbox SET done = TRUE WHERE NOT coalesce(done, TRUE) AND id IN (SELECT id FROM {rows})",
		Columns: []Column{{"id", Int}}, Rows: rows, Must: len(rows), Else: storage.ErrDone,
	}
}

func auditRows(list []storage.Audit) Part {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{a.At, a.User, a.Team, a.Via, a.What, a.Ref, a.Detail}
	}
	return audits.part(rows)
}
