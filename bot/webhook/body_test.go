package webhook

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"application/json":                                 true,
		"Application/JSON; charset=UTF-8":                  true,
		"application/cloudevents+json":                     true,
		"application/x-www-form-urlencoded":                false,
		"application/json; charset=iso-8859-1":             false,
		"application/json; charset=utf-8; charset=utf-16":  false,
		"application/json, application/xml":                false,
		"text/plain":                                       false,
		"text/x+json":                                      false,
		"multipart/form-data; boundary=x":                  false,
		"":                                                 false,
		"application/json; charset":                        false,
		"application/x-www-form-urlencoded; charset=utf-8": false,
	} {
		if err := checkType(http.Header{"Content-Type": {text}}); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	for name, h := range map[string]http.Header{
		"two types":      {"Content-Type": {typeJSON, typeJSON}},
		"compressed":     {"Content-Type": {typeJSON}, "Content-Encoding": {"gzip"}},
		"encoded twice":  {"Content-Type": {typeJSON}, "Content-Encoding": {"identity", "gzip"}},
		"encoded in one": {"Content-Type": {typeJSON}, "Content-Encoding": {"identity, gzip"}},
	} {
		if checkType(h) == nil {
			t.Errorf("%s are taken", name)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, c := range map[string]struct {
		body, want string
		err        error
		says       string
	}{
		"an object":               {`{"a":1}`, `{"a":1}`, nil, ""},
		"a list":                  {` [1,2] `, `[1,2]`, nil, ""},
		"nothing":                 {" \n", "", errEmpty, ""},
		"words":                   {"hello", "", nil, "it is not JSON"},
		"two values":              {"{} {}", "", nil, "it is not JSON"},
		"a number beyond numbers": {"1e999", "", nil, "it is not JSON"},
		"deep":                    {deep(depthMost), deep(depthMost), nil, ""},
		"deeper":                  {deep(depthMost + 1), "", errDeep, ""},
		"U+0000":                  {`{"a":["x\u0000"]}`, "", errNUL, ""},
		"U+0000 in a name":        {`{"x\u0000":1}`, "", errNUL, ""},
		"a form":                  {"a=1&b=x+y&b=%C3%A4", "", nil, "it is not JSON"},
		"a name twice":            {`{"a":1,"b":2,"a":3}`, "", errTwice, ""},
		"a name twice, escaped":   {`{"a":1,"\u0061":3}`, "", errTwice, ""},
		"a name twice, deep":      {`[{"x":{"a":1,"a":1}}]`, "", errTwice, ""},
		"a name in two objects":   {`[{"a":1},{"a":1}]`, `[{"a":1},{"a":1}]`, nil, ""},
		"a byte order mark":       {"\ufeff{}", "", errBOM, ""},
		"UTF-16":                  {"{\x00}\x00", "", nil, "it is not JSON"},
		"another charset":         {"{\"a\":\"\xff\"}", "", errUTF8, ""},
		"something after it":      {`{"a":1}x`, "", nil, "it is not JSON"},
		"a comment":               {`{"a":1}//`, "", nil, "it is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readBody([]byte(c.body))
			if c.want == "" {
				if err == nil || c.err != nil && !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("got %s, %v", got, err)
				}
				return
			}
			var v any
			if err := errors.Join(err, json.Unmarshal(got, &v)); err != nil {
				t.Fatal(err)
			}
			if again, err := json.Marshal(v); err != nil || string(again) != c.want {
				t.Errorf("got %s, %v, want %s", again, err, c.want)
			}
		})
	}
}
