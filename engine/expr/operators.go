package expr

import "strings"

// booleanOperations give true or false, so that a condition need not ask again.
var booleanOperations = []string{"==", "!=", "<", "<=", ">", ">=", "in", "contains", "matches", "truthy"}

// operators are what the patcher puts in the place of names, members and signs.
var operators = []struct {
	name  string
	apply func(e *evaluation, args []any) (any, error)
}{
	{"load", func(e *evaluation, args []any) (any, error) {
		name, _ := args[0].(string)
		return e.load(name), e.charge(1)
	}},
	{"get", func(e *evaluation, args []any) (any, error) { return get(args[0], args[1]), e.charge(1) }},
	{"secret", func(e *evaluation, args []any) (any, error) {
		name, _ := args[0].(string)
		return e.secret([]string{secretName, name}), e.charge(1)
	}},
	{"list", func(e *evaluation, args []any) (any, error) {
		list := make([]any, len(args))
		for i, arg := range args {
			list[i] = plain(arg)
		}
		return list, e.charge(1 + len(args))
	}},
	{"truthy", func(e *evaluation, args []any) (any, error) { return Truthy(args[0]), e.charge(1) }},
	{"==", comparison("==")},
	{"!=", comparison("!=")},
	{"<", comparison("<")},
	{"<=", comparison("<=")},
	{">", comparison(">")},
	{">=", comparison(">=")},
	{"in", func(e *evaluation, args []any) (any, error) { return e.contains(args[1], args[0]) }},
	{"contains", func(e *evaluation, args []any) (any, error) { return e.contains(args[0], args[1]) }},
	{"matches", func(e *evaluation, args []any) (any, error) { return e.matches(args[0], args[1]) }},
}

func comparison(op string) func(*evaluation, []any) (any, error) {
	return func(e *evaluation, args []any) (any, error) { return e.compare(op, args[0], args[1]) }
}

// load reads a top-level name; what comes with an unknown one is not looked at.
func (e *evaluation) load(name string) any {
	v, known := e.scope.Get(name)
	if !known {
		return nil
	}
	return v
}

// secret makes the reference of secret.NAME where the scope allows secrets.
func (e *evaluation) secret(path []string) any {
	if _, allowed := e.load(secretName).(Secrets); !allowed || len(path) != 2 {
		return nil
	}
	return SecretRef{Name: path[1]}
}

// contains looks for a member of a list that compares equal, a key of an object, or a part of a text.
// What is missing is in nothing and holds nothing.
func (e *evaluation) contains(whole, part any) (bool, error) {
	whole, part = plain(whole), plain(part)
	if isSecret(whole) || isSecret(part) || whole == nil {
		return false, e.charge(1)
	}
	if list, ok := elements(whole); ok {
		for _, item := range list {
			same, err := e.compare("==", item, part)
			if err != nil || same {
				return same, err
			}
		}
		return false, e.charge(1)
	}
	if part == nil {
		return false, e.charge(1)
	}
	needle, err := e.text(part)
	if err != nil {
		return false, err
	}
	if object, ok := fields(whole); ok {
		_, ok := object[needle]
		return ok, e.charge(1)
	}
	text, err := e.text(whole)
	if err != nil {
		return false, err
	}
	return strings.Contains(text, needle), nil
}

// matches tells whether the pattern is found anywhere in the text, as S3's regex does.
func (e *evaluation) matches(text, compiled any) (bool, error) {
	text = plain(text)
	p, ok := compiled.(*pattern)
	if !ok || text == nil || isSecret(text) {
		return false, e.charge(1)
	}
	s, err := e.text(text)
	if err != nil {
		return false, err
	}
	if err := e.charge(len(s) * p.size / 256); err != nil {
		return false, err
	}
	return p.MatchString(s), nil
}
