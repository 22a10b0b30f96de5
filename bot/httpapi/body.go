package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

const (
	// bodyMost is how large a body may be.
	bodyMost = 1 << 20
	// depthMost is how deep its values may lie within each other.
	depthMost = 64
)

// The media types that are read.
const (
	typeJSON = "application/json"
	typeForm = "application/x-www-form-urlencoded"
)

var (
	errEmpty = errors.New("it is empty: send JSON, {} when there is nothing to say")
	errDeep  = fmt.Errorf("its values lie within each other more than %d deep", depthMost)
	errNUL   = errors.New("a text in it holds the character U+0000")
)

// mediaType gives the type of a request's body, if it is one that is read. Types such as application/cloudevents+json are JSON.
func mediaType(h http.Header) (kind string, ok bool) {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return "", false
	}
	if strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json") {
		kind = typeJSON
	}
	return kind, kind == typeJSON || kind == typeForm
}

// readBody gives a body as JSON that every store can keep.
func readBody(kind string, body []byte) (json.RawMessage, error) {
	if kind == typeForm {
		return readForm(body)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, errEmpty
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return body, wholesome(v, 1)
}

// readForm makes JSON of a form. A field that is there several times becomes a list.
func readForm(body []byte) (json.RawMessage, error) {
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("it is not a form: %w", err)
	}
	out := make(map[string]any, len(fields))
	for name, values := range fields {
		if len(values) == 1 {
			out[name] = values[0]
			continue
		}
		all := make([]any, len(values))
		for i, v := range values {
			all[i] = v
		}
		out[name] = all
	}
	if err := wholesome(out, 1); err != nil {
		return nil, err
	}
	return json.Marshal(out) // what is not UTF-8 is replaced, as it is in JSON
}

// wholesome refuses what could be stored, and then not read or shown again.
func wholesome(v any, depth int) error {
	if depth > depthMost {
		return errDeep
	}
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			return errNUL
		}
	case []any:
		for _, x := range v {
			if err := wholesome(x, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, x := range v {
			if err := errors.Join(wholesome(name, depth), wholesome(x, depth+1)); err != nil {
				return err
			}
		}
	}
	return nil
}
