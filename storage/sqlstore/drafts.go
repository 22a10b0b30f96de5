package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

const draftList = `id, channel, thread, number, flow, status, author, base, hash, body, version, created`

var (
	draftColumns = []Column{
		{"id", Text},
		{"channel", Text},
		{"thread", Text},
		{"number", Int},
		{"flow", Text},
		{"status", Text},
		{"author", Text},
		{"base", Int},
		{"hash", Text},
		{"body", Bytes},
		{"version", Int},
		{"created", Time},
	}
	drafts = table{"drafts", draftColumns, ""}
)

type draftRow struct {
	storage.Draft
	Created stamp
}

func (r draftRow) value() storage.Draft {
	r.Draft.Created = time.Time(r.Created)
	return r.Draft
}

// Draft loads a draft by id.
func (s flowStore) Draft(ctx context.Context, id string) (storage.Draft, error) {
	return one[draftRow](ctx, s.database, "load draft "+id, "SELECT "+draftList+" FROM drafts WHERE id = $1", id)
}

// DraftInThread loads the newest draft of a thread, whatever its status. Numbers begin again with each flow and each version.
func (s flowStore) DraftInThread(ctx context.Context, channel, thread string) (storage.Draft, error) {
	const query = "SELECT " + draftList + " FROM drafts WHERE channel = $1 AND thread = $2 ORDER BY created DESC, id DESC LIMIT 1"
	return one[draftRow](ctx, s.database, "load the draft of thread "+thread, query, channel, thread)
}

// OldDrafts lists drafts that were made before a time and are not approved, the oldest first.
func (s flowStore) OldDrafts(ctx context.Context, before time.Time, limit int) ([]storage.Draft, error) {
	const query = "SELECT " + draftList + " FROM drafts WHERE status <> 'approved' AND created < $1 ORDER BY created LIMIT $2"
	return list[draftRow](ctx, s.database, "list old drafts", query, before, atMost(limit))
}

// DraftsAfter lists drafts of every status by id.
func (s flowStore) DraftsAfter(ctx context.Context, id string, limit int) ([]storage.Draft, error) {
	const query = "SELECT " + draftList + " FROM drafts WHERE id > $1 ORDER BY id LIMIT $2"
	return list[draftRow](ctx, s.database, "list drafts", query, id, atMost(limit))
}

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
