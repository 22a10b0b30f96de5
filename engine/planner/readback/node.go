package readback

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/tool"
)

// sentence describes what a node does, where each of its ways leads, and what happens when it fails.
func (r *reader) sentence(n *flow.Node) string {
	said := r.clause(n)
	if r.endsRound(n.ID) {
		said = "after each round: " + said
	}
	all := []string{period(english.SentenceCase(said))}
	if n.Retry != nil && n.Retry.MaxAttempts > 1 {
		all = append(all, fmt.Sprintf("It is tried %d times%s.", n.Retry.MaxAttempts, apart(n.Retry)))
	}
	for _, e := range n.OnError {
		when := "If it fails"
		if !e.Default {
			when = "If it fails with " + english.Quoted(e.Match)
		}
		all = append(all, period(when+r.lead(n, e.To)))
	}
	return strings.Join(all, " ")
}

// apart says how long it is between attempts, where that is always the same.
func apart(r *flow.Retry) string {
	if r.Multiplier != 1 || r.BackoffMS == 0 {
		return ""
	}
	return ", " + Duration(flow.Duration{Clock: time.Duration(r.BackoffMS) * time.Millisecond}) + " apart"
}

// period ends a sentence that has no end yet.
func period(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// clause describes a node inside a sentence, and where it leads.
func (r *reader) clause(n *flow.Node) string {
	r.told[n.ID] = true
	switch s := n.Spec.(type) {
	case *flow.DecisionSpec:
		return strings.TrimSuffix(english.Uncapital(r.decision(n, s)), ".")
	case *flow.ApprovalSpec:
		if !strings.HasSuffix(n.Name, idiom.Unsure) || len(n.Routes) != 1 {
			return r.approval(n, s)
		}
	case *flow.AskSpec:
		if len(n.Routes) > 1 {
			return r.answers(n, r.does(n), "an answer")
		}
	case *flow.TerminalSpec:
		return r.terminal(n, s)
	case *flow.ParallelSpec:
		return r.parallel(n, s)
	case *flow.SetSpec:
		if r.beginsRound(n.ID) {
			return "repeat: " + r.arrow(n.Routes[0].To)
		}
	}
	return chained(r.does(n), r.ways(n))
}

// chained puts what a node does and where it leads together. What ends a sentence by itself stays one.
func chained(does, ways string) string {
	end := strings.TrimRight(does, ".?!")
	switch then, goesOn := strings.CutPrefix(ways, ", then "); {
	case ways == "" || end == does:
		return does + ways
	case goesOn:
		return does + " Then " + then
	}
	return strings.TrimSuffix(does, ".") + ways
}

// does describes what a node does that goes on by itself.
func (r *reader) does(n *flow.Node) string {
	name := english.Uncapital(n.DisplayName())
	switch s := n.Spec.(type) {
	case *flow.ApprovalSpec:
		return strings.TrimSuffix(english.Uncapital(r.text(s.Message)), ".") + " (needs an answer)"
	case *flow.ToolSpec:
		return r.call(n, s)
	case *flow.AskSpec:
		return fmt.Sprintf("ask %s%s: %s", r.asked(n, s.Who), limitWords(s.Deadline), period(r.question(s.Message))) + formWords(s.Message, s.Form)
	case *flow.SaySpec:
		switch who, ok := strings.CutPrefix(strings.TrimSuffix(n.Name, idiom.Unsure), "Tell "); {
		case who == "the requester":
			return "tell the requester, in the run's thread: " + r.said(s.Message)
		case ok && strings.HasSuffix(n.Name, idiom.Unsure) && who != "the thread":
			return fmt.Sprintf("tell %s, who is not known yet: %s", english.Quoted(who), r.said(s.Message))
		}
		return "say in the run's thread: " + r.said(s.Message)
	case *flow.WaitSpec:
		return r.waits(s)
	case *flow.AgentSpec:
		return "an AI agent does: " + strings.TrimSuffix(english.Uncapital(r.title(n)), ".") + r.using(s.Agent) + r.params(s.Input)
	case *flow.SubflowSpec:
		return english.Uncapital(r.title(n)) + " (runs the flow " + s.Flow + ")" + r.params(s.Inputs)
	case *flow.ForeachSpec:
		most := map[bool]string{true: fmt.Sprintf(", up to %d at the same time", s.MaxParallel)}[s.MaxParallel > 1]
		return fmt.Sprintf("%s: each of %s %s%s", name, r.list(s.Items), r.arrow(s.Body), most)
	case *flow.SetSpec:
		if idiom.Counts(s) {
			return name
		}
		return name + r.params(s.Vars)
	case *flow.EmitSpec:
		return name + " (event " + s.Event + ")"
	case *flow.LoopSpec:
		return name + " (" + n.ForeignWords() + " " + r.arrow(s.Body) + ")"
	case *flow.SequenceSpec:
		return name + " (one after the other " + english.Join(r.arrows(s.Branches), "and") + ")"
	case *flow.OpaqueSpec:
		return name + " (" + n.ForeignWords() + "; a run that comes to this step stops there)"
	}
	if words := n.ForeignWords(); words != "" {
		return name + " (" + words + ")"
	}
	return name
}

// terminal describes the end of a way, with the run's outcome if the flow has one.
func (r *reader) terminal(n *flow.Node, s *flow.TerminalSpec) string {
	end := r.endsAs(n, s)
	if s.EndsRun {
		end = "the run ends, with everything that is still under way"
	}
	name := n.DisplayName()
	if all, ok := s.Output.(map[string]any); ok && len(all) > 0 {
		if name != idiom.Results {
			name += ", and " + english.Uncapital(idiom.Results)
		}
		name += " " + english.PlainName(strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	return english.Uncapital(name) + ": " + end
}

// title is what a node does, in all its words.
func (r *reader) title(n *flow.Node) string {
	switch {
	case n.Description == "" || n.Description == idiom.Unanswered:
		return n.DisplayName()
	case strings.HasSuffix(n.Name, idiom.Unsure):
		return n.Description + idiom.Unsure
	}
	return n.Description
}

// parallel describes branches, and where they lead when all of them are done, or so many as it takes.
func (r *reader) parallel(n *flow.Node, s *flow.ParallelSpec) string {
	all := r.arrows(s.Branches)
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "→ ")
	}
	out, ways := english.Uncapital(n.DisplayName())+": "+english.Join(all, "and"), r.ways(n)
	to, then := strings.CutPrefix(ways, ", then ")
	switch s.Join.Type {
	case "any", "first":
		return out + ". When one of them is done, " + cmp.Or(to, "it goes on")
	case "count", "min":
		return out + fmt.Sprintf(". When %d of them are done, ", s.Join.Count) + cmp.Or(to, "it goes on")
	}
	if then {
		return out + ". Then " + to
	}
	return out + ways
}

// arrows names branches and where they begin.
func (r *reader) arrows(branches []flow.Route) []string {
	out := make([]string, len(branches))
	for i, b := range branches {
		out[i] = strings.TrimSpace(b.Label + " " + r.arrow(b.To))
	}
	return out
}

// list names the list that a step iterates over.
func (r *reader) list(items string) string {
	if !idiom.PathOnly.MatchString(items) {
		return strings.Trim(items, "[]")
	}
	return r.whole(items)
}

// call describes a call of a tool: its effect and its values.
func (r *reader) call(n *flow.Node, s *flow.ToolSpec) string {
	t, ok := r.tools[s.Tool]
	if !ok {
		return english.Uncapital(r.title(n)) + " (no such tool is connected)" + r.params(s.Params)
	}
	if m := env.MessagingOf(t); m != nil && len(s.Params) == 2 {
		return fmt.Sprintf("tell %s: %s", r.address(s.Params[m.To]), r.said(fmt.Sprint(s.Params[m.Text])))
	}
	more := map[tool.Policy]string{tool.Ask: " (a person is asked before each call)", tool.Deny: " (nothing may call this tool)"}[t.Policy]
	return english.Uncapital(r.title(n)) + more + r.params(s.Params)
}

func (r *reader) address(to any) string {
	text := fmt.Sprint(to)
	m := idiom.Single.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	field, from := r.origin(m[1])
	if field == "" {
		return from
	}
	return "the " + field + " from " + from
}

func (r *reader) waits(s *flow.WaitSpec) string {
	m, given := idiom.ReadMoment(s.Until)
	switch until := map[bool]string{true: "until "}[m.Side != ""]; {
	case given:
		return "wait " + until + m.Words(r.text("{{"+m.Path+"}}"))
	case !s.For.IsZero():
		return "wait " + Duration(s.For)
	case s.Until != "":
		return "wait until " + idiom.Time(s.Until)
	}
	return "wait for the event " + s.Event
}

// ways describes where a node leads, unless that is the next sentence.
func (r *reader) ways(n *flow.Node) string {
	if len(n.Routes) == 0 {
		return r.goesOn(n, flow.End)
	}
	if len(n.Routes) == 1 && n.Routes[0].Default() {
		return r.goesOn(n, n.Routes[0].To)
	}
	var out strings.Builder
	for _, route := range n.Routes {
		when := taken(route, func(when string) string { return "if " + r.conditionWords(when) }, "otherwise")
		out.WriteString("; " + when + r.lead(n, route.To))
	}
	return out.String()
}

// goesOn describes where the only way of a node leads.
func (r *reader) goesOn(n *flow.Node, to string) string {
	if n.Pulled() { // no run passes it
		return ""
	}
	next := r.f.Node(to)
	switch {
	case next != nil && r.together(n, next) && !r.told[next.ID] && r.closes(n, to) == "":
		return ", then " + r.clause(next)
	case next == nil && r.isLast(n):
		return ""
	case r.closes(n, to) != "":
		return ", then " + r.closes(n, to)
	case r.isNext(n, next):
		return ""
	}
	return ", then " + r.arrow(to)
}

// isLast reports whether no sentence follows the node.
func (r *sentences) isLast(n *flow.Node) bool { return r.steps[len(r.steps)-1].ids[0] == n.ID }

// isNext reports whether a node is where one reads on, behind a sentence that is a chain without branches up to the node before.
func (r *sentences) isNext(n, next *flow.Node) bool {
	at := r.place[n.ID]
	return at+1 < len(r.steps) && r.steps[at+1].ids[0] == next.ID && !slices.ContainsFunc(r.steps[at].ids, func(id string) bool {
		return id != n.ID && len(r.f.Node(id).Routes) > 1
	})
}

// lead says behind a condition or an answer where it leads: to another sentence, to the end, or to what is said right here.
func (r *reader) lead(from *flow.Node, to string) string {
	n := r.f.Node(to)
	switch {
	case r.closes(from, to) != "":
		return ": " + r.closes(from, to)
	case r.beginsRound(to) && r.together(from, n):
		return ": once more"
	case r.together(from, n) && idiom.Generated(n) && r.closes(n, onlyWay(n)) != "":
		r.told[n.ID] = true
		return ": " + r.closes(n, onlyWay(n)) + " and tells the requester"
	case r.together(from, n) && r.farewell(n): // in the author's own words
		return ": " + r.clause(n)
	case r.together(from, n) && !r.told[n.ID]:
		return ": " + r.clause(n)
	}
	return " " + r.arrow(to)
}

// onlyWay is where the one way of a node leads.
func onlyWay(n *flow.Node) string {
	if len(n.Routes) == 0 {
		return flow.End
	}
	return n.Routes[0].To
}

// together reports whether two nodes share a sentence.
func (r *sentences) together(a, b *flow.Node) bool { return r.place[a.ID] == r.place[b.ID] }

// named is how people call a node: by the number of its step, else by its name.
func (r *sentences) named(id string) string {
	return cmp.Or(r.number[id], english.Quoted(r.f.Node(id).DisplayName()))
}

func (r *sentences) arrow(to string) string {
	n := r.f.Node(to)
	if n == nil {
		return "the end"
	}
	if r.endsRound(to) {
		return "→ the end of the round"
	}
	arrow := "→ " + r.named(to)
	if r.number[to] != "" && r.steps[r.place[to]].ids[0] != to {
		arrow += " (" + n.DisplayName() + ")"
	}
	return arrow
}

// beginsRound reports whether a node counts the rounds of a repeat, and leads to the first step of one.
func (r *sentences) beginsRound(id string) bool {
	n := r.f.Node(id)
	if n == nil || len(n.Routes) != 1 {
		return false
	}
	s, ok := n.Spec.(*flow.SetSpec)
	return ok && idiom.Counts(s) && len(s.Vars) == 1 && r.f.Node(n.Routes[0].To) != nil
}

// endsRound reports whether a node comes behind the steps of a repeat: it decides whether they are done once more, or asks that.
func (r *sentences) endsRound(id string) bool {
	n := r.f.Node(id)
	if n == nil || !r.beginsRound(r.steps[r.place[id]].ids[0]) || n.Kind != flow.KindDecision && n.Kind != flow.KindApproval {
		return false
	}
	leads := func(n *flow.Node) bool {
		return n != nil && slices.ContainsFunc(n.Routes, func(to flow.Route) bool { return r.beginsRound(to.To) && r.place[to.To] == r.place[id] })
	}
	return leads(n) || len(n.Routes) == 1 && leads(r.f.Node(n.Routes[0].To))
}

// ends names what a way from a node ends: the run, unless other ways may still be active.
func (r *sentences) ends(from *flow.Node) string {
	return cmp.Or(r.inside[from.ID], "the run") + " ends"
}

// endsAs names what an end ends, with the run's outcome if the flow has one.
func (r *sentences) endsAs(from *flow.Node, s *flow.TerminalSpec) string {
	if s.Output == idiom.Stopped && r.inside[from.ID] != "" {
		return r.ends(from) + " early"
	}
	if s.Outcome == "" || s.Outcome == "done" {
		return r.ends(from)
	}
	return r.ends(from) + " as " + s.Outcome
}

// closes says what ends where a node leads to an end that is no step of its own; "" = it leads elsewhere.
func (r *sentences) closes(from *flow.Node, to string) string {
	n := r.f.Node(to)
	if n == nil {
		return r.ends(from)
	}
	s, ok := n.Spec.(*flow.TerminalSpec)
	if !ok || !r.over(to) && (s.Output != nil || r.steps[r.place[to]].ids[0] == to) {
		return ""
	}
	return r.endsAs(from, s)
}

// inside names the branch or the round of a loop in which a node lies.
func inside(f *flow.Flow) map[string]string {
	g, out := flow.NewGraph(f), map[string]string{}
	for kind, name := range map[flow.EdgeKind]string{flow.EdgeBranch: "this branch", flow.EdgeBody: "this round"} {
		var from []int
		for i := range f.Nodes {
			for _, e := range f.Nodes[i].Edges() {
				if at, ok := g.Index[e.To]; ok && e.Kind == kind {
					from = append(from, at)
				}
			}
		}
		for at, reached := range g.Reachable(from...) {
			if id := f.Nodes[at].ID; reached && out[id] != "" { // a branch inside of a loop, or a loop inside of a branch
				out[id] = "this way"
			} else if reached {
				out[id] = name
			}
		}
	}
	return out
}
