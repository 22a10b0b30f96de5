package sqlstore

import (
	"context"
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
