package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
)

func TestInWords(t *testing.T) {
	t.Parallel()
	r := New(patient)
	after, diff := changed()
	var b strings.Builder
	for _, part := range []struct{ name, text string }{
		{"alt of a draft", r.Alt(Request{Chart: approval()})},
		{"alt of a run", r.Alt(Request{Chart: approval(), Overlay: live()})},
		{"alt of a difference", r.Alt(Request{Chart: after, Diff: diff})},
		{"alt of odd words", r.Alt(Request{Chart: words()})},
		{"DOT", r.DOT(words())},
		{"Mermaid", r.Mermaid(words())},
		{"alt of open steps", r.Alt(Request{Chart: openSteps()})},
		{"DOT of open steps", r.DOT(openSteps())},
		{"Mermaid of open steps", r.Mermaid(openSteps())},
	} {
		fmt.Fprintf(&b, "-- %s --\n%s\n", part.name, strings.TrimRight(part.text, "\n"))
	}
	compareGolden(t, "words.txtar", b.String())
}

func TestAltIsShortEnoughForSlack(t *testing.T) {
	t.Parallel()
	endless := chart.Chart{Title: strings.Repeat("長", 5000), Nodes: []chart.Node{{ID: "a"}}}
	for _, p := range []chart.Chart{stages(5), endless, words()} {
		alt := New(patient).Alt(Request{Chart: p})
		if n := utf8.RuneCountInString(alt); n > altLimit || n == 0 {
			t.Errorf("the alt text of %.20q has %d characters", p.Title, n)
		}
	}
	if alt := New(patient).Alt(Request{Chart: stages(5)}); !strings.Contains(alt, " more.") {
		t.Error("a shortened alt text does not say what it leaves out")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	node := chart.Node{ID: "a", Name: "A", Type: flow.TypeProcess}
	for name, c := range map[string]struct {
		chart chart.Chart
		want  string
	}{
		"no nodes":   {chart.Chart{}, "no steps"},
		"twice":      {chart.Chart{Nodes: []chart.Node{node, node}}, `two nodes with the id "a"`},
		"loose edge": {chart.Chart{Nodes: []chart.Node{node}, Edges: []chart.Edge{{ID: "e", From: "a", To: "b"}}}, `names "b"`},
	} {
		_, err := New(patient).PNG(t.Context(), Request{Chart: c.chart})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(patient).SVG(ctx, Request{Chart: approval()}); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err) // a layout that was quicker than the cancellation is fine
	}
}

func TestUnknownTypeIsDrawnAsProcess(t *testing.T) {
	t.Parallel()
	odd, plain := linear(), linear()
	odd.Nodes[2].Type = "teapot"
	plain.Nodes[2].Type = flow.TypeProcess
	r := New(patient)
	a, err1 := r.SVG(t.Context(), Request{Chart: odd})
	b, err2 := r.SVG(t.Context(), Request{Chart: plain})
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("an unknown type is not drawn as a process (%v, %v)", err1, err2)
	}
}

func TestStatesDoNotMoveTheChart(t *testing.T) {
	t.Parallel()
	r := New(patient)
	a, err := r.chart(t.Context(), incident(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.PNG(t.Context(), Request{Chart: incident(), Overlay: states(), Theme: Dark, Scale: 1}); err != nil {
		t.Fatal(err)
	}
	if b, err := r.chart(t.Context(), incident(), nil); err != nil || a != b {
		t.Errorf("a picture of a known chart was laid out again (%v)", err)
	}
	if n := len(r.charts.entries); n != 1 {
		t.Errorf("%d charts are kept for one chart", n)
	}
}

func TestOldChartsAreForgotten(t *testing.T) {
	t.Parallel()
	r := New(Options{Charts: 3, Patience: patient.Patience})
	for i := range 6 {
		p := linear()
		p.Nodes[0].Name = strings.Repeat("x", i+1)
		if _, err := r.SVG(t.Context(), Request{Chart: p}); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.charts.entries) != 3 || r.charts.order.Len() != 3 {
		t.Errorf("%d charts are kept, want 3", len(r.charts.entries))
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	const people, rounds = 16, 3
	r := New(Options{Charts: 4, Patience: patient.Patience})
	want := map[uint64][]byte{}
	for seed := range uint64(6) {
		b, err := New(patient).SVG(t.Context(), Request{Chart: randomChart(seed)})
		if err != nil {
			t.Fatal(err)
		}
		want[seed] = b
	}
	var wg sync.WaitGroup
	for i := range people {
		wg.Go(func() {
			for k := range rounds {
				seed := uint64(i+k) % 6
				got, err := r.SVG(t.Context(), Request{Chart: randomChart(seed)})
				if err != nil || !bytes.Equal(got, want[seed]) {
					t.Errorf("seed %d: another picture than alone (%v)", seed, err)
				}
			}
			if _, err := r.PNG(t.Context(), Request{Chart: randomChart(uint64(i % 6)), Scale: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestCompare(t *testing.T) {
	t.Parallel()
	after, got := changed()
	want := &Diff{
		Added: []string{"log"}, Changed: []string{"over"},
		RemovedNodes: []chart.Node{approval().Nodes[5]},
		AddedEdges:   []string{"e6", "e7"}, ChangedEdges: []string{"e5"},
		RemovedEdges: []chart.Edge{{ID: "e6", From: "refund", To: "tell"}, {ID: "e7", From: "tell", To: "end"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !Compare(after, after).Empty() || got.Empty() {
		t.Error("Empty is wrong")
	}
	renumbered := approval()
	for i := range renumbered.Nodes {
		renumbered.Nodes[i].Number += "a"
	}
	if !Compare(approval(), renumbered).Empty() {
		t.Error("a number alone is no change")
	}
}

func TestTooltipsAndLinks(t *testing.T) {
	t.Parallel()
	p := approval()
	p.Nodes[1].Tools, p.Nodes[1].Criteria = []string{"shop.get_order", "shop.find"}, []string{"the order exists", "\x00"}
	p.Nodes[1].Link = "https://example.com/flows/order?a=1&b=2"
	p.Nodes[2].Link, p.Nodes[3].Link, p.Nodes[4].Link = "javascript:alert(1)", "//example.com", "data:text/html,x"
	p.Nodes[5].Link = "#page-2"
	svg, err := New(patient).SVG(t.Context(), Request{Chart: p})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Tools: shop.get_order, shop.find&#xA;Criteria: the order exists<", `<a href="https://example.com/flows/order?a=1&amp;b=2">`, `<a href="#page-2">`,
	} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(string(svg), "<a "); n != 2 || n != strings.Count(string(svg), "</a>") {
		t.Errorf("%d links, want 2: nothing may lead to a script or to an address without a scheme", n)
	}
	if err := wellFormed(svg); err != nil {
		t.Error(err)
	}
	with := approval()
	with.Nodes[1].Tools = []string{"shop.get_order"}
	if d := Compare(approval(), with); !slices.Equal(d.Changed, []string{"order"}) {
		t.Errorf("another tool is no change: %+v", d)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	r := New(patient)
	q := Request{Chart: approval(), Overlay: dry()}
	svg, err := r.SVG(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">Flowchart / dry run<", ">4 of 6 steps would run<", ">would run<", "would be taken", "40 &gt; 100 is false"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if alt := r.Alt(q); !strings.Contains(alt, "Flowchart of a dry run: Refund.") || !strings.Contains(alt, "2 to 4 if No, would be taken") {
		t.Errorf("the words do not say it: %s", alt)
	}
}

func TestLegible(t *testing.T) {
	t.Parallel()
	r := New(patient)
	after, diff := changed()
	for name, c := range map[string]struct {
		request Request
		want    []string
	}{
		"draft": {Request{Chart: approval()}, []string{">Draft / planning<", ">6 steps<", "1. Get the order (input / output)"}},
		"live": {
			Request{Chart: approval(), Overlay: live()},
			[]string{">Flowchart / live<", ">2 of 6 steps complete · 1 waiting<", "node person waiting", `class="edge taken"`, "250 &gt; 100"},
		},
		"diff": {Request{Chart: after, Diff: diff}, []string{`io removed"`, `database added"`, `decision changed"`, ">~ reject<", "3 added · 3 removed · 2 changed"}},
		"loop": {Request{Chart: loop()}, []string{`class="edge back"`, `class="edge error"`, ">on error<", "stroke-dasharray"}},
	} {
		svg, err := r.SVG(t.Context(), c.request)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(string(svg), w) {
				t.Errorf("%s: %q is missing", name, w)
			}
		}
	}
	if svg, _ := r.SVG(t.Context(), Request{Chart: words()}); bytes.Contains(svg, []byte("<script")) || bytes.ContainsRune(svg, 0) {
		t.Error("words are not escaped")
	}
}

// openSteps is a short draft in which a step and a person's step need an answer, with an ending beside the way.
func openSteps() chart.Chart {
	p := newSketch("Close the books").
		node("start", "Start", "", flow.TypeStart).
		node("book", "Book the entries", "with which tool?", flow.TypeProcess).
		node("check", "Somebody checks them", "", flow.TypeIO).
		node("no", "Tell the requester", "", flow.TypeIO).
		node("end", "End", "", flow.TypeTerminal).
		edge("start", "book", "").edge("book", "check", "").edge("check", "end", "ok").edge("check", "no", "not ok").
		person("check").stub("no").open("book", "check").chart
	p.Nodes[2].Number, p.Nodes[3].Number = "2a", ""
	return p
}

func TestPeopleStubsAndOpenSteps(t *testing.T) {
	t.Parallel()
	svg, err := New(patient).SVG(t.Context(), Request{Chart: openSteps()})
	if err != nil {
		t.Fatal(err)
	}
	s := string(svg)
	for _, want := range []string{`class="node process open"`, `class="node person open"`, `class="node terminal stub"`, ">2a<", "2a. Somebody checks them (by a person)"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(s, ">needs an answer<"); n != 2 {
		t.Errorf("%d steps need an answer, want 2", n)
	}
	if strings.Contains(s, `class="legend"`) {
		t.Error("a draft without states has a legend")
	}
}

// The legend explains states and marks, no shapes and lines, and the badge of a run that is over says how it ended.
func TestLegendAndBadge(t *testing.T) {
	t.Parallel()
	for state, want := range map[State]string{
		Complete: "Done", Rejected: "Rejected", Error: "Failed", Cancelled: "Stopped", TimedOut: "Timed out", Running: "Flowchart / live", Waiting: "Flowchart / live",
	} {
		svg, err := New(patient).SVG(t.Context(), Request{Chart: loop(), Overlay: &Overlay{
			Header: state, Nodes: map[string]NodeStatus{"draft": {State: Complete}}, Taken: map[string]Taken{"e0": {Count: 1}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		head, legend, _ := strings.Cut(string(svg), `<g class="legend">`)
		if !strings.Contains(head, ">"+want+"<") {
			t.Errorf("%s: the badge does not say %q", state, want)
		}
		if n := strings.Count(legend, "<text"); n != 1 || !strings.Contains(legend, ">complete<") {
			t.Errorf("%s: the legend explains %d signs, want the one of complete: %s", state, n, legend)
		}
	}
}

// TestAnApprovedVersionIsNoDraft: its picture and the words for it say so.
func TestAnApprovedVersionIsNoDraft(t *testing.T) {
	t.Parallel()
	for version, want := range map[int][2]string{0: {">Draft / planning<", "Draft flowchart: "}, 3: {">Approved / version 3<", "Flowchart of version 3: "}} {
		q := Request{Chart: loop(), Version: version}
		svg, err := New(patient).SVG(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(svg), want[0]) || !strings.HasPrefix(New(patient).Alt(q), want[1]) {
			t.Errorf("version %d: %s\n%.200s", version, New(patient).Alt(q), svg)
		}
	}
}

// TestStepsAreCountedByTheirNumbers: several nodes can be one step. It is done when none of them is at work.
func TestStepsAreCountedByTheirNumbers(t *testing.T) {
	t.Parallel()
	c := chart.Chart{Nodes: []chart.Node{{ID: "start"}, {ID: "ask", Number: "1"}, {ID: "tell", Number: "1"}, {ID: "go", Number: "2"}, {ID: "end"}}}
	for _, tt := range []struct {
		states map[string]NodeStatus
		want   string
	}{
		{nil, "2 steps"},
		{map[string]NodeStatus{"start": {State: Complete}, "ask": {State: Complete}, "tell": {State: Running}}, "0 of 2 steps complete · 1 running"},
		{map[string]NodeStatus{"ask": {State: Complete}, "tell": {State: Skipped}, "go": {State: Complete}}, "2 of 2 steps complete"},
	} {
		q := Request{Chart: c}
		if tt.states != nil {
			q.Overlay = &Overlay{Nodes: tt.states}
		}
		if got := q.subtitle(); got != tt.want {
			t.Errorf("%v are counted as %q, want %q", tt.states, got, tt.want)
		}
	}
	for i := range c.Nodes {
		c.Nodes[i].Number = ""
	}
	if got := (Request{Chart: c}).subtitle(); got != "5 steps" {
		t.Errorf("without numbers there are %q", got)
	}
}
