package source

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"
)

// JSON reads a JSON document. It does not use the YAML reader, which reads some JSON strings differently.
func JSON(src *File, duplicate func(key string, at, first Place)) (*Value, *Error) {
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(src.Text), new(any)); errors.As(err, &syntax) {
		r := jsonReader{src: src, last: Place{1, 1}}
		return nil, &Error{Code: "bad-json", At: r.placeOf(max(int(syntax.Offset)-1, 0)), Message: "not readable as JSON: " + syntax.Error()}
	}
	dec := json.NewDecoder(strings.NewReader(src.Text))
	dec.UseNumber()
	r := jsonReader{src: src, dec: dec, duplicate: duplicate, last: Place{1, 1}}
	root, err := r.read(1)
	if r.bad == nil && err != nil {
		r.bad = &Error{Code: "bad-json", At: r.last, Message: "not readable as JSON: " + err.Error()}
	}
	if r.bad == nil && root.size > flow.MaxValues {
		r.bad = &Error{Code: "too-large", At: root.At, Message: "the file holds too many values"}
	}
	if r.bad != nil {
		return nil, r.bad
	}
	return root, nil
}

type jsonReader struct {
	src       *File
	dec       *json.Decoder
	duplicate func(key string, at, first Place)
	bad       *Error
	offset    int   // bytes of the source that last stands for
	last      Place // of offset
}

// next returns the next token and the place where it begins.
func (r *jsonReader) next() (json.Token, Place, error) {
	from := int(r.dec.InputOffset())
	for from < len(r.src.Text) && strings.IndexByte(" \t\r\n,:", r.src.Text[from]) >= 0 {
		from++
	}
	t, err := r.dec.Token()
	return t, r.placeOf(from), err
}

// placeOf gives the place of a byte offset; offsets only grow, so the source is walked once.
func (r *jsonReader) placeOf(offset int) Place {
	passed := r.src.Text[r.offset:offset]
	if n := strings.Count(passed, "\n"); n > 0 {
		r.last.Line += n
		r.last.Column = 1
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	r.last.Column += utf8.RuneCountInString(passed)
	r.offset = offset
	return r.last
}

func (r *jsonReader) read(depth int) (*Value, error) {
	t, at, err := r.next()
	if err != nil {
		return nil, err
	}
	if depth > flow.MaxDepth {
		r.bad = tooDeepAt(at)
		return nil, r.bad
	}
	v := &Value{At: at, json: true, from: r.offset}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			err = r.object(v, depth)
		} else {
			err = r.array(v, depth)
		}
	case string:
		v.Kind, v.Text = String, t
	case bool:
		v.Kind, v.Data, v.Text = Bool, t, strconv.FormatBool(t)
	case json.Number:
		v.Kind, v.Data, v.Text = Number, flow.Number(t), t.String()
		if _, err := t.Int64(); err != nil && !strings.ContainsAny(v.Text, ".eE") {
			r.bad = &Error{Code: "bad-json", At: at, Message: "the number has more digits than can be kept", Hint: "write it in quotes"}
			return nil, r.bad
		}
	}
	if err != nil {
		return nil, err
	}
	v.to = int(r.dec.InputOffset())
	return v.measure(), nil
}

func (r *jsonReader) array(v *Value, depth int) error {
	v.Kind = List
	for r.dec.More() {
		item, err := r.read(depth + 1)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	_, _, err := r.next()
	return err
}

func (r *jsonReader) object(v *Value, depth int) error {
	v.Kind = Map
	seen := map[string]Place{}
	for r.dec.More() {
		t, at, err := r.next()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		from := r.offset
		item, err := r.read(depth + 1)
		if err != nil {
			return err
		}
		if first, twice := seen[key]; twice {
			r.duplicate(key, at, first)
			continue
		}
		if seen[key] = at; len(seen) > flow.MaxKeys {
			r.bad = tooManyKeysAt(at)
			return r.bad
		}
		v.Pairs = append(v.Pairs, Pair{key, at, item, from})
	}
	_, _, err := r.next()
	return err
}
