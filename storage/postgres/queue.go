package postgres

import (
	"fmt"
	"strings"

	"sluice/storage"
	"sluice/storage/sqlstore"
)

// Option changes how a store is opened.
type Option func(*dialect)

// WithQueue has every write put a job into a queue for each lease that it stores unheld, in its own transaction. The queue's tables
// must be there before the first write.
func WithQueue(q storage.Queue) Option { return func(d *dialect) { d.queue = q } }

// enqueue makes two parts of the one that stores leases: the first puts jobs into the queue, the second stores the leases with the
// ids that the first returns.
func enqueue(q storage.Queue, parts []sqlstore.Part) []sqlstore.Part {
	at := -1
	for i, p := range parts {
		if p.Into == "leases" {
			at = i
		}
	}
	if q.Put == "" || at < 0 {
		return parts
	}
	leases := parts[at]
	columns := leases.Columns[:len(leases.Columns)-1] // the last one is the id of the job
	const worker = 3
	jobs := sqlstore.Part{Name: "jobs", SQL: q.Put, Columns: columns[:worker]}
	for i, row := range leases.Rows {
		if row[worker] != "" {
			continue
		}
		jobs.Rows = append(jobs.Rows, row)
		if leases.Of != nil {
			jobs.Of = append(jobs.Of, leases.Of[i])
		}
	}
	if len(jobs.Rows) == 0 {
		return parts
	}
	stored := sqlstore.Part{
		Name: leases.Name,
		SQL: fmt.Sprintf(`INSERT INTO leases (run, token, epoch, worker, claimed, job_id)
			SELECT v.run, v.token, v.epoch, v.worker, v.claimed, j.job_id
			FROM {rows} LEFT JOIN p%d AS j ON j.run = v.run AND j.token = v.token %s`, at, leases.SQL),
		Columns: columns, Rows: leases.Rows, Of: leases.Of,
	}
	list := append([]sqlstore.Part{}, parts[:at]...)
	return append(append(list, jobs, stored), parts[at+1:]...)
}

// queueStatement is the text of a statement that depends on the queue.
func queueStatement(q storage.Queue, name sqlstore.Name) (string, bool) {
	switch name {
	case sqlstore.Unclaimed:
		gone := ""
		if q.Gone != "" {
			gone = " AND (job_id IS NULL OR " + strings.ReplaceAll(q.Gone, "{job}", "leases.job_id") + ")"
		}
		return "SELECT " + sqlstore.LeaseList + " FROM leases WHERE worker IS NULL" + gone + " ORDER BY run, token LIMIT $1", true
	case sqlstore.Redispatch:
		if q.Put == "" {
			return "", true
		}
		end := strings.ReplaceAll(q.End, "{job}", "(SELECT job_id FROM free)")
		return `WITH free AS (SELECT run, token, epoch, job_id FROM leases WHERE run = $1 AND token = $2 AND epoch = $3
				AND worker IS NULL AND coalesce(job_id, 0) = $4 FOR UPDATE),
			gone AS (` + end + `),
			j AS (` + strings.Replace(q.Put, "{rows}", "free AS v", 1) + `)
			UPDATE leases SET job_id = j.job_id FROM j WHERE leases.run = j.run AND leases.token = j.token`, true
	case sqlstore.EndDeadJobs:
		return q.EndDead, true
	}
	return "", false
}
