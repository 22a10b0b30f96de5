package sqlstore

import (
	"context"
	"fmt"
	"time"

	"sluice/storage"
)

var (
	leaseColumns = []Column{
		{"run", Text}, {"token", Int}, {"epoch", Int}, {"worker", NullText}, {"claimed", Time}, {"job_id", Int},
	}
	leases = table{"leases", leaseColumns, replace("run, token", leaseColumns...)}
)

// leaseStore has the leases, the processes that hold them and the roles of processes.
type leaseStore struct{ *database }

type leaseRow struct {
	storage.Lease
	Claimed stamp
}

func (r leaseRow) value() storage.Lease {
	r.Lease.Claimed = time.Time(r.Claimed)
	return r.Lease
}

// Claim takes an unheld lease for a worker. False: another worker holds it, or the epoch is over.
func (s leaseStore) Claim(ctx context.Context, run string, token, epoch int, worker string, now time.Time) (bool, error) {
	const query = `UPDATE leases SET worker = $1, claimed = $2 WHERE run = $3 AND token = $4 AND epoch = $5 AND worker IS NULL`
	n, err := s.exec(ctx, fmt.Sprintf("claim token %d of run %s", token, run), query, worker, now, run, token, epoch)
	return n == 1, err
}

// Leases lists the leases of all runs.
func (s leaseStore) Leases(ctx context.Context) ([]storage.Lease, error) {
	return list[leaseRow](ctx, s.database, "list leases", "SELECT "+LeaseList+" FROM leases ORDER BY run, token")
}

// HeldBy lists the leases that these workers hold.
func (s leaseStore) HeldBy(ctx context.Context, workers []string) ([]storage.Lease, error) {
	query := "SELECT " + LeaseList + " FROM leases WHERE worker IS NOT NULL AND " + s.dialect.In("worker", 1, Text)
	return list[leaseRow](ctx, s.database, "list the leases of workers", query, workers)
}

// Unclaimed lists unheld leases for which no worker will be woken up.
func (s leaseStore) Unclaimed(ctx context.Context, limit int) ([]storage.Lease, error) {
	return list[leaseRow](ctx, s.database, "list unclaimed leases", s.dialect.Statement(Unclaimed), atMost(limit))
}

// Redispatch puts another job for an unheld lease into the queue, if there is one.
func (s leaseStore) Redispatch(ctx context.Context, l storage.Lease) (bool, error) {
	query := s.dialect.Statement(Redispatch)
	if query == "" {
		return false, nil
	}
	n, err := s.exec(ctx, fmt.Sprintf("dispatch token %d of run %s again", l.Token, l.Run), query, l.Run, l.Token, l.Epoch, l.JobID)
	return n == 1, err
}

func deleteLeases(w *storage.RunWrite) Part {
	put := map[int]bool{}
	for _, l := range w.Leases {
		put[l.Token] = true
	}
	var rows [][]any
	for _, token := range w.NoLease {
		if !put[token] {
			rows = append(rows, []any{w.Run.ID, token})
		}
	}
	return Part{
		Name: "no_leases", SQL: "DELETE FROM leases WHERE (run, token) IN (SELECT run, token FROM {rows})",
		Columns: []Column{{"run", Text}, {"token", Int}}, Rows: rows,
	}
}

func leaseRows(run string, list []storage.Lease) Part {
	list = newest(list, func(l storage.Lease) any { return l.Token })
	rows := make([][]any, len(list))
	for i, l := range list {
		rows[i] = []any{run, l.Token, l.Epoch, l.Worker, l.Claimed, nil}
	}
	return leases.part(rows)
}
