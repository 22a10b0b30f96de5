package flow

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readJSON reads a JSON document. Its own reader gives exact JSON strings, which YAML would almost give.
func readJSON(src *source, duplicate func(key string, at, first place)) (*value, *badDocument) {
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(src.text), new(any)); errors.As(err, &syntax) {
		r := jsonReader{src: src, last: place{1, 1}}
		return nil, &badDocument{code: "bad-json", at: r.placeOf(max(int(syntax.Offset)-1, 0)), message: "not readable as JSON: " + syntax.Error()}
	}
	dec := json.NewDecoder(strings.NewReader(src.text))
	dec.UseNumber()
	r := jsonReader{src: src, dec: dec, duplicate: duplicate, last: place{1, 1}}
	root, err := r.read(1)
	if r.bad == nil && err != nil {
		r.bad = &badDocument{code: "bad-json", at: r.last, message: "not readable as JSON: " + err.Error()}
	}
	if r.bad == nil && root.size > MaxValues {
		r.bad = &badDocument{code: "too-large", at: root.at, message: "the file holds too many values"}
	}
	if r.bad != nil {
		return nil, r.bad
	}
	return root, nil
}

type jsonReader struct {
	src       *source
	dec       *json.Decoder
	duplicate func(key string, at, first place)
	bad       *badDocument
	offset    int   // bytes of the source that last stands for
	last      place // of offset
}

// next returns the next token and the place where it begins.
func (r *jsonReader) next() (json.Token, place, error) {
	from := int(r.dec.InputOffset())
	for from < len(r.src.text) && strings.IndexByte(" \t\r\n,:", r.src.text[from]) >= 0 {
		from++
	}
	t, err := r.dec.Token()
	return t, r.placeOf(from), err
}

// placeOf gives the place of a byte offset; offsets only grow, so the source is walked once.
func (r *jsonReader) placeOf(offset int) place {
	passed := r.src.text[r.offset:offset]
	if n := strings.Count(passed, "\n"); n > 0 {
		r.last.line += n
		r.last.column = 1
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	r.last.column += utf8.RuneCountInString(passed)
	r.offset = offset
	return r.last
}

func (r *jsonReader) read(depth int) (*value, error) {
	t, at, err := r.next()
	if err != nil {
		return nil, err
	}
	if depth > MaxDepth {
		r.bad = tooDeepAt(at)
		return nil, r.bad
	}
	v := &value{at: at}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			err = r.object(v, depth)
		} else {
			err = r.array(v, depth)
		}
	case string:
		v.kind, v.text = kindString, t
	case bool:
		v.kind, v.data, v.text = kindBool, t, strconv.FormatBool(t)
	case json.Number:
		v.kind, v.data, v.text = kindNumber, jsonNumber(t), t.String()
		if _, err := t.Int64(); err != nil && !strings.ContainsAny(v.text, ".eE") {
			r.bad = &badDocument{code: "bad-json", at: at, message: "the number has more digits than can be kept", hint: "write it in quotes"}
			return nil, r.bad
		}
	}
	if err != nil {
		return nil, err
	}
	return v.measure(), nil
}

func (r *jsonReader) array(v *value, depth int) error {
	v.kind = kindList
	for r.dec.More() {
		item, err := r.read(depth + 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	_, _, err := r.next()
	return err
}

func (r *jsonReader) object(v *value, depth int) error {
	v.kind = kindMap
	seen := map[string]place{}
	for r.dec.More() {
		t, at, err := r.next()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		item, err := r.read(depth + 1)
		if err != nil {
			return err
		}
		if first, twice := seen[key]; twice {
			r.duplicate(key, at, first)
			continue
		}
		if seen[key] = at; len(seen) > MaxKeys {
			r.bad = tooManyKeysAt(at)
			return r.bad
		}
		v.pairs = append(v.pairs, pair{key, at, item})
	}
	_, _, err := r.next()
	return err
}

// jsonNumber gives a number as YAML values have it. A number too large for float64 becomes the largest one.
func jsonNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return number(i)
	}
	f, _ := n.Float64()
	return float(min(max(f, -math.MaxFloat64), math.MaxFloat64))
}
