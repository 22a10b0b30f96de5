package sqlstore

import (
	"context"
	"fmt"
	"time"

	"sluice/storage"
)

const (
	flowList     = `name, head, channel, owner, updated, retired`
	revisionList = `flow, number, hash, lock_hash, body, lock, draft, by_user, at`
)

var (
	flowColumns = []Column{
		{"name", Text}, {"head", Int}, {"channel", Text}, {"owner", Text}, {"paused", Bool}, {"updated", Time}, {"retired", Time},
	}
	revisionColumns = []Column{
		{"flow", Text},
		{"number", Int},
		{"hash", Text},
		{"lock_hash", Text},
		{"body", Bytes},
		{"lock", Bytes},
		{"draft", Text},
		{"by_user", Text},
		{"at", Time},
	}
)

var (
	flows     = table{"flows", flowColumns, replace("name", flowColumns...)}
	revisions = table{"revisions", revisionColumns, ""}
)

// flowStore has the flows, their revisions and pauses, and the drafts.
type flowStore struct{ *database }

type flowRow struct {
	storage.Flow
	Updated, Retired stamp
}

func (r flowRow) value() storage.Flow {
	r.Flow.Updated, r.Flow.Retired = time.Time(r.Updated), time.Time(r.Retired)
	return r.Flow
}

// revisionRow spells its columns out because the embedded struct and one of its fields share a name.
type revisionRow struct {
	Flow, Hash, LockHash, Draft, By string
	Number                          int
	Body, Lock                      []byte
	At                              stamp
}

func (r revisionRow) value() storage.Revision {
	return storage.Revision{
		Flow: r.Flow, Number: r.Number, Hash: r.Hash, LockHash: r.LockHash, Body: r.Body, Lock: r.Lock, Draft: r.Draft,
		By: r.By, At: time.Time(r.At),
	}
}

// Flow loads a flow's head row.
func (s flowStore) Flow(ctx context.Context, name string) (storage.Flow, error) {
	return one[flowRow](ctx, s.database, "load flow "+name, "SELECT "+flowList+" FROM flows WHERE name = $1", name)
}

// Flows lists all flows by name.
func (s flowStore) Flows(ctx context.Context) ([]storage.Flow, error) {
	return list[flowRow](ctx, s.database, "list flows", "SELECT "+flowList+" FROM flows ORDER BY name")
}

// Revision loads one revision; number 0 means the newest of a flow that is not retired.
func (s flowStore) Revision(ctx context.Context, flow string, number int) (storage.Revision, error) {
	if number == 0 {
		const query = "SELECT " + revisionList + ` FROM revisions WHERE flow = $1
			AND NOT EXISTS (SELECT 1 FROM flows WHERE flows.name = revisions.flow AND flows.retired IS NOT NULL) ORDER BY number DESC LIMIT 1`
		return one[revisionRow](ctx, s.database, "load the newest revision of "+flow, query, flow)
	}
	const query = "SELECT " + revisionList + " FROM revisions WHERE flow = $1 AND number = $2"
	return one[revisionRow](ctx, s.database, fmt.Sprintf("load revision %d of %s", number, flow), query, flow, number)
}

// RevisionByHash loads the newest revision with a LockHash.
func (s flowStore) RevisionByHash(ctx context.Context, flow, lockHash string) (storage.Revision, error) {
	const query = "SELECT " + revisionList + " FROM revisions WHERE flow = $1 AND lock_hash = $2 ORDER BY number DESC LIMIT 1"
	return one[revisionRow](ctx, s.database, "find the revision of "+flow+" with its hash", query, flow, lockHash)
}

// Revisions lists a flow's revisions, newest first.
func (s flowStore) Revisions(ctx context.Context, flow string) ([]storage.Revision, error) {
	const query = "SELECT " + revisionList + " FROM revisions WHERE flow = $1 ORDER BY number DESC"
	return list[revisionRow](ctx, s.database, "list revisions of "+flow, query, flow)
}

// retireParts ends a flow, with what starts its runs.
func retireParts(r storage.Retirement) []Part {
	retire := Part{
		Name: "retire", SQL: "UPDATE flows SET retired = v.retired FROM {rows} WHERE flows.name = v.name AND flows.retired IS NULL",
		Columns: []Column{{"name", Text}, {"retired", Time}}, Rows: [][]any{{r.Flow, r.At}},
	}
	list := []Part{retire}
	for _, table := range []string{"schedules", "triggers"} {
		gone := removeRows(table, "flow", []string{r.Flow})
		gone.Name = "retire_" + table
		list = append(list, gone)
	}
	return list
}
