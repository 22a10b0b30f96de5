package function

import (
	"fmt"
	"slices"
	"strings"
)

// table has every function, grouped by topic: its signature, one line of help, an example, its implementation, and the errors
// that do not follow from the kinds of its parameters.
//
// A parameter has a name, a ? when it may be left out, ... when it may be given several times, and the kinds that it takes.
var table = declare([]declaration{
	// Texts.
	{"len(value) number", "characters of a text, or members of a list or object", "len('größe')", length, nil},
	{"str(value) text", "the value as a text", "str([1, 2])", onText(strings.Clone), nil},
	{"lower(text text) text", "the text in small letters", "lower('ÄB')", onText(strings.ToLower), nil},
	{"upper(text text) text", "the text in capitals", "upper('é x')", onText(strings.ToUpper), nil},
	{"capitalize(text text) text", "the text with a capital at its start", "capitalize('due today')", capitalize, nil},
	{"trim(text text) text", "the text without spaces at its ends", "trim('  a ')", onText(strings.TrimSpace), nil},
	{"strip(text text) text", "the same as trim", "strip('  a ')", onText(strings.TrimSpace), nil},
	{"concat(value...) text", "the texts one after the other", "concat('A-', 7)", concat, nil},
	{"join(list any, separator? text) text", "the members of a list in one text", "join(['a', 'b'], ' / ')", join, nil},
	{
		"split(text text, separator? text, most? number) list",
		"the parts of a text between separators (a comma); most bounds the cuts",
		"split('a,b,c', ',', 1)", split, nil,
	},
	{
		"replace(text text, old text, new text, times? number) text",
		"the text with new in the place of old, everywhere or so many times",
		"replace('a-b-c', '-', '+', 1)", replace, nil,
	},
	{
		"slice(value text|list, from number, to? number) text|list",
		"a part of a text or list, from one position to before another; -1 is the last",
		"slice('A-1001', 2)", slice, nil,
	},
	{
		"truncate(text text, most number, end? text) text",
		"at most so many characters of a text, with an end (…) where it was cut",
		"truncate('a long text', 6)", truncate, nil,
	},
	{"repeat(text text, times number) text", "the text several times", "repeat('ab', 3)", repeat, nil},
	{"starts_with(text text, part text) boolean", "whether the text begins with a part", "starts_with('/help me', '/help')", startsWith, nil},
	{"ends_with(text text, part text) boolean", "whether the text ends with a part", "ends_with('a.pdf', '.pdf')", endsWith, nil},
	{
		"fill(template text, object object) text",
		"the template with members of the object in the place of {{path | filter}}; filters are json, join, trim, lower, upper",
		"fill('to {{name}}', object('name', 'Ana'))", fill, nil,
	},
	{
		"format(template text, object object) text",
		"the template with members of the object in the place of {key}; {{ and }} are single braces",
		"format('to {name}', object('name', 'Ana'))", format,
		[]Code{BadArgument},
	},
	{"url_encode(text text) text", "the text as a part of an address", "url_encode('a b&c')", urlEncode, nil},
	{"json(value) text", "the value as JSON on one line", "json(['a', 1])", toJSON, nil},
	{"pretty(value) text", "the value as JSON with a line for every member", "pretty([])", pretty, nil},
	{
		"parse_json(text text, wrap? boolean) any",
		"the value of a JSON text, or of the first object or list in it; wrap puts a plain value into {value}",
		`parse_json('see {"a": 1}')`, parseJSON,
		[]Code{BadJSON},
	},
	// Numbers.
	{"int(value number) number", "the number without what is behind its point", "int('12.9')", toInt, nil},
	{"float(value number) number", "the value as a number", "float('1.5')", toFloat, nil},
	{"add(a number, b... number) number", "the sum", "add(0.1, 0.2)", add, nil},
	{"subtract(a number, b number) number", "a without b", "subtract(3, 1)", subtract, nil},
	{"multiply(a number, b... number) number", "the product", "multiply(3, 1.5)", multiply, nil},
	{"divide(a number, b number) number", "a divided by b", "divide(1, 4)", divide, []Code{DivisionByZero}},
	{"modulo(a number, b number) number", "what is left of a divided by b, with the sign of b", "modulo(7, 3)", modulo, []Code{DivisionByZero}},
	{"power(a number, b number) number", "a to the power of b", "power(2, 10)", power, []Code{BadArgument}},
	{"abs(number number) number", "the number without its sign", "abs(-2)", abs, nil},
	{
		"round(number number, decimals? number) number",
		"the number with so many decimals (none); a half goes away from zero",
		"round(2.675, 2)", round,
		[]Code{BadArgument},
	},
	{"floor(number number) number", "the whole number below", "floor(-1.5)", floor, nil},
	{"ceil(number number) number", "the whole number above", "ceil(1.2)", ceil, nil},
	{"fixed(number number, decimals number) text", "the number written with so many decimals", "fixed(12.5, 2)", fixed, []Code{BadArgument}},
	{"min(number... number|list) number", "the smallest of numbers, or of a list", "min(3, 1, 2)", least, nil},
	{"max(number... number|list) number", "the largest of numbers, or of a list", "max([3, 1, 2])", most, nil},
	{"sum(list list) number", "the sum of a list", "sum([1, 2.5])", sum, []Code{NotANumber}},
	{"average(list list) number", "the mean of a list", "average([1, 2])", average, []Code{NotANumber, DivisionByZero}},
	// Lists.
	{"list(value) list", "a list of the value; a list stays, nothing is an empty one", "list('a')", toList, nil},
	{"range(from number, to number, step? number) list", "whole numbers from one to before another", "range(0, 6, 2)", numbers, []Code{BadArgument}},
	{"append(list list, value...) list", "the list with more members at its end", "append([1], 2)", appendTo, nil},
	{"combine(list... list) list", "the members of several lists in one", "combine([1], [2, 3])", combine, nil},
	{
		"get_item(list list, position number, other?) any",
		"the member at a position, 0 being the first and -1 the last; else another value",
		"get_item(['a', 'b'], -1)", item, nil,
	},
	{"first(list list) any", "the first member", "first(['a', 'b'])", first, nil},
	{"last(list list) any", "the last member", "last(['a', 'b'])", last, nil},
	{"find(value text|list, part) number", "the position of a member in a list, or of a part in a text", "find(['a', 'b'], 'b')", find, nil},
	{"reverse(list list) list", "the members from the last to the first", "reverse([1, 2])", reverse, nil},
	{
		"sort(list list, key? text) list",
		"the members in order, by a field of theirs: numbers, then times, then texts",
		"sort([10, 9, 'a'])", sortList, nil,
	},
	{"unique(list list, key? text) list", "the members without repetition, by a field of theirs", "unique([1, 2, 1])", unique, nil},
	{"clean(list list) list", "the members with their texts trimmed, without the empty ones", "clean(split('a, ,b'))", clean, nil},
	{"flatten(list list) list", "the list with the members of its lists in their place", "flatten([1, [2, [3]]])", flatten, nil},
	{"pluck(list list, key text) list", "a field of every object in the list; other members stay", "pluck([object('id', 7)], 'id')", pluck, nil},
	{
		"where(list list, key text, value) list",
		"the objects of a list whose field equals a value; of other members, those that equal it",
		"where([object('id', 7), object('id', 8)], 'id', 8)", where, nil,
	},
	{
		"among(list list, key text, values list) list",
		"the objects of a list whose field is one of some values; of other members, those that are one of them",
		"among([object('id', 7), object('id', 8)], 'id', [8, 9])", among, nil,
	},
	// Objects.
	{"object(pair?...) object", "an object of keys and values in turn", "object('a', 1, 'b', 2)", toObject, []Code{BadArgument}},
	{"get(object any, key text, other?) any", "a member, by its key or a path of keys; else another value", "get(object('a', [7]), 'a[0]')", get, nil},
	{
		"set(object object, key text, value) object",
		"the object with a member, at a key or a path of keys",
		"set(object(), 'a.b', 1)", set,
		[]Code{BadArgument},
	},
	{"merge(object... object) object", "the members of several objects in one; the later ones win", "merge(object('a', 1), object('a', 2))", merge, nil},
	{"pick(object object, key... text) object", "the object with some of its members", "pick(object('a', 1, 'b', 2), 'a')", pick, nil},
	{"omit(object object, key... text) object", "the object without some of its members", "omit(object('a', 1, 'b', 2), 'a')", omit, nil},
	{"keys(object object) list", "the keys of an object, in order", "keys(object('b', 1, 'a', 2))", keys, nil},
	{"values(object object) list", "the values of an object, in the order of its keys", "values(object('b', 1, 'a', 2))", values, nil},
	// Any value.
	{"default(value, other) any", "another value for what is missing or an empty text", "default('', 'none')", orElse, nil},
	{"coalesce(value...) any", "the first value that is not missing", "coalesce(null, 0, 1)", coalesce, nil},
	{"bool(value) boolean", "whether the value counts as true", "bool('no')", truth, nil},
	{"kind(value) text", "text, number, boolean, object, list, time or nothing", "kind([])", kind, nil},
	{
		"compare(value, operator text, other) boolean",
		"a comparison whose operator is a value: == != < <= > >=",
		"compare(2, '>=', 1)", compare,
		[]Code{BadArgument},
	},
	// Times.
	{"now() time", "the time recorded in the run", "", now, nil},
	{
		"later(time any, number number, unit text) time",
		"the time so many seconds, minutes, hours, days or weeks later",
		"later('2026-12-01', 2, 'days')", later,
		[]Code{BadArgument},
	},
	{
		"earlier(time any, number number, unit text) time",
		"the time so many seconds, minutes, hours, days or weeks before",
		"earlier('2026-12-01', 3, 'days')", earlier,
		[]Code{BadArgument},
	},
	{
		"date(time any, format? text) text",
		"a time in a format: a word (date, time, datetime, short, long, weekday, month, year, iso, unix) or letters (DD.MM.YYYY HH:mm)",
		"date('2026-12-01', 'DD.MM.YYYY')", date, nil,
	},
})

// declaration is the record of a function in the table.
type declaration struct {
	written, help, example string
	apply                  func(*Call) any
	fails                  []Code
}

var kinds = map[string]Kind{"text": Text, "number": Number, "boolean": Boolean, "object": Object, "list": List, "time": Time, "any": Any}

// failures are the errors that a parameter of each kind can have.
var failures = map[Kind]Code{Number: NotANumber, Number | List: NotANumber, List: NotAList, Object: NotAnObject}

func declare(all []declaration) []*Function {
	made := make([]*Function, len(all))
	for i, d := range all {
		name, rest, _ := strings.Cut(d.written, "(")
		params, result, _ := strings.Cut(rest, ") ")
		f := &Function{Name: name, Result: kindOf(result), Help: d.help, Example: d.example, Fails: d.fails, apply: d.apply}
		for _, written := range strings.FieldsFunc(params, func(r rune) bool { return r == ',' }) {
			name, kind, _ := strings.Cut(strings.TrimSpace(written), " ")
			name, f.Rest = strings.CutSuffix(name, "...")
			p := Param{Kind: kindOf(kind)}
			p.Name, p.Optional = strings.CutSuffix(name, "?")
			f.Params = append(f.Params, p)
			if code, ok := failures[p.Kind]; ok && !slices.Contains(f.Fails, code) {
				f.Fails = append(slices.Clip(f.Fails), code)
			}
		}
		made[i] = f
	}
	return made
}

// kindOf reads kinds with | between them; none are any.
func kindOf(written string) (of Kind) {
	for name := range strings.SplitSeq(written, "|") {
		kind, known := kinds[name]
		if !known && name != "" {
			panic(fmt.Sprintf("function: there is no kind %q", name)) // the table is wrong; every test finds it
		}
		of |= kind
	}
	return of
}

var byName = func() map[string]*Function {
	all := make(map[string]*Function, len(table))
	for _, f := range table {
		all[f.Name] = f
	}
	return all
}()

// Named finds a function.
func Named(name string) (*Function, bool) {
	f, ok := byName[name]
	return f, ok
}

// Names gives the names of all functions, in the order of the table.
func Names() []string {
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.Name
	}
	return names
}
