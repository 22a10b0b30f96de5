package sqlstore

import (
	"context"
	"slices"
	"time"

	"sluice/storage"
)

const surfaceList = `id, kind, ref, channel, thread, user_id, ts, body, wanted, shown, hash, file, retry_at, tries, created, blocked, blocked_at, aside, delivery`

var (
	surfaceColumns = []Column{
		{"id", Text},
		{"kind", Text},
		{"ref", Text},
		{"channel", Text},
		{"thread", Text},
		{"user_id", Text},
		{"ts", Text},
		{"body", Bytes},
		{"wanted", Int},
		{"shown", Int},
		{"hash", Text},
		{"file", Text},
		{"retry_at", Time},
		{"tries", Int},
		{"created", Time},
		{"since", Int},
	}
	surfaces = table{"surfaces", surfaceColumns, "ON CONFLICT (id) DO NOTHING"}
)

// surfaceStore has the surfaces.
type surfaceStore struct {
	*database
	writer *writer
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

// Surface loads a surface by id.
func (s surfaceStore) Surface(ctx context.Context, id string) (storage.Surface, error) {
	return one[surfaceRow](ctx, s.database, "load surface "+id, "SELECT "+surfaceList+" FROM surfaces WHERE id = $1", id)
}

// SurfaceAt finds the surface behind a message.
func (s surfaceStore) SurfaceAt(ctx context.Context, channel, ts string) (storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE channel = $1 AND ts = $2 AND ts <> '' LIMIT 1"
	return one[surfaceRow](ctx, s.database, "find the surface of message "+ts, query, channel, ts)
}

// SurfacesOf lists the surfaces that show a reference, by id.
func (s surfaceStore) SurfacesOf(ctx context.Context, ref string) ([]storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE ref = $1 ORDER BY ref, id"
	return list[surfaceRow](ctx, s.database, "list surfaces of "+ref, query, ref)
}

// SurfacesOfKind lists surfaces of a kind, the newest first.
func (s surfaceStore) SurfacesOfKind(ctx context.Context, kind string, limit int) ([]storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE kind = $1 ORDER BY created DESC LIMIT $2"
	return list[surfaceRow](ctx, s.database, "list surfaces of kind "+kind, query, kind, atMost(limit))
}

// share is the key by which stale surfaces take turns: a kind, a person and a channel. The index surfaces_share is made for it.
const share = `(kind || ' ' || user_id || ' ' || channel)`

// StaleSurfaces lists surfaces with Wanted > Shown that are due, up to limit of each share, those that are stale for longest first.
func (s surfaceStore) StaleSurfaces(ctx context.Context, now time.Time, limit int) ([]storage.Surface, error) {
	const shares = `WITH RECURSIVE v (share) AS (
			SELECT (SELECT ` + share + ` FROM surfaces WHERE since IS NOT NULL ORDER BY ` + share + ` LIMIT 1)
			UNION ALL SELECT (SELECT ` + share + ` FROM surfaces WHERE since IS NOT NULL AND ` + share + ` > v.share ORDER BY ` + share + ` LIMIT 1)
				FROM v WHERE v.share IS NOT NULL)
		SELECT share FROM v WHERE share IS NOT NULL`
	const due = "SELECT " + surfaceList + " FROM surfaces WHERE since IS NOT NULL AND " + share + ` = $1 AND (retry_at IS NULL OR retry_at <= $2)
		ORDER BY since, id LIMIT $3`
	all, err := list[runID](ctx, s.database, "list whose surfaces are stale", shares)
	var out []storage.Surface
	for _, one := range all {
		if err != nil {
			break
		}
		var rows []storage.Surface
		rows, err = list[surfaceRow](ctx, s.database, "list stale surfaces", due, one, now, atMost(limit))
		out = append(out, rows...)
	}
	return out, err
}

// BlockedSurfaces counts the surfaces that wait for a cause to be over, by cause.
func (s surfaceStore) BlockedSurfaces(ctx context.Context) ([]storage.Blocked, error) {
	const query = `SELECT blocked AS cause, min(blocked_at) AS since, count(*) AS surfaces FROM surfaces WHERE blocked <> ''
		GROUP BY blocked ORDER BY blocked LIMIT 1000`
	return list[blockedRow](ctx, s.database, "count blocked surfaces", query)
}

// WaitingSurfaces lists surfaces that wait for a cause to be over.
func (s surfaceStore) WaitingSurfaces(ctx context.Context, cause string, limit int) ([]storage.Surface, error) {
	const query = "SELECT " + surfaceList + " FROM surfaces WHERE blocked = $1 AND blocked <> '' AND since IS NOT NULL ORDER BY since, id LIMIT $2"
	return list[surfaceRow](ctx, s.database, "list surfaces that wait for "+cause, query, cause, atMost(limit))
}

// UnblockSurfaces makes the surfaces that wait for a cause due at once. They keep since when they waited, until they are shown.
func (s surfaceStore) UnblockSurfaces(ctx context.Context, cause string) error {
	const query = "UPDATE surfaces SET blocked = '', retry_at = NULL WHERE blocked = $1 AND blocked <> ''"
	_, err := s.exec(ctx, "unblock surfaces", query, cause)
	return err
}

// RetryAside makes the surfaces stale again that an earlier release has set aside.
func (s surfaceStore) RetryAside(ctx context.Context, release string) error {
	const query = `UPDATE surfaces SET aside = '', delivery = NULL, tries = 0, retry_at = NULL, wanted = wanted + 1, since = coalesce(since, $2)
		WHERE aside > '' AND aside <> '' AND aside <> $1`
	_, err := s.exec(ctx, "retry surfaces that were set aside", query, release, time.Now().UnixMicro())
	return err
}

// MarkSurface replaces what is known of what a surface's message shows, and makes it stale and due at once.
func (s surfaceStore) MarkSurface(ctx context.Context, id, hash string) error {
	const query = "UPDATE surfaces SET hash = $2, wanted = wanted + 1, retry_at = NULL, since = coalesce(since, $3) WHERE id = $1"
	_, err := s.exec(ctx, "mark surface "+id, query, id, hash, time.Now().UnixMicro())
	return err
}

// SaveSurface stores what was sent. It never lowers Wanted; a surface that was shown and is stale all the same goes behind the others
// of its share, one that was not shown keeps its place. That its message was deleted meanwhile stays known.
func (s surfaceStore) SaveSurface(ctx context.Context, f storage.Surface) error {
	const query = `UPDATE surfaces SET channel = $1, thread = $2, ts = $3, body = $4, shown = $5, file = $7,
			hash = CASE WHEN hash = 'deleted' AND ts = $3 AND wanted > $10 THEN hash ELSE $6 END,
			retry_at = $8, tries = $9, wanted = CASE WHEN wanted < $10 THEN $10 ELSE wanted END,
			since = CASE WHEN wanted > $5 OR $10 > $5 THEN CASE WHEN since IS NULL OR shown < $5 THEN CAST($11 AS BIGINT) ELSE since END END,
			blocked = $13, blocked_at = $14, aside = $15, delivery = $16
		WHERE id = $12`
	n, err := s.writer.one(ctx, "save surface "+f.ID, query, f.Channel, f.Thread, f.TS, f.Body, f.Shown, f.Hash, f.File,
		f.RetryAt, f.Tries, f.Wanted, time.Now().UnixMicro(), f.ID, f.Blocked, f.BlockedAt, f.Aside, f.Delivery)
	if err == nil && n == 0 {
		return s.Wrap(ctx, storage.ErrNotFound, "save surface "+f.ID)
	}
	return err
}

// RemoveSurfaces takes surfaces of a kind away that were made before a time and are not stale.
func (s surfaceStore) RemoveSurfaces(ctx context.Context, kind string, before time.Time, limit int) (int, error) {
	n, err := s.exec(ctx, "remove old surfaces", s.dialect.Statement(RemoveSurfaces), kind, before, atMost(limit))
	return int(n), err
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
