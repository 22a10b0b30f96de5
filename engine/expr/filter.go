package expr

import (
	"strings"
)

// filter is what may follow a | in a template.
type filter struct {
	name     string
	argument argumentRule
	apply    func(e *evaluation, v, argument any) (any, error)
}

type argumentRule uint8

const (
	noArgument argumentRule = iota
	mayHaveArgument
	needsArgument
)

var filters = []filter{
	{"json", noArgument, func(e *evaluation, v, _ any) (any, error) {
		text := JSON(v)
		return text, e.chargeText(len(text))
	}},
	{"join", mayHaveArgument, func(e *evaluation, v, separator any) (any, error) {
		if separator == nil {
			separator = ", "
		}
		return e.joined(v, Text(separator))
	}},
	{"trim", noArgument, textFilter(strings.TrimSpace)},
	{"lower", noArgument, textFilter(strings.ToLower)},
	{"upper", noArgument, textFilter(strings.ToUpper)},
	{"default", needsArgument, func(e *evaluation, v, other any) (any, error) {
		if v == nil || v == "" {
			v = other
		}
		return v, e.charge(1)
	}},
	{"date", mayHaveArgument, func(e *evaluation, v, format any) (any, error) {
		if format == nil {
			format = "date"
		}
		return formatDate(v, Text(format), e.now.Location()), e.charge(1)
	}},
}

func textFilter(change func(string) string) func(*evaluation, any, any) (any, error) {
	return func(e *evaluation, v, _ any) (any, error) {
		text, err := e.text(v)
		return change(text), err
	}
}

// step is a filter as it stands in a template.
type step struct {
	filter
	given *Expr // the argument, or nil
}

func (f step) run(e *evaluation, v any) (any, error) {
	if isSecret(v) && f.name != "default" {
		v = Text(v) // the redaction: no filter sees a secret
	}
	var argument any
	if f.given != nil {
		var err error
		if argument, err = f.given.eval(e); err != nil {
			return nil, err
		}
	}
	return f.apply(e, v, argument)
}

// parseFilter reads src[from:to], one filter without its |.
func parseFilter(src string, from, to int, ids []string) (step, error) {
	from, to = trimWindow(src, from, to)
	n := nameLength(src[from:to])
	s := &scanner{src: src}
	found, ok := filterNamed(src[from : from+n])
	if !ok {
		return step{}, s.fail(from, filterHint(src[from:from+n]), "%s", unknownFilter(src[from:from+n]))
	}
	open, end := trimWindow(src, from+n, to)
	if open == end {
		if found.argument == needsArgument {
			return step{}, s.fail(from, "as in "+found.name+`("none")`, "the filter %s needs a value", found.name)
		}
		return step{filter: found}, nil
	}
	switch {
	case src[open] != '(' || src[end-1] != ')':
		return step{}, s.fail(open, "as in "+found.name+`("...")`, "a filter's value stands in parentheses")
	case found.argument == noArgument:
		return step{}, s.fail(open, "", "the filter %s takes no value", found.name)
	}
	given, err := compile(src, open+1, end-1, ids)
	return step{filter: found, given: given}, err
}

func filterNamed(name string) (filter, bool) {
	for _, f := range filters {
		if f.name == name {
			return f, true
		}
	}
	return filter{}, false
}

func unknownFilter(name string) string {
	if name == "" {
		return "the name of a filter is missing after |"
	}
	return "there is no filter " + name
}

func filterHint(name string) string {
	all := make([]string, len(filters))
	for i, f := range filters {
		all[i] = f.name
	}
	if near := nearest(name, all); near != "" && name != "" {
		return "did you mean " + near + "?"
	}
	return "there are " + strings.Join(all, ", ")
}
