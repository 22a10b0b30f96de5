package plan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// sentence says what a node does and where each of its ways leads.
func (r *reader) sentence(n *flow.Node) string {
	r.told[n.ID] = true
	if s, ok := n.Spec.(*flow.DecisionSpec); ok {
		return r.decision(n, s)
	}
	return period(sentenceCase(r.clause(n)))
}

// period ends a sentence that has no end yet.
func period(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// clause says a node inside a sentence.
func (r *reader) clause(n *flow.Node) string {
	r.told[n.ID] = true
	switch s := n.Spec.(type) {
	case *flow.DecisionSpec:
		return strings.TrimSuffix(uncapital(r.decision(n, s)), ".")
	case *flow.ApprovalSpec:
		return r.approval(n, s)
	case *flow.ToolSpec:
		return r.call(n, s) + r.ways(n)
	case *flow.AskSpec:
		if strings.HasSuffix(n.Name, unsure) {
			return uncapital(r.text(s.Message)) + " (" + uncapital(n.Description) + ")" + r.ways(n)
		}
		return fmt.Sprintf("ask %s: %s", r.who(s.Who), r.said(s.Message)) + r.ways(n)
	case *flow.SaySpec:
		return "say in the run's thread: " + r.said(s.Message) + r.ways(n)
	case *flow.WaitSpec:
		return waitWords(s) + r.ways(n)
	case *flow.TerminalSpec:
		if s.EndsRun {
			return uncapital(n.DisplayName()) + ": the run ends, with everything that is still under way"
		}
		return uncapital(n.DisplayName()) + ": " + r.ends()
	case *flow.AgentSpec:
		return uncapital(n.DisplayName()) + " (agent " + s.Agent + ")" + r.params(s.Input) + r.ways(n)
	case *flow.SubflowSpec:
		return uncapital(n.DisplayName()) + " (runs the flow " + s.Flow + ")" + r.params(s.Inputs) + r.ways(n)
	}
	return uncapital(n.DisplayName()) + r.more(n) + r.ways(n)
}

// more says the rest of the kinds in brackets.
func (r *reader) more(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.ParallelSpec:
		var to []string
		for _, b := range s.Branches {
			to = append(to, r.arrow(b.To))
		}
		return " (at the same time " + list(to, "and") + ")"
	case *flow.ForeachSpec:
		return " (for each of " + s.Items + " " + r.arrow(s.Body) + ")"
	case *flow.SetSpec:
		return " (sets " + list(sortedKeys(s.Vars), "and") + ")"
	case *flow.EmitSpec:
		return " (event " + s.Event + ")"
	case *flow.LoopSpec:
		return " (" + n.ForeignWords() + " " + r.arrow(s.Body) + ")"
	case *flow.SequenceSpec:
		var to []string
		for _, b := range s.Branches {
			to = append(to, r.arrow(b.To))
		}
		return " (one after the other " + list(to, "and") + ")"
	case *flow.OpaqueSpec:
		return " (" + n.ForeignWords() + "; a run that comes to this step stops there)"
	}
	if words := n.ForeignWords(); words != "" {
		return " (" + words + ")"
	}
	return ""
}

// call says a call of a tool: what it is called in the flow, which tool it is, what it does to whom, with which values.
func (r *reader) call(n *flow.Node, s *flow.ToolSpec) string {
	title := n.DisplayName()
	if n.Description != "" {
		title = n.Description
	}
	t, ok := r.tools[s.Tool]
	if !ok {
		return fmt.Sprintf("%s (%s, which is not connected)", uncapital(title), s.Tool) + r.params(s.Params)
	}
	if m := messagingOf(t); m != nil && len(s.Params) == 2 {
		to, text := s.Params[m.to], s.Params[m.text]
		return fmt.Sprintf("tell %s (%s): %s", r.address(to), s.Tool, r.said(fmt.Sprint(text)))
	}
	return fmt.Sprintf("%s (%s)", uncapital(title), toolWords(t, s.Effects)) + r.params(s.Params)
}

func (r *reader) address(to any) string {
	text := fmt.Sprint(to)
	if m := single.FindStringSubmatch(text); m != nil {
		if field, from := r.origin(m[1]); field != "" {
			return field + " from " + from
		} else if from != "" {
			return from
		}
	}
	return text
}

// toolWords name the tool and say what it does to which host.
func toolWords(t tool.Tool, override flow.Effects) string {
	words := t.Name + ", writes"
	to := " to "
	if effects := tool.Effects(t, override); effects == flow.EffectsRead {
		words, to = t.Name+", reads", " "
	}
	if t.Host != "" {
		words += to + t.Host
	}
	if t.Policy == tool.Ask {
		words += ", asks before each call"
	}
	return words
}

func waitWords(s *flow.WaitSpec) string {
	switch {
	case !s.For.IsZero():
		return "wait " + durationWords(s.For)
	case s.Until != "":
		return "wait until " + strings.Replace(s.Until, "T", " ", 1)
	}
	return "wait for the event " + s.Event
}

// ways says where a node leads when that is not simply the next sentence.
func (r *reader) ways(n *flow.Node) string {
	if len(n.Routes) == 0 {
		return r.goesOn(n, flow.End)
	}
	if len(n.Routes) == 1 && n.Routes[0].Default() {
		return r.goesOn(n, n.Routes[0].To)
	}
	var out strings.Builder
	for _, route := range n.Routes {
		when := "otherwise"
		switch words := route.ConditionWords(); {
		case words == "always":
			when = words
		case words != "":
			when = "if " + words
		case !route.Default():
			when = "if " + conditionWords(route.When)
		}
		out.WriteString("; " + when + r.lead(n, route.To))
	}
	return out.String()
}

// goesOn says where the only way of a node leads.
func (r *reader) goesOn(n *flow.Node, to string) string {
	next := r.f.Node(to)
	switch {
	case next != nil && r.number[next.ID] == r.number[n.ID] && !r.told[next.ID]:
		return ", then " + r.clause(next)
	case next == nil && r.isLast(n):
		return ""
	case next == nil:
		return ", then " + r.ends()
	case r.isNext(n, next):
		return ""
	}
	return ", then " + r.arrow(to)
}

// isLast reports whether one reads nothing behind the node.
func (r *reader) isLast(n *flow.Node) bool {
	last := r.steps[len(r.steps)-1]
	return last.number == r.number[n.ID] && last.ids[0] == n.ID
}

// isNext reports whether a node is where one reads on, behind the head of a sentence.
func (r *reader) isNext(n, next *flow.Node) bool {
	for i, s := range r.steps[:len(r.steps)-1] {
		if s.number == r.number[n.ID] {
			return r.straight(s, n) && r.steps[i+1].ids[0] == next.ID
		}
	}
	return false
}

// straight reports whether a sentence is a chain without branches up to the node.
func (r *reader) straight(s step, n *flow.Node) bool {
	return !slices.ContainsFunc(s.ids, func(id string) bool {
		m := r.f.Node(id)
		return m != nil && m.ID != n.ID && len(m.Routes) > 1
	})
}

// lead says behind a condition or an answer where it leads: to another sentence, to the end, or to what is said right here.
func (r *reader) lead(from *flow.Node, to string) string {
	n := r.f.Node(to)
	switch {
	case n == nil:
		return ": " + r.ends()
	case r.number[n.ID] == r.number[from.ID] && r.farewell(n):
		r.told[n.ID] = true
		return ": " + r.ends() + " and tells the requester"
	case r.number[n.ID] == r.number[from.ID] && !r.told[n.ID]:
		return ": " + r.clause(n)
	}
	return " " + r.arrow(to)
}

func (r *reader) arrow(to string) string {
	if r.f.Node(to) == nil {
		return r.ends()
	}
	arrow := "→ " + strconv.Itoa(r.number[to])
	if i := slices.IndexFunc(r.steps, func(s step) bool { return s.number == r.number[to] }); i >= 0 && r.steps[i].ids[0] != to {
		arrow += " (" + r.f.Node(to).DisplayName() + ")"
	}
	return arrow
}

// ends says what ends with a way: the run, unless other ways may still be under way.
func (r *reader) ends() string {
	for i := range r.f.Nodes {
		switch r.f.Nodes[i].Kind {
		case flow.KindParallel, flow.KindForeach, flow.KindLoop, flow.KindSequence:
			return "this way ends"
		}
	}
	return "the run ends"
}

func (r *reader) who(w *flow.Who) string {
	if w == nil || len(w.Groups)+len(w.Users) == 0 {
		return "any member of the channel"
	}
	names := list(slices.Concat(w.Groups, w.Users), "or")
	if w.Quorum > 1 {
		names = fmt.Sprintf("%d of %s", w.Quorum, names)
	}
	if w.SelfApproval != nil && !*w.SelfApproval {
		names += " (never the requester)"
	}
	return names
}

// approval says who is asked what, and where each answer leads.
func (r *reader) approval(n *flow.Node, s *flow.ApprovalSpec) string {
	choices := s.Choices
	if len(choices) == 0 {
		choices = flow.DefaultChoices()
	}
	limit := ""
	if s.Deadline != nil && !s.Deadline.After.IsZero() {
		limit = " within " + durationWords(s.Deadline.After)
	}
	out := fmt.Sprintf("ask %s%s (%s): %s", r.who(s.Who), limit, strings.Join(choices, ", "), r.text(s.Message))
	leads := map[string][]string{}
	var order []string
	for _, route := range n.Routes {
		when := "any other answer"
		if words := route.ConditionWords(); words != "" {
			when = "if " + words
		} else if !route.Default() {
			when = answerWords(n.ID, route.When)
		}
		lead := leads[route.To]
		if lead == nil {
			order = append(order, route.To)
		}
		leads[route.To] = append(lead, when)
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(r.length(n, a), r.length(n, b)) })
	var answers []string
	for _, to := range order {
		answers = append(answers, list(leads[to], "or")+r.lead(n, to))
	}
	if len(answers) == 0 {
		return out
	}
	return period(out) + " " + sentenceCase(strings.Join(answers, "; "))
}

// length puts answers that lead elsewhere before those that are told right here.
func (r *reader) length(n *flow.Node, to string) int {
	next := r.f.Node(to)
	if next == nil || r.number[to] != r.number[n.ID] || r.farewell(next) {
		return 0
	}
	return 1
}

var answerPattern = regexp.MustCompile(`^approvals\.([A-Za-z0-9_-]+) == '((?:[^'\\]|\\.)*)'$`)

func answerWords(gate, when string) string {
	m := answerPattern.FindStringSubmatch(when)
	switch {
	case m == nil || m[1] != gate:
		return "if " + conditionWords(when)
	case m[2] == "timeout":
		return "no answer in time"
	}
	return unescapeLiteral(m[2])
}

// decision says every side of a condition in a sentence of its own; sides that lead to the same place share one.
func (r *reader) decision(n *flow.Node, s *flow.DecisionSpec) string {
	whens := map[string][]string{}
	var order []string
	for _, route := range n.Routes {
		if whens[route.To] == nil {
			order = append(order, route.To)
		}
		whens[route.To] = append(whens[route.To], r.sideWords(n, s, route))
	}
	var out []string
	for _, to := range order {
		when := strings.Join(whens[to], ", or ")
		if !strings.HasPrefix(when, "otherwise") {
			when = "if " + when
		}
		out = append(out, period(sentenceCase(when)+r.lead(n, to)))
	}
	return strings.Join(out, " ")
}

// sideWords say when a route of a decision is taken.
func (r *reader) sideWords(n *flow.Node, s *flow.DecisionSpec, route flow.Route) string {
	switch words := route.ConditionWords(); {
	case words != "":
		return words
	case !route.Default() && bareLiteral(route.When) && strings.TrimSpace(route.When) == "true":
		return conditionWords(s.Expr)
	case !route.Default() && bareLiteral(route.When) && !pathOnly.MatchString(s.Expr):
		return quote(s.Expr) + " is " + strings.Trim(strings.TrimSpace(route.When), `'"`)
	case !route.Default() && bareLiteral(route.When):
		return conditionWords(s.Expr + " == " + literal(strings.Trim(strings.TrimSpace(route.When), `'"`)))
	case !route.Default():
		return conditionWords(route.When)
	case len(n.Routes) == 2 && r.mayMiss(n, s):
		return "otherwise, also when that is not known"
	case !onlyMissing(n, s):
		return "otherwise"
	case strings.HasSuffix(n.Routes[0].When, " == true"), strings.HasSuffix(n.Routes[0].When, " == false"):
	case pathOnly.MatchString(s.Expr):
		return "there is no " + spoken(s.Expr)
	}
	return "that is not known"
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

// onlyMissing reports whether a decision has a condition and its opposite, so that the default is left to missing values.
func onlyMissing(n *flow.Node, s *flow.DecisionSpec) bool {
	if len(n.Routes) != 3 {
		return false
	}
	when := n.Routes[0].When
	if when == "true" {
		when = s.Expr
	}
	return negates(when, n.Routes[1].When)
}

// uncapital gives the first word a small letter unless it is written in capitals.
func uncapital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[min(size, len(s)):])
	if size == 0 || first == utf8.RuneError || unicode.IsUpper(second) {
		return s
	}
	return string(unicode.ToLower(first)) + s[size:]
}
