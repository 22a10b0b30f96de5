package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

const (
	// bodyMost is how large a body may be.
	bodyMost = 1 << 20
	// depthMost is how deep its values may lie within each other.
	depthMost = 64
)

// typeJSON is the media type that is read.
const typeJSON = "application/json"

var (
	errEmpty = errors.New("it is empty: send JSON, {} when there is nothing to say")
	errDeep  = fmt.Errorf("its values lie within each other more than %d deep", depthMost)
	errNUL   = errors.New("a text in it holds the character U+0000")
	errUTF8  = errors.New("it is not UTF-8")
	errBOM   = errors.New("it begins with a byte order mark")
	errTwice = errors.New("a name is there twice in one object")
)

// checkType refuses what is not JSON in UTF-8: the type of a body is not signed, so there is one. Types such as
// application/cloudevents+json are JSON.
func checkType(h http.Header) error {
	text, err := only(h, "Content-Type")
	if err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(text)
	if err != nil {
		return fmt.Errorf("its type is %q: %w", text, err)
	}
	if set := params["charset"]; set != "" && !strings.EqualFold(set, "utf-8") {
		return fmt.Errorf("its charset is %q", set)
	}
	if kind != typeJSON && !(strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")) {
		return fmt.Errorf("its type is %q", kind)
	}
	if all := h.Values("Content-Encoding"); len(all) > 1 || len(all) == 1 && !strings.EqualFold(all[0], "identity") {
		return fmt.Errorf("its encoding is %q", all)
	}
	return nil
}

// readBody gives a body as JSON that every store can keep and every reader reads alike.
func readBody(body []byte) (json.RawMessage, error) {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, errEmpty
	case bytes.HasPrefix(body, []byte("\ufeff")):
		return nil, errBOM
	case !utf8.Valid(body):
		return nil, errUTF8
	}
	var v any // numbers beyond numbers are refused here, and what follows the value
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	from := json.NewDecoder(bytes.NewReader(body))
	from.UseNumber()
	return body, readValue(from, 1)
}

// readValue refuses what could be stored and then not be read or shown again, and what two readers would read in two ways.
func readValue(from *json.Decoder, depth int) error {
	if depth > depthMost {
		return errDeep
	}
	t, err := from.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	switch t {
	case json.Delim('['):
		for from.More() {
			if err := readValue(from, depth+1); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		names := map[string]bool{}
		for from.More() {
			name, err := from.Token()
			if err != nil {
				return fmt.Errorf("it is not JSON: %w", err)
			}
			s, _ := name.(string)
			if names[s] {
				return errTwice
			}
			names[s] = true
			if strings.ContainsRune(s, 0) {
				return errNUL
			}
			if err := readValue(from, depth+1); err != nil {
				return err
			}
		}
	default:
		if s, ok := t.(string); ok && strings.ContainsRune(s, 0) {
			return errNUL
		}
		return nil
	}
	_, err = from.Token() // the end of the list or object
	return err
}
