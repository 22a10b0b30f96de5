package flow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxLabel = 32 // characters of a label made from a condition

// DisplayName is the node's name, or its id as words: "check-tier" becomes "Check tier".
func (n *Node) DisplayName() string {
	if n.Name != "" {
		return n.Name
	}
	return Words(n.ID)
}

// Words turns an id into words, only the first with a capital.
func Words(id string) string {
	fields := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' || unicode.IsSpace(r) })
	words := strings.Join(fields, " ")
	if words == "" {
		return id
	}
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// startWords says in a few words what a run needs and what starts one.
func (f *Flow) startWords() string {
	var parts []string
	var needs []string
	for _, in := range f.Inputs {
		if in.Required {
			needs = append(needs, in.Name)
		}
	}
	if len(needs) > 0 {
		parts = append(parts, "needs "+wordList(needs, "and"))
	}
	for _, t := range f.Triggers {
		switch {
		case t.Schedule != nil:
			parts = append(parts, "by schedule "+t.Schedule.Cron)
		case t.Message != nil:
			parts = append(parts, "by a message in "+t.Message.Channel)
		case t.Reaction != nil:
			parts = append(parts, "by the reaction :"+t.Reaction.Emoji+":")
		case t.Webhook != nil:
			parts = append(parts, "by the webhook "+t.Webhook.Path)
		}
	}
	return strings.Join(parts, "; ")
}

// describe is a node's description, or what it does in a few words.
func (d *drawing) describe(n *Node) string {
	if n.Description != "" {
		return n.Description
	}
	switch s := n.Spec.(type) {
	case *AgentSpec:
		return "agent " + s.Agent
	case *ToolSpec:
		return s.Tool
	case *ApprovalSpec:
		return askWords(s.Who, s.Message)
	case *AskSpec:
		return askWords(s.Who, s.Message)
	case *DecisionSpec:
		if n.Name != "" {
			return "" // the name says it; the expression is in the tooltips of the edges
		}
		return s.Expr
	case *SaySpec:
		return withoutTemplates(s.Message)
	case *WaitSpec:
		switch {
		case !s.For.IsZero():
			return "for " + s.For.String()
		case s.Until != "":
			return "until " + s.Until
		default:
			return "for the event " + s.Event
		}
	case *ForeachSpec:
		return "for each of " + s.Items
	case *SubflowSpec:
		return "flow " + s.Flow
	case *SetSpec:
		return "sets " + wordList(sortedKeys(s.Vars), "and")
	case *EmitSpec:
		return "event " + s.Event
	default:
		return n.ForeignWords()
	}
}

func askWords(w *Who, message string) string {
	if w == nil || len(w.Groups)+len(w.Users) == 0 {
		return withoutTemplates(message)
	}
	names := append(slices.Clone(w.Groups), w.Users...)
	who := wordList(names, "or")
	if w.Quorum > 1 {
		who = fmt.Sprintf("%d of %s", w.Quorum, who)
	}
	if templateForm.MatchString(message) {
		return "asks " + who
	}
	return "asks " + who + ": " + message
}

var templateForm = regexp.MustCompile(`\{\{[^}]*\}\}`)

// toolsOf names the tools that a step may call: its own, or those of its agent.
func (f *Flow) toolsOf(n *Node) []string {
	switch s := n.Spec.(type) {
	case *ToolSpec:
		return []string{s.Tool}
	case *AgentSpec:
		if a := f.AgentByID(s.Agent); a != nil {
			return slices.Clone(a.Tools)
		}
	case *LLMSpec:
		return slices.Clone(s.Tools)
	case *ToolexecSpec:
		return slices.Clone(s.Tools)
	}
	return nil
}

// withoutTemplates shows a message the way it reads before its values are known.
func withoutTemplates(message string) string {
	return strings.TrimSpace(templateForm.ReplaceAllString(message, "…"))
}

// criteria are the sentences that the step's result is judged by.
func (n *Node) criteria() []string {
	var out []string
	for _, c := range n.Criteria {
		out = append(out, c.Text)
	}
	return out
}

func errorLabel(r ErrorRoute, index int) (label, description string) {
	switch {
	case r.Match != "":
		return "error: " + shorten(r.Match), "on an error that matches " + r.Match
	case index > 0:
		return "other error", "on any other error"
	default:
		return "error", "on any error"
	}
}

// compared is a condition of the form PATH OP VALUE.
type compared struct{ path, op, value string }

var comparisonForm = regexp.MustCompile(`^\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|-?[0-9.]+|true|false)\s*$`)

func parseComparison(expr string) (compared, bool) {
	m := comparisonForm.FindStringSubmatch(expr)
	if m == nil {
		return compared{}, false
	}
	return compared{m[1], m[2], strings.Trim(m[3], `'"`)}, true
}

// words writes the comparison for a label. The path is left out where every label is about the same one.
func (c compared) words(withPath bool) string {
	op := map[string]string{"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}[c.op]
	if op == "" {
		op = c.op
	}
	switch {
	case c.op == "==" && c.value == "true":
		return lastName(c.path)
	case c.op == "==" && c.value == "false":
		return "not " + lastName(c.path)
	case withPath:
		return lastName(c.path) + " " + op + " " + c.value
	case c.op == "==":
		return c.value
	case c.op == "!=":
		return "not " + c.value
	default:
		return op + " " + c.value
	}
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// routeLabels gives the label of each route: its own, else a short form of the condition; "otherwise" for a default
// beside conditions, or the choices that are left over at a gate.
func routeLabels(n *Node) []string {
	labels := make([]string, len(n.Routes))
	conditions := 0
	for _, r := range n.Routes {
		if !r.Default() {
			conditions++
		}
	}
	same := samePath(n)
	for i, r := range n.Routes {
		switch {
		case r.Label != "":
			labels[i] = r.Label
		case r.If != IfExpr:
			labels[i] = foreignLabel(n, r)
		case !r.Default():
			labels[i] = conditionLabel(n, r.When, !same)
		case conditions > 0:
			labels[i] = otherwise(n)
		default:
			switch n.Spec.(type) {
			case *ForeachSpec, *LoopSpec, *SequenceSpec:
				labels[i] = "done"
			}
		}
	}
	return labels
}

// samePath reports whether all conditions of a node compare one path, a decision's expression included.
func samePath(n *Node) bool {
	paths := map[string]bool{}
	conditions := make([]string, 0, len(n.Routes)+1)
	decision, isDecision := n.Spec.(*DecisionSpec)
	if isDecision {
		conditions = append(conditions, decision.Expr)
	}
	for _, r := range n.Routes {
		if r.If == IfExpr && !r.Default() && (!isDecision || !bareLiteral(r.When)) {
			conditions = append(conditions, r.When)
		}
	}
	for _, expr := range conditions {
		if c, ok := parseComparison(expr); ok {
			paths[c.path] = true
		} else {
			paths[strings.TrimSpace(expr)] = true
		}
	}
	return len(paths) < 2
}

func conditionLabel(n *Node, when string, withPath bool) string {
	decision, isDecision := n.Spec.(*DecisionSpec)
	if isDecision && bareLiteral(when) {
		return literalLabel(decision.Expr, strings.Trim(strings.TrimSpace(when), `'"`))
	}
	if choices := chosen(n.ID, when); len(choices) > 0 {
		return shorten(strings.Join(choices, " / "))
	}
	if c, ok := parseComparison(when); ok {
		return shorten(c.words(withPath))
	}
	short := pathPattern.ReplaceAllStringFunc(when, lastName)
	return shorten(strings.Join(strings.Fields(short), " "))
}

var pathPattern = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+`)

// literalLabel labels a decision's literal: of "amount > 100" the answer true is "> 100", false is "not > 100".
func literalLabel(expr, literal string) string {
	if literal != "true" && literal != "false" {
		return shorten(literal)
	}
	c, ok := parseComparison(expr)
	switch {
	case !ok && literal == "true":
		return "yes"
	case !ok:
		return "no"
	case literal == "true":
		return shorten(c.words(false))
	default:
		return shorten("not " + strings.TrimPrefix(c.words(false), "not "))
	}
}

var choicePattern = regexp.MustCompile(`^\s*approvals\.([A-Za-z0-9_-]+)\s*==\s*(?:'([^']*)'|"([^"]*)")\s*$`)

var orPattern = regexp.MustCompile(`\s+or\s+|\s*\|\|\s*`)

// chosen lists the choices of the gate that a condition names, if it does nothing else.
func chosen(gate, when string) []string {
	var out []string
	for _, part := range orPattern.Split(when, -1) {
		m := choicePattern.FindStringSubmatch(part)
		if m == nil || m[1] != gate {
			return nil
		}
		out = append(out, m[2]+m[3])
	}
	return out
}

// choices lists the choices of the gate that take a route, if its condition says nothing else.
func (r Route) choices(gate string) []string {
	switch r.If {
	case IfExpr:
		return chosen(gate, r.When)
	case IfHandle:
		return []string{r.When}
	default:
		return nil
	}
}

// otherwise labels a default beside conditions. At a gate it names the choices that no route takes, if they are few.
func otherwise(n *Node) string {
	var left []string
	switch s := n.Spec.(type) {
	case *ApprovalSpec:
		left = slices.Clone(s.Choices)
	case *AskSpec:
		left = slices.Clone(s.Choices)
	}
	for _, r := range n.Routes {
		if r.Default() {
			continue
		}
		named := r.choices(n.ID)
		if named == nil {
			return "otherwise"
		}
		left = slices.DeleteFunc(left, func(c string) bool { return slices.Contains(named, c) })
	}
	if len(left) == 0 || len(left) > 2 {
		return "otherwise"
	}
	return strings.Join(left, " / ")
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxLabel {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:maxLabel-1])) + "…"
}
