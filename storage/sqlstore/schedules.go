package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

const scheduleList = `id, flow, cron, zone, inputs, owner, channel, next, last, catch_up, overlap, paused, failures, version, latest_run, kept`

var (
	scheduleColumns = []Column{
		{"id", Text},
		{"flow", Text},
		{"cron", Text},
		{"zone", Text},
		{"inputs", Bytes},
		{"owner", Text},
		{"channel", Text},
		{"next", Time},
		{"last", Time},
		{"catch_up", Text},
		{"overlap", Text},
		{"paused", Bool},
		{"failures", Int},
		{"version", Int},
		{"latest_run", Text},
		{"kept", Bytes},
	}
	schedules = table{"schedules", scheduleColumns, ""}
)

type scheduleRow struct {
	storage.Schedule
	Next, Last stamp
	Kept       moments
}

func (r scheduleRow) value() storage.Schedule {
	r.Schedule.Next, r.Schedule.Last, r.Schedule.Kept = time.Time(r.Next), time.Time(r.Last), r.Kept
	return r.Schedule
}

// Schedule loads a schedule by id.
func (s triggerStore) Schedule(ctx context.Context, id string) (storage.Schedule, error) {
	return one[scheduleRow](ctx, s.database, "load schedule "+id, "SELECT "+scheduleList+" FROM schedules WHERE id = $1", id)
}

// Schedules lists schedules by flow and id; flow "" = of all flows.
func (s triggerStore) Schedules(ctx context.Context, flow string) ([]storage.Schedule, error) {
	if flow == "" {
		return list[scheduleRow](ctx, s.database, "list schedules", "SELECT "+scheduleList+" FROM schedules ORDER BY flow, id")
	}
	const query = "SELECT " + scheduleList + " FROM schedules WHERE flow = $1 ORDER BY flow, id"
	return list[scheduleRow](ctx, s.database, "list schedules of "+flow, query, flow)
}

// DueSchedules lists unpaused schedules whose Next is not after now, earliest first.
func (s triggerStore) DueSchedules(ctx context.Context, now time.Time, limit int) ([]storage.Schedule, error) {
	const query = "SELECT " + scheduleList + " FROM schedules WHERE NOT paused AND next <= $1 AND " + unpaused + " ORDER BY next LIMIT $2"
	return list[scheduleRow](ctx, s.database, "list due schedules", query, now, atMost(limit))
}

// KeptFires lists unpaused schedules that keep a fire and whose latest run has ended, by id.
func (s triggerStore) KeptFires(ctx context.Context, limit int) ([]storage.Schedule, error) {
	const query = "SELECT " + scheduleList + ` FROM schedules WHERE kept IS NOT NULL AND NOT paused
		AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = schedules.latest_run AND runs.ended IS NULL) ORDER BY id LIMIT $1`
	return list[scheduleRow](ctx, s.database, "list schedules that keep a fire", query, atMost(limit))
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
