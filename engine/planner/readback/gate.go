package readback

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

func limitWords(d *flow.Deadline) string {
	if d == nil {
		return ""
	}
	out := ""
	if d.Until != "" {
		out += " until " + idiom.Time(d.Until)
	} else if d.Ends() {
		out += " within " + Duration(d.After)
	}
	switch {
	case d.RemindOnce:
		out += ", with a reminder after " + Duration(d.Remind)
	case !d.Remind.IsZero():
		out += ", with a reminder every " + strings.TrimPrefix(Duration(d.Remind), "1 ")
	}
	if d.Escalate != nil {
		out += fmt.Sprintf(", and %s too after %s", d.Escalate.To, Duration(d.Escalate.After))
	}
	return out
}

// formWords lists the fields that are asked for, unless the message names them all.
func formWords(message string, form map[string]flow.FormField) string {
	var names []string
	told := true
	for _, name := range flow.InOrder(form) {
		words := strings.ReplaceAll(name, "_", " ")
		optional := !form[name].Required && len(form[name].RequiredFor) == 0
		told = told && form[name].Required && strings.Contains(message, words)
		switch {
		case optional:
			words += " (or nothing)"
		case !form[name].Required:
			words += " (for " + english.Join(form[name].RequiredFor, "or") + ")"
		}
		names = append(names, words)
	}
	if told {
		return ""
	}
	return " Fields: " + english.Join(names, "and") + "."
}

// shownWords lists the values and texts that people are shown. Every question shows what the run was given, and the whole result before it.
func (r *reader) shownWords(paths []string) string {
	var out []string
	for _, path := range paths {
		if strings.HasPrefix(path, "vars.") || strings.HasSuffix(path, ".output") || strings.Contains(path, ".result.") || strings.Contains(path, ".output.") {
			out = append(out, r.whole(path))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " Shown: " + english.Join(out, "and") + "."
}

// asked names who answers a node. A draft may still have to be told.
func (r *reader) asked(n *flow.Node, w *flow.Who) string {
	name, unsure := strings.CutSuffix(n.Name, idiom.Unsure)
	if w != nil && len(w.Groups)+len(w.Users) > 0 || !unsure {
		return w.Words()
	}
	for _, verb := range []string{" approves", " chooses", " approve", " choose"} { // of the gates of words that name somebody
		if who, ok := strings.CutSuffix(name, verb); ok && who != "Somebody" {
			return english.Quoted(who) + ", who " + map[bool]string{true: "is", false: "are"}[strings.HasSuffix(verb, "s")] + " not known yet"
		}
	}
	return "somebody who is not named yet"
}

// approval describes a gate: the people, the question, and where each answer leads.
func (r *reader) approval(n *flow.Node, s *flow.ApprovalSpec) string {
	choices := n.Question().Choices
	if n.Description == idiom.SomebodyDecides && choices[0] != "yes" && s.Who == nil {
		return r.undecided(n)
	}
	who, limit := r.asked(n, s.Who), limitWords(s.Deadline)
	if strings.HasPrefix(limit, " ") && strings.HasSuffix(who, "not known yet") {
		who += ","
	}
	question, both := r.question(s.Message), english.Join(choices, "or")+"?"
	if rest, bare := strings.CutPrefix(question, "approve?"); bare && slices.Equal(choices, flow.DefaultChoices()) {
		question = both + rest
	}
	answers := " (" + strings.Join(choices, ", ") + ")"
	if strings.HasPrefix(question, both) { // the question says them
		answers = ""
	}
	out := fmt.Sprintf("ask %s%s%s: %s", who, limit, answers, period(question)) + r.shownWords(s.Show) + formWords(s.Message, s.Form)
	if slices.Equal(choices, tree.PersonChoices()) {
		out = fmt.Sprintf("%s does this%s: %s", who, limit, r.question(s.Message))
	}
	left := slices.DeleteFunc(slices.Clone(choices), func(c string) bool {
		return slices.ContainsFunc(n.Routes, func(r flow.Route) bool { return strings.Contains(r.When, idiom.Literal(c)) })
	})
	rest := anyOther
	if len(left) == 1 {
		rest = left[0]
	}
	return r.answers(n, out, rest)
}

// undecided describes a condition of which nobody has said yet who decides it. It is a gate with a choice for each side.
func (r *reader) undecided(n *flow.Node) string {
	choices := n.Question().Choices
	var out []string
	for _, s := range r.sides(n, func(route flow.Route) string {
		return taken(route, func(when string) string { return "if " + r.answerWords(n.ID, when) }, choices[len(choices)-1])
	}) {
		out = append(out, english.Join(s.when, "or")+r.lead(n, s.to))
	}
	return "somebody has to decide: " + strings.Join(out, "; ")
}

// answers adds to what a gate asks where each answer leads; rest is the one that no condition names.
func (r *reader) answers(n *flow.Node, out, rest string) string {
	sides := r.sides(n, func(route flow.Route) string {
		return taken(route, func(when string) string { return r.answerWords(n.ID, when) }, rest)
	})
	if !slices.ContainsFunc(sides, func(s side) bool { return !s.apart }) {
		slices.SortStableFunc(sides, func(a, b side) int { return cmp.Compare(r.length(n, a.to), r.length(n, b.to)) })
	}
	var leads, answers []string
	for i := range sides {
		lead := r.lead(n, sides[i].to)
		if same := slices.Index(leads, lead); same >= 0 && sides[i].apart && sides[same].apart {
			sides[same].when = append(sides[same].when, sides[i].when...)
			sides[i].when = nil
		}
		leads = append(leads, lead)
	}
	for i, s := range sides {
		when := english.Join(s.when, "or")
		if len(sides) == 1 && s.when[len(s.when)-1] == anyOther {
			when = "any answer"
		}
		if len(s.when) > 0 {
			answers = append(answers, when+leads[i])
		}
	}
	if len(answers) == 0 {
		return out
	}
	return period(out) + " " + english.SentenceCase(strings.Join(answers, "; "))
}

// taken says when a route is taken: words are those for a condition of its own, rest those for the route that is left.
func taken(route flow.Route, words func(when string) string, rest string) string {
	switch foreign := route.ConditionWords(); {
	case foreign == "always":
		return foreign
	case foreign != "":
		return "if " + foreign
	case !route.Default():
		return words(route.When)
	}
	return rest
}

// question is a question to people, without the title of the run before it.
func (r *reader) question(message string) string {
	text := strings.TrimPrefix(r.text(message), runName+": ")
	return strings.TrimPrefix(strings.TrimPrefix(text, english.PleaseSay), english.SentenceCase(english.PleaseSay))
}

// length puts answers that lead elsewhere before those that are told right here.
func (r *reader) length(n *flow.Node, to string) int {
	next := r.f.Node(to)
	if next == nil || !r.together(n, next) || r.farewell(next) {
		return 0
	}
	return 1
}

func (r *reader) answerWords(gate, when string) string {
	choice, ok := idiom.Answer(gate, when)
	switch {
	case !ok:
		return "if " + r.conditionWords(when)
	case choice == flow.ChoiceTimeout:
		return "no answer in time"
	}
	return choice
}

// decision writes a sentence for each side of a condition.
func (r *reader) decision(n *flow.Node, s *flow.DecisionSpec) string {
	sides := r.sides(n, func(route flow.Route) string { return r.sideWords(n, s, route) })
	if last := len(n.Routes) - 1; len(sides) == 2 && len(sides[0].when) == last && sides[1].to == n.Routes[last].To && onlyMissing(n, s) && idiom.PathOnly.MatchString(s.Expr) {
		sides[0].when = []string{"there is " + withArticle(idiom.Spoken(s.Expr))}
	}
	var out []string
	for _, s := range sides {
		when := "if " + strings.Join(s.when, ", or ")
		if last := s.when[len(s.when)-1]; strings.HasPrefix(last, otherwise) {
			when = last // it holds for what stands before it, too
		}
		if len(sides) == 1 && len(n.Routes) > 1 {
			when = "in every case"
		}
		out = append(out, period(english.SentenceCase(when)+r.lead(n, s.to)))
	}
	return strings.Join(out, " ")
}

// sideWords describe when a route of a decision is taken.
func (r *reader) sideWords(n *flow.Node, s *flow.DecisionSpec, route flow.Route) string {
	_, literal := expr.Literal(route.When)
	switch words := route.ConditionWords(); {
	case words != "":
		return words
	case literal && strings.TrimSpace(route.When) != "true" && !idiom.PathOnly.MatchString(s.Expr):
		return english.Quoted(s.Expr) + " is " + strings.Trim(strings.TrimSpace(route.When), `'"`)
	case !route.Default():
		return r.conditionWords(idiom.OfRoute(s.Expr, route.When))
	case len(n.Routes) == 2 && r.mayMiss(n, s) && ownWords(s.Expr) == "":
		return otherwise + ", also when that is not known"
	case route.Label != idiom.NotKnown && !onlyMissing(n, s), asksMissing(conditionsOf(n)):
		return otherwise
	case strings.HasSuffix(n.Routes[0].When, " == true"), strings.HasSuffix(n.Routes[0].When, " == false"):
	case idiom.PathOnly.MatchString(s.Expr):
		return "there is no " + idiom.Spoken(s.Expr)
	}
	return "that is not known"
}

// asksMissing reports whether a condition asks itself whether a value is missing.
func asksMissing(asks []idiom.Condition) bool {
	return slices.ContainsFunc(asks, func(c idiom.Condition) bool {
		return c.Op == "==" && c.Value == "null" || asksMissing(c.Parts)
	})
}

// mayMiss reports whether the other side of a condition also takes what is not known: the condition reads a step's result, and does
// not ask whether there is one.
func (r *reader) mayMiss(n *flow.Node, s *flow.DecisionSpec) bool {
	if !n.Routes[1].Default() || strings.HasSuffix(n.Routes[0].When, "= null") {
		return false
	}
	e, err := expr.Compile(s.Expr, nil)
	return err == nil && slices.ContainsFunc(e.Reads(), func(path []string) bool { return r.f.Node(path[0]) != nil })
}

// onlyMissing reports whether the conditions of a decision leave nothing to the default but missing values: the last two are opposites, or
// all of them together are all amounts.
func onlyMissing(n *flow.Node, s *flow.DecisionSpec) bool {
	last := len(n.Routes) - 2
	if last < 1 || !n.Routes[last+1].Default() {
		return false
	}
	asks := conditionsOf(n)
	if asks[last-1].Negates(asks[last]) {
		return true
	}
	_, conds, ok := rangesOf(asks[:last+1])
	left, _ := tree.Gaps(conds)
	return ok && len(left) == 0
}
