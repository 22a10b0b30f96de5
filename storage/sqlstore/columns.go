package sqlstore

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// columnName is the column of a field of the contract's structs: RetryAt is retry_at. Two fields have names that SQL reserves.
func columnName(field string) string {
	switch field {
	case "By":
		return "by_user"
	case "User":
		return "user_id"
	}
	var b strings.Builder
	lower := false
	for _, r := range field {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('_')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// stamp reads a time from either database: microseconds in SQLite, a timestamp in Postgres, NULL for the zero time.
type stamp time.Time

// Scan is called by database/sql.
func (s *stamp) Scan(from any) error {
	switch v := from.(type) {
	case nil:
		*s = stamp{}
	case int64:
		*s = stamp(time.UnixMicro(v).UTC())
	case time.Time:
		*s = stamp(v.UTC())
	default:
		return fmt.Errorf("a time cannot be read from %T", from)
	}
	return nil
}

// momentsOut makes one value of a list of times: microseconds in JSON, NULL for none.
func momentsOut(list []time.Time) []byte {
	if len(list) == 0 {
		return nil
	}
	micros := make([]int64, len(list))
	for i, t := range list {
		micros[i] = t.UnixMicro()
	}
	// Numbers always have a JSON form.
	out, _ := json.Marshal(micros)
	return out
}

// moments reads what momentsOut has made.
type moments []time.Time

// Scan is called by database/sql.
func (m *moments) Scan(from any) error {
	*m = nil
	stored, _ := from.([]byte)
	if len(stored) == 0 {
		return nil
	}
	var micros []int64
	if err := json.Unmarshal(stored, &micros); err != nil {
		return fmt.Errorf("a list of times cannot be read from %s: %w", stored, err)
	}
	for _, at := range micros {
		*m = append(*m, time.UnixMicro(at).UTC())
	}
	return nil
}

func names(columns []Column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return strings.Join(list, ", ")
}

// table is how rows are inserted into a table. Its columns stand in the order in which the rows list their values.
type table struct {
	name     string
	columns  []Column
	conflict string // what happens to a row that is there already; empty = an error
}

// replace is the clause that overwrites the row with the same key.
func replace(key string, columns ...Column) string {
	isKey := map[string]bool{}
	for k := range strings.SplitSeq(key, ", ") {
		isKey[k] = true
	}
	var set []string
	for _, c := range columns {
		if !isKey[c.Name] {
			set = append(set, c.Name+" = excluded."+c.Name)
		}
	}
	return fmt.Sprintf("ON CONFLICT (%s) DO UPDATE SET %s", key, strings.Join(set, ", "))
}

// part inserts rows into the table.
func (t table) part(rows [][]any) Part {
	return Part{Name: t.name, Into: t.name, SQL: t.conflict, Columns: t.columns, Rows: rows}
}
