package postgres

import (
	"fmt"
	"strings"

	"sluice/storage/sqlstore"
)

// statement writes the parts as one statement. The transition of a run, shortened:
//
//	WITH runs AS (UPDATE runs SET state = $1, version = version + 1 WHERE id = $2 AND version = $3 RETURNING 1 AS one),
//	facts AS (INSERT INTO facts (run, seq) SELECT run, seq FROM runs AS g, unnest($4::text[], $5::bigint[]) AS v (run, seq)),
//	no_timers AS (DELETE FROM timers WHERE id IN (SELECT id FROM runs AS g, unnest($6::text[]) AS v (id)))
//	SELECT (SELECT count(*) FROM runs)
//
// Without a row from the first part, the others have nothing to insert or delete. The result has the number of rows that each part
// with Must touched, in order.
func statement(parts []sqlstore.Part, guarded bool) (query string, args []any) {
	var with, counts []string
	for i, p := range parts {
		sql := p.SQL
		from := ""
		if i > 0 && guarded {
			from = "p0 AS g, "
		}
		if len(p.Columns) > 0 {
			var source string
			source, args = unnest(p, args)
			sql = strings.Replace(sql, "{rows}", from+source, 1)
		}
		for _, a := range p.Args {
			args = append(args, bind(a))
			sql = strings.Replace(sql, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		if i == 0 || p.Must > 0 {
			sql += " RETURNING 1 AS one"
		}
		if p.Must > 0 {
			counts = append(counts, fmt.Sprintf("(SELECT count(*) FROM p%d)", i))
		}
		with = append(with, fmt.Sprintf("p%d AS (%s)", i, sql))
	}
	if len(counts) == 0 {
		counts = []string{"0"}
	}
	return "WITH " + strings.Join(with, ",\n") + "\nSELECT " + strings.Join(counts, ", "), args
}

// unnest makes rows of arrays, one for each column.
func unnest(p sqlstore.Part, args []any) (source string, all []any) {
	names := make([]string, len(p.Columns))
	arrays := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		values := make([]any, len(p.Rows))
		for j, row := range p.Rows {
			values[j] = row[i]
		}
		args = append(args, array{of: c.Type, values: values})
		names[i] = c.Name
		arrays[i] = fmt.Sprintf("$%d::%s[]", len(args), elements[c.Type].name)
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS v (" + strings.Join(names, ", ") + ")", args
}
