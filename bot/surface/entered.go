package surface

import (
	"maps"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/history"
)

// dots stand for what people may not see.
const dots = "•••"

// Entered are the values of an answer as people see them, in the order of the form: a file is its name, what is sensitive is dots, and of a
// list it is told how many values were read.
func Entered(fields map[string]flow.FormField, values map[string]any) (out []history.Shown) {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { _, asked := fields[name]; return asked })
	for _, name := range slices.Concat(flow.InOrder(fields), others) {
		v, given := values[name]
		if !given {
			continue
		}
		file, isObject := v.(map[string]any)
		list, isList := v.([]any)
		switch words, plain := listing.Words(list); {
		case fields[name].Sensitive:
			v = dots
		case isObject && fields[name].Type == flow.TypeFile:
			v = file["name"]
		case isList && plain:
			v = words
		}
		out = append(out, history.Shown{Name: name, Value: v})
	}
	return out
}
