package flow

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow/listing"
	"sluice/engine/flow/oneline"
)

// Accepts says what is wrong with a value for the input, or "".
func (in Input) Accepts(value any) string {
	typ := cmp.Or(in.Type, "string")
	if !ofType(typ, value) {
		return fmt.Sprintf("input '%s' must be %s, not %v", in.Name, withArticle(typ), show(value))
	}
	if len(in.Enum) > 0 && !slices.ContainsFunc(in.Enum, func(e any) bool { return reflect.DeepEqual(e, value) }) {
		words := make([]string, len(in.Enum))
		for i, e := range in.Enum {
			words[i] = fmt.Sprint(e)
		}
		return fmt.Sprintf("input '%s' must be one of %s, not %v", in.Name, strings.Join(words, ", "), show(value))
	}
	return ""
}

// Item is the type of the values of a list, as far as the input's example and default show it; "" = they do not.
func (in Input) Item() string {
	for _, v := range []any{in.Example, in.Default} {
		if list, ok := v.([]any); ok && in.Type == "array" {
			return listing.Item(list)
		}
	}
	return ""
}

func show(value any) string {
	if s, ok := value.(string); ok {
		return fmt.Sprintf("'%s'", s)
	}
	return oneline.Value(value)
}

func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsIdentifier reports whether text can be the name of an input, a variable or a field.
func IsIdentifier(text string) bool { return identifier.MatchString(text) }

// Input returns the input with the name, or nil.
func (f *Flow) Input(name string) *Input {
	for i := range f.Inputs {
		if f.Inputs[i].Name == name {
			return &f.Inputs[i]
		}
	}
	return nil
}

// Values checks the values that an input lists, and those that stand in for it.
func (v *Checker) Values(a At, in *Input) {
	for j, value := range in.Enum {
		if !ofType(in.Type, value) {
			v.Error(a.Item("enum", j), "wrong-type", fmt.Sprintf("'enum' of input '%s' holds %s, which is no %s", in.Name, show(value), in.Type), "")
		}
	}
	if in.Default != nil {
		if wrong := in.Accepts(in.Default); wrong != "" {
			v.Error(a.In("default"), "wrong-default", "the default does not fit: "+wrong, "")
		}
		if in.Required {
			v.Warn(a.In("default"), "default-of-required", fmt.Sprintf("input '%s' is required, so its default is never used", in.Name), "")
		}
	}
	if in.Example != nil {
		if wrong := in.Accepts(in.Example); wrong != "" {
			v.Error(a.In("example"), "wrong-example", "the example does not fit: "+wrong, "")
		}
	}
}
