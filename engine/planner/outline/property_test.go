package outline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/growth"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

// sentences are the texts of the golden files.
func sentences(t testing.TB) (out []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			text, _, _ := strings.Cut(string(f.Data), "\n=>\n")
			out = append(out, text)
		}
	}
	return out
}

// check says what is wrong with a tree: a quote outside of the text, a word that two elements hold, an id that stands twice.
func check(t *testing.T, tr *tree.Tree) {
	t.Helper()
	words := tr.Texts[0].Words
	by := make([]string, len(words))
	held(tr, func(kind string, q tree.Quote) {
		if q.Text != 0 || q.From < 0 || q.To > len(words) || q.From > q.To {
			t.Errorf("%q: %s quotes %+v", words, kind, q)
			return
		}
		if kind == "said" { // two people who are both asked are told the same
			return
		}
		for i := q.From; i < q.To; i++ {
			if by[i] != "" {
				t.Errorf("%q: %s and %s both quote %q", words, by[i], kind, words[q.From:q.To])
				return
			}
			by[i] = kind
		}
	})
	ids := map[string]bool{}
	tr.Walk(func(s *tree.Step) bool {
		if ids[s.ID] || s.ID == "" {
			t.Errorf("%q: the id %q stands twice", words, s.ID)
		}
		ids[s.ID] = true
		if s.Kind == "jump" {
			t.Errorf("%q: a jump is left", words)
		}
		return true
	})
}

func TestProperties(t *testing.T) {
	t.Parallel()
	for _, text := range sentences(t) {
		tr, _ := outline.Read(text, "")
		check(t, tr)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range sentences(f) {
		f.Add(text)
	}
	for _, text := range []string{`a "b`, "if if if", "1. 1. 1.", "<@U1> <#C1|x> {{a}} :x:", "or else", "every every", "{", ":a", "under 5, over", "if a: b: c:", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tr, _ := outline.Read(text, "")
		check(t, tr)
		all := tree.Quote{To: len(text)}
		other := &tree.Tree{Texts: tr.Texts}
		other.Steps = outline.Steps(other, all)
		check(t, other)
		outline.Trigger(other, all)
		outline.Who(other, all)
	})
}

// TestGrowth is not parallel: it measures.
func TestGrowth(t *testing.T) {
	for _, unit := range []string{
		"a ", "get the order, ", "if the amount is over 5 ", "if a is b tell @x, ", "otherwise ", "1. get it ", "- x\n  ", `"`, "“", "'a ", "<", "{a", ":a", "and ", "ask @a to approve or ",
		"under 5 tell @a, ", "for each ", "@a and ", "every day ", "meanwhile get it. ", "then ", "(variable ", "a, ", "if rejected tell @x. ", "go to 1. ", "\n\n", "-> get it ", "when ", "a:",
		"ask @x for a, ", "not ", "within ", "1. get it\n2. go to 1\n", "if it is late go to 1. ", "is ", "a or ", "\na ", "once it is got, ", "get x. if x fails tell @x. ", "the boss gets it. ", "getting it, ", "the old team ships it and packs it, which is then sent, ", "if it -> ", "yes -> ",
		"if it is not done in 2 days stop. ", "needs @x, over 5 also @y, ", "at 10 get it. ",
		"get it (@x) ", "(@x) ", "get it - @x ", "@x: ", "@x must approve it before @a sends it ", "have the boss check it ", "by noon ", "ask @x, then @a to go, ", "@x to go and ", "then @x, ", "@x's a ", "while @x ", "at 9:00 get it ", "@x checks it. if he is ok with it, stop. ",
	} {
		t.Run(unit, func(t *testing.T) {
			growth.Linear(t, 1<<15, func(size int) func() {
				text := strings.Repeat(unit, size/len(unit)+1)
				return func() { outline.Read(text, "") }
			})
		})
	}
}

func FuzzTimeOfReading(f *testing.F) {
	growth.Fuzz(f, 1<<14, func(s string) { outline.Read(s, "") })
}
