package card

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

const (
	nestedMost   = 60 // blocks and styles inside each other; what is deeper is shown as it is written
	indentedMost = 8  // levels of a list that are indented
	paddedMost   = 40 // characters to which the cells of a column are filled up
)

const (
	indent = "    "
	rule   = "──────────"
)

// writer makes runs of a parse tree.
type writer struct {
	source []byte
	runs   []Run
	said   []string // the words of the source that runs show, also those that they show once for two
	quoted Face     // Quoted, inside a quotation
	level  int      // of lists
	marker string   // of a list's item, before its first words
	begun  bool     // the line has words
	deep   bool     // the tree is too deep
}

func isParagraph(n ast.Node) bool {
	switch n.(type) {
	case nil, *ast.Paragraph, *ast.TextBlock:
		return true
	}
	return false
}

// put adds words of one face, line by line.
func (w *writer) put(face Face, words string) {
	for i, line := range strings.Split(Visible(words), "\n") {
		if i > 0 {
			w.newline()
		}
		if line != "" {
			w.line()
			w.runs = append(w.runs, Run{Face: face | w.quoted, Words: line})
			w.said = append(w.said, line)
		}
	}
}

// line begins a line: with the mark of the item of a list, or as far to the right as its words are.
func (w *writer) line() {
	if w.begun {
		return
	}
	w.begun = true
	if w.level == 0 {
		return
	}
	lead := strings.Repeat(indent, min(w.level, indentedMost)-1)
	if w.marker != "" {
		lead += w.marker + " "
	} else {
		lead += "  "
	}
	w.marker = ""
	w.runs = append(w.runs, Run{Face: w.quoted, Words: lead})
	w.said = append(w.said, lead)
}

func (w *writer) newline() {
	w.runs = append(w.runs, Run{Face: w.quoted, Words: "\n"})
	w.begun = false
}

// block adds a text with its own lines.
func (w *writer) block(words string) {
	if words = Visible(strings.Trim(words, "\n")); words == "" {
		return
	}
	if w.marker != "" {
		w.line()
	}
	if w.begun {
		w.newline()
	}
	w.runs = append(w.runs, Run{Face: Fenced, Words: words})
	w.said = append(w.said, words)
	w.begun = true
}

// blocks adds the blocks inside of a node, with the empty lines of the source between them.
func (w *writer) blocks(n ast.Node, depth int) {
	if w.deep = w.deep || depth > nestedMost; w.deep {
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if before := c.PreviousSibling(); before != nil {
			w.newline()
			if c.HasBlankPreviousLines() && !standsApart(before) && !isRule(c) && w.level == 0 {
				w.newline()
			}
		}
		w.one(c, depth)
	}
}

// standsApart says whether a block needs no empty line behind it.
func standsApart(n ast.Node) bool {
	switch n.(type) {
	case *ast.Heading, *ast.FencedCodeBlock, *extast.Table:
		return true
	}
	return isRule(n)
}

func isRule(n ast.Node) bool { return n.Kind() == ast.KindThematicBreak }

func (w *writer) one(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		w.inlines(n, Bold, depth)
	case *ast.ThematicBreak:
		w.put(0, rule)
	case *ast.CodeBlock:
		w.block(string(n.Lines().Value(w.source)))
	case *ast.FencedCodeBlock:
		if n.Info != nil {
			w.put(Italic, string(n.Info.Value(w.source)))
		}
		w.block(string(n.Lines().Value(w.source)))
	case *ast.Blockquote:
		before := w.quoted
		w.quoted = Quoted
		w.blocks(n, depth+1)
		w.quoted = before
	case *ast.List:
		w.list(n, depth)
	case *extast.Table:
		w.block(w.table(n, depth))
	default:
		w.inlines(n, 0, depth)
	}
}

func (w *writer) list(n *ast.List, depth int) {
	number := n.Start
	w.level++
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != n.FirstChild() {
			w.newline()
		}
		if w.marker != "" { // of an item that begins with a list
			w.line()
			w.newline()
		}
		w.marker = []string{"•", "◦", "▪"}[(w.level-1)%3]
		if n.IsOrdered() {
			w.marker = w.number(c, number) + string(n.Marker)
		}
		w.blocks(c, depth+1)
		if w.marker != "" {
			w.line()
		}
		w.marker = ""
		number++
	}
	w.level--
}

// number is the number of an item as it is written, else as it is counted.
func (w *writer) number(item ast.Node, counted int) string {
	if c := item.FirstChild(); isParagraph(c) && c != nil && c.Lines().Len() > 0 {
		line := strings.TrimRight(string(w.source[max(0, c.Lines().At(0).Start-20):c.Lines().At(0).Start]), " \t")
		line = strings.TrimRight(line, ".)")
		digits := line[len(strings.TrimRight(line, "0123456789")):]
		if digits != "" {
			return digits
		}
	}
	return strconv.Itoa(counted)
}

// inlines adds the words of a block or of a style.
func (w *writer) inlines(n ast.Node, face Face, depth int) {
	if w.deep = w.deep || depth > nestedMost; w.deep {
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			w.put(face, w.unescaped(c))
			if c.SoftLineBreak() || c.HardLineBreak() {
				w.newline()
			}
		case *ast.CodeSpan:
			var code strings.Builder
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				if words, ok := t.(*ast.Text); ok {
					code.Write(words.Segment.Value(w.source))
				}
			}
			w.put(face|Mono, strings.ReplaceAll(code.String(), "\n", " "))
		case *ast.Emphasis:
			w.inlines(c, face|[]Face{Italic, Bold}[min(c.Level, 2)-1], depth+1)
		case *extast.Strikethrough:
			w.inlines(c, face|Strike, depth+1)
		case *ast.AutoLink:
			w.put(face, string(c.Label(w.source)))
		case *ast.Link:
			w.link(c, c.Destination, c.Title, face, depth)
		case *ast.Image:
			w.link(c, c.Destination, c.Title, face, depth)
		default:
			w.inlines(c, face, depth+1)
		}
	}
}

func (w *writer) unescaped(t *ast.Text) string {
	words := t.Segment.Value(w.source)
	if !t.IsRaw() {
		words = util.UnescapePunctuations(words)
	}
	return string(words)
}

// link adds the words of a link, or those that stand for a picture, and behind them where it leads.
func (w *writer) link(n ast.Node, address, title []byte, face Face, depth int) {
	from := len(w.runs)
	w.inlines(n, face, depth+1)
	var said strings.Builder
	for _, r := range w.runs[from:] {
		said.WriteString(r.Words)
	}
	words := string(address)
	if len(title) > 0 {
		words += ` "` + string(title) + `"`
	}
	switch {
	case said.String() == "":
		w.put(face, words)
	case said.String() == words:
		w.said = append(w.said, words)
	case words != "":
		w.put(face, " ("+words+")")
	}
}

// table is a table with its columns under each other.
func (w *writer) table(n *extast.Table, depth int) string {
	var rows [][]string
	var widths []int
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			words := w.cell(c, depth)
			if len(row) == len(widths) {
				widths = append(widths, 0)
			}
			widths[len(row)] = max(widths[len(row)], min(utf8.RuneCountInString(words), paddedMost))
			row = append(row, words)
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	for i, row := range rows {
		var line strings.Builder
		for c, words := range row {
			if c > 0 {
				line.WriteString("  ")
			}
			side := ""
			if c < len(n.Alignments) {
				side = n.Alignments[c].String()
			}
			line.WriteString(padded(words, widths[c], side))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if i == 0 {
			for c, width := range widths {
				b.WriteString(strings.Repeat(" ", min(c, 1)*2) + strings.Repeat("-", max(width, 1)))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// cell is the words of a cell, in one line.
func (w *writer) cell(n ast.Node, depth int) string {
	own := writer{source: w.source}
	own.inlines(n, 0, depth+1)
	w.deep = w.deep || own.deep
	var b strings.Builder
	for _, r := range own.runs {
		b.WriteString(r.Words)
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// padded fills a cell up, so that its words stand at the side that the source names.
func padded(s string, width int, side string) string {
	room := max(0, width-utf8.RuneCountInString(s))
	before := map[string]int{"right": room, "center": room / 2}[side]
	return strings.Repeat(" ", before) + s + strings.Repeat(" ", room-before)
}
