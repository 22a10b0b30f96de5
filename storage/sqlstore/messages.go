package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"sluice/storage"
)

const (
	inboxList   = `id, key, thread, kind, payload, received, done`
	surfaceList = `id, kind, ref, channel, thread, user_id, ts, body, wanted, shown, hash, file, retry_at, tries, created, blocked, blocked_at, aside, delivery`
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
	BlockedAt        stamp `db:"blocked_at"`
}

func (r surfaceRow) value() storage.Surface {
	r.Surface.RetryAt, r.Surface.Created, r.Surface.BlockedAt = time.Time(r.RetryAt), time.Time(r.Created), time.Time(r.BlockedAt)
	return r.Surface
}

type blockedRow struct {
	storage.Blocked
	Since stamp
}

func (r blockedRow) value() storage.Blocked {
	r.Blocked.Since = time.Time(r.Since)
	return r.Blocked
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

// probeSize is what a probe stores, in bytes: more than a page, so that a full database cannot take it.
const probeSize = 16 << 10

const deleteProbe = "DELETE FROM inbox WHERE key = $1"

// Probe stores something and removes it again.
func (s *Store) Probe(ctx context.Context) error {
	return s.Wrap(ctx, s.probe(ctx), "store a probe")
}

func (s *Store) probe(ctx context.Context) error {
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

// share names whose surfaces take turns with others': a kind, a person and a channel. The index surfaces_share is made for it.
const share = `(kind || ' ' || user_id || ' ' || channel)`

// StaleSurfaces lists surfaces with Wanted > Shown that are due, up to limit of each share, those that are stale for longest first.
func (s *Store) StaleSurfaces(ctx context.Context, now time.Time, limit int) ([]storage.Surface, error) {
	const shares = `WITH RECURSIVE v (share) AS (
			SELECT (SELECT ` + share + ` FROM surfaces WHERE since IS NOT NULL ORDER BY ` + share + ` LIMIT 1)
			UNION ALL SELECT (SELECT ` + share + ` FROM surfaces WHERE since IS NOT NULL AND ` + share + ` > v.share ORDER BY ` + share + ` LIMIT 1)
				FROM v WHERE v.share IS NOT NULL)
		SELECT share FROM v WHERE share IS NOT NULL`
	const due = "SELECT " + surfaceList + " FROM surfaces WHERE since IS NOT NULL AND " + share + ` = $1 AND (retry_at IS NULL OR retry_at <= $2)
		ORDER BY since, id LIMIT $3`
	all, err := list[runID](ctx, s, "list whose surfaces are stale", shares)
	var out []storage.Surface
	for _, one := range all {
		if err != nil {
			break
		}
		var rows []storage.Surface
		rows, err = list[surfaceRow](ctx, s, "list stale surfaces", due, one, now, atMost(limit))
		out = append(out, rows...)
	}
	return out, err
}

// BlockedSurfaces counts the surfaces that wait for a cause to be over, by cause.
func (s *Store) BlockedSurfaces(ctx context.Context) ([]storage.Blocked, error) {
	const query = `SELECT blocked AS cause, min(blocked_at) AS since, count(*) AS surfaces FROM surfaces WHERE blocked <> ''
		GROUP BY blocked ORDER BY blocked LIMIT 1000`
	return list[blockedRow](ctx, s, "count blocked surfaces", query)
}

// WaitingSurfaces lists surfaces that wait for a cause to be over.
func (s *Store) WaitingSurfaces(ctx context.Context, cause string, limit int) ([]storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE blocked = $1 AND blocked <> '' AND since IS NOT NULL ORDER BY since, id LIMIT $2"
	return list[surfaceRow](ctx, s, "list surfaces that wait for "+cause, query, cause, atMost(limit))
}

// UnblockSurfaces makes the surfaces that wait for a cause due at once. They keep since when they waited, until they are shown.
func (s *Store) UnblockSurfaces(ctx context.Context, cause string) error {
	const query = "UPDATE surfaces SET blocked = '', retry_at = NULL WHERE blocked = $1 AND blocked <> ''"
	_, err := s.exec(ctx, "unblock surfaces", query, cause)
	return err
}

// RetryAside makes the surfaces stale again that an earlier release has set aside.
func (s *Store) RetryAside(ctx context.Context, release string) error {
	const query = `UPDATE surfaces SET aside = '', delivery = NULL, tries = 0, retry_at = NULL, wanted = wanted + 1, since = coalesce(since, $2)
		WHERE aside > '' AND aside <> '' AND aside <> $1`
	_, err := s.exec(ctx, "retry surfaces that were set aside", query, release, time.Now().UnixMicro())
	return err
}

// MarkSurface replaces what is known of what a surface's message shows, and makes it stale and due at once.
func (s *Store) MarkSurface(ctx context.Context, id, hash string) error {
	const query = "UPDATE surfaces SET hash = $2, wanted = wanted + 1, retry_at = NULL, since = coalesce(since, $3) WHERE id = $1"
	_, err := s.exec(ctx, "mark surface "+id, query, id, hash, time.Now().UnixMicro())
	return err
}

// SurfaceAt finds the surface behind a message.
func (s *Store) SurfaceAt(ctx context.Context, channel, ts string) (storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE channel = $1 AND ts = $2 AND ts <> '' LIMIT 1"
	return one[surfaceRow](ctx, s, "find the surface of message "+ts, query, channel, ts)
}

// SaveSurface stores what was sent. It never lowers Wanted; a surface that was shown and is stale all the same goes behind the others
// of its share, one that was not shown keeps its place.
func (s *Store) SaveSurface(ctx context.Context, f storage.Surface) error {
	const query = `UPDATE surfaces SET channel = $1, thread = $2, ts = $3, body = $4, shown = $5, hash = $6, file = $7,
			retry_at = $8, tries = $9, wanted = CASE WHEN wanted < $10 THEN $10 ELSE wanted END,
			since = CASE WHEN wanted > $5 OR $10 > $5 THEN CASE WHEN since IS NULL OR shown < $5 THEN CAST($11 AS BIGINT) ELSE since END END,
			blocked = $13, blocked_at = $14, aside = $15, delivery = $16
		WHERE id = $12`
	n, err := s.exec(ctx, "save surface "+f.ID, query, f.Channel, f.Thread, f.TS, f.Body, f.Shown, f.Hash, f.File,
		f.RetryAt, f.Tries, f.Wanted, time.Now().UnixMicro(), f.ID, f.Blocked, f.BlockedAt, f.Aside, f.Delivery)
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

// inboxDone compares and sets: a process that was frozen in the middle of a delivery must not do once more what another one did meanwhile.
// What was delivered goes: what became of it is stored elsewhere, and its key is enough to know a repetition. The condition is hidden from
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

func auditRows(list []storage.Audit) Part {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{a.At, a.User, a.Team, a.Via, a.What, a.Ref, a.Detail}
	}
	return audits.part(rows)
}
