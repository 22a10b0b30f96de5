package sqlstore

import (
	"context"
	"math"
	"time"

	"sluice/storage"
)

const auditList = `id, at, user_id, team, via, what, ref, detail`

var (
	auditColumns = []Column{
		{"at", Time}, {"user_id", Text}, {"team", Text}, {"via", Text}, {"what", Text}, {"ref", Text}, {"detail", Bytes},
	}
	audits = table{"audit", auditColumns, ""}
)

// auditStore has what people did outside runs.
type auditStore struct{ *database }

type auditRow struct {
	storage.Audit
	At stamp
}

func (r auditRow) value() storage.Audit {
	r.Audit.At = time.Time(r.At)
	return r.Audit
}

// Audit lists audit rows of a reference, newest first; ref "" = all.
func (s auditStore) Audit(ctx context.Context, ref string, limit int) ([]storage.Audit, error) {
	if ref == "" {
		return list[auditRow](ctx, s.database, "list the audit", "SELECT "+auditList+" FROM audit ORDER BY id DESC LIMIT $1", atMost(limit))
	}
	const query = "SELECT " + auditList + " FROM audit WHERE ref = $1 ORDER BY id DESC LIMIT $2"
	return list[auditRow](ctx, s.database, "list the audit of "+ref, query, ref, atMost(limit))
}

// AuditPage lists a page of audit rows, newest first.
func (s auditStore) AuditPage(ctx context.Context, q storage.AuditQuery) ([]storage.Audit, error) {
	before := q.Before
	if before == 0 {
		before = math.MaxInt64
	}
	where, args := "id < $1", []any{before, atMost(q.Limit)}
	if q.User != "" {
		where, args = where+" AND user_id = $3", append(args, q.User)
	}
	return list[auditRow](ctx, s.database, "list a page of the audit", "SELECT "+auditList+" FROM audit WHERE "+where+" ORDER BY id DESC LIMIT $2", args...)
}

// ForgetReasons removes the details of a person's audit rows about pauses.
func (s auditStore) ForgetReasons(ctx context.Context, user string, limit int) (int, error) {
	const query = `UPDATE audit SET detail = NULL WHERE id IN (SELECT id FROM audit
		WHERE user_id = $1 AND what IN ('flow_paused', 'flow_resumed') AND detail IS NOT NULL ORDER BY id LIMIT $2)`
	n, err := s.exec(ctx, "forget reasons", query, user, atMost(limit))
	return int(n), err
}

func auditRows(list []storage.Audit) Part {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{a.At, a.User, a.Team, a.Via, a.What, a.Ref, a.Detail}
	}
	return audits.part(rows)
}
