package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

const gateList = `id, run, num, node, kind, status, choice, by_user, opened, due, decided, body, asked`

var (
	gateColumns = []Column{
		{"id", Text},
		{"run", Text},
		{"num", Int},
		{"node", Text},
		{"kind", Text},
		{"status", Text},
		{"choice", Text},
		{"by_user", Text},
		{"opened", Time},
		{"due", Time},
		{"decided", Time},
		{"body", Bytes},
		{"asked", Text},
	}
	gates = table{"gates", gateColumns, replace("id", gateColumns...)}
)

// gateStore has the gates.
type gateStore struct{ *database }

type gateRow struct {
	storage.Gate
	Opened, Due, Decided stamp
}

func (r gateRow) value() storage.Gate {
	r.Gate.Opened, r.Gate.Due, r.Gate.Decided = time.Time(r.Opened), time.Time(r.Due), time.Time(r.Decided)
	return r.Gate
}

// Gate loads a gate by id ("run-id/number").
func (s gateStore) Gate(ctx context.Context, id string) (storage.Gate, error) {
	return one[gateRow](ctx, s.database, "load gate "+id, "SELECT "+gateList+" FROM gates WHERE id = $1", id)
}

// Gates lists gates, newest first.
func (s gateStore) Gates(ctx context.Context, q storage.GateQuery) ([]storage.Gate, error) {
	if q.Asked != nil {
		query := "SELECT " + gateList + " FROM gates WHERE status = 'open' AND " + s.dialect.In("asked", 1, Text) + " ORDER BY opened, id LIMIT $2 OFFSET $3"
		return list[gateRow](ctx, s.database, "list gates that are for somebody", query, q.Asked, atMost(q.Limit), q.Skip)
	}
	where := "$1 = ''"
	if q.Run != "" {
		where = "run = $1"
	}
	if q.Open {
		where += " AND status = 'open'"
	}
	query := "SELECT " + gateList + " FROM gates WHERE " + where + " ORDER BY opened DESC, id DESC LIMIT $2"
	return list[gateRow](ctx, s.database, "list gates", query, q.Run, atMost(q.Limit))
}

// OpenAsked counts the open gates by the people that they are for.
func (s gateStore) OpenAsked(ctx context.Context) ([]storage.AskedCount, error) {
	const query = "SELECT asked, count(*) AS open FROM gates WHERE status = 'open' GROUP BY asked"
	return list[askedRow](ctx, s.database, "count gates by whom they are for", query)
}

type askedRow struct{ storage.AskedCount }

func (r askedRow) value() storage.AskedCount { return r.AskedCount }

func gateRows(run string, list []storage.Gate) Part {
	list = newest(list, func(g storage.Gate) any { return g.ID })
	rows := make([][]any, len(list))
	for i, g := range list {
		rows[i] = []any{
			g.ID, run, g.Num, g.Node, g.Kind, g.Status, g.Choice, g.By, g.Opened, g.Due, g.Decided, g.Body, g.Asked,
		}
	}
	return gates.part(rows)
}
