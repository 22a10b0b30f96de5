package file_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
)

// TestYAMLForms reads every form that a value may have, through the output of a terminal node.
func TestYAMLForms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ yaml, json string }{
		"numbers":             {"[1, 1.0, -5, +5, 0x10, 1e3, 1.5e-7, .5, 12345678901234567, 9223372036854775807]", `[1,1,-5,5,16,1000,1.5e-7,0.5,12345678901234567,9223372036854775807]`},
		"words":               {"[true, false, null, ~, yes, No, on, 12:30, 2026-12-01, 1.2.3]", `[true,false,null,null,"yes","No","on","12:30","2026-12-01","1.2.3"]`},
		"colons in lists":     {`[12:30, a:b, 1:2:3, a: b, "c":d, {e:f}, http://x]`, `["12:30","a:b","1:2:3",{"a":"b"},{"c":"d"},{"e":"f"},"http://x"]`},
		"quotes":              {`["a\tb\u00e9\x41\"", 'it''s \n', "", '']`, `["a\tbéA\"","it's \\n","",""]`},
		"tags":                {"[!!str 5, !!str true, !!int 5, !!map {a: 1}]", `["5","true",5,{"a":1}]`},
		"merge":               {"{<<: *base, b: 9}", `{"a":1,"b":9}`},
		"merge of a list":     {"{<<: [*base, *more], d: 9}", `{"a":1,"b":2,"c":4,"d":9}`},
		"alias":               {"[*base, *text]", `[{"a":1,"b":2},"once"]`},
		"keys of other types": {"{1: a, true: b, 2.5: c, null: d}", `{"1":"a","2.5":"c","null":"d","true":"b"}`},
		"empty":               {"{a: , b: [], c: {}}", `{"a":null,"b":[],"c":{}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := "name: a\nflow:\n  entry: w\n  nodes:\n" +
				"    - {id: w, type: set, vars: {base: &base {a: 1, b: 2}, more: &more {b: 3, c: 4}, text: &text once}, routes: [{to: x}]}\n" +
				"    - {id: x, type: terminal, output: " + tt.yaml + "}\n"
			got, err := json.Marshal(flowtest.Parsed(t, []byte(src)).Node("x").Spec.(*flow.TerminalSpec).Output)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.json, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestYAMLRefused(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"a: !custom x":             "the tag !custom means nothing here",
		"a: !!binary aGk=":         "the tag !!binary means nothing here",
		"a: [9223372036854775808]": "more digits than can be kept",
		"a: 123456789012345678901": "more digits than can be kept",
		"? [a, b] : c":             "found an invalid key",
		"b: &b x\na: {<<: *b}":     "<< must name a mapping",
		"a: &a [*a]":               "the alias *a has no anchor",
		"a: 1e999":                 "the number is too large",
		"a: .nan":                  "infinity and .nan are not numbers",
		"a: b: c":                  "not readable as YAML",
		"a: @b":                    "not readable as YAML",
		"\"a\nb: c":                "not readable as YAML",
		"a: [1, 2":                 "not readable as YAML",
		"just text":                "must be a mapping, not a string",
		"\ufeffname: a\r\nb: \r\n": "unknown key 'b'",
		"name: a\rb: 1\r":          "x.yaml:2:1",
	} {
		_, problems := file.Parse("x.yaml", []byte(src))
		if len(problems) == 0 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%q: want %q, got\n%s", src, want, problems.Error())
		}
	}
}

func TestJSONRefused(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"":                                 "bad-json 1:1",
		"{\n  \"name\": \"a\",\n}":         "bad-json 3:1",
		`{"name": "a"} x`:                  "bad-json 1:15",
		`[1]`:                              "wrong-type 1:1",
		`{"name": "a", "é": 1, "flow": 1}`: "unknown-key 1:15",
		`{"name": 123456789012345678901}`:  "bad-json 1:10",
	} {
		_, problems := file.Parse("x.json", []byte(src))
		if len(problems) == 0 {
			t.Errorf("%q is accepted", src)
			continue
		}
		p := problems[0]
		if got := p.Code + " " + strings.Split(strings.TrimPrefix(p.Error(), "x.json:"), ": ")[0]; got != want {
			t.Errorf("%q: want %s, got %s", src, want, p.Error())
		}
	}
}
