package match

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// ReadFlag reads words such as "they passed", "they do not pass" and "the tests fail" as a yes-or-no value, or as its opposite.
func ReadFlag(c *tree.Cond, k Scope) {
	words := english.Scan(c.Words)
	said := len(words)
	words = slices.DeleteFunc(words, func(w english.Word) bool { return w.Low == "not" || strings.HasSuffix(w.Low, "n't") })
	no := said-len(words) == 1
	if last := len(words) - 1; last >= 0 && words[last].Stem == "fail" {
		words[last].Stem, no = "pass", !no
	}
	all := k.Flags(words)
	if len(all) != 1 || said-len(words) > 1 || slices.ContainsFunc(words, func(w english.Word) bool { return w.Matters() || w.Kind == english.SignWord }) {
		return
	}
	if c.Op, c.Left = tree.OpTrue, (tree.Value{Words: c.Words, Ref: all[0].Ref}); no {
		c.Op, c.Right = "==", tree.Value{Literal: false}
	}
}

// BindLeft finds the value that the left side names. It gives all values that fit equally well. "It" is a word that was compared before.
func BindLeft(c *tree.Cond, k Scope, before tree.Ref) (bool, []Candidate) {
	words := english.Scan(c.Left.Words)
	if _, text := c.Right.Literal.(string); text && before != (tree.Ref{}) && Pronoun(words) {
		c.Left.Ref = before
		return true, nil
	}
	if right, text := c.Right.Literal.(string); text && len(english.Scan(right)) == 1 {
		if said := k.States(words); len(said) > 0 { // whether "the order is paid" is a word of its status is asked
			return false, said
		}
	}
	all := k.Named(words, WantedType(c))
	_, amount := c.Right.Literal.(float64)
	if amount && (len(words) == 0 || len(all) == 0 && Pronoun(words)) { // "under 100", "it's over 100": the one number there is
		all = k.All(IsNumber)
	}
	if amount && len(all) == 0 {
		all = k.Amounts(words)
	}
	if c.Op == tree.OpTrue && len(all) == 0 {
		all = k.Flags(words)
	}
	if len(all) == 0 && Pronoun(words) {
		if s := k.Nearest(); s != nil && len(s.Fields) == 0 && WantedType(c)(s.Typ) {
			all = []Candidate{s.Whole()}
		}
	}
	if len(all) != 1 {
		return false, all
	}
	c.Left.Ref = all[0].Ref
	return true, nil
}

// WantedType gives the type of the values that can stand on the left of a condition.
func WantedType(c *tree.Cond) func(string) bool {
	return func(typ string) bool {
		if typ == "" {
			return true
		}
		switch c.Right.Literal.(type) {
		case float64, int:
			return Compatible(typ, "number")
		case bool:
			return typ == "boolean"
		}
		switch c.Op {
		case tree.OpTrue:
			return typ == "boolean"
		case tree.OpEmpty, tree.OpContains:
			return typ != "boolean" && !IsNumber(typ)
		}
		return typ != "object"
	}
}

// BindRight finds what the right side means: one of the values that the left side can have, another value, or a word as it stands.
func BindRight(c *tree.Cond, k Scope) bool {
	left, found := k.Value(c.Left.Ref)
	text := strings.TrimSpace(c.Right.Words)
	words := english.Scan(text)
	if Quoted(words) {
		text = words[0].Text
	}
	for _, e := range left.Enum {
		if s, ok := e.(string); ok && strings.EqualFold(s, text) {
			c.Right.Literal = s
			return true
		}
	}
	if all := k.Named(words, func(typ string) bool { return Compatible(typ, left.Typ) }); len(all) == 1 && all[0].Ref != c.Left.Ref {
		c.Right.Ref = all[0].Ref
		return true
	}
	plain := len(words) > 0 && len(words) <= 3 && !Determiners[words[0].Low] && !slices.ContainsFunc(words, func(w english.Word) bool { return w.Kind == english.PlainWord && english.Pronouns[w.Low] })
	if found && plain && len(left.Enum) == 0 && (left.Typ == "string" || left.Typ == "") {
		c.Right.Literal = text
		return true
	}
	return false
}

// Outcomes are names of values that hold what has happened to a thing: "the status is refunded".
var Outcomes = english.WordSet("status state stage phase step result outcome decision verdict resolution answer reply response type kind category reason label tag message text title")

// Judged reports whether a condition compares a text with words that say how somebody is or what has happened: "the customer was refunded
// before". Such words are no value of the text, and people decide. A name has a capital letter or quotation marks.
func Judged(c *tree.Cond, k Scope) bool {
	left, found := k.Value(c.Left.Ref)
	text, _ := c.Right.Literal.(string)
	words := english.Scan(text)
	called := english.Scan(english.PlainName(cmp.Or(c.Left.Ref.Field, c.Left.Ref.Input)))
	if n := len(called); n > 1 && env.Keys[called[n-1].Stem] { // the id of the customer
		called = called[:n-1]
	}
	if c.Words == "" || c.Op != "==" && c.Op != "!=" || !found || len(left.Enum) > 0 || left.Typ != "string" && left.Typ != "" || len(called) == 0 ||
		slices.ContainsFunc(words, func(w english.Word) bool { return w.Kind != english.PlainWord || w.Text != w.Low }) ||
		slices.ContainsFunc(called, func(w english.Word) bool { return Outcomes[w.Low] }) ||
		slices.ContainsFunc(english.Scan(c.Words), func(w english.Word) bool { return w.Kind == english.QuotedWord }) {
		return false
	}
	return len(words) > 0 && phrase.Roles[called[len(called)-1].Low] || slices.ContainsFunc(words, func(w english.Word) bool {
		return len(w.Low) > 4 && strings.HasSuffix(w.Low, "ed") || happened[w.Low]
	})
}

// happened are words that end what has happened: "was here before".
var happened = english.WordSet("before already yet again recently lately once twice been gone done paid sent sold bought lost broken taken given")
