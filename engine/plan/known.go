package plan

import "slices"

// known is what has a value at a place of the flow: results of steps that every way there passes, nearest last, and answers of
// people.
type known []source

// source is one step's result.
type source struct {
	node   string
	root   string // how expressions read it, such as NODE.result
	fields []field
	about  []string // words for the thing as a whole: of the tool's name and phrases
	answer bool     // an answer of a person
	given  []given  // values that the step was given in its words
}

// given is a value that the words of a step gave to a parameter.
type given struct {
	param
	value any
}

// with adds a source without changing the list of other branches.
func (k known) with(s source) known { return append(slices.Clip(k), s) }

// shared is what both lists know.
func (k known) shared(other known) known {
	var out known
	for _, s := range k {
		if slices.ContainsFunc(other, func(o source) bool { return o.root == s.root }) {
			out = append(out, s)
		}
	}
	return out
}

// reference is a value that an expression can read.
type reference struct {
	path  string
	node  string
	field field
}

// like finds the field that is called like a parameter, in the nearest result that has one.
func (k known) like(p param) (reference, bool) {
	for i := len(k) - 1; i >= 0; i-- {
		for _, f := range k[i].fields {
			if (slices.Equal(f.last, p.stems) || slices.Equal(f.stems, p.stems)) && compatible(f.typ, p.typ) {
				return reference{dotted(k[i].root, f.path), k[i].node, f}, true
			}
		}
	}
	return reference{}, false
}

// said finds the value that the words of the nearest earlier step gave to a parameter of the same name: "restart it" means the
// host that was checked.
func (k known) said(p param) (any, bool) {
	for i := len(k) - 1; i >= 0; i-- {
		for _, g := range k[i].given {
			if slices.Equal(g.stems, p.stems) && g.typ == p.typ && len(g.enum) == 0 {
				return g.value, true
			}
		}
	}
	return nil, false
}

// compatible reports whether a field can fill a parameter.
func compatible(from, to string) bool {
	number := func(t string) bool { return t == "number" || t == "integer" }
	return from == to || number(from) && number(to)
}

// named finds the field that words mean ("the amount", "amount of the order"): all words must be explained by the field's names
// or by the thing that it belongs to, and the field's own name must be there.
func (k known) named(subject []string) (reference, bool) {
	for i := len(k) - 1; i >= 0; i-- {
		best, score := -1, 0
		for j, f := range k[i].fields {
			if s := f.meant(subject, k[i].about); s > score {
				best, score = j, s
			}
		}
		if best >= 0 {
			f := k[i].fields[best]
			return reference{dotted(k[i].root, f.path), k[i].node, f}, true
		}
	}
	return reference{}, false
}

// meant scores how well words name a field; 0 = they do not.
func (f field) meant(subject, about []string) int {
	for _, w := range subject {
		if !slices.Contains(f.stems, w) && !slices.Contains(about, w) {
			return 0
		}
	}
	score, whole := 1, true
	for _, w := range f.last {
		switch {
		case slices.Contains(subject, w):
			score += 4
		case slices.Contains(about, w) || units[w]:
			whole = false
		default:
			return 0
		}
	}
	if score == 1 {
		return 0
	}
	if whole {
		score += 2
	}
	if len(f.path) == 1 {
		score++
	}
	return score
}

// thing reports whether the words name nothing but the thing that some result is about.
func (k known) thing(subject []string) bool {
	return slices.ContainsFunc(k, func(s source) bool {
		return !slices.ContainsFunc(subject, func(w string) bool { return !slices.Contains(s.about, w) })
	})
}

// flag finds a yes-or-no field called like a word: "late", also when the field is called "is_late".
func (k known) flag(w string) (reference, bool) {
	for i := len(k) - 1; i >= 0; i-- {
		for _, f := range k[i].fields {
			name := f.last
			if len(name) > 1 && (name[0] == "is" || name[0] == "has" || name[0] == "was") {
				name = name[1:]
			}
			if f.typ == "boolean" && slices.Equal(name, []string{w}) {
				return reference{dotted(k[i].root, f.path), k[i].node, f}, true
			}
		}
	}
	return reference{}, false
}

// last is the nearest result of a tool.
func (k known) last() (source, bool) {
	for i := len(k) - 1; i >= 0; i-- {
		if !k[i].answer {
			return k[i], true
		}
	}
	return source{}, false
}
