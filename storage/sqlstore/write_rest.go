package sqlstore

import (
	"slices"
	"time"

	"sluice/storage"
)

func draftParts(list []storage.Draft) []Part {
	insert := drafts.part(nil)
	update := Part{
		Name: "old_drafts",
		SQL: `UPDATE drafts SET channel = v.channel, thread = v.thread, number = v.number, flow = v.flow, status = v.status,
			author = v.author, base = v.base, hash = v.hash, body = v.body, version = v.version + 1, created = v.created
			FROM {rows} WHERE drafts.id = v.id AND drafts.version = v.version`,
		Columns: draftColumns, Else: storage.ErrConflict,
	}
	for _, d := range list {
		into, version := &update, d.Version
		if version == 0 {
			into, version = &insert, 1
		}
		into.Rows = append(into.Rows, []any{
			d.ID, d.Channel, d.Thread, d.Number, d.Flow, d.Status, d.Author, d.Base, d.Hash, d.Body, version, d.Created,
		})
	}
	update.Must = len(update.Rows)
	return []Part{update, insert}
}

func scheduleParts(list []storage.Schedule) []Part {
	insert := schedules.part(nil)
	update := Part{
		Name: "old_schedules",
		SQL: `UPDATE schedules SET flow = v.flow, cron = v.cron, zone = v.zone, inputs = v.inputs, owner = v.owner,
			channel = v.channel, next = v.next, last = v.last, catch_up = v.catch_up, overlap = v.overlap, paused = v.paused,
			failures = v.failures, version = v.version + 1
			FROM {rows} WHERE schedules.id = v.id AND schedules.version = v.version`,
		Columns: scheduleColumns, Else: storage.ErrConflict,
	}
	for _, c := range list {
		into, version := &update, c.Version
		if version == 0 {
			into, version = &insert, 1
		}
		into.Rows = append(into.Rows, []any{
			c.ID, c.Flow, c.Cron, c.Zone, c.Inputs, c.Owner, c.Channel, c.Next, c.Last, c.CatchUp, c.Overlap, c.Paused,
			c.Failures, version,
		})
	}
	update.Must = len(update.Rows)
	return []Part{update, insert}
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

func inboxDone(ids []int64) Part {
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id}
	}
	return Part{
		Name: "done", SQL: "UPDATE inbox SET done = TRUE WHERE id IN (SELECT id FROM {rows})",
		Columns: []Column{{"id", Int}}, Rows: rows,
	}
}

func auditRows(list []storage.Audit) Part {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{a.At, a.User, a.Team, a.Via, a.What, a.Ref, a.Detail}
	}
	return audits.part(rows)
}
