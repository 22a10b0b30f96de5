package expr

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// Text is how a value renders inside a text: a text as it is, a number without a trailing .0, true or
// false, nothing for nil, a time in RFC 3339, a secret as its redaction, objects and lists as JSON.
func Text(v any) string {
	switch x := plain(v).(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		if x {
			return "true"
		}
		return "false"
	case json.Number:
		if n, ok := toNumber(x); ok {
			return n.text()
		}
		return string(x)
	case time.Time:
		return x.Format(time.RFC3339Nano)
	case SecretRef:
		return x.String()
	case Sealed:
		return x.String()
	case map[string]any, []any:
		return JSON(x)
	default:
		if n, ok := toNumber(x); ok {
			return n.text()
		}
		if r := reflect.ValueOf(x); r.Kind() == reflect.String {
			return r.String()
		}
		return JSON(x)
	}
}

// JSON writes a value as JSON on one line: keys in order, numbers as Text writes them, no escapes for
// HTML, secrets redacted, null for what JSON cannot hold.
func JSON(v any) string {
	w := jsonWriter{}
	w.encoder = json.NewEncoder(&w.buffer)
	w.encoder.SetEscapeHTML(false)
	w.write(v)
	return w.buffer.String()
}

// jsonWriter exists because encoding/json does not know Plainer and would drop the digits of numbers
// that were read into float64 differently from Text.
type jsonWriter struct {
	buffer  bytes.Buffer
	encoder *json.Encoder
}

func (w *jsonWriter) write(v any) {
	v = plain(v)
	switch x := v.(type) {
	case nil:
		w.buffer.WriteString("null")
		return
	case string:
		w.encode(x)
		return
	case bool, time.Time, SecretRef, Sealed:
		w.encode(x)
		return
	}
	if list, ok := elements(v); ok {
		w.list(list)
		return
	}
	if object, ok := fields(v); ok {
		w.object(object)
		return
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		if _, isNumber := v.(json.Number); !isNumber {
			w.encode(r.String())
			return
		}
	}
	if n, ok := toNumber(v); ok {
		w.buffer.WriteString(jsonNumber(n))
		return
	}
	w.encode(v)
}

// jsonNumber takes care of the two texts that are numbers to strconv but not to JSON.
func jsonNumber(n number) string {
	text := n.text()
	if n.kind == numberBig { // leading zeros are allowed in texts, not in JSON
		return n.big().String()
	}
	return text
}

func (w *jsonWriter) list(list []any) {
	w.buffer.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			w.buffer.WriteByte(',')
		}
		w.write(item)
	}
	w.buffer.WriteByte(']')
}

func (w *jsonWriter) object(object map[string]any) {
	w.buffer.WriteByte('{')
	for i, key := range sortedKeys(object) {
		if i > 0 {
			w.buffer.WriteByte(',')
		}
		w.encode(key)
		w.buffer.WriteByte(':')
		w.write(object[key])
	}
	w.buffer.WriteByte('}')
}

// encode writes a value of a type that encoding/json renders as we want.
func (w *jsonWriter) encode(v any) {
	before := w.buffer.Len()
	if err := w.encoder.Encode(v); err != nil {
		w.buffer.Truncate(before)
		w.buffer.WriteString("null")
		return
	}
	w.buffer.Truncate(w.buffer.Len() - 1) // the newline of Encode
}

// text is Text at a price.
func (m *meter) text(v any) (string, error) {
	s := Text(v)
	return s, m.chargeText(len(s))
}

// joined renders the members of a list with a separator between them; anything else as Text does.
func (m *meter) joined(v any, separator string) (string, error) {
	list, ok := elements(plain(v))
	if !ok {
		return m.text(v)
	}
	parts := make([]string, len(list))
	for i, item := range list {
		text, err := m.text(item)
		if err != nil {
			return "", err
		}
		parts[i] = text
	}
	return strings.Join(parts, separator), m.chargeText(len(separator) * len(list))
}
