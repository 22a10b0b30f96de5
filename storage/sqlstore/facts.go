package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"sluice/storage"
)

// bigBody is the size above which a fact's body is kept in a blob, in bytes.
const bigBody = 64 << 10

var (
	factColumns = []Column{
		{"run", Text},
		{"seq", Int},
		{"kind", Text},
		{"version", Int},
		{"at", Time},
		{"actor", Bytes},
		{"token", Int},
		{"node", Text},
		{"step", Int},
		{"body", Bytes},
		{"blob", NullText},
	}
	blobColumns = []Column{{"hash", Text}, {"body", Bytes}}
)

var (
	facts = table{"facts", factColumns, ""}
	blobs = table{"blobs", blobColumns, "ON CONFLICT (hash) DO NOTHING"}
)

// factList joins the blob of a body that is kept there.
const factList = `SELECT f.run, f.seq, f.kind, f.version, f.at, f.actor, f.token, f.node, f.step, coalesce(f.body, b.body) AS body
		FROM facts f LEFT JOIN blobs b ON b.hash = f.blob`

type factRow struct {
	storage.Fact
	At stamp
}

func (r factRow) value() storage.Fact {
	r.Fact.At = time.Time(r.At)
	return r.Fact
}

// Facts lists a run's facts with Seq > after, in order; kinds narrows them when given.
func (s *runStore) Facts(ctx context.Context, run string, after int64, kinds ...string) ([]storage.Fact, error) {
	return s.facts(ctx, run, "", []any{run, after}, kinds)
}

// SomeFacts lists the first of them.
func (s *runStore) SomeFacts(ctx context.Context, run string, after int64, limit int, kinds ...string) ([]storage.Fact, error) {
	return s.facts(ctx, run, " LIMIT $3", []any{run, after, limit}, kinds)
}

func (s *runStore) facts(ctx context.Context, run, limit string, args []any, kinds []string) ([]storage.Fact, error) {
	query := factList + " WHERE f.run = $1 AND f.seq > $2"
	if len(kinds) > 0 {
		args = append(args, kinds)
		query += " AND " + s.dialect.In("f.kind", len(args), Text)
	}
	return list[factRow](ctx, s.database, "list facts of run "+run, query+" ORDER BY f.seq"+limit, args...)
}

// factsAtOnce is how many facts one query names; more are read in turns.
const factsAtOnce = 1000

// FactsBySeq loads the named facts of a run, in order of Seq.
func (s *runStore) FactsBySeq(ctx context.Context, run string, seqs []int64) ([]storage.Fact, error) {
	query := factList + " WHERE f.run = $1 AND " + s.dialect.In("f.seq", 2, Int) + " ORDER BY f.seq"
	sorted := slices.Compact(slices.Sorted(slices.Values(seqs)))
	var all []storage.Fact
	for chunk := range slices.Chunk(sorted, factsAtOnce) {
		some, err := list[factRow](ctx, s.database, fmt.Sprintf("load %d facts of run %s", len(seqs), run), query, run, chunk)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// checkFacts refuses facts with a gap among themselves; that they follow on the stored ones is part of the compare-and-set.
func checkFacts(w *storage.RunWrite) error {
	for i, f := range w.Facts {
		want := w.Facts[0].Seq + int64(i)
		if w.Run.Version == 0 {
			want = int64(i) + 1
		}
		if i > 0 {
			want += int64(w.Len() - len(w.Facts))
		}
		if f.Seq != want {
			return fmt.Errorf("write run %s: fact %s has number %d instead of %d", w.Run.ID, f.Kind, f.Seq, want)
		}
	}
	return nil
}

func factRows(run string, list []storage.Fact) (factPart, blobPart Part) {
	rows := make([][]any, len(list))
	var bodies map[string][]byte
	var id any = run
	for i, f := range list {
		body, blob := f.Body, ""
		if len(body) > bigBody {
			sum := sha256.Sum256(body)
			blob = hex.EncodeToString(sum[:])
			if bodies == nil {
				bodies = map[string][]byte{}
			}
			bodies[blob] = body
			body = nil
		}
		rows[i] = []any{id, f.Seq, f.Kind, f.Version, f.At, f.Actor, f.Token, f.Node, f.Step, body, blob}
	}
	var big [][]any
	for hash, body := range bodies {
		big = append(big, []any{hash, body})
	}
	return facts.part(rows), blobs.part(big)
}

// copyFacts gives a new run the facts of another one. Bodies that are kept as blobs are shared.
func copyFacts(w *storage.RunWrite) Part {
	return Part{
		Name: "copied_facts",
		SQL: `INSERT INTO facts (run, seq, kind, version, at, actor, token, node, step, body, blob)
			SELECT new_run, f.seq, f.kind, f.version, f.at, f.actor, f.token, f.node, f.step, f.body, f.blob
			FROM {rows} JOIN facts AS f ON f.run = old_run AND f.seq > 1 AND f.seq <= last_seq`,
		Columns: []Column{{"new_run", Text}, {"old_run", Text}, {"last_seq", Int}}, Rows: [][]any{{w.Run.ID, w.Copy.Run, w.Copy.Last}},
		Must: w.Len() - len(w.Facts), Else: storage.ErrNotFound,
	}
}
