package slacksim

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// maxBody is the largest body of a call.
const maxBody = 8 << 20

// text is a string; any other JSON value is taken as it is written, since a form cannot tell `7` from `"7"`.
type text string

// UnmarshalJSON takes any value.
func (t *text) UnmarshalJSON(body []byte) error {
	*t = text(plain(body))
	return nil
}

// plain is a JSON string without its quotes, or any other JSON value as it is written.
func plain(raw json.RawMessage) string {
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		return s
	}
	return string(raw)
}

// number is an integer that may also come as a string, as forms send it.
type number int

// UnmarshalJSON takes a number or a string of digits.
func (n *number) UnmarshalJSON(body []byte) error {
	s := strings.Trim(string(body), `"`)
	if s == "" || s == "null" {
		return nil
	}
	i, err := strconv.Atoi(s)
	if err != nil {
		return fmt.Errorf("%s: a whole number is wanted here", body)
	}
	*n = number(i)
	return nil
}

// flag is a boolean that may also come as a string, as forms send it.
type flag bool

// UnmarshalJSON takes true, false, 1, 0 and their strings.
func (f *flag) UnmarshalJSON(body []byte) error {
	switch strings.Trim(string(body), `"`) {
	case "true", "1":
		*f = true
	case "false", "0", "", "null":
		*f = false
	default:
		return fmt.Errorf("%s: true or false is wanted here", body)
	}
	return nil
}

// readBody returns the fields of a request in JSON form, whether they came as JSON, as a form, or in the address. In
// forms `container.channel` is the field channel of container, and a value that is a JSON object or array stays one.
func readBody(r *http.Request) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			return nil, fmt.Errorf("reading the body: %w", err)
		}
		if len(body) > 0 && string(body) != "null" {
			if err := json.Unmarshal(body, &fields); err != nil {
				return nil, fmt.Errorf("the body is not a JSON object: %w", err)
			}
		}
		return fields, nil
	}
	if err := parseForm(r, kind); err != nil {
		return nil, fmt.Errorf("reading the form: %w", err)
	}
	nested := map[string]map[string]json.RawMessage{}
	for name, values := range r.Form {
		value := formValue(values[0])
		outer, inner, found := strings.Cut(name, ".")
		if !found {
			fields[name] = value
			continue
		}
		if nested[outer] == nil {
			nested[outer] = map[string]json.RawMessage{}
		}
		nested[outer][inner] = value
	}
	for name, inner := range nested {
		fields[name], _ = json.Marshal(inner) // raw messages that formValue made
	}
	return fields, nil
}

func parseForm(r *http.Request, kind string) error {
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	if kind == "multipart/form-data" {
		return r.ParseMultipartForm(maxBody)
	}
	return r.ParseForm()
}

func formValue(value string) json.RawMessage {
	if strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") {
		if json.Valid([]byte(value)) {
			return json.RawMessage(value)
		}
	}
	quoted, _ := json.Marshal(value) // a string always has a JSON form
	return quoted
}

// writeJSON answers with a JSON body.
func writeJSON(w http.ResponseWriter, status int, body any) {
	encoded, err := json.Marshal(body)
	if err != nil {
		status, encoded = http.StatusInternalServerError, []byte(`{"ok":false,"error":"internal_error"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(encoded) // a client that left needs no answer
}
