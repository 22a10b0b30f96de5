package card

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sluice/engine/growth"
)

func TestMarkdownIsShownAsItIsMeant(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"Done.":                                                      "Done.",
		"**Paid** and *late*, __both__ _so_":                         "*Paid* and _late_, *both* _so_",
		"***all***, **a *b* c**, ~~gone~~":                           "*_all_*, *a _b_ c*, ~gone~",
		"use `a_b*c` or ``x`y``":                                     "use `a_b*c` or `x`y`",
		"# Report\n\nText":                                           "*Report*\nText",
		"### With `code` and *more*\ntext":                           "*With `code` and _more_*\ntext",
		"Report\n===\n\nText\n\n---\n\nEnd":                          "*Report*\nText\n──────────\nEnd",
		"one\ntwo  \nthree\\\nfour\n\n\n\nfive":                      "one\ntwo\nthree\nfour\n\nfive",
		"- a\n- b\n  - c\n    * d\n- e":                              "• a\n• b\n    ◦ c\n        ▪ d\n• e",
		"Steps:\n1. a\n2. b\n   - c\n\n7) d":                         "Steps:\n1. a\n2. b\n    ◦ c\n\n7) d",
		"1. a\n1. b":                                                 "1. a\n1. b",
		"- a\n  more\n\n  again\n- **b**":                            "• a\n  more\n  again\n• *b*",
		"- [x] done\n- [ ] open":                                     "• [x] done\n• [ ] open",
		"-\n- a":                                                     "• \n• a",
		"> said\n> so\n\nnot":                                        ">said\n>so\n\nnot",
		"> **a**\n> - b\n>\n> c":                                     ">*a*\n>• b\n>\n>c",
		"```\na *b*\n\n  c\n```":                                     "```a *b*\n\n  c```",
		"run:\n```go\nx := 1\n```\nthen":                             "run:\n_go_\n```x := 1```\nthen",
		"- a\n  ```\n  b\n  ```\n- c":                                "• a\n```b```\n• c",
		"a:\n\n    x = 1\n    y = 2\n\nb":                            "a:\n\n```x = 1\ny = 2```\n\nb",
		"see [the page](https://a.example/x_y_z) now":                "see the page (https://a.example/x_y_z) now",
		`[here](<https://a.example> "the title")`:                    `here (https://a.example "the title")`,
		"[https://a.example](https://a.example) <https://b.example>": "https://a.example https://b.example",
		"[https://bank.example](https://evil.example)":               "https://bank.example (https://evil.example)",
		"[**Approve**](https://evil.example)":                        "*Approve* (https://evil.example)",
		"![a chart](https://a.example/c.png)":                        "a chart (https://a.example/c.png)",
		"[](https://a.example)":                                      "https://a.example",
		"[1]: https://a.example \"t\"\n\nsee [x][1]":                 "[1]: https://a.example \"t\"\n\nsee [x][1]",
		"<b>bold</b> <!-- hidden --> <div>\n<p>x</p>\n</div>":        "&lt;b&gt;bold&lt;/b&gt; &lt;!-- hidden --&gt; &lt;div&gt;\n&lt;p&gt;x&lt;/p&gt;\n&lt;/div&gt;",
		"<@U1> <!channel> @here #general <#C1|x> &amp; R&D":          "&lt;@U1&gt; &lt;!channel&gt; @here #general &lt;#C1|x&gt; &amp;amp; R&amp;D",
		`\*not\* a\_b`:                                               "*not* a_b",
		"an order_id and 2 * 3 * 4":                                  "an order_id and 2 * 3 * 4",
		"| id | sum |\n|:--|--:|\n| a | **1** |\n| long | 23 |":      "```id    sum\n----  ---\na       1\nlong   23```",
		"| a |\n|---|\n| 1 | lost |":                                 "| a |\n|---|\n| 1 | lost |",
		"**open and `never":                                          "**open and `never",
		"":                                                           "",
		"  \n ":                                                      "",
	} {
		if got := Markdown(words).String(); got != want {
			t.Errorf("%q is shown as\n%s\nwant\n%s", words, got, want)
		}
	}
}

// Marks that the words of a model have beside their Markdown stay what they are: the text is shown in another way.
func TestMarkdownMakesNoOtherMarks(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{"**a** b": true, "**a** :tada:": false, "**a** ~b~": true, `**a** \*b\*`: false, "pre**a**post": false, "``x`y``": false, "a_b_c": true} {
		text := Markdown(words)
		if _, ok := text.Mrkdwn(); ok != want {
			t.Errorf("%q is %q as mrkdwn: %v", words, text, ok)
		}
	}
	for _, words := range hostile {
		for _, text := range []Text{Markdown(words), Markdown("**x** " + words), Markdown("- " + words), QuoteText(Markdown(words)), Written("a "+words+" b", [][2]int{{2, 2 + len(words)}})} {
			checkInert(t, words, text)
		}
	}
}

func checkInert(t *testing.T, words string, text Text) {
	t.Helper()
	for _, r := range text.Runs() {
		if r.Ref != "" || r.Emoji != "" {
			t.Errorf("%q became %+v", words, r)
		}
	}
	if said, _ := text.Mrkdwn(); strings.Contains(said, "<") {
		t.Errorf("%q is sent as %q", words, said)
	}
}

// Of a text that is a model's in part, the rest is somebody's words. What a list or a heading would run into begins a line of its own.
func TestWrittenIsMarkdownInPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, model, after, want string }{
		{"*Sum*: ", "**a** b", ". *End*", "*Sum*: *a* b. *End*"},
		{"Sum: ", "- a\n- b", " done", "Sum: \n• a\n• b\n done"},
		{"Sum:\n", "# A\n\ntext\n", "\ndone", "Sum:\n*A*\ntext\n\ndone"},
		{"Sum:", "\n\n- a", "", "Sum:\n\n• a"},
		{"", "> a", "b", ">a\nb"},
		{"", "", "b", "b"},
		{"a ", " b ", " c", "a  b  c"},
	} {
		s := c.before + c.model + c.after
		text := Written(s, [][2]int{{len(c.before), len(c.before) + len(c.model)}})
		if got := text.String(); got != strings.ReplaceAll(c.want, "> ", "> ") {
			t.Errorf("%q is shown as %q, want %q", s, got, c.want)
		}
		for _, r := range text.Runs() {
			if strings.Contains(r.Words, "Sum") && r.Face != 0 {
				t.Errorf("%q: a person's words have the face %d", s, r.Face)
			}
		}
	}
	for _, bad := range [][][2]int{{{0, 99}}, {{-1, 2}}, {{2, 1}}, {{2, 3}, {1, 2}}} {
		if got := Written("**a** b", bad); got.String() != Plain("**a** b").String() {
			t.Errorf("%v: %q", bad, got)
		}
	}
}

const address = "https://a.example/x_y"

// fragments are what random Markdown is made of.
var fragments = []string{
	"word", "word ", "äöü", "1", "*", "**", "_", "__", "`", "``", "```", "~~", "~", "#", "## ", "\n", "\n\n", "- ", "* ", "1. ", "7) ", "> ", "    ", "  ",
	"| a | b |\n|---|:-:|\n", "| x | y |", "[", "](", ")", address, "![", "<", ">", "<b>", "<!channel>", "<@U1>", ":tada:", "\\", "&amp;", "---", "===", "\t", "\u202e", "\r\n",
}

func randomMarkdown(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(40) {
		b.WriteString(fragments[r.IntN(len(fragments))])
	}
	return b.String()
}

func TestMarkdownLosesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	marks := 0
	for range 5000 {
		words := randomMarkdown(r)
		text := Markdown(words)
		checkMarkdown(t, words, text)
		if text.String() != Plain(words).String() {
			marks++
		}
	}
	if marks < 2500 {
		t.Errorf("only %d texts have marks", marks)
	}
}

// checkMarkdown checks that everything is there in its order, that nothing became a reference, and that the faces are those of the tree.
func checkMarkdown(t *testing.T, words string, text Text) {
	t.Helper()
	checkInert(t, words, text)
	once := strings.ReplaceAll(words, address+"]("+address, address+"](") // a link whose words are its address
	left := []rune(strings.Map(content, named(once)))
	for _, r := range text.Words() {
		if len(left) > 0 && left[0] == r {
			left = left[1:]
		}
	}
	if len(left) > 0 && !strings.Contains(words, "](<") {
		t.Errorf("%q\nis shown as\n%q\nwithout %q", words, text.Words(), string(left))
	}
	if read, ok := readMarkdown(words); ok {
		if want, got := faces(read.runs), faces(text.Runs()); want != got {
			t.Errorf("%q is shown as %q, which reads\n%s\nwant\n%s", words, text, got, want)
		}
	}
}

// faces writes each character with its face.
func faces(runs []Run) string {
	var b strings.Builder
	for _, run := range runs {
		for _, r := range run.Words {
			if r != '\n' {
				fmt.Fprintf(&b, "%c%d", r, run.Face)
			}
		}
	}
	return b.String()
}

// A text of any kind is read in a time, and shown in a length, that its own length bounds.
func TestMarkdownIsBounded(t *testing.T) {
	for _, piece := range []string{
		"> ", "- ", "1. ", "* - ", "[", "![", "](", "[a](", "*a ", "**a ", "_a*", "`a ", "``", "~~a", "```\n", "#", "<", "<a", "\\", "|", "| a", "|\n", "|a|b|\n|-|-|\n", "a\n", "\n", "\t", "- a\n  ", "> a\n", "&", "*", "*_", "_*", "a*", "[]()", "<https://a>", ">\n", "  - a\n", "(((",
	} {
		for _, size := range []int{markdownMost - 10, 4 * markdownMost} {
			words := strings.Repeat(piece, size/len(piece))
			text := Markdown(words)
			if n := len(text.String()); n > 40*len(words)+1000 {
				t.Errorf("%q: %d bytes are shown as %d", piece, len(words), n)
			}
		}
		nested := strings.Repeat(strings.TrimRight(piece, "\n"), 3000) + "x\n" + strings.Repeat(piece+"\n", 3000)
		text := Markdown(nested)
		checkInert(t, piece, text)
	}
}

func TestMarkdownGrowth(t *testing.T) {
	growth.Texts(t, markdownMost, func(s string) { Markdown(s) })
}

func FuzzMarkdown(f *testing.F) {
	for _, words := range append(slices.Clone(hostile), fragments...) {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		text := Markdown(words)
		checkMarkdown(t, words, text)
		checkInert(t, words, QuoteText(text))
		for _, page := range text.Pages(100) {
			page.Mrkdwn()
		}
	})
}
