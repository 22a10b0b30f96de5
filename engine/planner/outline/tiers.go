package outline

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// tier reads steps by amount: "under 100 ..., 100 to 500 ..., over 500 ...".
func (r *reader) tier(list *[]tree.Step, toks []phrase.Token, depth int) int {
	cond, n := tierCond(r.Source, *list, toks)
	if n == 0 {
		return 0
	}
	end := n + caseEnd(r.Source, toks[n:], nil)
	if len(phrase.Trim(toks[n:end])) == 0 { // nothing is said for this range
		return 0
	}
	if after := r.approved(toks[n:end], true, depth); end == len(toks) && after > 0 { // ", then refund it": that comes after all ways
		end = n + after
	}
	if last := len(*list) - 1; last >= 0 && (*list)[last].Kind == tree.Decide && tiered((*list)[last]) {
		d := &(*list)[last]
		before, ok := tierBefore(r, d, toks[n:end])
		if !ok {
			return len(toks)
		}
		b := r.tierBranch(&cond, d, r.lead, toks[n:end], depth, last == 0 || onlyApprovals((*list)[last:]))
		b.Steps = append(before, b.Steps...)
		place := slices.IndexFunc(d.Branches, func(o tree.Branch) bool { return !values.Disjoint(*o.When, cond) && !values.Covers(cond, *o.When) }) // "over 100 ..., over 1000 ...": the narrower one is tried first
		if place < 0 {
			place = len(d.Branches)
		}
		d.Branches = slices.Insert(d.Branches, place, b)
		return end
	}
	d := step(r.t, tree.Decide)
	lead := r.lead
	b := r.tierBranch(&cond, nil, nil, toks[n:end], depth, len(*list) == 0)
	d.Branches, r.lead = []tree.Branch{b}, lead
	r.append(list, d)
	return end
}

// tierBefore gives the steps of the tier before, said last, which are done in this one, too: "also", "too". false: more than somebody's approval would be done before
// another one, so that the words stay unread.
func tierBefore(r *reader, d *tree.Step, toks []phrase.Token) (before []tree.Step, ok bool) {
	said := phrase.Trim(toks)
	too := len(said) > 0 && said[len(said)-1].Is("too", "well")
	if !too && !phrase.HasAny(said[:min(3, len(said))], besideOthers) {
		return nil, true
	}
	last := slices.MaxFunc(d.Branches, func(a, b tree.Branch) int { return a.When.At[0].From - b.When.At[0].From })
	if too && slices.ContainsFunc(last.Steps, func(s tree.Step) bool { return s.Kind != tree.Ask }) {
		r.lead = nil
		return nil, false
	}
	return r.t.Again(last.Steps), true
}

// besideOthers begin what is done beside what the tier before does.
var besideOthers = phrase.Set(`also additionally`)

// tierCond reads the range of a tier. A range without a name is about the value of the decision before.
func tierCond(r values.Source, list []tree.Step, toks []phrase.Token) (cond tree.Cond, n int) {
	size := phrase.Starting(toks, phrase.Phrases("for everything anything those_of those of"))
	left := size
	for left < len(toks) && left-size < 4 && toks[left].Kind == phrase.Word && !values.Compares(toks[left:]) && !phrase.StartsStep(toks[left:]) {
		left++
	}
	cond, n, ok := r.Bounds(toks[left:])
	if !ok || len(phrase.Trim(toks[left+n:])) == 0 {
		return cond, 0
	}
	rest, name := toks[left+n:], toks[size:left]
	if last := len(name) - 1; last > 0 && name[last].Low == "of" && needs(rest) { // "a request of more than 500 must be approved by ..."
		name = name[:last]
	} else if labels := rest[0].Is(":", "->"); !labels && (phrase.Verbs[toks[0].Low] || last >= 0 && size == 0 && !strings.HasSuffix(name[last].Low, "s")) { // "refund over 100: ..."
		return cond, 0
	}
	_, term := phrase.ReadTerm(toks[left+n-1:]) // "more than 2 weeks ...", "more than 3 complaints in a week ...": of what?
	if term > 1 || len(rest) > 1 && strings.HasSuffix(rest[0].Low, "s") && !phrase.Roles[rest[0].Low] && rest[1].Is("in", "per", "within") {
		return cond, 0
	}
	n += left
	switch last := len(list) - 1; {
	case size < left:
		values.Over(&cond, r.Value(name, false))
	case last >= 0 && list[last].Kind == tree.Decide && list[last].Branches[0].When != nil:
		values.Over(&cond, list[last].Branches[0].When.Subject())
	}
	cond.Words, cond.At = r.Words(toks[:n]), r.Quotes(toks[:n])
	return cond, n
}

// needs reports whether toks say what is done to something, or what it needs, or who does it.
func needs(toks []phrase.Token) bool {
	return phrase.Auxiliaries[toks[0].Low] || toks[0].Is("need", "needs", "require", "requires", "go", "goes", ":", "->") || toks[0].Kind == phrase.Name
}

// beyond reads the steps for what is above all ranges of the decision before.
func (r *reader) beyond(list *[]tree.Step, toks []phrase.Token, depth int) int {
	n, last := phrase.Starting(toks, phrase.Beyonds), len(*list)-1
	if n == 0 || last < 0 || (*list)[last].Kind != tree.Decide || !tiered((*list)[last]) || n < len(toks) && (toks[n].Kind == phrase.Number || toks[n].Low == "than") {
		return 0
	}
	edge := math.Inf(-1)
	for _, b := range (*list)[last].Branches {
		at, ranges := b.When.Range()
		if !ranges {
			return 0
		}
		edge = max(edge, at.High)
	}
	if math.IsInf(edge, 0) || phrase.Has(toks[:n], "below", "under", "less") {
		return 0
	}
	left := (*list)[last].Branches[0].When.Subject()
	left.At = tree.Quote{}
	when := &tree.Cond{Op: ">", Left: left, Right: tree.Value{Words: strconv.FormatFloat(edge, 'f', -1, 64), Literal: edge}, Words: r.Words(toks[:n]), At: r.Quotes(toks[:n])}
	before, ok := tierBefore(r, &(*list)[last], toks[n:])
	if !ok {
		return len(toks)
	}
	b := r.tierBranch(when, &(*list)[last], r.lead, toks[n:], depth, last == 0 || onlyApprovals((*list)[last:]))
	b.Steps = append(before, b.Steps...)
	(*list)[last].Branches = append((*list)[last].Branches, b)
	return len(toks)
}

// nextTier reports whether another range of amounts begins behind a comma: ", whereas amounts over 200 ...".
func nextTier(r values.Source, toks []phrase.Token) bool {
	n := phrase.Starting(toks, phrase.Phrases(", and ; /"))
	if n == 0 {
		return false
	}
	n += phrase.Starting(toks[n:], phrase.Phrases("and but while whereas everything anything all those_of those of"))
	if n < len(toks) && toks[n].Kind == phrase.Word && strings.HasSuffix(toks[n].Low, "s") && !phrase.Verbs[toks[n].Low] {
		n++
	}
	_, _, ok := r.Bounds(toks[n:])
	return ok || phrase.Starting(toks[n:], phrase.Beyonds) > 0
}

// tierBranch reads the steps of one tier of a decision; every clause is a step. first reports whether no step stands before: "over 100 needs
// @finance" behind one may mean an approval before it.
func (r *reader) tierBranch(when *tree.Cond, of *tree.Step, at []tree.Quote, toks []phrase.Token, depth int, first bool) (b tree.Branch) {
	listed := r.listed
	r.listed, r.tiered = true, first
	defer func() { r.listed, r.tiered = listed, false }()
	if asked, ok := tierAsks(r, of, toks); ok {
		r.lead = nil
		return tree.Branch{At: at, When: when, Steps: []tree.Step{asked}}
	}
	b = r.branch(at, toks, nil, depth)
	b.When = when
	return b
}

// tierAsks reads that somebody else is asked in a tier what another tier asks: "anything above goes to @cfo", "over 500 the board does".
func tierAsks(r *reader, of *tree.Step, toks []phrase.Token) (s tree.Step, ok bool) {
	if of == nil {
		return s, false
	}
	toks = phrase.Trim(toks)
	m, ok := phrase.Whole("[it|this|that] goes|go [straight|directly|up] to {who} [first] [too|also|as_well]", toks)
	if !ok {
		m, ok = phrase.Whole("{who} does|do [so|it|that|the_same] [too|also|as_well]", toks)
	}
	at := slices.IndexFunc(of.Branches, func(b tree.Branch) bool {
		return len(b.Steps) == 1 && asksPeople(&b.Steps[0]) && len(b.Steps[0].Branches) == 0
	})
	if !ok || at < 0 {
		return s, false
	}
	return asksAlike(r, &of.Branches[at].Steps[0], m, toks), true
}

// tiered reports whether all branches of a decision compare amounts.
func tiered(d tree.Step) bool {
	return !slices.ContainsFunc(d.Branches, func(b tree.Branch) bool { return b.Else || b.When == nil || b.When.Op == "" })
}
