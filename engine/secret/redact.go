package secret

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Redactor replaces the values of secrets by their names, in whatever form they come back: as they are, escaped for JSON, an address, HTML
// or mail, in hex or base64, alone or inside something longer, with line breaks in between. A nil Redactor changes nothing. It is safe
// for concurrent use, and its time is linear in the text.
type Redactor struct {
	matcher *matcher // nil = nothing is secret
	least   int      // bytes of the shortest value
	marks   []string
}

// NewRedactor makes a redactor for secrets by name. Values shorter than four characters are left alone.
func NewRedactor(values map[string]string) *Redactor {
	r := &Redactor{}
	var needles []needle
	for name, value := range values {
		if text := essence(value); len([]rune(text)) >= minLength {
			needles = append(needles, needle{text, name})
			r.marks = append(r.marks, Mark(name))
		}
	}
	if len(needles) == 0 {
		return r
	}
	slices.SortFunc(needles, func(a, b needle) int { // of two secrets with one value the first name counts
		return cmp.Or(cmp.Compare(len(a.text), len(b.text)), cmp.Compare(a.name, b.name))
	})
	r.least = len(needles[0].text)
	r.matcher = newMatcher(needles)
	return r
}

// essence is what of a value is looked for: without the white space around it, and without line breaks.
func essence(value string) string { return string(plain(strings.TrimSpace(value)).text) }

// Mark is what stands in a text in the place of a secret.
func Mark(name string) string { return "«secret " + name + "»" }

// span is a part of a text that holds a secret.
type span struct {
	from, to int
	needle   *needle
}

// Redact gives the text with every secret replaced by «secret NAME». Secrets that overlap are replaced together, by the name of the longest.
func (r *Redactor) Redact(text string) string { return r.redact(text, false) }

// RedactCut is Redact for a text of which the end is missing: what may be the beginning of a secret goes, too.
func (r *Redactor) RedactCut(text string) string { return r.redact(text, true) }

func (r *Redactor) redact(text string, cut bool) string {
	if r == nil || r.matcher == nil || !cut && len(text) < r.least {
		return text
	}
	marks := r.marked(text)
	var found []span
	look := func(l *layer) {
		first := len(found)
		r.matcher.find(l.text, func(from, to int, n *needle) {
			s := span{int(l.begin(from)), int(l.end(to - 1)), n}
			switch k := len(found) - 1; {
			case within(marks, s):
			case k >= first && found[k].needle == n && s.from < found[k].to:
				found[k].to = max(found[k].to, s.to)
			default:
				found = append(found, s)
			}
		})
	}
	if !cut {
		each(text, r.least, look)
	} else {
		each(text, minLength, look)
		found = append(found, r.open(text, marks)...)
	}
	if len(found) == 0 {
		return text
	}
	return replace(text, merged(found))
}

// open finds the beginnings of secrets at the end of a text that goes on elsewhere, also where it ends within an escape.
func (r *Redactor) open(text string, marks []span) (found []span) {
	ends := []int{len(text)}
	if i := begun(text); i >= 0 {
		ends = append(ends, i)
	}
	for _, end := range ends {
		each(text[:end], minLength, func(l *layer) {
			n := len(l.text)
			if len(strings.TrimSpace(text[l.end(n-1):end])) > 1 { // half a byte in base64 may be left
				return
			}
			whole := 0 // a secret that is there to its end is found as such
			open := r.matcher.find(l.text, func(from, to int, _ *needle) {
				if to == n {
					whole = to - from
				}
			})
			if open < minLength || open == whole {
				return
			}
			if s := (span{int(l.begin(n - open)), len(text), nil}); !within(marks, s) {
				found = append(found, s)
			}
		})
	}
	return found
}

// within reports whether a span lies in a mark that stands in the text already.
func within(marks []span, s span) bool {
	i, _ := slices.BinarySearchFunc(marks, s.from, func(m span, from int) int { return cmp.Compare(m.to, from+1) })
	return i < len(marks) && marks[i].from <= s.from && s.to <= marks[i].to
}

// each gives the ways to read a text in which so many bytes at least are looked for.
func each(text string, least int, show func(*layer)) {
	look := func(l *layer) {
		if l != nil && len(l.text) > 0 {
			show(l)
		}
	}
	top := plain(text)
	look(top)
	look(folded(text))
	all := unescapes[len(unescapes)-1]
	kinds := 0
	for _, e := range all {
		if bytes.Contains(top.text, []byte(e.lead)) {
			kinds++
		}
	}
	var below *layer
	for _, with := range unescapes {
		if kinds == 1 && len(with) == 1 {
			continue // the last one undoes it, too
		}
		below = top.unescape(with)
		look(below)
	}
	encoded := []*layer{top}
	if below != nil { // escaped twice, such as JSON in JSON
		encoded = append(encoded, below)
		look(below.unescape(all))
	}
	for _, l := range encoded {
		if l.longest(base64)*6/8 >= least {
			for shift := range 4 {
				look(l.decode(base64, 6, shift, least))
			}
		}
		if l.longest(base16)*4/8 >= least {
			for shift := range 2 {
				look(l.decode(base16, 4, shift, least))
			}
		}
	}
}

// merged joins spans that overlap.
func merged(found []span) []span {
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var out []span
	for _, s := range found {
		if n := len(out); n > 0 && s.from < out[n-1].to {
			last := &out[n-1]
			last.to = max(last.to, s.to)
			if last.needle == nil || s.needle != nil && len(s.needle.text) > len(last.needle.text) {
				last.needle = s.needle
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// marked finds the marks in a text, in order.
func (r *Redactor) marked(text string) []span {
	const lead = "«secret "
	var out []span
	for at := 0; ; {
		i := strings.Index(text[at:], lead)
		if i < 0 {
			return out
		}
		at += i
		for _, m := range r.marks {
			if strings.HasPrefix(text[at:], m) {
				out = append(out, span{from: at, to: at + len(m)})
				break
			}
		}
		at += len(lead)
	}
}

func replace(text string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		if s.needle != nil {
			b.WriteString(Mark(s.needle.name))
		} else {
			b.WriteString("…")
		}
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// RedactValue gives a copy of a JSON-like value with secrets replaced in all its texts and numbers, keys included. Errors become their
// text; other values that JSON decoding does not make are kept, unless a text or the JSON of theirs shows a secret.
func (r *Redactor) RedactValue(v any) any {
	if r == nil || r.matcher == nil {
		return v
	}
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		return r.Redact(v)
	case []byte:
		return []byte(r.Redact(string(v)))
	case json.RawMessage:
		return r.RedactJSON(v)
	case []any:
		return redactList(v, r.RedactValue)
	case []string:
		return redactList(v, r.Redact)
	case map[string]any:
		return redactMap(r, v, r.RedactValue)
	case map[string]string:
		return redactMap(r, v, r.Redact)
	case error:
		return r.Redact(v.Error())
	case float64:
		return r.unless(v, strconv.FormatFloat(v, 'f', -1, 64))
	case fmt.Stringer:
		return r.unless(v, v.String())
	}
	text, err := json.Marshal(v)
	if err != nil {
		return r.unless(v, fmt.Sprint(v))
	}
	return r.unless(v, string(text))
}

func redactList[T any](list []T, one func(T) T) []T {
	out := make([]T, len(list))
	for i, item := range list {
		out[i] = one(item)
	}
	return out
}

func redactMap[T any](r *Redactor, m map[string]T, one func(T) T) map[string]T {
	out := make(map[string]T, len(m))
	for key, item := range m {
		out[r.Redact(key)] = one(item)
	}
	return out
}

// RedactJSON is Redact for JSON, and gives JSON again: a secret may stand where no text does, such as in a number.
func (r *Redactor) RedactJSON(raw json.RawMessage) json.RawMessage {
	if r == nil || r.matcher == nil {
		return raw
	}
	text := r.Redact(string(raw))
	if text == string(raw) {
		return raw
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	var v any
	from := json.NewDecoder(bytes.NewReader(raw))
	from.UseNumber()
	if from.Decode(&v) != nil {
		return json.RawMessage(text)
	}
	out, err := json.Marshal(r.RedactValue(v))
	if err != nil {
		return json.RawMessage(text)
	}
	return out
}

// unless gives a value, or its text without secrets when that shows one.
func (r *Redactor) unless(v any, text string) any {
	if clean := r.Redact(text); clean != text {
		return clean
	}
	return v
}
