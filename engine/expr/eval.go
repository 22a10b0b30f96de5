package expr

import (
	"sluice/engine/expr/function"
	"sluice/engine/expr/value"
)

// evaluation is the state of one evaluation, shared by all its terms. It is used by one goroutine.
type evaluation struct {
	function.Context
	scope Scope
}

func (e *evaluation) eval(t *Term) (any, error) {
	switch t.Op {
	case TermPath:
		return e.follow(t.Path)
	case TermValue:
		return t.Value, nil
	case TermList:
		list, err := e.each(t.Args)
		for i := range list {
			list[i] = value.Plain(list[i])
		}
		if err == nil {
			err = e.Charge(1 + len(list))
		}
		return list, err
	case "and", "or":
		truth, err := e.test(&t.Args[0])
		if err == nil && truth == (t.Op == "and") {
			truth, err = e.test(&t.Args[1])
		}
		return truth, err
	case "not":
		truth, err := e.test(&t.Args[0])
		return !truth, err
	case "?":
		truth, err := e.test(&t.Args[0])
		if err != nil {
			return nil, err
		}
		if truth {
			return e.eval(&t.Args[1])
		}
		return e.eval(&t.Args[2])
	}
	if t.function != nil {
		return e.call(t)
	}
	return e.binary(t)
}

func (e *evaluation) each(terms []Term) (_ []any, err error) {
	all := make([]any, len(terms))
	for i := range terms {
		if all[i], err = e.eval(&terms[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// test evaluates a condition and reports whether its value counts as true.
func (e *evaluation) test(t *Term) (bool, error) {
	v, err := e.eval(t)
	if truth, ok := v.(bool); ok && t.givesBool() {
		return truth, err
	}
	if err == nil {
		err = e.Charge(1)
	}
	return err == nil && value.Truthy(v), err
}

// givesBool reports whether a term always gives true or false, so that its value needs no conversion.
func (t *Term) givesBool() bool {
	return t.Op == "and" || t.Op == "or" || t.Op == "not" || isComparison(t.Op)
}

// binary is an operation on two values.
func (e *evaluation) binary(t *Term) (any, error) {
	x, err := e.eval(&t.Args[0])
	if err != nil {
		return nil, err
	}
	y, err := e.eval(&t.Args[1])
	if err != nil {
		return nil, err
	}
	switch t.Op {
	case TermMember:
		return value.Get(x, y), e.Charge(1)
	case "in":
		return e.Contains(y, x)
	case "contains":
		return e.Contains(x, y)
	case "matches":
		return t.pattern.find(e, x)
	}
	return e.Compare(t.Op, x, y)
}

// call evaluates a function or a filter. A filter gets the redaction of a secret, except a filter that replaces missing values.
func (e *evaluation) call(t *Term) (any, error) {
	args, err := e.each(t.Args)
	if err != nil {
		return nil, err
	}
	if t.Op[0] == '|' {
		args[0] = value.Plain(args[0])
		if value.IsSecret(args[0]) && t.Op != "|default" {
			args[0] = value.Text(args[0])
		}
	}
	return t.function.Apply(&e.Context, args...)
}

// follow reads a path: a name and its fixed members.
func (e *evaluation) follow(path []string) (any, error) {
	v, known := e.scope.Get(path[0])
	if path[0] == secretName {
		if _, allowed := v.(Secrets); allowed && known && len(path) == 2 {
			return SecretRef{Name: path[1]}, e.Charge(1)
		}
		return nil, e.Charge(1)
	}
	if !known { // the value of an unknown name is ignored
		v = nil
	}
	for _, key := range path[1:] {
		v = value.Member(v, key)
	}
	return v, e.Charge(len(path))
}
