package audit_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
	"time"

	"sluice/engine/audit"
)

// What a spreadsheet would calculate stays text.
func ExampleTable() {
	t, err := audit.NewTable(os.Stdout)
	if err != nil {
		panic(err)
	}
	err = t.Write(audit.Entry{At: time.Date(2026, time.November, 25, 9, 0, 0, 0, time.UTC), User: "U1", Via: "button", What: "gate_decided", Flow: "refund", Run: "refund-1", Node: "=1+2"})
	if err != nil {
		panic(err)
	}
	// Output:
	// at,user,team,via,what,flow,run,node,ref,detail
	// 2026-11-25T09:00:00Z,U1,,button,gate_decided,refund,refund-1,'=1+2,,
}

// TestNoCellIsAFormula: whatever a text begins with, it comes back as it was, behind an apostrophe at most.
func TestNoCellIsAFormula(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "|x", "plain", "a=b", "", "line\nbreak", `quote "x", comma`} {
		var out strings.Builder
		table, err := audit.NewTable(&out)
		if err == nil {
			err = table.Write(audit.Entry{What: text})
		}
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%q: %v, %q", text, err, out.String())
		}
		got := rows[1][4]
		if got != text && got != "'"+text {
			t.Errorf("%q comes back as %q", text, got)
		}
		if trimmed := strings.TrimLeft(got, " "); trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@\t\r\n|") {
			t.Errorf("%q is written as %q", text, got)
		}
	}
}
