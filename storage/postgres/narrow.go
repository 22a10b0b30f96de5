package postgres

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"sluice/storage/sqlstore"
)

// mostFacts is how many facts a narrow transition stores; there is a statement for each number.
const mostFacts = 4

// narrow is a transition that does what most steps do and nothing else: it moves its run, stores a few facts, and marks a surface stale.
// Its statement takes each value by itself instead of an array for each column, and the facts are what the statement is about instead of
// one more table to count in: the server then needs a third less time for it, the wait for the disk aside. Shortened, it reads:
//
//	WITH p0 AS (UPDATE runs SET state = v.state FROM (VALUES ($1, $2)) AS v (id, state) WHERE runs.id = v.id RETURNING 1)
//	INSERT INTO facts (seq, kind, run) SELECT $4, $5, $3 FROM p0 UNION ALL SELECT $6, $7, $3 FROM p0
type narrow struct {
	lead   []sqlstore.Part // what comes before the facts: the move of the run, and perhaps the surface
	each   sqlstore.Part   // the facts, by the columns in which they differ
	common sqlstore.Part   // one row of the other columns, if the facts agree in them
}

// differing are the columns in which facts of one transition differ.
var differing = []string{"seq", "kind", "node", "step", "body"}

// asNarrow tells whether a write is a narrow transition.
func asNarrow(parts []sqlstore.Part) (narrow, bool) {
	const withoutSurface, withSurface = 2, 3
	if len(parts) != withoutSurface && len(parts) != withSurface {
		return narrow{}, false
	}
	move, facts := parts[0], parts[1]
	if move.Name != "runs" || move.Into != "" || move.Must != 1 || facts.Into != "facts" || len(facts.Rows) > mostFacts {
		return narrow{}, false
	}
	if len(parts) == withSurface && (parts[2].Name != "stale" || len(parts[2].Rows) != 1) {
		return narrow{}, false
	}
	n := narrow{lead: append([]sqlstore.Part{move}, parts[2:]...)}
	n.each, n.common = split(facts)
	return n, true
}

// split takes the columns that the facts have in common out of them; if they do not agree in all of those, none.
func split(facts sqlstore.Part) (each, common sqlstore.Part) {
	each.Rows, common.Rows = make([][]any, len(facts.Rows)), make([][]any, 1)
	for k := range each.Rows {
		each.Rows[k] = make([]any, 0, len(differing))
	}
	for i, c := range facts.Columns {
		if slices.Contains(differing, c.Name) {
			each.Columns = append(each.Columns, c)
			for k, row := range facts.Rows {
				each.Rows[k] = append(each.Rows[k], row[i])
			}
			continue
		}
		common.Columns, common.Rows[0] = append(common.Columns, c), append(common.Rows[0], facts.Rows[0][i])
		for _, row := range facts.Rows[1:] {
			if !equal(row[i], facts.Rows[0][i]) {
				return facts, sqlstore.Part{}
			}
		}
	}
	return each, common
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case []byte:
		b, same := b.([]byte)
		return same && bytes.Equal(a, b)
	case time.Time:
		b, same := b.(time.Time)
		return same && a.Equal(b)
	}
	return a == b
}

// shape tells the statements of narrow transitions apart. There are no more than a few for each number of facts.
func (n narrow) shape() string {
	return string([]byte{byte(len(n.lead)), byte(len(n.each.Rows)), byte(len(n.common.Rows))})
}

func (n narrow) statement() string {
	parameters := 0
	values := func(p sqlstore.Part) [][]string {
		rows := make([][]string, len(p.Rows))
		for i := range rows {
			for _, c := range p.Columns {
				parameters++
				rows[i] = append(rows[i], fmt.Sprintf("$%d::%s", parameters, elements[c.Type].name))
			}
		}
		return rows
	}
	var with []string
	for i, p := range n.lead {
		rows := "(VALUES (" + strings.Join(values(p)[0], ", ") + ")) AS v (" + p.Names() + ")"
		if i > 0 {
			rows = "p0 AS g, " + rows
		}
		sql := strings.Replace(p.SQL, "{rows}", rows, 1)
		for range p.Args {
			parameters++
			sql = strings.Replace(sql, "?", fmt.Sprintf("$%d", parameters), 1)
		}
		with = append(with, fmt.Sprintf("p%d AS (%s RETURNING 1 AS one)", i, sql))
	}
	common := ""
	if len(n.common.Rows) > 0 {
		common = ", " + strings.Join(values(n.common)[0], ", ")
	}
	var facts []string
	for _, row := range values(n.each) {
		facts = append(facts, "SELECT "+strings.Join(row, ", ")+common+" FROM p0")
	}
	names := n.each.Names()
	if common != "" {
		names += ", " + n.common.Names()
	}
	return "WITH " + strings.Join(with, ",\n") + "\nINSERT INTO facts (" + names + ") " + strings.Join(facts, " UNION ALL ")
}

// arguments are the parameters of the statement, in order.
func (n narrow) arguments() ([]any, error) {
	const usually = 48
	args := make([]any, 0, usually)
	for _, p := range append(slices.Clip(n.lead), n.common, n.each) {
		for _, row := range p.Rows {
			for i, c := range p.Columns {
				value, err := single(c.Type, row[i])
				if err != nil {
					return nil, fmt.Errorf("%s.%s: %w", p.Name, c.Name, err)
				}
				args = append(args, value)
			}
		}
		for _, a := range p.Args {
			args = append(args, bind(a))
		}
	}
	return args, nil
}

// apply executes the transition. No facts are stored when the run is not what it was.
func (n narrow) apply(ctx context.Context, stmt *sqlx.Stmt) error {
	args, err := n.arguments()
	if err != nil {
		return err
	}
	done, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return err
	}
	stored, err := done.RowsAffected()
	if err == nil && stored != int64(len(n.each.Rows)) {
		err = n.lead[0].Else
	}
	return err
}
