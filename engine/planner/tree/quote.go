package tree

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Text is one message that the tree was read from: the description, or a later change.
type Text struct {
	Words  string `json:"words"`
	Author string `json:"author,omitempty"` // user id
	// People are words of it, in small letters, that are names of people here and stand without an @.
	People []string `json:"people,omitempty"`
	// Outline says that it was read without a model.
	Outline bool `json:"outline,omitempty"`
	// For are the older words in whose place it stands: those that it answers, or those of the step that it says anew.
	For Quote `json:"for,omitzero"`
}

// Quote is the range of bytes [From, To) of one text. The zero Quote quotes nothing.
type Quote struct {
	Text int `json:"t,omitempty"` // index into Tree.Texts
	From int `json:"f,omitempty"`
	To   int `json:"u,omitempty"`
}

// Empty reports whether the quote holds no letter.
func (q Quote) Empty() bool { return q.To <= q.From }

// Overlaps reports whether two quotes have a letter in common.
func (q Quote) Overlaps(r Quote) bool { return q.Text == r.Text && q.From < r.To && r.From < q.To }

// Without gives the parts of a quote that none of others has.
func (q Quote) Without(others ...Quote) (out []Quote) {
	for _, o := range slices.SortedFunc(slices.Values(others), func(a, b Quote) int { return a.From - b.From }) {
		if !q.Overlaps(o) {
			continue
		}
		if q.From < o.From {
			out = append(out, Quote{Text: q.Text, From: q.From, To: o.From})
		}
		q.From = o.To
	}
	if !q.Empty() {
		out = append(out, q)
	}
	return out
}

// Span goes from the first to the last of several quotes, of those in the text of the first one.
func Span(all []Quote) (span Quote) {
	for i, q := range all {
		if i == 0 {
			span = q
		}
		if q.Text == span.Text {
			span.From, span.To = min(span.From, q.From), max(span.To, q.To)
		}
	}
	return span
}

// Words gives the quoted words.
func (t *Tree) Words(q Quote) string {
	if q.Empty() || q.Text < 0 || q.Text >= len(t.Texts) || q.From < 0 || q.To > len(t.Texts[q.Text].Words) {
		return ""
	}
	return t.Texts[q.Text].Words[q.From:q.To]
}

// Find quotes the first place at or after from where a text has these words; false = it has them nowhere. Letter case and runs of white
// space do not matter.
func (t *Tree) Find(text, from int, words string) (Quote, bool) {
	if text < 0 || text >= len(t.Texts) {
		return Quote{}, false
	}
	in := t.Texts[text].Words
	fields := strings.Fields(words)
	if len(fields) == 0 || from < 0 || from > len(in) {
		return Quote{}, false
	}
	words = strings.ReplaceAll(regexp.QuoteMeta(strings.Join(fields, " ")), " ", `[ \t\r\n\x{a0}]+`)
	at := regexp.MustCompile("(?i)" + words).FindStringIndex(in[from:])
	if at == nil {
		return Quote{}, false
	}
	return Quote{Text: text, From: from + at[0], To: from + at[1]}, true
}

// Quotes lists all quotes in a step, an input or another part of a tree, given as a pointer.
func Quotes(part any) (out []Quote) {
	for _, q := range collect[Quote](reflect.ValueOf(part), true) {
		if !q.Empty() {
			out = append(out, *q)
		}
	}
	return out
}

// Refs lists all values of a run that a part of a tree uses, given as a pointer.
func Refs(part any) []*Ref { return collect[Ref](reflect.ValueOf(part), true) }

// collect lists each T inside of a part of a tree. below says whether lists of steps belong to the part.
func collect[T any](v reflect.Value, below bool) (out []*T) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return collect[T](v.Elem(), below)
		}
	case reflect.Slice:
		for i := 0; i < v.Len() && (below || v.Type() != reflect.TypeFor[[]Step]()); i++ {
			out = append(out, collect[T](v.Index(i), below)...)
		}
	case reflect.Struct:
		if !v.CanAddr() { // a copy was given
			copied := reflect.New(v.Type()).Elem()
			copied.Set(v)
			v = copied
		}
		if found, ok := v.Addr().Interface().(*T); ok {
			return []*T{found}
		}
		for _, field := range v.Fields() {
			out = append(out, collect[T](field, below)...)
		}
	}
	return out
}
