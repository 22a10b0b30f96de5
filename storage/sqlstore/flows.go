package sqlstore

import (
	"context"
	"fmt"
	"time"

	"sluice/storage"
)

const (
	flowList     = `name, head, channel, owner, updated`
	revisionList = `flow, number, hash, lock_hash, body, lock, draft, by_user, at`
	draftList    = `id, channel, thread, number, flow, status, author, base, hash, body, version, created`
	scheduleList = `id, flow, cron, zone, inputs, owner, channel, next, last, catch_up, overlap, paused, failures, version, latest_run, kept`
)

type flowRow struct {
	storage.Flow
	Updated stamp
}

func (r flowRow) value() storage.Flow {
	r.Flow.Updated = time.Time(r.Updated)
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

type draftRow struct {
	storage.Draft
	Created stamp
}

func (r draftRow) value() storage.Draft {
	r.Draft.Created = time.Time(r.Created)
	return r.Draft
}

type scheduleRow struct {
	storage.Schedule
	Next, Last stamp
	Kept       moments
}

func (r scheduleRow) value() storage.Schedule {
	r.Schedule.Next, r.Schedule.Last, r.Schedule.Kept = time.Time(r.Next), time.Time(r.Last), r.Kept
	return r.Schedule
}

// Flow loads a flow's head row.
func (s *Store) Flow(ctx context.Context, name string) (storage.Flow, error) {
	return one[flowRow](ctx, s, "load flow "+name, "SELECT "+flowList+" FROM flows WHERE name = $1", name)
}

// Flows lists all flows by name.
func (s *Store) Flows(ctx context.Context) ([]storage.Flow, error) {
	return list[flowRow](ctx, s, "list flows", "SELECT "+flowList+" FROM flows ORDER BY name")
}

// Revision loads one revision; number 0 means the newest.
func (s *Store) Revision(ctx context.Context, flow string, number int) (storage.Revision, error) {
	if number == 0 {
		const query = "SELECT " + revisionList + " FROM revisions WHERE flow = $1 ORDER BY number DESC LIMIT 1"
		return one[revisionRow](ctx, s, "load the newest revision of "+flow, query, flow)
	}
	const query = "SELECT " + revisionList + " FROM revisions WHERE flow = $1 AND number = $2"
	return one[revisionRow](ctx, s, fmt.Sprintf("load revision %d of %s", number, flow), query, flow, number)
}

// RevisionByHash loads the newest revision with a LockHash.
func (s *Store) RevisionByHash(ctx context.Context, flow, lockHash string) (storage.Revision, error) {
	const query = "SELECT " + revisionList + " FROM revisions WHERE flow = $1 AND lock_hash = $2 ORDER BY number DESC LIMIT 1"
	return one[revisionRow](ctx, s, "find the revision of "+flow+" with its hash", query, flow, lockHash)
}

// Revisions lists a flow's revisions, newest first.
func (s *Store) Revisions(ctx context.Context, flow string) ([]storage.Revision, error) {
	const query = "SELECT " + revisionList + " FROM revisions WHERE flow = $1 ORDER BY number DESC"
	return list[revisionRow](ctx, s, "list revisions of "+flow, query, flow)
}

// Draft loads a draft by id.
func (s *Store) Draft(ctx context.Context, id string) (storage.Draft, error) {
	return one[draftRow](ctx, s, "load draft "+id, "SELECT "+draftList+" FROM drafts WHERE id = $1", id)
}

// DraftInThread loads the newest draft of a thread, whatever its status.
func (s *Store) DraftInThread(ctx context.Context, channel, thread string) (storage.Draft, error) {
	const query = "SELECT " + draftList + " FROM drafts WHERE channel = $1 AND thread = $2 ORDER BY number DESC LIMIT 1"
	return one[draftRow](ctx, s, "load the draft of thread "+thread, query, channel, thread)
}

// Schedule loads a schedule by id.
func (s *Store) Schedule(ctx context.Context, id string) (storage.Schedule, error) {
	return one[scheduleRow](ctx, s, "load schedule "+id, "SELECT "+scheduleList+" FROM schedules WHERE id = $1", id)
}

// Schedules lists schedules by flow and id; flow "" = of all flows.
func (s *Store) Schedules(ctx context.Context, flow string) ([]storage.Schedule, error) {
	if flow == "" {
		return list[scheduleRow](ctx, s, "list schedules", "SELECT "+scheduleList+" FROM schedules ORDER BY flow, id")
	}
	const query = "SELECT " + scheduleList + " FROM schedules WHERE flow = $1 ORDER BY flow, id"
	return list[scheduleRow](ctx, s, "list schedules of "+flow, query, flow)
}

// DueSchedules lists unpaused schedules whose Next is not after now, earliest first.
func (s *Store) DueSchedules(ctx context.Context, now time.Time, limit int) ([]storage.Schedule, error) {
	const query = "SELECT " + scheduleList + " FROM schedules WHERE NOT paused AND next <= $1 AND " + unpaused + " ORDER BY next LIMIT $2"
	return list[scheduleRow](ctx, s, "list due schedules", query, now, atMost(limit))
}

// KeptFires lists unpaused schedules that keep a fire and whose latest run has ended, by id.
func (s *Store) KeptFires(ctx context.Context, limit int) ([]storage.Schedule, error) {
	const query = "SELECT " + scheduleList + ` FROM schedules WHERE kept IS NOT NULL AND NOT paused
		AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = schedules.latest_run AND runs.ended IS NULL) ORDER BY id LIMIT $1`
	return list[scheduleRow](ctx, s, "list schedules that keep a fire", query, atMost(limit))
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

func scheduleParts(list []storage.Schedule) []Part {
	insert := schedules.part(nil)
	update := Part{
		Name: "old_schedules",
		SQL: `UPDATE schedules SET flow = v.flow, cron = v.cron, zone = v.zone, inputs = v.inputs, owner = v.owner,
			channel = v.channel, next = v.next, last = v.last, catch_up = v.catch_up, overlap = v.overlap, paused = v.paused,
			failures = v.failures, version = v.version + 1, latest_run = v.latest_run, kept = v.kept
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
			c.Failures, version, c.LatestRun, momentsOut(c.Kept),
		})
	}
	update.Must = len(update.Rows)
	return []Part{update, insert}
}
