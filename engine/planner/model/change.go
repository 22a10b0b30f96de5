package model

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// keep gives a step of the base as it was, with all that is below it.
func (f *fill) keep(number string) *tree.Step {
	s := f.taken(number)
	if s != nil {
		for below := range s.Walk {
			f.kept[below.ID] = true
		}
	}
	return s
}

// was finds the step of the base that a step changes; nil = it is new.
func (f *fill) was(w *wireStep) (old *tree.Step, ok bool) {
	if w.Was == "" {
		return nil, true
	}
	if old = f.taken(w.Was); old == nil {
		return nil, false
	}
	f.changed[old.ID] = true
	return old, true
}

// taken gives a copy of a step of the base that is not in the new tree yet.
func (f *fill) taken(number string) *tree.Step {
	id := f.numbers[strings.ToLower(strings.TrimSpace(number))]
	switch {
	case f.base == nil || id == "":
		f.problem("There is no step %q in the base: its steps are %s.", english.Shorten(number, 20), strings.Join(slices.Sorted(maps.Keys(f.numbers)), ", "))
		return nil
	case f.kept[id] || f.changed[id]:
		f.problem("Step %q of the base stands twice in the answer.", english.Shorten(number, 20))
		return nil
	}
	return f.base.Clone().Step(id)
}

// merged is a step of the base with what is new. gone names fields that are empty from now on.
func (f *fill) merged(old *tree.Step, s tree.Step, gone []string) tree.Step {
	given := s
	s.At, s.No = append(slices.Clone(old.At), s.At...), old.No
	if s.Said.Empty() {
		s.Said, s.Text, s.Parts = old.Said, old.Text, old.Parts
	}
	if s.Kind != old.Kind || s.Doer != old.Doer || s.Doer == tree.DoerTool && s.Tool != old.Tool {
		return s
	}
	from, to := reflect.ValueOf(old).Elem(), reflect.ValueOf(&s).Elem()
	for i := range to.NumField() {
		name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case slices.Contains(gone, name) && !slices.Contains([]string{"id", "kind", "text", "said", "at"}, name):
			to.Field(i).SetZero()
		case to.Field(i).IsZero():
			to.Field(i).Set(from.Field(i))
		}
	}
	if d, was := s.Deadline, old.Deadline; d != nil && was != nil && d.After+d.EscalateAfter == "" && d.EscalateTo == nil && d.Remind != "" { // only a reminder
		kept := *was
		kept.Remind, kept.RemindOnce = d.Remind, d.RemindOnce
		s.Deadline = &kept
	}
	for _, p := range old.Params { // those that the change does not give
		if !slices.ContainsFunc(s.Params, func(n tree.Param) bool { return n.Name == p.Name }) && !slices.Contains(gone, "params") {
			s.Params = append(s.Params, p)
		}
	}
	for i, list := range s.Lists() {
		if i < len(s.Branches) && len(given.Branches) == 0 || i == len(s.Branches) && len(given.OnError) == 0 {
			f.inherit(list)
		}
	}
	return s
}

// inherit keeps the steps below a step that was changed, but for those that stand elsewhere in the new tree.
func (f *fill) inherit(list *[]tree.Step) {
	*list = slices.DeleteFunc(*list, func(s tree.Step) bool { return f.kept[s.ID] || f.changed[s.ID] })
	for i := range *list {
		s := &(*list)[i]
		f.kept[s.ID] = true
		for _, below := range s.Lists() {
			f.inherit(below)
		}
	}
}

// replacedWordsAreAccounted accounts for words of the base whose place is taken, or whose steps are gone. What was not understood in a step
// that stays is still not understood.
func (f *fill) replacedWordsAreAccounted() {
	if f.base == nil {
		return
	}
	var stays []tree.Quote // of steps that are changed
	for s := range f.base.Walk {
		if f.changed[s.ID] {
			stays = append(stays, append(slices.Clone(s.At), s.Said)...)
		}
	}
	now := tree.Quotes(f.t)
	gone := slices.DeleteFunc(tree.Quotes(f.base), func(q tree.Quote) bool { return slices.Contains(now, q) })
	open := slices.DeleteFunc(f.unread(), func(q tree.Quote) bool { return !slices.ContainsFunc(stays, q.Overlaps) })
	for _, q := range append(stays, gone...) {
		if !slices.ContainsFunc(open, q.Overlaps) {
			f.t.Replaced = append(f.t.Replaced, q)
		}
	}
}

var (
	// placing are words that say behind or before which step of the base new ones stand.
	placing = regexp.MustCompile(`(?i)^(?:please|add|insert|put|a|new|step|this|it|and|\s)*\b(?:after|before|behind)(?: step)? ([0-9]+[0-9a-z]*)[\s:,]*$`)
	// atNames are those of people, groups and channels in words.
	atNames = regexp.MustCompile(`[@#][\pL\pN]+`)
)

// requestsNameTheBase accounts for the words that say where new steps stand: "add after 3:", and for those that ask for something to go or to
// be replaced: "not @finance", "instead of 100". They name only what stands in the words of before.
func (f *fill) requestsNameTheBase() {
	if f.base == nil {
		return
	}
	var before []string
	for _, t := range f.base.Texts {
		before = append(before, wordsOf(t.Words)...)
	}
	replaces := len(f.t.Replaced) > len(f.base.Replaced)
	named := func(q tree.Quote) bool {
		words := f.t.Words(q)
		m := placing.FindStringSubmatch(words)
		fresh := slices.ContainsFunc(wordsOf(words), func(w string) bool { return strings.ContainsAny(w, "0123456789") && !slices.Contains(before, w) }) ||
			slices.ContainsFunc(atNames.FindAllString(words, -1), func(n string) bool { return !slices.Contains(before, strings.ToLower(n[1:])) })
		known := q.Text == f.now && (m != nil && f.numbers[strings.ToLower(m[1])] != "" || replaces && !fresh)
		if known {
			f.t.Replaced = append(f.t.Replaced, q)
		}
		return known
	}
	f.t.At = slices.DeleteFunc(f.t.At, named)
}
