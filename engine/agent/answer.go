package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/tool"
)

// readAnswer reads the model's answer. With a declared output it must hold a value that is valid for that; problems says what is wrong otherwise.
func readAnswer(text string, output map[string]any, schema *tool.Schema) (a Answer, problems string) {
	if output == nil {
		return Answer{Text: text}, ""
	}
	v, ok := jsonIn(text)
	if !ok {
		return Answer{}, "it is not JSON"
	}
	if wrong := schema.Check(v); len(wrong) > 0 {
		return Answer{}, strings.Join(wrong, "; ")
	}
	return Answer{Text: string(plain(v)), Data: v}, ""
}

// jsonIn finds the JSON value in an answer: the whole of it, with or without a code fence, or an object between words.
func jsonIn(text string) (any, bool) {
	whole := strings.TrimSpace(text)
	if inner, fenced := strings.CutPrefix(whole, "```"); fenced {
		_, inner, _ = strings.Cut(inner, "\n")
		whole = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	d := json.NewDecoder(strings.NewReader(whole))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return v, true
		}
	}
	if object, ok := expr.JSONIn(text); ok {
		return object, true
	}
	return nil, false
}

func repairRequest(problems string) string {
	return "This answer cannot be used: " + problems + ". Answer again with nothing but one JSON value that is valid for the schema."
}

// plain writes JSON as models read it best, without the escapes that are made for web pages.
func plain(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return json.RawMessage(`"(cannot be shown)"`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
