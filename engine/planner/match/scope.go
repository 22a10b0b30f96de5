package match

import (
	"cmp"
	"slices"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// Scope lists what has a value at a place of the tree: inputs, results of steps that every way there passes, answers; nearest last.
type Scope []Thing

// Thing is one thing that has a value.
type Thing struct {
	Ref     tree.Ref
	Words   string   // as people call it
	Name    []string // words that must all be there for the whole to be meant; nil = any word of about
	About   []string // words for the thing as a whole
	Fields  []env.Field
	Typ     string   // of the whole
	Enum    []any    // the values that the whole can have
	Choices []string // of a question
	Given   []tree.Param
	Schema  map[string]any // of the whole; nil = it is not known
}

// With adds a thing without changing the list of other branches.
func (k Scope) With(s ...Thing) Scope { return append(slices.Clip(k), s...) }

// Shared lists the values that are in both scopes.
func (k Scope) Shared(other Scope) Scope {
	return slices.DeleteFunc(slices.Clone(k), func(s Thing) bool {
		return !slices.ContainsFunc(other, func(o Thing) bool { return o.Ref == s.Ref })
	})
}

// Candidate is a value that words can mean.
type Candidate struct {
	Ref   tree.Ref
	Typ   string
	Enum  []any
	Label string
	from  *Thing
	Field env.Field
}

// Whole is the value of the thing itself.
func (s *Thing) Whole() Candidate {
	return Candidate{Ref: s.Ref, Typ: s.Typ, Enum: s.Enum, Label: s.Words, from: s}
}

func (s *Thing) at(f env.Field) Candidate {
	ref := s.Ref
	ref.Field = f.Name()
	return Candidate{Ref: ref, Typ: f.Typ, Enum: f.Enum, Label: "the " + english.PlainName(f.Name()) + " of " + s.Words, from: s, Field: f}
}

// All lists every value, nearest first. ok says which types are wanted.
func (k Scope) All(ok func(typ string) bool) []Candidate {
	var out []Candidate
	for _, s := range slices.Backward(k) {
		if (len(s.Fields) == 0 || s.Typ == "array") && ok(s.Typ) {
			out = append(out, s.Whole())
		}
		for _, f := range s.Fields {
			if ok(f.Typ) {
				out = append(out, s.at(f))
			}
		}
	}
	return out
}

// like finds the value that is called like a parameter: in the nearest result that has one, else among the inputs.
func (k Scope) like(p env.Param, object []string) (Candidate, bool) {
	best, score := Candidate{}, 0
	for i := len(k) - 1; i >= 0; i-- {
		s := &k[i]
		for _, f := range s.Fields {
			if n := s.likeness(f, p, object); n > score && Compatible(f.Typ, p.Typ) {
				best, score = s.at(f), n
			}
		}
		if len(s.Fields) == 0 && len(s.Name) > 0 && score < 3 && s.called(p) && Compatible(s.Typ, p.Typ) {
			best, score = s.Whole(), 3
		}
		if score >= 3 {
			break
		}
	}
	return best, score > 0
}

// called reports whether the whole of a thing is called like a parameter; an item that is a text is its own key.
func (s *Thing) called(p env.Param) bool {
	plain := s.Typ == "string" || s.Typ == "number" || s.Typ == "integer"
	return slices.Equal(s.Name, p.Stems) || s.Ref.Item != "" && plain && p.Key() && slices.Equal(s.Name, p.Stems[:len(p.Stems)-1])
}

// Items reports whether a parameter is about the item of a list whose fields are not known.
func (k Scope) Items(p env.Param) bool {
	return slices.ContainsFunc(k, func(s Thing) bool {
		return s.Ref.Item != "" && len(s.Fields) == 0 && within(p.Stems[:len(p.Stems)-env.Key(p.Stems)], s.Name)
	})
}

// likeness scores how well a field gives a parameter: 3 = it has the same name, less = it is the key of the same thing. object holds the
// words of what the tool deals with.
func (s *Thing) likeness(f env.Field, p env.Param, object []string) int {
	if slices.Equal(f.Last, p.Stems) || slices.Equal(f.Stems, p.Stems) {
		if len(p.Stems) == 1 && env.Keys[p.Stems[0]] && !Shares(object, s.About) {
			return 0
		}
		return 3
	}
	fk, pk := env.Key(f.Last), env.Key(p.Stems)
	switch fn, pn := f.Last[:len(f.Last)-fk], p.Stems[:len(p.Stems)-pk]; {
	case fk == 0:
	case pk == 0 && (slices.Equal(fn, p.Stems) || len(fn) == 0 && within(p.Stems, s.About)):
		return 2
	case pk == 1 && fk == 1 && len(pn) == 0 && len(fn) > 0 && within(fn, object):
		return 2
	case pk == 1 && fk == 1 && len(fn) == 0 && len(pn) > 0 && within(pn, s.About) && p.Stems[len(pn)] == f.Last[0]:
		return 2
	}
	return 0
}

// Shares reports whether two lists have a word in common.
func Shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// within reports whether all words of a phrase stand in the step, in any order.
func within(phrase, step []string) bool {
	return !slices.ContainsFunc(phrase, func(w string) bool { return !slices.Contains(step, w) })
}

// said finds the value that the words of the nearest earlier step gave to a parameter of the same name: "restart it" means the host
// that was checked.
func (k Scope) said(p env.Param) (tree.Value, bool) {
	for _, s := range slices.Backward(k) {
		for _, g := range s.Given {
			if slices.Equal(english.NameStems(g.Name), p.Stems) && len(p.Enum) == 0 && g.Value.Literal != nil && env.Fits(p.Typ, g.Value.Literal) {
				return tree.Value{Literal: g.Value.Literal, Ref: g.Value.Ref}, true
			}
		}
	}
	return tree.Value{}, false
}

// Compatible reports whether a value of one type can stand where another is wanted; "" is any.
func Compatible(from, to string) bool {
	number := func(t string) bool { return t == "number" || t == "integer" }
	return from == to || from == "" || to == "" || number(from) && number(to)
}

// Named lists the values that words mean, the best first: only those that fit equally well. Each word must be explained by the names of
// the value or the thing that it belongs to, and the value's own name must be there.
func (k Scope) Named(words []english.Word, ok func(typ string) bool) []Candidate {
	subject := english.Stems(words)
	if len(subject) == 0 {
		return nil
	}
	for i := len(k) - 1; i >= 0; i-- {
		s := &k[i]
		var best []Candidate
		score := 0
		add := func(n int, c Candidate) {
			if n > score && ok(c.Typ) {
				best, score = nil, n
			}
			if n == score && n > 0 && ok(c.Typ) {
				best = append(best, c)
			}
		}
		for _, f := range s.Fields {
			add(meant(f, subject, s.About), s.at(f))
		}
		if s.wholeMeant(subject) {
			add(3, s.Whole())
		}
		if score > 0 {
			return best
		}
	}
	return nil
}

// wholeMeant reports whether words name the whole of a thing.
func (s *Thing) wholeMeant(subject []string) bool {
	if s.Name == nil {
		return false
	}
	return within(s.Name, subject) && within(subject, append(slices.Clip(s.Name), s.About...))
}

// meant scores how well words name a field; 0 = they do not name it.
func meant(f env.Field, subject, about []string) int {
	for _, w := range subject {
		if !slices.Contains(f.Stems, w) && !slices.Contains(about, w) && !slices.Contains(f.About, w) && !english.Units[w] {
			return 0
		}
	}
	score, whole := 1, true
	for _, w := range f.Last {
		switch {
		case slices.Contains(subject, w):
			score += 4
		case env.Keys[w] && len(f.Last) > 1, slices.Contains(about, w), english.Units[w], w == "is", w == "ha":
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
	if len(f.Path) == 1 {
		score++
	}
	return score
}

// Nearest is the result that "it" means: of the nearest step that has one.
func (k Scope) Nearest() *Thing {
	for i := len(k) - 1; i >= 0; i-- {
		if r := k[i].Ref; len(k[i].Choices) == 0 && (r.Step != "" || r.Item != "" || r.Event == "text") {
			return &k[i]
		}
	}
	return nil
}

// InputSources make the inputs known from the beginning.
func InputSources(t *tree.Tree) Scope {
	var out Scope
	for _, in := range t.Inputs {
		out = append(out, inputSource(in))
	}
	return out
}

func inputSource(in tree.Input) Thing {
	s := Thing{Ref: tree.Ref{Input: in.Name}, Words: "the input " + english.PlainName(in.Name), Name: english.NameStems(in.Name), Typ: cmp.Or(in.Type, "string")}
	s.About = append(english.Stems(english.Scan(in.About)), "input")
	for _, e := range in.Enum {
		s.Enum = append(s.Enum, e)
	}
	return s
}

// FormSource makes the fields of a form or of an agent's answer known.
func FormSource(s *tree.Step, words string, about []string) Thing {
	out := Thing{Ref: tree.Ref{Step: s.ID}, Words: words, About: about, Typ: "string"}
	for _, f := range s.Fields {
		n := english.NameStems(f.Name)
		fl := env.Field{Path: []string{f.Name}, Stems: n, Last: n, Typ: cmp.Or(f.Type, "string")}
		for _, e := range f.Enum {
			fl.Enum = append(fl.Enum, e)
		}
		out.Fields = append(out.Fields, fl)
	}
	if len(out.Fields) > 0 {
		out.Typ = "object"
	}
	return out
}

// Value finds the entry for a reference.
func (k Scope) Value(ref tree.Ref) (Candidate, bool) {
	for i := range k {
		whole := ref
		if whole.Field = ""; k[i].Ref != whole {
			continue
		}
		if ref.Field == "" {
			return k[i].Whole(), true
		}
		for _, f := range k[i].Fields {
			if f.Name() == ref.Field {
				return k[i].at(f), true
			}
		}
	}
	return Candidate{}, false
}

// Flags finds the yes-or-no value whose name is the last word: "it is late", "the item is available".
func (k Scope) Flags(words []english.Word) []Candidate {
	all := english.Stems(words)
	if len(all) == 0 {
		return nil
	}
	flag := all[len(all)-1]
	for i := len(k) - 1; i >= 0; i-- {
		for _, f := range k[i].Fields {
			name := f.Last
			if len(name) > 1 && (name[0] == "is" || name[0] == "ha" || name[0] == "has" || name[0] == "was") {
				name = name[1:]
			}
			if f.Typ == "boolean" && slices.Equal(name, []string{flag}) && within(all[:len(all)-1], append(slices.Clone(k[i].About), f.Stems...)) {
				return []Candidate{k[i].at(f)}
			}
		}
	}
	return nil
}

// Slot finds what a <name> means: a field of exactly this name, else what its words mean.
func (k Scope) Slot(name string) []Candidate {
	for i := len(k) - 1; i >= 0; i-- {
		for _, f := range k[i].Fields {
			if len(f.Path) == 1 && f.Path[0] == idiom.InputName(name) {
				return []Candidate{k[i].at(f)}
			}
		}
	}
	return k.Named(english.Scan(name), AnyType)
}

// PhraseAt finds the longest name of a value at the beginning of words, and how many words it has. What something is said of ("the status is
// green") is no value.
func (k Scope) PhraseAt(words []english.Word) (Candidate, int) {
	for n := min(maxPhrase, len(words)); n > 0; n-- {
		if last := words[n-1]; last.Kind != english.PlainWord || !last.Content() || n < len(words) && Finite[words[n].Low] {
			continue
		}
		if slices.ContainsFunc(words[:n], func(w english.Word) bool {
			return w.Kind != english.PlainWord || Finite[w.Low] || w.Low == "and" || w.Low == "or"
		}) {
			continue
		}
		if all := k.Named(words[:n], AnyType); len(all) == 1 {
			return all[0], n
		}
	}
	return Candidate{}, 0
}

// AnyType wants values of every type.
func AnyType(string) bool { return true }

// Finite make a sentence of words.
var Finite = english.WordSet(`is are was were has have had will would needs need must should can could may might do does did please went goes failed isn't
aren't cannot can't won't i we you he she they it let's we're you're i'm it's they're`)

const maxPhrase = 7 // words of the name of a value
