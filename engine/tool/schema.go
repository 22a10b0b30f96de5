package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"sluice/engine/naming"
)

// Schema is a compiled JSON Schema that says in words what is wrong with a value. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema // nil = everything is valid
	doc      map[string]any
}

// CompileSchema reads a JSON Schema. References may only point into the schema itself: nothing is loaded from files or
// addresses. A nil schema accepts everything.
func CompileSchema(doc map[string]any) (*Schema, error) {
	if doc == nil {
		return &Schema{}, nil
	}
	plain, err := plainJSON(doc)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const location = "schema:///schema.json"
	if err := c.AddResource(location, plain); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, errors.New(schemaFault(err))
	}
	object, _ := plain.(map[string]any)
	return &Schema{compiled: compiled, doc: object}, nil
}

type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema can refer to itself only")
}

// schemaFault makes one line of a complaint about the schema itself.
func schemaFault(err error) string {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		var problem *jsonschema.ValidationError
		if errors.As(invalid.Err, &problem) {
			return "not a JSON Schema: " + strings.Join(describe(problem, nil), "; ")
		}
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return "not a JSON Schema: " + line
}

// plainJSON turns a value into what decoding JSON gives, with numbers kept exact.
func plainJSON(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(b))
}

// Check says what is wrong with a value, one phrase per problem, each beginning with the place; nil when it is valid.
// The phrases never repeat the value.
func (s *Schema) Check(v any) []string {
	if s == nil || s.compiled == nil {
		return nil
	}
	plain, err := plainJSON(v)
	if err != nil {
		return []string{"the value cannot be written as JSON"}
	}
	var problem *jsonschema.ValidationError
	if err := s.compiled.Validate(plain); errors.As(err, &problem) {
		return describe(problem, s.doc)
	} else if err != nil {
		return []string{"the value cannot be checked"}
	}
	return nil
}

// describe turns the tree of a failed validation into phrases.
func describe(e *jsonschema.ValidationError, doc map[string]any) []string {
	at := spot(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		if doc == nil && len(e.InstanceLocation) > 0 && e.InstanceLocation[len(e.InstanceLocation)-1] == "type" {
			return []string{at + " must be string, number, integer, boolean, object, array, null, or a list of these"}
		}
		return []string{at + " has none of the allowed forms"}
	case *kind.Required:
		out := make([]string, len(k.Missing))
		for i, name := range k.Missing {
			out[i] = spot(append(slices.Clone(e.InstanceLocation), name)) + " is missing"
		}
		return out
	case *kind.AdditionalProperties:
		known := slices.Sorted(maps.Keys(properties(doc, e.InstanceLocation)))
		out := make([]string, len(k.Properties))
		for i, name := range k.Properties {
			out[i] = spot(append(slices.Clone(e.InstanceLocation), name)) + " is not known here" + hintOrList(name, known)
		}
		return out
	}
	if len(e.Causes) == 0 {
		return []string{at + " " + complaint(e.ErrorKind)}
	}
	var out []string
	for _, cause := range e.Causes {
		for _, phrase := range describe(cause, doc) {
			if !slices.Contains(out, phrase) {
				out = append(out, phrase)
			}
		}
	}
	return out
}

func hintOrList(name string, known []string) string {
	if s := suggestion(name, known); s != "" {
		return "; " + s
	}
	if len(known) == 0 {
		return ""
	}
	return " (known: " + strings.Join(known, ", ") + ")"
}

// complaint is what follows the place: "must be a number, not a string".
func complaint(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be " + typeWords(k.Want) + ", not " + typeWords([]string{k.Got})
	case *kind.Enum:
		return "must be one of " + valueList(k.Want)
	case *kind.Const:
		return "must be " + valueList([]any{k.Want})
	case *kind.Pattern:
		return "must match the pattern " + k.Want
	case *kind.Format:
		return "must have the form " + k.Want
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.ExclusiveMinimum:
		return "must be more than " + k.Want.RatString()
	case *kind.ExclusiveMaximum:
		return "must be less than " + k.Want.RatString()
	case *kind.FalseSchema:
		return "must not be given"
	case *kind.Not:
		return "has a form that is not allowed"
	default:
		path := k.KeywordPath()
		if len(path) == 0 {
			return "is not valid"
		}
		return "breaks the rule " + strings.Join(path, ".")
	}
}

func typeWords(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "integer", "object", "array":
			words[i] = "an " + t
		case "null":
			words[i] = "empty"
		default:
			words[i] = "a " + t
		}
	}
	return strings.Join(words, " or ")
}

func valueList(values []any) string {
	shown := make([]string, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			shown[i] = s
			continue
		}
		b, _ := json.Marshal(v)
		shown[i] = string(b)
	}
	return strings.Join(shown, ", ")
}

// spot writes a location as people do: items[2].sku.
func spot(location []string) string {
	var b strings.Builder
	for _, part := range location {
		if _, err := strconv.Atoi(part); err == nil && b.Len() > 0 {
			b.WriteString("[" + part + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	if b.Len() == 0 {
		return "the value"
	}
	return b.String()
}

// properties finds the properties that a schema declares at a location, as far as plain nesting leads there.
func properties(doc map[string]any, location []string) map[string]any {
	for _, part := range location {
		props, _ := doc["properties"].(map[string]any)
		next, ok := props[part].(map[string]any)
		if !ok {
			next, _ = doc["items"].(map[string]any)
		}
		doc = next
	}
	props, _ := doc["properties"].(map[string]any)
	return props
}

// suggestion is "did you mean X or Y?", or nothing.
func suggestion(name string, names []string) string {
	meant := naming.Misspelled(name, names, 2)
	if len(meant) == 0 {
		return ""
	}
	return "did you mean " + naming.List(meant, "or") + "?"
}
