package render

import (
	"fmt"
	"math"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/text"
)

const (
	phoneWidth = 340.0 // of a picture on a phone
	readable   = 9.0   // of a letter there, at least
)

// reader is a canvas that keeps the words.
type reader struct {
	offset []path.Point
	words  []printed
}

// printed is a line of words on a picture, and the package that its letters take.
type printed struct {
	words                    string
	size                     float64
	left, right, top, bottom float64
}

func (r *reader) Path(path.Path, canvas.Ink) {}
func (r *reader) Begin(g canvas.Group)       { r.offset = append(r.offset, g.Offset) }
func (r *reader) End()                       { r.offset = r.offset[:len(r.offset)-1] }

func (r *reader) Text(line string, at path.Point, st text.Style, _ canvas.Colour) {
	for _, o := range r.offset {
		at = at.Add(o)
	}
	r.words = append(r.words, printed{line, st.Size, at.X, at.X + text.Width(line, st), at.Y - .72*st.Size, at.Y + .2*st.Size})
}

// unreadable are the words of a picture that are too small on a phone, outside the picture or on top of others.
func unreadable(t *testing.T, s *scene) (out []string) {
	t.Helper()
	r := &reader{}
	if err := s.draw(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for i, p := range r.words {
		if size := p.size * phoneWidth / s.width; size < readable {
			out = append(out, fmt.Sprintf("%q is %.1f px high", p.words, size))
		}
		if p.left < 0 || p.top < 0 || p.right > s.width || p.bottom > s.height {
			out = append(out, fmt.Sprintf("%q leaves the picture", p.words))
		}
		for _, o := range r.words[:i] {
			if math.Min(p.right, o.right)-math.Max(p.left, o.left) > 1 && math.Min(p.bottom, o.bottom)-math.Max(p.top, o.top) > 1 {
				out = append(out, fmt.Sprintf("%q lies on %q", p.words, o.words))
			}
		}
	}
	return out
}

// branching is a flow of n steps: gates and decisions with an ending beside the way, and in their middle a fork into branches.
func branching(n, branches int) chart.Chart {
	s := newSketch(fmt.Sprintf("A flow of %d steps and %d branches", n, branches))
	s.node("start", "Start", "needs the order and a reason", flow.TypeStart)
	last := "start"
	names := []string{"Look the customer up", "Is the amount known?", "Finance approves", "Tell #support"}
	kinds := []flow.FlowchartType{flow.TypeProcess, flow.TypeDecision, flow.TypeDecision, flow.TypeIO}
	for i := range n - branches - 1 {
		id := fmt.Sprint("s", i)
		s.node(id, names[i%4], "as it was said", kinds[i%4])
		label := ""
		if i%4 == 2 || i%4 == 3 {
			label = []string{"yes, and it is small", "approve"}[i%2]
		}
		s.edge(last, id, label)
		switch i % 4 {
		case 1:
			no := "no" + id
			s.node(no, "Say that it is not known", "", flow.TypeIO).edge(id, no, "no").stub(no)
		case 2:
			s.person(id).onError(id, "start")
		}
		if last = id; i != (n-branches-1)/2 {
			continue
		}
		s.node("join", "Wait for all", "", flow.TypeProcess)
		for k := range branches {
			b := fmt.Sprint("b", k)
			s.node(b, "Branch that does its part", "at the same time", flow.TypeIO).edge(id, b, "").edge(b, "join", "")
		}
		last = "join"
	}
	return s.node("end", "End", "", flow.TypeTerminal).edge(last, "end", "").chart
}

// Whatever the flow, every word can be read where its picture is 340 px wide.
func TestReadableOnAPhone(t *testing.T) {
	t.Parallel()
	all := pictures()
	for n := 5; n <= 15; n++ {
		for branches := 3; branches <= 5 && branches < n-1; branches++ {
			all[fmt.Sprintf("%d steps, %d branches", n, branches)] = Request{Chart: branching(n, branches)}
		}
	}
	for n := 3; n <= 5; n++ {
		all[fmt.Sprint("onboarding ", n)] = Request{Chart: onboarding(n)}
	}
	for name, chart := range examples(t) {
		all["example "+name] = Request{Chart: chart}
	}
	all["tiers"] = Request{Chart: tiers()}
	r := New(patient)
	for name, q := range all {
		s, err := r.scene(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range append(unreadable(t, s), problems(s)...) {
			t.Errorf("%s (%s): %s", name, s.by, problem)
		}
	}
}

// onboarding has n branches of two steps each at the same time.
func onboarding(n int) chart.Chart {
	s := newSketch("Onboarding").
		node("start", "Start", "needs name, start date and team", flow.TypeStart).
		node("fork", "Prepare the first day", "at the same time", flow.TypeSubprocess).edge("start", "fork", "")
	s.node("join", "Wait for all", "", flow.TypeProcess)
	for i, what := range []string{"the laptop", "the accounts", "a desk and a badge", "the payroll", "the welcome lunch"}[:n] {
		a, b := fmt.Sprint("do", i), fmt.Sprint("ok", i)
		s.node(a, "Order "+what, "it.request", flow.TypeIO).node(b, "Check "+what, "asks @it-operations", flow.TypeIO).person(b)
		s.edge("fork", a, "").edge(a, b, "").edge(b, "join", "")
	}
	return s.node("talk", "Talk with the new colleague", "asks the manager", flow.TypeIO).person("talk").
		node("happy", "Anything missing?", "talk.missing", flow.TypeDecision).
		node("fix", "Get what is missing", "", flow.TypeProcess).open("fix").
		node("end", "End", "", flow.TypeTerminal).
		edge("join", "talk", "").edge("talk", "happy", "").edge("happy", "fix", "yes").edge("fix", "talk", "").edge("happy", "end", "no").chart
}

// tiers asks one more person for every tier of an amount.
func tiers() chart.Chart {
	return newSketch("Purchase request with three tiers of approval").
		node("start", "Start", "needs amount and reason", flow.TypeStart).
		node("size", "How much?", "inputs.amount", flow.TypeDecision).
		node("lead", "Team lead approves", "asks @lead", flow.TypeIO).
		node("head", "Head of department approves", "asks @heads", flow.TypeIO).
		node("cfo", "CFO approves", "asks @cfo: is the budget there?", flow.TypeIO).
		node("buy", "Order it", "shop.order", flow.TypeProcess).
		node("tell", "Tell #purchasing", "slack.post_message", flow.TypeIO).
		node("no1", "Tell the requester: not by the lead", "", flow.TypeIO).
		node("no2", "Tell the requester: rejected", "", flow.TypeIO).
		node("no3", "Tell the requester: no budget", "", flow.TypeIO).
		node("end", "End", "", flow.TypeTerminal).
		edge("start", "size", "").edge("size", "lead", "up to 500").edge("size", "head", "up to 5000").edge("size", "cfo", "more").
		edge("lead", "buy", "approve").edge("lead", "no1", "reject").edge("head", "buy", "approve").edge("head", "no2", "reject").
		edge("cfo", "buy", "approve").edge("cfo", "no3", "reject").edge("buy", "tell", "").edge("tell", "end", "").
		person("lead", "head", "cfo").stub("no1", "no2", "no3").chart
}
