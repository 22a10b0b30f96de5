package audit

import (
	"encoding/csv"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// columns are those of a table of entries.
var columns = []string{"at", "user", "team", "via", "what", "flow", "run", "node", "ref", "detail"}

// Table writes entries as CSV, each as it comes.
type Table struct{ out *csv.Writer }

// NewTable begins a table with its columns.
func NewTable(w io.Writer) (*Table, error) {
	t := &Table{csv.NewWriter(w)}
	return t, t.row(columns)
}

// Write writes an entry.
func (t *Table) Write(e Entry) error {
	return t.row([]string{e.At.UTC().Format(time.RFC3339Nano), e.User, e.Team, e.Via, e.What, e.Flow, e.Run, e.Node, e.Ref, string(e.Detail)})
}

func (t *Table) row(cells []string) error {
	safe := make([]string, len(cells))
	for i, c := range cells {
		safe[i] = cell(c)
	}
	if err := t.out.Write(safe); err != nil {
		return err
	}
	t.out.Flush()
	return t.out.Error()
}

// cell puts an apostrophe before what a spreadsheet would calculate: a cell that begins with =, +, -, @, a tab or a line break, also behind spaces.
func cell(s string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " \u00a0\u3000"))
	if strings.ContainsRune("=+-@\t\r\n|＝＋－＠", first) {
		return "'" + s
	}
	return s
}
