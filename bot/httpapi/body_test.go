package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"application/json":                     typeJSON,
		"Application/JSON; charset=UTF-8":      typeJSON,
		"application/cloudevents+json":         typeJSON,
		"application/x-www-form-urlencoded":    typeForm,
		"application/json; charset=iso-8859-1": "",
		"text/plain":                           "",
		"text/x+json":                          "",
		"multipart/form-data; boundary=x":      "",
		"":                                     "",
		"application/json; charset":            "",
		"application/x-www-form-urlencoded; charset=utf-8": typeForm,
	} {
		kind, ok := mediaType(http.Header{"Content-Type": {text}})
		if ok != (want != "") || ok && kind != want {
			t.Errorf("%q is read as %q, %v", text, kind, ok)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, c := range map[string]struct {
		kind, body, want string
		err              error
		says             string
	}{
		"an object":               {typeJSON, `{"a":1}`, `{"a":1}`, nil, ""},
		"a list":                  {typeJSON, ` [1,2] `, `[1,2]`, nil, ""},
		"nothing":                 {typeJSON, " \n", "", errEmpty, ""},
		"words":                   {typeJSON, "hello", "", nil, "it is not JSON"},
		"two values":              {typeJSON, "{} {}", "", nil, "it is not JSON"},
		"a number beyond numbers": {typeJSON, "1e999", "", nil, "it is not JSON"},
		"deep":                    {typeJSON, deep(depthMost), deep(depthMost), nil, ""},
		"deeper":                  {typeJSON, deep(depthMost + 1), "", errDeep, ""},
		"U+0000":                  {typeJSON, `{"a":["x\u0000"]}`, "", errNUL, ""},
		"U+0000 in a name":        {typeJSON, `{"x\u0000":1}`, "", errNUL, ""},
		"a form":                  {typeForm, "a=1&b=x+y&b=%C3%A4", `{"a":"1","b":["x y","ä"]}`, nil, ""},
		"an empty form":           {typeForm, "", `{}`, nil, ""},
		"no form":                 {typeForm, "a=%zz", "", nil, "it is not a form"},
		"U+0000 in a form":        {typeForm, "a=%00", "", errNUL, ""},
		"a form that is no text":  {typeForm, "a=%ff", `{"a":"�"}`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readBody(c.kind, []byte(c.body))
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
