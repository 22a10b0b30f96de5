package planner_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/change"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// wordsDir holds descriptions and a catalogue by others, beside the project.
const wordsDir = "../../../shared/words"

// maxAnswers is how many answers a draft may need that is made without a model. With one, each question must be about a gap: the
// expectation answers it.
const (
	maxAnswers      = 5
	maxModelAnswers = 25
)

// described is one description by others; what is expected of it stands in testdata/cases.
type described struct {
	ID, Text string
	Rounds   []struct{ Text string }
}

// readCases gives the descriptions and a world with their catalogue, or skips the test where they are missing.
func readCases(t *testing.T) ([]described, env.World) {
	t.Helper()
	dir := cmp.Or(os.Getenv("SLUICE_TEST_WORDS"), wordsDir)
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the descriptions are not in %s: nothing to measure", dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []described
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c described
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	src, err := os.ReadFile(filepath.Join(dir, "actions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.LoadActions("actions.yaml", src, tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out, plannertest.World(tools...)
}

// Outcomes of a description or a change.
const (
	right   = "right"
	asked   = "asked"
	plainNo = "plain no"
	silent  = "WRONG IN SILENCE"
)

// measured is what became of one description or change.
type measured struct {
	id, outcome string
	answers     int
	compared    bool   // a person compared the long text with the draft, besides
	why         string // what differs, or the question that is open
	draft       *tree.Tree
}

// TestCases reads descriptions by others without a model, answers at most five questions as their expectation says, and compares. None may
// differ from what is meant without asking; and no fewer than before may come out right.
func TestCases(t *testing.T) {
	t.Parallel()
	cases, w := readCases(t)
	count := map[string]int{}
	for _, c := range cases {
		for _, m := range measure(t, c, w, outlineReader(w)) {
			compared := ""
			if m.compared {
				compared = " and a comparison"
			}
			t.Logf("%-32s %-18s %d%s  %s", m.id, m.outcome, m.answers, compared, m.why)
			kind := group(m.id)
			count[kind+", "+m.outcome]++
			if m.outcome == silent {
				t.Errorf("%s: %s", m.id, m.why)
			}
		}
	}
	compareCounts(t, "testdata/cases/counts", count)
}

// compareCounts compares a table with the one of before, and writes it anew with -update: no fewer may be right, no more wrong in silence.
func compareCounts(t *testing.T, file string, count map[string]int) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		writeCounts(t, file, count)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		name, was, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.Atoi(was)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if strings.HasSuffix(name, ", "+right) && count[name] < n || strings.HasSuffix(name, ", "+silent) && count[name] > n {
			t.Errorf("%s: %d, and it was %d", name, count[name], n)
		}
	}
	t.Log("\n" + countsText(count))
}

func countsText(count map[string]int) string {
	var out strings.Builder
	for _, kind := range []string{"papers", "templates and processes", "changes of others", "changes of our own"} {
		for _, o := range []string{right, asked, plainNo, silent} {
			fmt.Fprintf(&out, "%s, %s: %d\n", kind, o, count[kind+", "+o])
		}
	}
	return out.String()
}

func writeCounts(t *testing.T, file string, count map[string]int) {
	t.Helper()
	t.Log("\n" + countsText(count))
	if err := os.WriteFile(file, []byte(countsText(count)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// group is the sort of a description or change, by its id.
func group(id string) string {
	of, kind := "templates and processes", "changes of our own"
	if strings.HasPrefix(id, "c2w-") {
		of, kind = "papers", "changes of others"
	}
	if strings.Contains(id, "/") {
		return kind
	}
	return of
}

// reader reads descriptions and changes.
type reader struct {
	draft   func(words string) (*tree.Tree, error)
	change  func(before *tree.Tree, words string) (*tree.Tree, error)
	answers int         // that a draft may need
	stale   func() bool // what was read last is the answer to another request
}

var errUnread = errors.New("not read")

func outlineReader(w env.World) reader {
	return reader{
		answers: maxAnswers,
		draft: func(words string) (*tree.Tree, error) {
			if tr, ok := outline.Read(words, "U1"); ok {
				return tr, nil
			}
			return nil, errUnread
		},
		change: func(before *tree.Tree, words string) (*tree.Tree, error) {
			next, _, err := change.Apply(before, words, "U1")
			if errors.Is(err, change.ErrNone) {
				next, _, err = change.AtEnd(before, words, "U1")
			}
			return next, err
		},
	}
}

// measure reads one description, and then its changes. A follow-up of others goes on from the one before, one of our own from the draft.
func measure(t *testing.T, c described, w env.World, r reader) []measured {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata/cases", c.ID+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := parseExpectation(string(src))
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	p := person{e: e, w: w, most: r.answers}
	first := measured{id: c.ID, outcome: plainNo}
	tr, err := r.draft(c.Text)
	if err == nil {
		first = p.decide(c.ID, tr, func(done *tree.Tree) string { return e.met(done) })
	} else {
		first.why = err.Error()
	}
	out, last := []measured{first}, first.draft
	for i, ch := range e.changes {
		words, before := ch.words, first.draft
		if words == "" {
			words, before = c.Rounds[i].Text, last
		}
		m := measured{id: fmt.Sprintf("%s/%d", c.ID, i+1), outcome: plainNo}
		if before != nil {
			m = p.change(m, before, ch, words, r)
		}
		if m.draft != nil {
			last = m.draft
		}
		out = append(out, m)
	}
	return out
}

// change applies later words to a tree.
func (p person) change(m measured, before *tree.Tree, ch expectedChange, words string, r reader) (got measured) {
	next, err := r.change(before, words)
	if err != nil {
		m.why = err.Error()
		return m
	}
	p.add = ch.add
	defer func() {
		if got.outcome == silent && r.stale != nil && r.stale() {
			got.outcome, got.why = plainNo, "recorded for another draft: "+got.why
		}
	}()
	was := sketch(planner.Plan(before, p.w).Tree)
	open := len(planner.Plan(before, p.w).Questions)
	return p.decideBeside(m.id, next, open, func(done *tree.Tree) string { return ch.changed(was, sketch(done)) })
}
