package planner

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow/validate"
	"sluice/engine/growth"
	"sluice/engine/planner/env"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// withWords gives a random tree words: each step's text stands in them, and between them words that no step has.
func withWords(tr *tree.Tree, between string) *tree.Tree {
	var b strings.Builder
	tr.Walk(func(s *tree.Step) bool {
		b.WriteString(between)
		from := b.Len()
		b.WriteString(s.Text)
		s.Said = tree.Quote{From: from, To: b.Len()}
		return true
	})
	b.WriteString(between)
	tr.Texts = []tree.Text{{Words: b.String()}}
	return tr
}

// checkPlan plans a tree and fails when the account has gaps, when something is open and approval is not blocked, or when planning the
// tree that came out gives something else.
func checkPlan(t *testing.T, tr *tree.Tree, w env.World) *Proposal {
	t.Helper()
	p := Plan(tr, w)
	covered(t, p)
	if p.Flow != nil {
		for _, problem := range validate.Flow(p.Flow, plannertest.Checks()).Errors() {
			t.Errorf("%s: %s", problem.Code, problem.Message)
		}
	}
	ids := map[string]bool{}
	for _, q := range p.Questions {
		if ids[q.ID] || !strings.HasSuffix(q.Text, "?") || len(q.Options) > 5 || len(q.Options) == 0 && !q.Free {
			t.Errorf("the question is not right: %+v", q)
		}
		ids[q.ID] = true
	}
	if diff := cmp.Diff(withoutInputNotes(p), withoutInputNotes(Plan(p.Tree, w))); diff != "" {
		t.Errorf("the tree that came out is planned as something else:\n%s", diff)
	}
	return p
}

// withoutInputNotes drops the notes of inputs, which are said once, when they are made.
func withoutInputNotes(p *Proposal) []string {
	return slices.DeleteFunc(strings.Split(shown(p), "\n"), func(l string) bool { return strings.HasPrefix(l, "! input:") })
}

func TestPlanRandomTrees(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		w := worldOf()
		if seed%2 == 0 {
			w.Tools = plannertest.Shop().Tools
		}
		checkPlan(t, withWords(plannertest.Random(seed), []string{"", " then ", " and half of 7 cakes, "}[seed%3]), w)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzPlan(f *testing.F) {
	f.Add(uint64(1), "hello, tell #x “a”", 0, 5)
	f.Fuzz(func(t *testing.T, seed uint64, words string, from, to int) {
		tr := withWords(plannertest.Random(seed), words)
		tr.At = []tree.Quote{{From: from, To: to}}
		checkPlan(t, tr, worldOf())
	})
}

// TestAnswerRandom answers questions of random trees by random options until none is left: the questions end, and each answer is taken.
func TestAnswerRandom(t *testing.T) {
	t.Parallel()
	w := worldOf()
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 3))
		tr := withWords(plannertest.Random(seed), " and 7 cakes ")
		p := Plan(tr, w)
		for n := 0; len(p.Questions) > 0; n++ {
			if n > 400 {
				t.Fatalf("seed %d: still open after %d answers: %+v", seed, n, p.Questions[0])
			}
			q := p.Questions[0]
			id, value := "", "17"
			if len(q.Options) > 0 && n < 300 {
				o := q.Options[r.IntN(len(q.Options))]
				id, value = o.ID, valueFor(q, o)
			} else if len(q.Options) > 0 {
				o := q.Options[len(q.Options)-1]
				id, value = o.ID, valueFor(q, o)
			}
			next, err := Answer(tr, w, q.ID, id, value, "U1")
			if err != nil {
				t.Fatalf("seed %d: %s %s %s: %v", seed, q.ID, id, value, err)
			}
			tr = next
			p = checkPlan(t, tr, w)
			if t.Failed() {
				t.Fatalf("seed %d, after %s %s %s", seed, q.ID, id, value)
			}
		}
	}
}

func valueFor(q Question, o Option) string {
	switch {
	case o.ID == optChannel, strings.HasPrefix(q.ID, "name.#"):
		return "#orders"
	case o.Needs == "name":
		return "@bob"
	case len(o.Values) > 0:
		return o.Values[0].Value
	}
	return ""
}

func TestAnswerThatDoesNotCount(t *testing.T) {
	t.Parallel()
	tr := treeOf(t, "release the funds, when a complaint is received, tell @bobb hi", "trigger a complaint is received | at when a complaint is received\ndo release the funds\ntell hi | to @bobb | at tell")
	for _, c := range []struct{ question, option, value, code string }{
		{"s9.doer", "person", "@bob", "stale"},
		{"s1.doer", "input", "", "stale"},
		{"s1.doer", "", "x", "stale"},
		{"s1.doer", "tool", "no.tool", "tool"},
		{"s1.doer", "person", "@nobody", "name"},
		{"s1.doer", "person", "bob", "name"},
		{"trigger.0", "channel", "@bob", "name"},
		{"name.@bobb", "name", "@finance", "name"},
	} {
		_, err := Answer(tr, worldOf(), c.question, c.option, c.value, "U1")
		wrong, ok := errors.AsType[*AnswerError](err)
		if !ok || wrong.Code != c.code || !strings.HasSuffix(wrong.Text, ".") {
			t.Errorf("%v: error %v", c, err)
		}
	}
}

// TestAnswerDeniedTool: a tool that nothing may call cannot be chosen.
func TestAnswerDeniedTool(t *testing.T) {
	t.Parallel()
	w := worldOf()
	for i := range w.Tools {
		if w.Tools[i].Name == "ship.production" {
			w.Tools[i].Policy = tool.Deny
		}
	}
	tr := treeOf(t, "release the funds", "do release the funds")
	if _, err := Answer(tr, w, "s1.doer", optTool, "ship.production", "U1"); err == nil {
		t.Error("a tool whose policy is deny was chosen")
	}
}

// TestRenamed: tools, fields and words that are renamed alike give the same steps and questions.
func TestRenamed(t *testing.T) {
	t.Parallel()
	names := strings.NewReplacer("order", "parcel", "Order", "Parcel", "amount", "weight", "refund", "reship", "Refund", "Reship", "ticket", "memo", "summary", "headline", "shop", "depot")
	words := "get the order. if the amount is over 100 ask @finance to approve it. then refund it and create a ticket \"late\" and tell #support the amount of the order"
	notation := `do get the order
decide | at if
  when > ; the amount ; 100 ; the amount is over 100
    ask approve it | who @finance | at ask ; to
do refund it | at then
do create a ticket "late" | at and
tell the amount of the order | to #support | at and ; tell`
	w := worldOf()
	want := names.Replace(shown(Plan(treeOf(t, words, notation), w)))
	renamed := worldOf()
	renamed.Tools = nil
	for _, tl := range w.Tools {
		tl.Name, tl.Description = names.Replace(tl.Name), names.Replace(tl.Description)
		tl.Words = slices.Clone(tl.Words)
		for i := range tl.Words {
			tl.Words[i] = names.Replace(tl.Words[i])
		}
		tl.Params, tl.Result = renamedSchema(tl.Params, names), renamedSchema(tl.Result, names)
		renamed.Tools = append(renamed.Tools, tl)
	}
	if diff := cmp.Diff(want, shown(Plan(treeOf(t, names.Replace(words), names.Replace(notation)), renamed))); diff != "" {
		t.Errorf("renamed words are planned as something else (-want +got):\n%s", diff)
	}
}

func renamedSchema(v map[string]any, names *strings.Replacer) map[string]any {
	if v == nil {
		return nil
	}
	out := map[string]any{}
	for k, e := range v {
		switch e := e.(type) {
		case map[string]any:
			out[names.Replace(k)] = renamedSchema(e, names)
		case []any:
			var list []any
			for _, x := range e {
				if s, ok := x.(string); ok {
					x = names.Replace(s)
				}
				list = append(list, x)
			}
			out[k] = list
		default:
			out[k] = e
		}
	}
	return out
}

func TestPlanGrowsWithTheWords(t *testing.T) {
	w := worldOf()
	growth.Linear(t, 1024, func(size int) func() {
		tr := &tree.Tree{}
		for range size / 16 {
			for i, text := range []string{"get the order", "tell the amount of the order", "create a ticket \"x\" in project IT", "buy 17 cakes"} {
				tr.Steps = append(tr.Steps, tree.Step{ID: tr.NewID(), Kind: []tree.Kind{tree.Do, tree.Tell, tree.Do, tree.Do}[i], Text: text})
			}
		}
		withWords(tr, ", hello and then 3 more. ")
		return func() { Plan(tr, w) }
	})
}

func TestAccountGrowsWithTheWords(t *testing.T) {
	w := worldOf()
	growth.Texts(t, 1<<13, func(text string) {
		Plan(&tree.Tree{Texts: []tree.Text{{Words: text}}, Steps: []tree.Step{{ID: "s1", Kind: tree.Tell, Text: text, Said: tree.Quote{To: len(text) / 2}}}}, w)
	})
}
