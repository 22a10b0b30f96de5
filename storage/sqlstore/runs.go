package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/storage"
)

const (
	runList = `id, flow, revision, number, name, title, key, status, outcome, version, parent, channel, thread, by_user, steps, started, ended`
	// factList joins the blob of a body that is kept there.
	factList = `SELECT f.run, f.seq, f.kind, f.version, f.at, f.actor, f.token, f.node, f.step, coalesce(f.body, b.body) AS body
		FROM facts f LEFT JOIN blobs b ON b.hash = f.blob`
	usualLimit = 50
)

type runRow struct {
	storage.Run
	Started, Ended stamp
}

func (r runRow) value() storage.Run {
	r.Run.Started, r.Run.Ended = time.Time(r.Started), time.Time(r.Ended)
	return r.Run
}

type factRow struct {
	storage.Fact
	At stamp
}

func (r factRow) value() storage.Fact {
	r.Fact.At = time.Time(r.At)
	return r.Fact
}

// Run loads a run with its state by id.
func (s *Store) Run(ctx context.Context, id string) (storage.Run, error) {
	return one[runRow](ctx, s, "load run "+id, "SELECT "+runList+", state FROM runs WHERE id = $1", id)
}

// RunByName loads a run by its short name, such as refund-217.
func (s *Store) RunByName(ctx context.Context, name string) (storage.Run, error) {
	return one[runRow](ctx, s, "load run "+name, "SELECT "+runList+", state FROM runs WHERE name = $1", name)
}

// Runs lists runs, newest first, without their states.
func (s *Store) Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error) {
	where, args := "$1 = ''", []any{q.Flow, atMost(q.Limit)}
	if q.Flow != "" {
		where = "flow = $1"
	}
	if q.Live {
		where += " AND ended IS NULL"
	}
	if q.Top {
		where += " AND parent = ''"
	}
	if q.Outcome != "" {
		where, args = where+" AND outcome = $3 AND outcome <> ''", append(args, q.Outcome)
	}
	if q.Parent != "" {
		where, args = "parent = $1 AND parent <> ''", []any{q.Parent, args[1]}
	}
	if q.Thread != "" {
		where, args = "channel = $1 AND thread = $3 AND thread <> ''", []any{q.Channel, args[1], q.Thread}
	}
	if q.Flows != nil && q.Flow == "" {
		n := len(args)
		where += " AND (" + s.dialect.In("flow", n+1, Text) + fmt.Sprintf(" OR by_user = $%d AND by_user <> '')", n+2)
		args = append(args, q.Flows, q.By)
	}
	query := "SELECT " + runList + " FROM runs WHERE " + where + " ORDER BY started DESC, id DESC LIMIT $2"
	if q.Skip > 0 {
		query += fmt.Sprintf(" OFFSET %d", q.Skip)
	}
	return list[runRow](ctx, s, "list runs", query, args...)
}

// LiveRunsBy counts the live runs of a person, without those within others.
func (s *Store) LiveRunsBy(ctx context.Context, user string) (int, error) {
	const query = "SELECT count(*) FROM runs WHERE by_user = $1 AND by_user <> '' AND parent = '' AND ended IS NULL"
	var n int
	err := s.get(ctx, s.read, &n, query, user)
	return n, s.Wrap(ctx, err, "count the live runs of "+user)
}

// atMost is how many rows to list when the caller may not say.
func atMost(n int) int {
	if n <= 0 {
		return usualLimit
	}
	return n
}

// Facts lists a run's facts with Seq > after, in order; kinds narrows them when given.
func (s *Store) Facts(ctx context.Context, run string, after int64, kinds ...string) ([]storage.Fact, error) {
	return s.facts(ctx, run, "", []any{run, after}, kinds)
}

// SomeFacts lists the first of them.
func (s *Store) SomeFacts(ctx context.Context, run string, after int64, limit int, kinds ...string) ([]storage.Fact, error) {
	return s.facts(ctx, run, " LIMIT $3", []any{run, after, limit}, kinds)
}

func (s *Store) facts(ctx context.Context, run, limit string, args []any, kinds []string) ([]storage.Fact, error) {
	query := factList + " WHERE f.run = $1 AND f.seq > $2"
	if len(kinds) > 0 {
		args = append(args, kinds)
		query += " AND " + s.dialect.In("f.kind", len(args), Text)
	}
	return list[factRow](ctx, s, "list facts of run "+run, query+" ORDER BY f.seq"+limit, args...)
}

// factsAtOnce is how many facts one query names; more are read in turns.
const factsAtOnce = 1000

// FactsBySeq loads the named facts of a run, in order of Seq.
func (s *Store) FactsBySeq(ctx context.Context, run string, seqs []int64) ([]storage.Fact, error) {
	query := factList + " WHERE f.run = $1 AND " + s.dialect.In("f.seq", 2, Int) + " ORDER BY f.seq"
	sorted := slices.Compact(slices.Sorted(slices.Values(seqs)))
	var all []storage.Fact
	for chunk := range slices.Chunk(sorted, factsAtOnce) {
		some, err := list[factRow](ctx, s, fmt.Sprintf("load %d facts of run %s", len(seqs), run), query, run, chunk)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
