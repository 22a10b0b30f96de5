package document

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow/source"
)

// Spelling is how a text of a source stands in a flow, such as with escapes in a template.
type Spelling struct {
	Write func(text string) string
	Read  func(written string) (text string, ok bool)
}

// Trimmed is the spelling of a text that stands in a flow as it is, without the blank space around it.
var Trimmed = Spelling{Write: strings.TrimSpace, Read: func(s string) (string, bool) { return s, true }}

// Said finds the value of a source from which a part of a flow was made, by what the part was, and what the value must be for what the part
// is now. Reencode finds out whether it was the right one.
func Said(was, is any, from []*source.Value, spellings ...Spelling) (v *source.Value, value any, ok bool) {
	from = slices.SortedStableFunc(slices.Values(from), func(a, b *source.Value) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	before, isText := was.(string)
	after, _ := is.(string)
	for _, v := range from {
		plain := v.Plain()
		switch {
		case v.Kind == source.List || v.Kind == source.Map:
		case !isText && was != nil && (reflect.DeepEqual(plain, was) || v.Kind == source.Number && number(v) == was):
			return v, is, true
		case isText && v.Text != "":
			for _, s := range spellings {
				words, fits := Words(before, after, s, v.Text)
				if value, fits = scalar(v, words, fits); fits {
					return v, value, true
				}
			}
		}
	}
	return nil, nil, false
}

// Words gives the text that stands in a changed text in the place of another one.
func Words(before, after string, s Spelling, text string) (string, bool) {
	written := s.Write(text)
	for at := 0; written != "" && at <= len(before); at++ {
		i := strings.Index(before[at:], written)
		if i < 0 {
			return "", false
		}
		at += i
		head, tail := before[:at], before[at+len(written):]
		if len(after) >= len(head)+len(tail) && strings.HasPrefix(after, head) && strings.HasSuffix(after, tail) {
			if words, ok := s.Read(after[len(head) : len(after)-len(tail)]); ok {
				return words, true
			}
		}
	}
	return "", false
}

// scalar gives words as a value of the kind that another value has.
func scalar(v *source.Value, words string, ok bool) (any, bool) {
	switch {
	case !ok:
		return nil, false
	case v.Kind == source.Number:
		n, err := strconv.ParseFloat(words, 64)
		return n, err == nil
	case v.Kind == source.Bool:
		b, err := strconv.ParseBool(words)
		return b, err == nil
	}
	return words, v.Kind == source.String
}

func number(v *source.Value) any {
	switch n := v.Data.(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	}
	return nil
}
