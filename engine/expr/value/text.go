package value

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

// Text is how a value renders inside a text: a text as it is, a number without a trailing .0, true or false, nothing for nil, a
// time in RFC 3339, a secret as its redaction, objects and lists as JSON.
func Text(v any) string {
	switch x := Plain(v).(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		if x {
			return "true"
		}
		return "false"
	case time.Time:
		return x.Format(time.RFC3339Nano)
	case SecretRef:
		return x.String()
	case Sealed:
		return x.String()
	case map[string]any, []any:
		return JSON(x)
	default:
		if n, ok := ToNumber(x); ok {
			return n.Text()
		}
		if r := reflect.ValueOf(x); r.Kind() == reflect.String {
			return r.String()
		}
		return JSON(x)
	}
}

// JSON writes a value as JSON on one line: keys in order, numbers as Text writes them, no escapes for HTML, secrets redacted,
// null for what JSON cannot hold.
func JSON(v any) string { return string(appendJSON(nil, v)) }

// IndentedJSON is JSON with a line for every member.
func IndentedJSON(v any) string {
	var b bytes.Buffer
	if err := json.Indent(&b, appendJSON(nil, v), "", "  "); err != nil {
		return JSON(v)
	}
	return b.String()
}

func appendJSON(b []byte, v any) []byte {
	v = Plain(v)
	switch x := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return appendText(b, x)
	case bool:
		return strconv.AppendBool(b, x)
	}
	if list, ok := List(v); ok {
		b = append(b, '[')
		for i, item := range list {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	}
	if object, ok := Object(v); ok {
		b = append(b, '{')
		for i, key := range Keys(object) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, key), ':')
			b = appendJSON(b, object[key])
		}
		return append(b, '}')
	}
	if n, ok := ToNumber(v); ok {
		return append(b, n.json()...)
	}
	if _, isNumber := v.(json.Number); !isNumber {
		if r := reflect.ValueOf(v); r.Kind() == reflect.String {
			return appendText(b, r.String())
		}
	}
	return encode(b, v)
}

// appendText writes a text; only a text with special characters goes through the encoder.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return encode(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// encode writes a value with encoding/json, without escapes for HTML.
func encode(b []byte, v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return append(b, "null"...)
	}
	return append(b, bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))...)
}
