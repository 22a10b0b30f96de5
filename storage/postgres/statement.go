package postgres

import (
	"fmt"
	"strings"
	"sync"

	"sluice/storage/sqlstore"
)

// texts remembers the statements that were written: there are as many as kinds of batches, whatever the number of their rows.
type texts struct{ byShape sync.Map } // string -> string

// of returns the statement of the parts.
func (t *texts) of(parts []sqlstore.Part, guarded bool) string {
	var shape strings.Builder
	for _, p := range parts {
		shape.WriteString(p.Into)
		shape.WriteString(p.SQL)
		if p.Must > 0 {
			shape.WriteByte('!')
		}
		if p.Of != nil {
			shape.WriteByte('*')
		}
	}
	if guarded {
		shape.WriteByte('&')
	}
	return t.known(shape.String(), func() string { return statement(parts, guarded) })
}

// ofNarrow returns the statement of a narrow transition.
func (t *texts) ofNarrow(n narrow) string { return t.known(n.shape(), n.statement) }

func (t *texts) known(shape string, write func() string) string {
	if known, ok := t.byShape.Load(shape); ok {
		return known.(string)
	}
	text := write()
	t.byShape.Store(shape, text)
	return text
}

// statement writes the parts as one statement. The transition of a run, shortened:
//
//	WITH p0 AS (UPDATE runs SET state = $1, version = version + 1 WHERE id = $2 AND version = $3 RETURNING 1 AS one),
//	p1 AS (INSERT INTO facts (run, seq) SELECT run, seq FROM p0 AS g, unnest($4::text[], $5::bigint[]) AS v (run, seq)),
//	p2 AS (DELETE FROM timers WHERE id IN (SELECT id FROM p0 AS g, unnest($6::text[]) AS v (id)))
//	SELECT (SELECT count(*) FROM p0)
//
// A group of transitions is the same statement with a column more: the number of the transition that a row belongs to, by which the
// rows are joined to those that the first part has found. Its result has the numbers of these.
//
// Without a row from the first part, the others have nothing to insert or delete. The result has the number of rows that each part
// with Must touched, in order.
func statement(parts []sqlstore.Part, guarded bool) string {
	var with, counts []string
	parameters := 0
	for i, p := range parts {
		sql := p.SQL
		if p.Into != "" {
			sql = fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM {rows} %s", p.Into, p.Names(), p.Names(), p.SQL)
		}
		if len(p.Columns) > 0 {
			rows := unnest(p, parameters)
			switch {
			case i > 0 && p.Of != nil:
				rows = "p0 AS g JOIN " + rows + " ON v.of_write = g.of_write"
			case i > 0 && guarded:
				rows = "p0 AS g, " + rows
			}
			sql = strings.Replace(sql, "{rows}", rows, 1)
			parameters += len(p.Columns)
			if p.Of != nil {
				parameters++
			}
		}
		for range p.Args {
			parameters++
			sql = strings.Replace(sql, "?", fmt.Sprintf("$%d", parameters), 1)
		}
		switch {
		case i == 0 && p.Of != nil:
			sql += " RETURNING v.of_write"
		case i == 0 || p.Must > 0:
			sql += " RETURNING 1 AS one"
		}
		if p.Must > 0 && p.Of == nil {
			counts = append(counts, fmt.Sprintf("(SELECT count(*) FROM p%d)", i))
		}
		with = append(with, fmt.Sprintf("p%d AS (%s)", i, sql))
	}
	if parts[0].Of != nil {
		return "WITH " + strings.Join(with, ",\n") + "\nSELECT of_write FROM p0"
	}
	if len(counts) == 0 {
		counts = []string{"0"}
	}
	return "WITH " + strings.Join(with, ",\n") + "\nSELECT " + strings.Join(counts, ", ")
}

// unnest makes rows of arrays, one for each column; their parameters come after the first ones.
func unnest(p sqlstore.Part, first int) string {
	arrays := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		arrays[i] = fmt.Sprintf("$%d::%s[]", first+i+1, elements[c.Type].name)
	}
	names := p.Names()
	if p.Of != nil {
		arrays = append(arrays, fmt.Sprintf("$%d::bigint[]", first+len(arrays)+1))
		names += ", of_write"
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS v (" + names + ")"
}

// arguments are the parameters of the statement, in order.
func arguments(parts []sqlstore.Part) ([]any, error) {
	var args []any
	for _, p := range parts {
		for i, c := range p.Columns {
			encoded, err := array(c.Type, p.Rows, i)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", p.Name, c.Name, err)
			}
			args = append(args, encoded)
		}
		if p.Of != nil {
			args = append(args, numbers(p.Of))
		}
		for _, a := range p.Args {
			args = append(args, bind(a))
		}
	}
	return args, nil
}
