package outline

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/jumps"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// The words that begin loops and parallel steps, by kind.
var (
	besides = phrase.Phrases(`while whilst at_the_same_time meanwhile in_the_meantime simultaneously`)
	atOnce  = phrase.Phrases(`at_the_same_time simultaneously`)
	side    = phrase.Phrases(`do_the_following_in_parallel in_parallel in_any_order do_in_parallel at_the_same_time_: simultaneously_:`)
	eachOf  = phrase.Phrases(phrase.Items + ` each_of`)
	untils  = phrase.Phrases(`repeat_the_following_until repeat_until`)
)

// controls are the forms that sentences are built by.
var controls = []Form{
	{"Conditions", "if {condition} {steps} [otherwise {steps}]", "if the amount is over 100 ask @finance to approve, otherwise tell #shop it is paid", "one way or the other"},
	{"Conditions", "{step} if|unless|only if {condition}", "tell #shop it is late unless the status is shipped", "a step only when the condition holds"},
	{"Conditions", "under {amount} {step}, {amount}-{amount} {step}, over {amount} {step}", "under $100 tell #shop, $100-$500 ask @ana to approve, over $500 ask @cfo to approve", "a step for each range"},
	{"Conditions", "if approved|rejected|yes|no {steps}", "ask @ana to approve. If rejected, tell #shop no", "what follows an answer or a check"},
	{"Conditions", "if it fails|on error|if step {n} fails {steps}", "get the order. If it fails, tell #ops", "what is done when a step fails"},
	{"Deadlines", "if nobody answers within {time} {steps}", "ask @ana to approve. If nobody answers within 2 days, tell @cfo", "a deadline, and what is done then"},
	{"Wait", "{time} before|after {date}, {steps}", "3 days before the start date, tell @ana to prepare the desk", "waits until then"},
	{"Each", "for each {item}: {steps}", "for each order: tell #shop the number", "steps for each item of a list"},
	{"Parallel", "in parallel: {steps} and {steps}", "in parallel: ask @ana to approve and ask @bob to approve", "steps at the same time"},
	{"Parallel", "{step}. Meanwhile, {steps}", "ask @ana to approve. Meanwhile, tell #shop to wait", "steps at the same time"},
	{"Again", "repeat until {condition}: {steps}", "repeat until the status is paid: get the order, wait 1 hour", "repeats steps"},
	{"Inputs", "inputs: {names}; asks for {names}; <name>", "inputs: order id, reason. Tell #shop <order_id>", "what a run is given"},
}

// loop reads a loop or parallel steps.
func (r *reader) loop(list *[]tree.Step, from int, toks []phrase.Token, kids []phrase.Item, depth int) (n int, took bool) {
	if n = phrase.Starting(toks, eachOf); n > 0 {
		end := n
		for end < len(toks) && end-n < phrase.MostItem && toks[end].Kind != phrase.Sign && toks[end].Low != "do" && (end == n || phrase.Guards[toks[end-1].Low] || !phrase.StartsStep(toks[end:])) {
			end++
		}
		if end == n {
			return 0, false
		}
		s := r.each(toks[n:end])
		if noun, names, size := things(toks[n:], end-n); size > 0 {
			if end = n + size; len(names) < 2 { // which are they?
				r.lead = nil
				return len(toks), true
			}
			s.As, s.Over = cmp.Or(singular(r.each(noun).As), "item"), tree.Value{Words: r.Words(toks[n:end]), Literal: literals(r, names), At: r.Quote(toks[n:end])}
		}
		if end < len(toks) && toks[end].Low == "do" {
			end++
		}
		r.around(list, s, r.Quotes(toks[:end]), toks[end:], kids, depth)
		return len(toks), true
	}
	if n = phrase.Starting(toks, untils); n > 0 {
		end := n + phrase.CondEnd(toks[n:])
		c := r.Condition(toks[n:end])
		c.At = r.Quotes(toks[n:end])
		s := step(r.t, tree.Repeat)
		s.Until = &c
		r.around(list, s, r.Quotes(toks[:n]), toks[end:], kids, depth)
		return len(toks), true
	}
	if n = phrase.Starting(toks, side); n > 0 && (len(kids) > 0 || len(phrase.Trim(toks[n:])) > 0) {
		return r.beside(list, toks, n, kids, depth), true
	}
	if n = phrase.Starting(toks, atOnce); n > 0 && from == len(*list) && (r.listed || from == 0) && (len(kids) > 0 && len(phrase.Trim(toks[n:])) == 0 || len(r.probe().body(toks[n:], nil, depth)) > 1) {
		return r.beside(list, toks, n, kids, depth), true // of the steps of an item, and not the item before
	}
	if n = phrase.Starting(toks, besides); n > 0 && len(*list) > 0 && len(phrase.Trim(toks[n:])) > 0 {
		r.besides(list, toks, n, kids, depth)
		return len(toks), true
	}
	return 0, false
}

// things reads the names of the things that a loop is over: "the zones A, B and C: ...", "these zones (A, B): ...". noun are the words before them;
// end is where those end that name a list. size 0 = nothing is named; no names = it is not clear what they are.
func things(toks []phrase.Token, end int) (noun []phrase.Token, names [][]phrase.Token, size int) {
	if end == len(toks) || !toks[end].Is(",", "(") || phrase.OpensStep(toks[end+1:]) || phrase.ActorOf(toks[end+1:]).N > 0 {
		return nil, nil, 0
	}
	named := func(t phrase.Token) bool { return t.Kind != phrase.Word || t.Text != t.Low }
	if size = phrase.Find(toks, ":", "->", "do"); size < 0 && (toks[end].Low == "(" || !named(toks[end-1])) {
		return nil, nil, 0
	} else if size < 0 {
		return nil, nil, len(toks)
	}
	at := end + 1
	if toks[end].Low == "," {
		if at = phrase.Find(toks[:end], "of") + 1; at == 0 {
			at = slices.IndexFunc(toks[:end], named)
		}
		if at < 0 {
			at = 1 + slices.IndexFunc(toks[:end], func(t phrase.Token) bool { return strings.HasSuffix(t.Low, "s") && t.Low != "this" })
		}
	}
	list := toks[at:size]
	if n := len(list); n > 0 && list[n-1].Low == ")" {
		list = list[:n-1]
	}
	names = phrase.Alternatives(list, false)
	const longest = 4 // words of a name
	if slices.ContainsFunc(names, func(p []phrase.Token) bool { return len(p) > longest || phrase.OpensStep(p) }) {
		return nil, nil, 0
	}
	return toks[:at], names, size
}

// literals gives the names as the items of a list.
func literals(r *reader, names [][]phrase.Token) (out []any) {
	for _, name := range names {
		out = append(out, r.Plain(name))
	}
	return out
}

// singular is the name of one of several things: "zone" of "zones".
func singular(name string) string {
	if base, ok := strings.CutSuffix(name, "ies"); ok {
		return base + "y"
	}
	for _, end := range []string{"xes", "ches", "shes", "sses"} {
		if strings.HasSuffix(name, end) {
			return name[:len(name)-2]
		}
	}
	if strings.HasSuffix(name, "ss") {
		return name
	}
	return strings.TrimSuffix(name, "s")
}

// besides puts steps beside the step before. What is done meanwhile is also beside the wait in front of that, and what is done at the same time waits
// as the step does.
func (r *reader) besides(list *[]tree.Step, toks []phrase.Token, n int, kids []phrase.Item, depth int) {
	s := step(r.t, tree.Parallel)
	b := r.branch(append(r.lead, r.Quotes(toks[:n])...), toks[n:], kids, depth)
	if len(b.Steps) == 0 {
		return
	}
	s.At, b.At = b.At, nil
	from := len(*list) - 1
	if from > 0 && (*list)[from-1].Kind == tree.Wait && phrase.Starting(toks, atOnce) == 0 {
		from--
	}
	jumps.Wrap(list, from, len(*list), s)
	p := &(*list)[len(*list)-1]
	p.Branches = append(p.Branches, b)
}

// around adds a step around others. Without them its words stay unread.
func (r *reader) around(list *[]tree.Step, s tree.Step, at []tree.Quote, toks []phrase.Token, kids []phrase.Item, depth int) {
	lead := r.lead
	b := r.branch(at, toks, kids, depth)
	if r.lead = lead; len(b.Steps) > 0 {
		s.At, b.At = b.At, nil
		s.Branches = []tree.Branch{b}
		r.append(list, s)
	}
}

// beside makes a branch of each step of a sentence, or of each item below it.
func (r *reader) beside(list *[]tree.Step, toks []phrase.Token, n int, kids []phrase.Item, depth int) int {
	s := step(r.t, tree.Parallel)
	lead, no := r.lead, r.no
	b := r.branch(r.Quotes(toks[:n]), toks[n:], nil, depth)
	s.At = b.At
	for _, step := range b.Steps {
		s.Branches = append(s.Branches, tree.Branch{Steps: []tree.Step{step}})
	}
	for i := range kids {
		var steps []tree.Step
		if r.item(&steps, &kids[i], depth+1); len(steps) > 0 {
			s.Branches = append(s.Branches, tree.Branch{Steps: steps})
		}
	}
	r.lead, r.no = lead, no
	if len(s.Branches) > 1 { // one thing is not parallel to anything: the words stay unread
		r.append(list, s)
	}
	return len(toks)
}
