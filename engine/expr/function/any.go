package function

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"sluice/engine/expr/value"
)

// orElse replaces a missing value or an empty text by another value.
func orElse(c *Call) any {
	if plain := c.any(0); plain == nil || plain == "" {
		return c.args[1]
	}
	return c.args[0]
}

func coalesce(c *Call) any {
	for i := range c.args {
		if c.given(i) {
			return c.args[i]
		}
	}
	return nil
}

func truth(c *Call) any { return value.Truthy(c.any(0)) }

func kind(c *Call) any {
	switch of := KindOf(c.any(0)); of {
	case Any:
		return "nothing"
	case Boolean:
		return "boolean"
	default:
		return of.String()
	}
}

func compare(c *Call) any {
	operator := c.text(1)
	if !slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, operator) {
		return c.fail(BadArgument, "%s is no comparison; there are ==, !=, <, <=, >, >=", brief(operator))
	}
	result, err := c.Compare(operator, c.any(0), c.any(2))
	c.err = errors.Join(c.err, err)
	return result
}

func toJSON(c *Call) any {
	text := value.JSON(c.any(0))
	c.charge(len(text) / 64)
	return text
}

func pretty(c *Call) any {
	text := value.IndentedJSON(c.any(0))
	c.charge(len(text) / 64)
	return text
}

// maxStarts limits how many places parse_json tries as the start of an object or a list.
const maxStarts = 64

// parseJSON reads the JSON in a language model's text: alone, in a code fence, or between words. An object or a list is
// returned as it is.
func parseJSON(c *Call) any {
	v := c.any(0)
	if of := KindOf(v); of != Object && of != List {
		parsed, ok := c.readJSON(c.text(0))
		if !ok {
			return c.fail(BadJSON, "%s holds no JSON", brief(v))
		}
		v = parsed
	}
	if of := KindOf(v); value.Truthy(c.any(1)) && of != Object && of != List {
		return map[string]any{"value": v}
	}
	return v
}

func (c *Call) readJSON(text string) (any, bool) {
	if v, rest, err := decode(text); err == nil && strings.TrimSpace(rest) == "" {
		return v, true
	}
	for range maxStarts {
		start := strings.IndexAny(text, "{[")
		if start < 0 || !c.charge(1+len(text)/64) {
			return nil, false
		}
		text = text[start:]
		if v, _, err := decode(text); err == nil {
			return v, true
		}
		text = text[1:]
	}
	return nil, false
}

// decode reads the JSON value at the start of a text. Numbers keep their digits.
func decode(text string) (v any, rest string, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, "", err
	}
	return v, text[decoder.InputOffset():], nil
}
