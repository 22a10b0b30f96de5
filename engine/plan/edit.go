package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	editLine   = regexp.MustCompile(`^\s*(?:(?:step|line|change step|replace step)\s+)?([0-9]{1,3})\s*[.):]\s+(\S.*)$`)
	editAdd    = regexp.MustCompile(`(?is)^(?:add|insert)\s+(?:a\s+step\s+|a\s+line\s+)?(after|before|behind)\s+(?:step\s+|line\s+)?([0-9]{1,3})\s*[:,.]?\s+(\S.*)$`)
	editAppend = regexp.MustCompile(`(?is)^(?:(?:add|append)(?:\s+(?:at|to)\s+the\s+end)?\s*:|(?:add|append)\s+(?:at|to)\s+the\s+end\s)\s*(\S.*)$`)
	editRemove = regexp.MustCompile(`(?i)^(?:remove|delete|drop)\s+(?:steps?\s+|lines?\s+)?([0-9]{1,3}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)[0-9]{1,3})*)\s*[.!]?$`)
	editName   = regexp.MustCompile(`(?i)^(?:(?:re)?name(?:\s+it)?(?:\s+to)?\s*:?|call\s+it)\s+["“]?([\p{L}\p{N}][\p{L}\p{N} _-]{0,60})["”]?\s*[.!]?$`)
	digits     = regexp.MustCompile(`[0-9]+`)
)

// Edit changes single steps: "2. ..." replaces step 2 (several such lines at once, one past the end appends), "add after 2: ...",
// "remove 3", "2 goes to @name". words say what changed. ok is false when the text is no edit, or names a step that does not exist.
func (o Outline) Edit(text string) (next Outline, words string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxOutline {
		return o, "", false
	}
	next = o.copy()
	switch {
	case editRemove.MatchString(text):
		words, ok = next.remove(editRemove.FindStringSubmatch(text)[1])
	case editAdd.MatchString(text):
		m := editAdd.FindStringSubmatch(text)
		words, ok = next.insert(m[1], m[2], m[3])
	case editAppend.MatchString(text):
		words, ok = next.put(len(next.Lines)+1, editAppend.FindStringSubmatch(text)[1])
	case changeWho.MatchString(text):
		m := changeWho.FindStringSubmatch(text)
		words, ok = next.reassign(m[1], m[2])
	case editName.MatchString(text):
		if next.Name = slug(editName.FindStringSubmatch(text)[1]); next.Name != "" {
			words, ok = "the name is now "+next.Name, true
		}
	default:
		words, ok = next.replace(text)
	}
	if !ok {
		return o, "", false
	}
	return next, words, true
}

func (o Outline) copy() Outline {
	return Outline{Name: o.Name, Lines: slices.Clone(o.Lines)}
}

// replace reads numbered lines, each of its own or all on one.
func (o *Outline) replace(text string) (string, bool) {
	changes, ok := o.changes(text)
	if !ok {
		return "", false
	}
	var words []string
	for _, c := range changes {
		w, ok := o.put(c.Number, c.Text)
		if !ok {
			return "", false
		}
		words = append(words, w)
	}
	return strings.Join(words, "; "), len(words) > 0
}

// changes lists the numbered lines of a text. A line without a number goes on with the one before.
func (o *Outline) changes(text string) (changes []Line, ok bool) {
	for l := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		m := editLine.FindStringSubmatch(l)
		if m == nil {
			if len(changes) == 0 || lineStart.MatchString(l) {
				return nil, false
			}
			changes[len(changes)-1].Text += " " + strings.TrimSpace(l)
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, false
		}
		changes = append(changes, Line{Number: n, Text: m[2]})
		for len(changes) <= len(o.Lines)+1 {
			last := &changes[len(changes)-1]
			at := nextNumber(last.Text, last.Number+1)
			if at == nil {
				break
			}
			rest := Line{Number: last.Number + 1, Text: last.Text[at[1]:]}
			last.Text = last.Text[:at[0]]
			changes = append(changes, rest)
		}
	}
	return changes, true
}

// nextNumber finds the number of the next step in the middle of a line.
func nextNumber(text string, n int) []int {
	for _, m := range inline.FindAllStringSubmatchIndex(text, -1) {
		if text[m[2]:m[3]] == strconv.Itoa(n) && m[0] > 0 {
			return m[:2]
		}
	}
	return nil
}

// put replaces a step, or appends one.
func (o *Outline) put(n int, text string) (string, bool) {
	text = tidy(text)
	if text == "" || n < 1 || n > len(o.Lines)+1 || n > maxLines {
		return "", false
	}
	if n == len(o.Lines)+1 {
		o.Lines = append(o.Lines, Line{Number: n, Text: text})
		return fmt.Sprintf("step %d is new: %s", n, quote(text)), true
	}
	o.Lines[n-1].Text = text
	return fmt.Sprintf("step %d is now %s", n, quote(text)), true
}

func (o *Outline) insert(where, number, text string) (string, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(o.Lines) || len(o.Lines) >= maxLines {
		return "", false
	}
	if strings.EqualFold(where, "before") {
		n--
	}
	text = tidy(text)
	if text == "" {
		return "", false
	}
	o.Lines = slices.Insert(o.Lines, n, Line{Text: text})
	o.renumber(func(old int) int {
		if old > n {
			return old + 1
		}
		return old
	})
	o.Lines[n].Text = text // what was just written means the new numbers
	return fmt.Sprintf("step %d is new: %s", n+1, quote(text)), true
}

// reassign puts other names behind the "ask" of a step. A step that asks nobody, or asks twice, is left alone.
func (o *Outline) reassign(number, names string) (string, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(o.Lines) || changeTarget.MatchString(names) {
		return "", false
	}
	who := nameBreak.Split(strings.TrimSpace(names), -1)
	if slices.ContainsFunc(who, func(name string) bool { return len(strings.Fields(name)) != 1 }) {
		return "", false
	}
	text := o.Lines[n-1].Text
	words := scan(text)
	isAsk := func(w word) bool { return w.kind == plainWord && w.low == "ask" }
	at := slices.IndexFunc(words, isAsk)
	if at < 0 || slices.ContainsFunc(words[at+1:], isAsk) {
		return "", false
	}
	was := &asking{}
	rest := was.names(words[at+1:])
	if len(was.who) == 0 {
		return "", false
	}
	end := len(text)
	if len(rest) > 0 {
		end = rest[0].start
	}
	return o.put(n, text[:words[at].end]+" "+list(who, "or")+" "+text[end:])
}

func (o *Outline) remove(numbers string) (string, bool) {
	gone := map[int]bool{}
	var words []string
	for _, d := range digits.FindAllString(numbers, -1) {
		n, err := strconv.Atoi(d)
		if err != nil || n < 1 || n > len(o.Lines) {
			return "", false
		}
		if !gone[n] {
			words = append(words, fmt.Sprintf("step %d (%s) is removed", n, quote(o.Lines[n-1].Text)))
		}
		gone[n] = true
	}
	if len(gone) == len(o.Lines) {
		return "", false
	}
	o.Lines = slices.DeleteFunc(o.Lines, func(l Line) bool { return gone[l.Number] })
	o.renumber(func(old int) int {
		if gone[old] {
			return 0
		}
		before := 0
		for n := range gone {
			if n < old {
				before++
			}
		}
		return old - before
	})
	return strings.Join(words, "; "), true
}

var jumpNumber = regexp.MustCompile(`(?i)\b((?:go\s+(?:on\s+|back\s+)?(?:to|with)|back\s+to|jump\s+to|skip\s+to|continue\s+(?:at|with|from)|repeat(?:\s+from)?)\s+(?:step\s+)?)([0-9]{1,3})\b`)

// renumber numbers the steps anew and lets "go to 4" follow. A jump to a step that is gone goes to step 0, which is quoted back.
func (o *Outline) renumber(now func(old int) int) {
	for i := range o.Lines {
		o.Lines[i].Number = i + 1
		o.Lines[i].Text = jumpNumber.ReplaceAllStringFunc(o.Lines[i].Text, func(s string) string {
			m := jumpNumber.FindStringSubmatch(s)
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return s
			}
			return m[1] + strconv.Itoa(now(n))
		})
	}
}
