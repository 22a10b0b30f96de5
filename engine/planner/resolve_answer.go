package planner

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

const (
	answerNouns = `\b(answer|reply|response|decision|verdict|choice|vote|reason|note|comment|explanation)\b`
	answerer    = `(?:the )?@?([\pL\pN._-]*[\pL\pN])`
)

// answerForm finds words for what somebody answered, or noted with it: "the answer of @bob", "bob's answer", "the reason that @fin gave".
var answerForm = regexp.MustCompile(`(?i)^(?:the |their |his |her )?(?:` + answerNouns + `(?: (?:of|from|by|given by) ` + answerer +
	`| (?:that |which )?` + answerer + ` (?:gave|wrote|said|left|has given))?|` + answerer + `['’]s ` + answerNouns + `)`)

// answerAt finds the answer that words in a message mean, and the end of these words; 0 = they mean none. An empty reference is one that has to
// be asked about. A thing of which more is said ("the reason for the delay", "the answer is no") is no answer, unless it is that of a person.
// named says that another value has the name that stands there.
func (p *planning) answerAt(s *tree.Step, from int, k match.Scope, named bool) (ref tree.Ref, end int) {
	m := answerForm.FindStringSubmatch(s.Text[from:])
	if m == nil {
		return ref, 0
	}
	noun, whom, rest := strings.ToLower(m[1]+m[5]), strings.ToLower(m[2]+m[3]+m[4]), s.Text[from+len(m[0]):]
	asked := p.askedBefore(s, whom)
	bare := whom == "" && (named || !strings.ContainsRune("th", rune(m[0][0]|0x20)) || !ends.MatchString(rest))
	if bare || whom != "" && len(asked) == 0 && !strings.Contains(m[0], "@") {
		return ref, 0
	}
	noted := noun == "reason" || noun == "note" || noun == "comment" || noun == "explanation"
	if len(asked) == 0 || len(asked) > 1 && (whom != "" || m[0][0]|0x20 == 'h') {
		return ref, from + len(m[0])
	}
	last := asked[len(asked)-1]
	ref = tree.Ref{Step: last.ID}
	b := p.behind(s)
	did := b != nil && whom == "" && !noted && p.onlyDone(tree.Ref{Step: b.ID}) // it may be what that person says
	if _, known := k.Value(ref); !known || did || p.besides(s, last) {
		return tree.Ref{}, from + len(m[0])
	}
	list, _ := p.t.Place(s.ID)
	switch at := slices.IndexFunc(last.Fields, func(f tree.Field) bool { return len(last.Fields) == 1 || strings.EqualFold(f.Name, noun) }); {
	case at >= 0:
		ref.Field = last.Fields[at].Name
	case !noted || last.Free && whom != "":
	case last.Free || len(last.Fields) > 0 || whom == "" && slices.ContainsFunc(*list, func(o tree.Step) bool { return o.ID == last.ID }):
		return tree.Ref{}, from + len(m[0])
	default:
		ref.Field = "note"
	}
	return ref, from + len(m[0])
}

// ends finds the end of the name of a thing.
var ends = regexp.MustCompile(`^\s*(?:$|[,;.!]|and\b)`)

// askedBefore gives the questions before a step, in order: all, or those to the people that a word names.
func (p *planning) askedBefore(s *tree.Step, whom string) (out []*tree.Step) {
	for _, o := range p.t.Earlier(s) {
		if o.Kind == tree.Ask && (whom == "" || slices.ContainsFunc(o.Who, func(n tree.Name) bool {
			return slices.Contains(english.Stems(english.Scan(n.Is+" "+n.Words)), whom) || strings.EqualFold(strings.TrimPrefix(n.Is, "@"), whom)
		})) {
			out = append(out, o)
		}
	}
	return out
}

// besides reports whether others are asked something else at the same time as a question before a step.
func (p *planning) besides(s, asked *tree.Step) bool {
	for o := range p.t.Walk {
		holds := func(id string) bool { return (&tree.Tree{Steps: []tree.Step{*o}}).Step(id) != nil }
		n := 0
		for _, b := range o.Branches {
			if slices.ContainsFunc(b.Steps, func(s tree.Step) bool { return s.Kind == tree.Ask }) {
				n++
			}
		}
		if o.Kind == tree.Parallel && n > 1 && holds(asked.ID) && !holds(s.ID) && len(p.t.Alike(asked)) < 2 {
			return true
		}
	}
	return false
}
