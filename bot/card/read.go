package card

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Face is how a piece of text looks: any of these together.
type Face uint8

// How a piece of text looks.
const (
	Bold Face = 1 << iota
	Italic
	Strike
	Mono   // in the type of code
	Fenced // in a block of its own
	Quoted // in a quotation
)

// Run is a piece of a text as a person sees it: words in one face, a reference in Slack's form, or an emoji by its name.
type Run struct {
	Face  Face
	Words string
	Ref   string
	Emoji string
}

// Runs is the text as it is meant: only our marks are marks.
func (t Text) Runs() []Run {
	cells := t.cells()
	for _, s := range t.spans {
		switch {
		case s.Ref != "":
			cells = append(cells, cell{r: 'x', ref: s.Ref})
		case s.Marks != "":
			cells = appendCells(cells, s.Marks, true)
		default:
			cells = appendCells(cells, s.Plain, false)
		}
	}
	return readCells(cells)
}

// Mrkdwn is the text for a place that reads marks. False: what somebody wrote in it would be read as a mark, so that it must be shown in
// another way; then the result is only for a place where there is none, with an invisible character behind what could be a mark.
func (t Text) Mrkdwn() (string, bool) {
	cells := t.cells()
	for _, s := range t.spans {
		if s.Ref != "" {
			cells = append(cells, cell{r: 'x', ref: s.Ref})
			continue
		}
		cells = appendCells(cells, s.Marks+s.Plain, true)
	}
	if slices.Equal(readCells(cells), t.Runs()) {
		return t.String(), true
	}
	var b strings.Builder
	for _, s := range t.spans {
		b.WriteString(escapeMarks(s.Marks) + s.Ref + breakMarks(escape(s.Plain)))
	}
	return b.String(), false
}

var breakMarks = strings.NewReplacer("*", "*\u2060", "_", "_\u2060", "~", "~\u2060", "`", "`\u2060", ":", ":\u2060", "\n&gt;", "\n\u2060&gt;").Replace

// cell is a character of a text, and whether it may be a mark.
type cell struct {
	r    rune
	mark bool
	ref  string
}

// cells is room for the text's characters.
func (t Text) cells() []cell {
	n := 0
	for _, s := range t.spans {
		n += len(s.Marks) + len(s.Plain) + 1
	}
	return make([]cell, 0, n)
}

func appendCells(cells []cell, s string, mark bool) []cell {
	for _, r := range s {
		cells = append(cells, cell{r: r, mark: mark})
	}
	return cells
}

// reader reads marks the way Slack does, and rather too many than too few.
type reader struct {
	cells  []cell
	at     int
	face   Face
	runs   []Run
	words  strings.Builder // of the last run
	ahead  map[rune]search // of every mark, the last search for one that ends it
	fences search          // the last search for the end of a block
}

// search is what was found from a place on. The places behind it up to there need not be looked at again: a line of opening marks
// would otherwise be read once for each of them.
type search struct {
	from, at int
	found    bool
	done     bool
}

// covers says whether the search answers for a place, too.
func (s search) covers(from int) bool { return s.done && s.from <= from && from < s.at }

func readCells(cells []cell) []Run {
	r := &reader{cells: cells, ahead: map[rune]search{}}
	start := true
	for r.at < len(cells) {
		if start && r.face&Fenced == 0 {
			start = false
			if r.quote() {
				continue
			}
		}
		if r.newline() {
			start = true
			continue
		}
		if r.fence() || r.mono() || r.style() || r.emoji() {
			continue
		}
		r.put(cells[r.at])
		r.at++
	}
	if n := len(r.runs); n > 0 && r.words.Len() > 0 {
		r.runs[n-1].Words = r.words.String()
	}
	return r.runs
}

func (r *reader) put(c cell) {
	if c.ref != "" {
		r.add(Run{Face: r.face, Ref: c.ref})
		return
	}
	if n := len(r.runs); n == 0 || r.runs[n-1].Face != r.face || r.words.Len() == 0 {
		r.add(Run{Face: r.face})
	}
	r.words.WriteRune(c.r)
}

// add begins a run, and ends the one before.
func (r *reader) add(run Run) {
	if n := len(r.runs); n > 0 && r.words.Len() > 0 {
		r.runs[n-1].Words = r.words.String()
		r.words.Reset()
	}
	r.runs = append(r.runs, run)
}

func (r *reader) is(at int, mark rune) bool {
	return at >= 0 && at < len(r.cells) && r.cells[at].mark && r.cells[at].r == mark && r.cells[at].ref == ""
}

func (r *reader) quote() bool {
	if !r.is(r.at, '>') {
		return false
	}
	r.face |= Quoted
	r.at++
	return true
}

// newline ends what does not go over lines.
func (r *reader) newline() bool {
	if !r.is(r.at, '\n') || r.face&Fenced != 0 {
		return false
	}
	r.put(r.cells[r.at])
	r.face = 0
	r.at++
	return true
}

func (r *reader) fence() bool {
	if r.face&Mono != 0 || !r.is(r.at, '`') || !r.is(r.at+1, '`') || !r.is(r.at+2, '`') {
		return false
	}
	if r.face&Fenced == 0 && !r.closed(r.at+3) {
		return false
	}
	r.face ^= Fenced
	r.at += 3
	return true
}

// closed says whether a fence comes after a place.
func (r *reader) closed(from int) bool {
	if r.fences.covers(from) {
		return r.fences.found
	}
	i := from
	for i < len(r.cells) && !(r.is(i, '`') && r.is(i+1, '`') && r.is(i+2, '`')) {
		i++
	}
	r.fences = search{from: from, at: i, found: i < len(r.cells), done: true}
	return r.fences.found
}

func (r *reader) mono() bool {
	if r.face&Fenced != 0 || !r.is(r.at, '`') {
		return false
	}
	if r.face&Mono == 0 && !r.comes('`', r.at+1, func(int) bool { return true }) {
		return false
	}
	r.face ^= Mono
	r.at++
	return true
}

var styles = map[rune]Face{'*': Bold, '_': Italic, '~': Strike}

func (r *reader) style() bool {
	c := r.cells[r.at]
	face, ok := styles[c.r]
	if !ok || !c.mark || c.ref != "" || r.face&(Mono|Fenced) != 0 {
		return false
	}
	switch {
	case r.face&face != 0:
		if !r.closes(r.at) {
			return false
		}
	case r.letter(r.at-1) || r.space(r.at+1) || !r.comes(c.r, r.at+1, r.closes):
		return false
	}
	r.face ^= face
	r.at++
	return true
}

// closes says whether the mark at a place can end its style.
func (r *reader) closes(at int) bool { return !r.space(at-1) && !r.letter(at+1) }

// comes says whether a mark that fits comes on the same line. What fits depends on the mark alone.
func (r *reader) comes(mark rune, from int, fits func(int) bool) bool {
	if last := r.ahead[mark]; last.covers(from) {
		return last.found
	}
	i := from + 1
	for i < len(r.cells) && !r.is(i, '\n') && !(r.is(i, mark) && fits(i)) {
		i++
	}
	found := i < len(r.cells) && !r.is(i, '\n') && !r.is(from, '\n')
	r.ahead[mark] = search{from: from, at: i, found: found, done: true}
	return found
}

// letter says whether there is a letter or a digit beside a mark. What somebody wrote is none: our marks count beside it.
func (r *reader) letter(at int) bool {
	if at < 0 || at >= len(r.cells) || r.cells[at].ref != "" || !r.cells[at].mark {
		return false
	}
	return unicode.IsLetter(r.cells[at].r) || unicode.IsDigit(r.cells[at].r)
}

func (r *reader) space(at int) bool {
	if at < 0 || at >= len(r.cells) {
		return true
	}
	return r.cells[at].mark && unicode.IsSpace(r.cells[at].r)
}

// emoji reads :name:, where it is all ours.
func (r *reader) emoji() bool {
	if r.face&(Mono|Fenced) != 0 || !r.is(r.at, ':') {
		return false
	}
	for i := r.at + 1; i < len(r.cells) && r.cells[i].mark && r.cells[i].ref == ""; i++ {
		c := r.cells[i].r
		if c == ':' && i > r.at+1 {
			var name strings.Builder
			for _, n := range r.cells[r.at+1 : i] {
				name.WriteRune(n.r)
			}
			r.add(Run{Face: r.face, Emoji: name.String()})
			r.at = i + 1
			return true
		}
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_+'-", c) {
			return false
		}
	}
	return false
}

// Words is the text without its marks, for a place that knows none.
func (t Text) Words() string {
	var b strings.Builder
	for _, r := range t.Runs() {
		b.WriteString(r.Words + r.Ref)
		if r.Emoji != "" {
			b.WriteString(":" + r.Emoji + ":")
		}
	}
	return b.String()
}

// Length is how many characters a text takes on the wire.
func (t Text) Length() int { return len([]rune(t.String())) }

// Pages cuts a text into parts of at most so many characters, at the end of a line or word where one is near. Nothing is left out.
func (t Text) Pages(most int) []Text {
	if t.Length() <= most {
		return []Text{t}
	}
	var pages []Text
	page, room, start := Text{}, most, true
	turn := func() {
		if len(page.spans) > 0 {
			pages = append(pages, page)
		}
		page, room, start = Text{}, most, true
	}
	for _, run := range t.Runs() {
		for {
			one, left := run.fit(room - 10) // what marks of both sides take
			if !one.something() && len(page.spans) == 0 {
				one, left = run.fit(max(most, 200)) // an empty page always takes something, or this would not end
				if !one.something() {
					one, left = run, Run{}
				}
			}
			if one.something() {
				lines := one.lines(0)
				if !start {
					lines[0].Face &^= Quoted // its line has the mark of a quotation already
				}
				text := marked(lines)
				page.put(text)
				room -= text.Length()
				start = strings.HasSuffix(one.Words, "\n")
			}
			if !left.something() {
				break
			}
			turn()
			run = left
		}
	}
	turn()
	return pages
}

func (r Run) something() bool { return r.Words != "" || r.Ref != "" || r.Emoji != "" }

// fit cuts a run in two, of which the first takes at most so many characters when it is escaped.
func (r Run) fit(most int) (first, left Run) {
	if r.Words == "" {
		if len([]rune(r.Ref+r.Emoji))+2 > most {
			return Run{}, r
		}
		return r, Run{}
	}
	n, size := 0, 0 // n in bytes: the rest of a long run is not looked at
	for n < len(r.Words) {
		c, width := utf8.DecodeRuneInString(r.Words[n:])
		if size += r.cost(c); size > max(most, 12) {
			break
		}
		n += width
	}
	if n < len(r.Words) {
		if back := strings.LastIndexFunc(r.Words[:n], unicode.IsSpace); back > n-n/8 {
			_, width := utf8.DecodeRuneInString(r.Words[back:])
			n = back + width
		}
	}
	if n == 0 || most < 12 && n < len(r.Words) {
		return Run{}, r
	}
	first, left = r, r
	first.Words, left.Words = r.Words[:n], r.Words[n:]
	return first, left
}

// cost is how many characters one of a run takes when it is sent, with the marks of a new line.
func (r Run) cost(c rune) int {
	switch c {
	case '&', '<', '>':
		return len(escape(string(c)))
	case '\n':
		if r.Face != 0 {
			return 10
		}
	}
	return 1
}

// lines cuts a run at the ends of its lines, whose faces are those that are given: marks do not go over lines.
func (r Run) lines(ends Face) (out []Run) {
	if r.Face&Fenced != 0 || r.Words == "" {
		return []Run{r}
	}
	for i, words := range strings.Split(r.Words, "\n") {
		if i > 0 {
			out = append(out, Run{Face: ends, Words: "\n"})
		}
		if r.Words = words; words != "" {
			out = append(out, r)
		}
	}
	return out
}
