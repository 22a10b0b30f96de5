package card

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownMost is how long a text may be, in bytes, to be read as Markdown. A longer one is shown as it is written.
const markdownMost = 64_000

// marksMost is how many marks a text may have between two empty lines.
const marksMost = 3000

// cellsMost bounds the cells of tables: a short row gets as many as the header has, so that a small text could make very many.
const cellsMost = 20_000

// Markdown is what a language model wrote. The marks of the text come from the parse tree alone, so that the words become neither a
// reference nor an emoji. An address stands behind the words of its link. HTML stays as it is written. When a character of the source
// would be lost, the text is shown as it is written.
func Markdown(s string) Text {
	if read, ok := readMarkdown(s); ok {
		return marked(read.runs)
	}
	return Plain(s)
}

// Written is a text of which a language model wrote some stretches, each from a byte to another. Everything else is somebody's words.
func Written(s string, model [][2]int) Text {
	last := 0
	for _, at := range model {
		if at[0] < last || at[1] < at[0] || at[1] > len(s) {
			return Plain(s)
		}
		last = at[1]
	}
	var t Text
	last = 0
	for _, at := range model {
		t.put(Plain(s[last:at[0]]))
		t.beside(s[at[0]:at[1]], s[last:at[0]], s[at[1]:])
		last = at[1]
	}
	t.put(Plain(s[last:]))
	return t
}

// beside adds a model's words between others. A list, a heading or a block begins a line of its own, and so does what comes after it.
func (t *Text) beside(s, before, after string) {
	core := strings.TrimSpace(s)
	if core == "" {
		t.put(Plain(s))
		return
	}
	at := strings.Index(s, core)
	lead, trail := s[:at], s[at+len(core):]
	m, ok := readMarkdown(strings.TrimLeft(lead, "\n") + core)
	if !ok {
		t.put(Plain(s))
		return
	}
	switch {
	case strings.Contains(lead, "\n"):
		t.put(lines(lead))
	case m.begins && len(t.spans) > 0 && before != "" && !strings.HasSuffix(before, "\n"):
		t.put(lines("\n"))
	case !m.begins:
		t.put(Plain(lead))
	}
	t.put(marked(m.runs))
	switch {
	case strings.Contains(trail, "\n"):
		t.put(lines(trail))
	case m.ends && after != "" && !strings.HasPrefix(after, "\n"):
		t.put(lines("\n"))
	default:
		t.put(Plain(trail))
	}
}

// lines ends as many lines as a space does, and at most two.
func lines(space string) Text {
	return Text{}.marks(strings.Repeat("\n", min(strings.Count(space, "\n"), blankMost)))
}

// parsed is what a model wrote, and whether it begins and ends with something other than a paragraph.
type parsed struct {
	runs         []Run
	begins, ends bool
}

// readMarkdown reads a model's words; false: they are shown as they are written.
func readMarkdown(s string) (parsed, bool) {
	s = named(s)
	if len(s) > markdownMost || tooManyMarks(s) {
		return parsed{}, false
	}
	readers := []parser.Parser{withoutTables}
	if tablesFit(s) {
		readers = []parser.Parser{withTables, withoutTables} // a table leaves out what is too much in a row
	}
	for _, p := range readers {
		source := []byte(s)
		w := writer{source: source}
		root := p.Parse(text.NewReader(source))
		if w.blocks(root, 0); !w.deep && keeps(s, w.said) {
			return parsed{w.runs, !isParagraph(root.FirstChild()), !isParagraph(root.LastChild())}, true
		}
	}
	return parsed{}, false
}

// tooManyMarks says whether to read a text would take long: the time grows with the square of the marks that may belong together, and with
// that of the quotations and lists that one line opens.
func tooManyMarks(s string) bool {
	marks := 0
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "" {
			marks = 0
		}
		for _, r := range line {
			if strings.ContainsRune("*_~[", r) {
				marks++
			}
		}
		if marks > marksMost || len(containers.FindAllString(opening.FindString(line), nestedMost+1)) > nestedMost {
			return true
		}
	}
	return false
}

var (
	opening    = regexp.MustCompile(`^(?:[ \t]*(?:>|[-+*]|[0-9]{1,9}[.)]))*`)
	containers = regexp.MustCompile(`>|[-+*]|[0-9]+`)
)

func tablesFit(s string) bool {
	most, lines := 0, 0
	for line := range strings.Lines(s) {
		most = max(most, strings.Count(line, "|"))
		lines++
	}
	return most > 0 && most*lines <= cellsMost
}

// The parsers know neither HTML, which stays text, nor definitions of links, which nobody would see.
var (
	withTables    = newParser(util.Prioritized(extension.NewTableParagraphTransformer(), 200))
	withoutTables = newParser()
)

func newParser(paragraphs ...util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
		),
		parser.WithParagraphTransformers(paragraphs...),
	)
}

// keeps says whether everything in a source is still said, in its order, except for what may be a mark of Markdown.
func keeps(source string, said []string) bool {
	want := []rune(strings.Map(content, source))
	for _, words := range said {
		for _, r := range words {
			if len(want) > 0 && want[0] == content(r) {
				want = want[1:]
			}
		}
	}
	return len(want) == 0
}

// content is a character that is never a mark of Markdown, else -1.
func content(r rune) rune {
	if unicode.IsSpace(r) || strings.ContainsRune("*_~`#>-+|:[]()<!\\\"'=.", r) {
		return -1
	}
	return r
}

// styleMarks are the marks of faces inside a line, the outermost first.
var styleMarks = []struct {
	face Face
	mark string
}{{Bold, "*"}, {Italic, "_"}, {Strike, "~"}, {Mono, "`"}}

// marked is a text that has the faces of runs. A run is a part of one line, its end, or a block.
func marked(runs []Run) Text {
	var out spanJoiner
	var open []string
	turn := func(face Face) {
		var want []string
		for _, s := range styleMarks {
			if face&s.face != 0 {
				want = append(want, s.mark)
			}
		}
		same := 0
		for same < len(open) && same < len(want) && open[same] == want[same] {
			same++
		}
		closed := slices.Clone(open[same:])
		slices.Reverse(closed)
		out.put(span{Marks: strings.Join(append(closed, want[same:]...), "")})
		open = want
	}
	start := true
	for _, run := range runs {
		if start && run.Face&Quoted != 0 {
			out.put(span{Marks: ">"})
		}
		start = run.Words == "\n" && run.Face&Fenced == 0
		switch {
		case start:
			turn(0)
			out.put(span{Marks: "\n"})
		case run.Ref != "" || run.Emoji != "":
			turn(run.Face)
			out.put(span{Ref: run.Ref})
			if run.Emoji != "" {
				for _, s := range Emoji(run.Emoji).spans {
					out.put(s)
				}
			}
		case run.Face&Fenced != 0:
			turn(0)
			out.put(span{Marks: "```"})
			out.put(span{Plain: run.Words})
			out.put(span{Marks: "```"})
		default:
			turn(run.Face)
			out.put(span{Plain: run.Words})
		}
	}
	turn(0)
	out.end()
	return Text{spans: out.spans}
}

// QuoteText is a text marked as not ours in each of its lines. A block in it needs no such mark.
func QuoteText(t Text) Text {
	var runs []Run
	for _, run := range t.Runs() {
		if run.Face&Fenced == 0 && run.Words != "" {
			run.Face |= Quoted
		}
		runs = append(runs, run.lines(Quoted)...)
	}
	return marked(runs)
}

// shortSpan is how long a span is that is copied for each of its pieces; a longer one is put together at its end.
const shortSpan = 64

// spanJoiner collects spans, and makes one of each stretch of our marks, and of each stretch of words.
type spanJoiner struct {
	spans []span
	more  strings.Builder // the last span as a whole, when it has several pieces
}

func (j *spanJoiner) put(s span) {
	last := len(j.spans) - 1
	switch {
	case s == span{}:
	case last >= 0 && s.Ref == "" && j.spans[last].Ref == "" && (s.Marks == "") == (j.spans[last].Marks == ""):
		at := &j.spans[last]
		if j.more.Len() == 0 && len(at.Marks)+len(at.Plain) < shortSpan {
			at.Marks, at.Plain = at.Marks+s.Marks, at.Plain+s.Plain
			return
		}
		if j.more.Len() == 0 {
			j.more.WriteString(at.Marks + at.Plain)
		}
		j.more.WriteString(s.Marks + s.Plain)
	default:
		j.end()
		j.spans = append(j.spans, s)
	}
}

// end puts the pieces of the last span together.
func (j *spanJoiner) end() {
	switch last := len(j.spans) - 1; {
	case j.more.Len() == 0:
		return
	case j.spans[last].Marks != "":
		j.spans[last].Marks = j.more.String()
	default:
		j.spans[last].Plain = j.more.String()
	}
	j.more.Reset()
}
