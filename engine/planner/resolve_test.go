package planner

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/planner/account"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// toolOf declares a tool of a test: parameters with ! are required, a type stands behind a colon.
func toolOf(name, description, words, params, result string, effects flow.Effects) tool.Tool {
	t := tool.Tool{Name: name, Description: description, Effects: effects}
	if words != "" {
		t.Words = strings.Split(words, ", ")
	}
	t.Params = schemaOf(params)
	if result != "" {
		t.Result = schemaOf(result)
	}
	return t
}

func schemaOf(list string) map[string]any {
	props, required := map[string]any{}, []any{}
	for f := range strings.FieldsSeq(list) {
		f, needed := strings.CutSuffix(f, "!")
		name, typ, ok := strings.Cut(f, ":")
		if !ok {
			typ = "string"
		}
		s := map[string]any{"type": typ}
		if before, values, is := strings.Cut(typ, "="); is {
			s["type"] = before
			var enum []any
			for v := range strings.SplitSeq(values, "/") {
				enum = append(enum, v)
			}
			s["enum"] = enum
		}
		if inner, is := strings.CutPrefix(typ, "array/"); is {
			s["type"], s["items"] = "array", schemaOf(strings.ReplaceAll(inner, "/", " "))
		}
		props[name] = s
		if needed {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": props, "required": required}
}

func catalogueOf() []tool.Tool {
	return []tool.Tool{
		tool.PostMessage(nil),
		toolOf("shop.get_order", "Get an order from the shop", "get order, look up order", "order_id!", "order_id amount:number status:string=open/shipped customer late:boolean", flow.EffectsRead),
		toolOf("shop.refund", "Refund an order", "refund, refund it", "order_id! amount:number", "refund_id", flow.EffectsOnce),
		toolOf("desk.create_ticket", "Create a ticket", "create ticket, open a ticket", "summary! project priority assignee", "ticket_id url", flow.EffectsOnce),
		toolOf("desk.list_tickets", "List open tickets", "list tickets, list open tickets", "project", "tickets:array/ticket_id/summary count:integer", flow.EffectsRead),
		toolOf("desk.close_ticket", "Close a ticket", "close ticket", "ticket_id!", "", flow.EffectsIdempotent),
		toolOf("ship.production", "Deploy to production", "deploy to production, release", "version!", "status", flow.EffectsOnce),
		toolOf("host.check", "Check a host", "check host", "host!", "cpu:number healthy:boolean", flow.EffectsRead),
		toolOf("host.restart", "Restart a host", "restart host, restart it", "host!", "", flow.EffectsIdempotent),
		toolOf("text.sum", "Summarize a text", "summarize", "text!", "summary", flow.EffectsRead),
		toolOf("web.fetch", "Fetch a page", "", "url!", "body", flow.EffectsRead),
		toolOf("http.post", "Send an HTTP POST request to an address.", "call webhook, send to address", "url!", "status:integer", flow.EffectsOnce),
		toolOf("one.copy", "Copy a file", "copy file", "file!", "", flow.EffectsIdempotent),
		toolOf("two.copy", "Copy a file", "copy file", "file!", "", flow.EffectsIdempotent),
	}
}

func worldOf() env.World {
	kinds := map[string]string{"@finance": "group", "@ann": "user", "@bob": "user", "#orders": "channel", "#support": "channel", "@leads": "group"}
	return env.World{
		Tools: catalogueOf(), Author: "@ann", Channel: "#orders", Model: true, Flows: []string{"onboarding"},
		Kind:  func(name string) string { return kinds[name] },
		Names: func(string) []string { return []string{"@bob", "@ann"} },
	}
}

// treeOf reads the notation of a test: one element per line, steps below others indented, attributes behind bars. The text behind the kind
// is found in the words.
type treeReader struct {
	t    *testing.T
	tree *tree.Tree
	used []tree.Quote
}

func treeOf(t *testing.T, words, notation string) *tree.Tree {
	t.Helper()
	r := &treeReader{t: t, tree: &tree.Tree{Texts: []tree.Text{{Words: strings.TrimSuffix(words, "\n")}}}}
	lines := strings.Split(strings.TrimRight(notation, "\n"), "\n")
	r.tree.Steps = r.steps(&lines, 0)
	return r.tree
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func (r *treeReader) find(words string) tree.Quote {
	text := r.tree.Texts[0].Words
	for from := 0; ; {
		q, ok := r.tree.Find(0, from, words)
		if !ok {
			r.t.Fatalf("the words have no further %q", words)
		}
		whole := (q.To == len(text) || !english.WordRune(english.Before(text+" ", q.To+1)) || !english.WordRune(english.Before(text, q.To))) && (q.From == 0 || !english.WordRune(english.Before(text, q.From)))
		if whole && !slices.ContainsFunc(r.used, func(u tree.Quote) bool { return q.From < u.To && u.From < q.To }) {
			r.used = append(r.used, q)
			return q
		}
		from = q.From + 1
	}
}

func (r *treeReader) steps(lines *[]string, depth int) []tree.Step {
	var out []tree.Step
	for len(*lines) > 0 && indent((*lines)[0]) >= depth && (*lines)[0] != "" {
		parts := strings.Split(strings.TrimSpace((*lines)[0]), " | ")
		*lines = (*lines)[1:]
		kind, text, _ := strings.Cut(parts[0], " ")
		attr := map[string]string{}
		for _, p := range parts[1:] {
			k, v, _ := strings.Cut(p, " ")
			attr[k] = v
		}
		switch kind {
		case "trigger", "cron", "input":
			r.whole(kind, text, attr)
			continue
		}
		s := tree.Step{ID: r.tree.NewID(), Kind: tree.Kind(kind), Text: text}
		if text != "" {
			s.Said = r.find(text)
		}
		r.attributes(&s, attr)
		for len(*lines) > 0 && indent((*lines)[0]) > depth {
			r.branch(&s, lines, depth+2)
		}
		out = append(out, s)
	}
	return out
}

func (r *treeReader) whole(kind, text string, attr map[string]string) {
	var at []tree.Quote
	if attr["at"] != "" {
		at = []tree.Quote{r.find(attr["at"])}
	}
	switch kind {
	case "trigger":
		r.tree.Triggers = append(r.tree.Triggers, tree.Trigger{Words: text, At: at})
	case "cron":
		r.tree.Triggers = append(r.tree.Triggers, tree.Trigger{Cron: text, At: at})
	case "input":
		r.tree.Inputs = append(r.tree.Inputs, tree.Input{Name: text, Type: attr["type"], At: at})
	}
}

func (r *treeReader) attributes(s *tree.Step, attr map[string]string) {
	for q := range strings.SplitSeq(attr["at"], " ; ") {
		if q != "" {
			s.At = append(s.At, r.find(q))
		}
	}
	for n := range strings.SplitSeq(attr["who"], " ; ") {
		if n != "" {
			s.Who = append(s.Who, tree.Name{Words: n, At: r.find(n)})
		}
	}
	for n := range strings.SplitSeq(attr["to"], " ; ") {
		if n != "" {
			s.To = append(s.To, tree.Name{Words: n, At: r.find(n)})
		}
	}
	if attr["over"] != "" {
		s.Over = tree.Value{Words: attr["over"], At: r.find(attr["over"])}
	}
	if attr["choices"] != "" {
		s.Choices = strings.Split(attr["choices"], ",")
	}
	s.As, s.Result, s.For = attr["as"], attr["result"], attr["for"]
	if attr["within"] != "" {
		s.Deadline = &tree.Deadline{After: attr["within"]}
	}
}

// branch reads "when OP ; LEFT ; RIGHT ; WORDS", "else", "choice X" or "branch" and the steps below it.
func (r *treeReader) branch(s *tree.Step, lines *[]string, depth int) {
	head := strings.TrimSpace((*lines)[0])
	*lines = (*lines)[1:]
	b := tree.Branch{Else: head == "else"}
	if c, ok := strings.CutPrefix(head, "choice "); ok {
		b.Choice = c
	}
	if w, ok := strings.CutPrefix(head, "when "); ok {
		part := strings.Split(w, ";")
		for i := range part {
			part[i] = strings.TrimSpace(part[i])
		}
		b.When = &tree.Cond{Op: strings.TrimPrefix(part[0], "?"), Left: tree.Value{Words: part[1]}, Words: part[3], At: []tree.Quote{r.find(part[3])}}
		if n, ok := english.ParseNumber(part[2]); ok {
			b.When.Right = tree.Value{Words: part[2], Literal: n}
		} else {
			b.When.Right.Words = part[2]
		}
	}
	b.Steps = r.steps(lines, depth+2)
	s.Branches = append(s.Branches, b)
}

// shown writes what a proposal is, for golden files.
func shown(p *Proposal) string {
	var b strings.Builder
	p.Tree.Walk(func(s *tree.Step) bool {
		fmt.Fprintf(&b, "%s %s %s", s.ID, s.Kind, s.Text)
		if s.Doer != "" {
			fmt.Fprintf(&b, " | %s %s", s.Doer, s.Tool)
		}
		for _, v := range s.Params {
			fmt.Fprintf(&b, " | %s=%s", v.Name, valueText(v.Value))
		}
		for _, n := range append(slices.Clone(s.Who), s.To...) {
			fmt.Fprintf(&b, " | %s -> %s%s", n.Words, n.Is, refShown(n.Ref))
		}
		for _, v := range s.Parts {
			fmt.Fprintf(&b, " | part %s", valueText(v))
		}
		if s.Over.Words != "" {
			fmt.Fprintf(&b, " | over %s", valueText(s.Over))
		}
		for i := range s.Branches {
			if c := s.Branches[i].When; c != nil {
				fmt.Fprintf(&b, " | when %s %s %s", valueText(c.Left), c.Op, valueText(c.Right))
			}
		}
		b.WriteString("\n")
		return true
	})
	for _, in := range p.Tree.Inputs {
		fmt.Fprintf(&b, "input %s %s\n", in.Name, in.Type)
	}
	for _, q := range p.Questions {
		fmt.Fprintf(&b, "? %s: %s\n ", q.ID, q.Text)
		for _, o := range q.Options {
			fmt.Fprintf(&b, " [%s", o.Label)
			for _, c := range o.Values[:min(2, len(o.Values))] {
				fmt.Fprintf(&b, " / %s", c.Label)
			}
			b.WriteString("]")
		}
		if q.Free {
			b.WriteString(" or words")
		}
		b.WriteString("\n")
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "! %s: %s\n", n.Code, n.Text)
	}
	for _, c := range p.Account {
		fmt.Fprintf(&b, "%s %s %q\n", c.State, c.Step, p.Tree.Words(c.Quote))
	}
	return b.String()
}

func refShown(r tree.Ref) string {
	if r == (tree.Ref{}) {
		return ""
	}
	return "{" + refText(r) + "}"
}

func valueText(v tree.Value) string {
	if v.Literal != nil {
		b, _ := json.Marshal(v.Literal)
		return string(b)
	}
	if v.Open() {
		return "?" + v.Words
	}
	return refShown(v.Ref)
}

// TestResolve plans the trees of testdata/resolve, gives the answers, and compares what comes out.
func TestResolve(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/resolve/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: a.Comment}
			for i := 0; i+1 < len(a.Files); i++ {
				if a.Files[i].Name == "words" {
					got.Files = append(got.Files, resolved(t, a.Files[i:])...)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); diff != "" {
				t.Errorf("differs from the golden file (-want +got):\n%s", diff)
			}
		})
	}
}

// resolved is one case: words, tree, perhaps answers ("question option value" by line), and what comes out.
func resolved(t *testing.T, files []txtar.File) []txtar.File {
	t.Helper()
	out := slices.Clone(files[:2])
	tr := treeOf(t, string(files[0].Data), string(files[1].Data))
	if len(files) > 2 && files[2].Name == "answers" {
		out = append(out, files[2])
		for line := range strings.Lines(string(files[2].Data)) {
			part := append(strings.SplitN(strings.TrimSpace(line), " ", 3), "", "")
			if part[1] == "-" {
				part[1] = ""
			}
			next, err := Answer(tr, worldOf(), part[0], part[1], part[2], "U1")
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			tr = next
		}
	}
	p := Plan(tr, worldOf())
	covered(t, p)
	return append(out, txtar.File{Name: "out", Data: []byte(shown(p))})
}

// covered fails when the clauses do not hold every letter of the texts exactly once, in order.
func covered(t *testing.T, p *Proposal) {
	t.Helper()
	ends := make([]int, len(p.Tree.Texts))
	for _, c := range p.Account {
		if c.Quote.From != ends[c.Quote.Text] || c.Quote.To <= c.Quote.From {
			t.Errorf("the clause %+v begins elsewhere than at %d", c, ends[c.Quote.Text])
		}
		if !slices.Contains([]account.State{account.Became, account.Asked, account.Courtesy, account.LeftOut, account.NotUnderstood}, c.State) {
			t.Errorf("the clause %+v has no state", c)
		}
		ends[c.Quote.Text] = c.Quote.To
	}
	for i, text := range p.Tree.Texts {
		if ends[i] != len(text.Words) {
			t.Errorf("the clauses of text %d end at %d of %d", i, ends[i], len(text.Words))
		}
	}
	not := slices.ContainsFunc(p.Account, func(c account.Clause) bool { return c.State == account.NotUnderstood })
	if not && !slices.ContainsFunc(p.Questions, func(q Question) bool { return q.Kind == "clause" }) {
		t.Error("words are not understood, and nothing is asked about them")
	}
	if open := slices.Collect(maps.Keys(p.Open)); len(open) > 0 && !p.Blocked() {
		t.Errorf("the steps %v are open, and approval is not blocked", open)
	}
}

// TestAnAnswerThatIsDecidedOn: a question with a form offers the answer that a condition behind it asks for; an answer that a question does
// not have is asked about.
func TestAnAnswerThatIsDecidedOn(t *testing.T) {
	t.Parallel()
	ask := tree.Step{ID: "s1", Kind: tree.Ask, Text: "the refund", Who: []tree.Name{{Words: "@finance", Is: "@finance"}}, Fields: []tree.Field{{Name: "reason"}}}
	for answer, c := range map[string]struct {
		choices []string
		want    string
	}{
		"reject":    {nil, "approve, reject"},
		"send back": {nil, "approve, reject, send back"},
		"later":     {[]string{"yes", "no"}, "yes, no"},
	} {
		ask.Choices = c.choices
		when := &tree.Cond{Op: "==", Words: "so", Left: tree.Value{Ref: tree.Ref{Step: "s1"}}, Right: tree.Value{Literal: answer}}
		p := Plan(&tree.Tree{Steps: []tree.Step{ask, {ID: "s2", Kind: tree.Decide, Branches: []tree.Branch{{When: when, Steps: []tree.Step{{ID: "s3", Kind: tree.Tell, Text: "no luck"}}}}}}}, worldOf())
		gate, ok := p.Flow.Node(p.Nodes["s1"][0]).Spec.(*flow.ApprovalSpec)
		if !ok || strings.Join(gate.Choices, ", ") != c.want {
			t.Errorf("%s: the question is %+v", answer, gate)
		}
		if open := p.Open["s2"]; open != (c.choices != nil) {
			t.Errorf("%s: the condition is open: %v", answer, open)
		}
	}
}
