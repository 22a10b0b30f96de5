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
	Voters  []string // who answers it
	Asked   bool     // the fields of a form that people fill in
	Set     bool     // a name that a step gives to a value
}

// With adds a thing without changing the list of other branches.
func (k Scope) With(s ...Thing) Scope { return append(slices.Clip(k), s...) }

// Shared lists the values that are in both scopes. A name that both give to a value is one.
func (k Scope) Shared(other Scope) Scope {
	return slices.DeleteFunc(slices.Clone(k), func(s Thing) bool {
		return !slices.ContainsFunc(other, func(o Thing) bool { return o.Ref == s.Ref || o.Set && s.Set && slices.Equal(o.Name, s.Name) })
	})
}

// Candidate is a value that words can mean: the whole of a thing, or a field of it.
type Candidate struct {
	Ref  tree.Ref
	from *Thing
	env.Field
}

// Label is what people call the value.
func (c Candidate) Label() string {
	if c.Path == nil {
		return c.from.Words
	}
	return "the " + english.PlainName(c.Name()) + " of " + c.from.Words
}

// Whole is the value of the thing itself.
func (s *Thing) Whole() Candidate { return Candidate{s.Ref, s, env.Field{Typ: s.Typ, Enum: s.Enum}} }

// fields are the values in it.
func (s *Thing) fields() (out []Candidate) {
	for _, f := range s.Fields {
		c := Candidate{s.Ref, s, f}
		c.Ref.Field = f.Name()
		out = append(out, c)
	}
	return out
}

// values are those of the fields, then the thing itself.
func (s *Thing) values() []Candidate { return append(s.fields(), s.Whole()) }

// All lists every value, nearest first. ok says which types are wanted.
func (k Scope) All(ok func(typ string) bool) (out []Candidate) {
	for _, s := range slices.Backward(k) {
		all := s.fields()
		if len(all) == 0 || s.Typ == "array" {
			all = append([]Candidate{s.Whole()}, all...)
		}
		out = append(out, slices.DeleteFunc(all, func(c Candidate) bool { return !ok(c.Typ) })...)
	}
	return out
}

// like finds the value that is called like a parameter: in the nearest result that has one, else among the inputs.
func (k Scope) like(p env.Param, object []string) (Candidate, bool) {
	best, score := Candidate{}, 0
	for _, s := range slices.Backward(k) {
		for _, c := range s.values() {
			if n := s.likeness(c, p, object); n > score && Compatible(c.Typ, p.Typ) {
				best, score = c, n
			}
		}
		if score >= 3 {
			break
		}
	}
	return best, score > 0
}

// called reports whether the whole of a thing is called like a parameter; an item that is a text is its own key.
func (s *Thing) called(p env.Param) bool {
	plain := s.Typ == "string" || IsNumber(s.Typ)
	thing, key := env.CutKey(p.Stems)
	return slices.Equal(s.Name, p.Stems) || s.Ref.Item != "" && plain && key && slices.Equal(s.Name, thing)
}

// Akin reports whether somebody is asked for a value that may be a parameter: "the number of the order" may be the id of it.
func (k Scope) Akin(p env.Param) bool {
	about, _ := env.CutKey(p.Stems)
	return slices.ContainsFunc(k, func(s Thing) bool {
		return s.Asked && slices.ContainsFunc(s.Fields, func(f env.Field) bool { return Compatible(f.Typ, p.Typ) && Shares(f.Stems, about) })
	})
}

// Items reports whether a parameter is about the item of a list whose fields are not known.
func (k Scope) Items(p env.Param) bool {
	thing, _ := env.CutKey(p.Stems)
	return slices.ContainsFunc(k, func(s Thing) bool { return s.Ref.Item != "" && len(s.Fields) == 0 && within(thing, s.Name) })
}

// likeness scores how well a value gives a parameter: 3 = it has the same name, less = it is the key of the same thing. object holds the
// words of what the tool deals with.
func (s *Thing) likeness(c Candidate, p env.Param, object []string) int {
	if c.Path == nil {
		if len(s.Fields) == 0 && len(s.Name) > 0 && s.called(p) {
			return 3
		}
		return 0
	}
	if slices.Equal(c.Last, p.Stems) || slices.Equal(c.Stems, p.Stems) {
		if len(p.Stems) == 1 && env.Keys[p.Stems[0]] && !Shares(object, s.About) {
			return 0
		}
		return 3
	}
	of, key := env.CutKey(c.Last)
	wanted, wantsKey := env.CutKey(p.Stems)
	switch {
	case !key:
	case !wantsKey && (slices.Equal(of, wanted) || len(of) == 0 && within(wanted, s.About)),
		wantsKey && len(wanted) == 0 && len(of) > 0 && within(of, object),
		wantsKey && len(of) > 0 && slices.Equal(of, wanted), // "order number" and "order id"
		wantsKey && len(of) == 0 && len(wanted) > 0 && within(wanted, s.About) && p.Stems[len(wanted)] == c.Last[0]:
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

// Compatible reports whether a value of one type can stand where another is wanted; "" is any.
func Compatible(from, to string) bool {
	return from == to || from == "" || to == "" || IsNumber(from) && IsNumber(to)
}

// IsNumber wants numbers.
func IsNumber(typ string) bool { return typ == "number" || typ == "integer" }

// Named lists the values that words mean, the best first: only those that fit equally well. Each word must be explained by the names of
// the value or the thing that it belongs to, and the value's own name must be there.
func (k Scope) Named(words []english.Word, ok func(typ string) bool) []Candidate {
	subject := english.Stems(words)
	if len(subject) == 0 {
		return nil
	}
	var joins []string // words that only join others, but for a name that has them: "the first day"
	for _, w := range words {
		if w.Stop() {
			joins = append(joins, w.Stem)
		}
	}
	for _, s := range slices.Backward(k) {
		var best []Candidate
		score := 1
		for _, c := range s.values() {
			n := s.meant(c, subject, joins)
			if n < score || !ok(c.Typ) {
				continue
			}
			if n > score {
				best, score = nil, n
			}
			best = append(best, c)
		}
		if len(best) > 0 {
			return best
		}
	}
	return nil
}

// meant scores how well words name a value; 0 = they do not name it.
func (s *Thing) meant(c Candidate, subject, joins []string) int {
	if c.Path == nil {
		if s.Name != nil && within(s.Name, slices.Concat(subject, joins)) && within(subject, append(slices.Clip(s.Name), s.About...)) {
			return 3
		}
		return 0
	}
	if slices.ContainsFunc(subject, func(w string) bool {
		return !slices.Contains(c.Stems, w) && !slices.Contains(s.About, w) && !slices.Contains(c.About, w) && !english.Units[w]
	}) {
		return 0
	}
	named, whole := 0, 2
	for _, w := range c.Last {
		switch {
		case slices.Contains(subject, w):
			named += 4
		case slices.Contains(joins, w):
		case w == "of": // "the number of days"
		case env.Keys[w] && len(c.Last) > 1, slices.Contains(s.About, w), english.Units[w], w == "is", w == "ha":
			whole = 0
		default:
			return 0
		}
	}
	if named == 0 {
		return 0
	}
	if len(c.Path) == 1 {
		named++
	}
	return 1 + named + whole
}

// Last is the nearest thing that something holds for; nil = there is none.
func (k Scope) Last(ok func(s Thing) bool) *Thing {
	for i := range slices.Backward(k) {
		if ok(k[i]) {
			return &k[i]
		}
	}
	return nil
}

// Nearest is the result that "it" means: of the nearest step that has one.
func (k Scope) Nearest() *Thing {
	return k.Last(func(s Thing) bool {
		return len(s.Choices) == 0 && (s.Ref.Step != "" || s.Ref.Item != "" || s.Ref.Event == "text")
	})
}

// InputSources make the inputs known from the beginning.
func InputSources(t *tree.Tree) (out Scope) {
	for _, in := range t.Inputs {
		out = append(out, Thing{
			Ref: tree.Ref{Input: in.Name}, Words: "the input " + english.PlainName(in.Name), Name: english.NameStems(in.Name), Typ: cmp.Or(in.Type, "string"),
			About: append(english.Stems(english.Scan(in.About)), "input"), Enum: anyOf(in.Enum),
		})
	}
	return out
}

func anyOf(texts []string) (out []any) {
	for _, t := range texts {
		out = append(out, t)
	}
	return out
}

// FormSource makes the fields of a form or of an agent's answer known.
func FormSource(s *tree.Step, words string, about []string) Thing {
	out := Thing{Ref: tree.Ref{Step: s.ID}, Words: words, About: about, Typ: "string", Asked: s.Kind == tree.Ask}
	for _, f := range s.Fields {
		n := english.NameStems(f.Name)
		out.Fields = append(out.Fields, env.Field{Path: []string{f.Name}, Stems: n, Last: n, Typ: cmp.Or(f.Type, "string"), Enum: anyOf(f.Enum)})
	}
	if len(out.Fields) > 0 {
		out.Typ = "object"
	}
	return out
}

// Value finds the value of a reference.
func (k Scope) Value(ref tree.Ref) (Candidate, bool) {
	for _, s := range k {
		for _, c := range s.values() {
			if c.Ref == ref {
				return c, true
			}
		}
	}
	return Candidate{}, false
}

// field finds the nearest field that something holds for.
func (k Scope) field(ok func(c Candidate) bool) []Candidate {
	for _, s := range slices.Backward(k) {
		for _, c := range s.fields() {
			if ok(c) {
				return []Candidate{c}
			}
		}
	}
	return nil
}

// Flags finds the yes-or-no value whose name is the last word: "it is late", "the item is available".
func (k Scope) Flags(words []english.Word) []Candidate {
	all := english.Stems(words)
	if len(all) == 0 {
		return nil
	}
	last := len(all) - 1
	return k.field(func(c Candidate) bool {
		name := c.Last
		if len(name) > 1 && slices.Contains([]string{"is", "ha", "has", "was"}, name[0]) {
			name = name[1:]
		}
		return c.Typ == "boolean" && slices.Equal(name, all[last:]) && within(all[:last], append(slices.Clone(c.from.About), c.Stems...))
	})
}

// Amounts lists the numbers of the nearest thing that words name: "the order is over 200". A number that tells one thing from others is no amount.
func (k Scope) Amounts(words []english.Word) []Candidate {
	return k.ofThing(words, func(c Candidate) bool {
		_, key := env.CutKey(c.Last)
		return IsNumber(c.Typ) && !key
	})
}

// States lists what says how far the nearest thing is that words name: "the order is paid".
func (k Scope) States(words []english.Word) []Candidate {
	return k.ofThing(words, func(c Candidate) bool { return c.Typ == "string" && len(c.Last) == 1 && states[c.Last[0]] })
}

var states = english.StemSet("status state stage phase")

func (k Scope) ofThing(words []english.Word, ok func(c Candidate) bool) []Candidate {
	all := english.Stems(words)
	s := k.Last(func(s Thing) bool { return len(all) > 0 && within(all, s.About) })
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(s.values(), func(c Candidate) bool { return !ok(c) })
}

// Slot finds what a <name> means: a field of exactly this name, else what its words mean.
func (k Scope) Slot(name string) []Candidate {
	if all := k.field(func(c Candidate) bool { return slices.Equal(c.Path, []string{idiom.InputName(name)}) }); all != nil {
		return all
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
