package lower

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// name is the flow's name.
func (b *values) name() string {
	if b.w.Base != nil {
		return b.w.Base.Name
	}
	if b.t.Name == "" && b.t.Called != "" {
		return b.t.Called
	}
	poor := ""
	for i, words := range b.candidates() {
		id := strings.ReplaceAll(english.Snake(words), "_", "-")
		if id = strings.Trim(id[:min(len(id), maxName)], "-"); id != "" && (i < 2 || tells(id)) {
			return id
		}
		poor = cmp.Or(poor, id)
	}
	return cmp.Or(poor, "flow")
}

const maxName = 40

// candidates are the words that the flow may be called by, the best first: those of its author stand at the beginning.
func (b *values) candidates() []string {
	all, asked := []string{b.t.Name, b.t.About}, []string(nil)
	if spoken.MatchString(b.t.About) {
		all[1] = ""
	}
	for i := range b.t.Steps {
		s := &b.t.Steps[i]
		about := strings.Join(telling(b.about(s)), " ")
		switch {
		case i == 0 && s.Kind == tree.Decide: // a condition says less
			all = append(all, b.topic(), b.deed(), about)
		case i == 0:
			all = append(all, b.deed(), about, b.topic())
		case s.Kind != tree.Decide:
			all = append(all, about)
		}
		if s.Kind == tree.Ask && len(s.Fields) > 0 {
			all = append(all, english.ID(s.Fields[0].Name))
		} else if s.Kind == tree.Ask {
			asked = append(asked, "ask "+strings.Join(namesOf(s.Who), " "))
		}
	}
	return append(all, asked...)
}

// spoken finds a sentence, which is no name: "we sell shoes".
var spoken = regexp.MustCompile(`(?i)^(?:i|we|you|they|he|she|it|our|my|there|this)\b`)

var (
	// articles stand before what something is about.
	articles = regexp.MustCompile(`(?i)(?:^|\s)(?:an?|the|their|his|her|our|my|every|each|any|(?:asks?|appl(?:y|ies)) for)\s+`)
	// topicEnd is where the words about one thing end.
	topicEnd = regexp.MustCompile(`(?i)[^\pL\pN\s'’-]|\s(?:with|without|from|for|to|in|on|at|by|of|via|that|which|who|and|or|but|than|if|when)(?:\s|$)`)
	// general are words that tell no flow from another.
	general = english.WordSet(`look looks see sees does handle handles call calls ask asks tell say check checks approve approval do wait decide decides want wants need needs like likes write give gives get make below above under over more less
		least most cost costs than up to i we you he she it d this that something somebody yes no not ok okay just only one both each them agree agrees sign signs confirm confirms thread request requests form everything again flow workflow`)
)

// topic is what the words about the start of a run are about: "a rep wants to give a discount" is about a discount.
func (b *values) topic() string {
	if len(b.t.Triggers) != 1 || b.t.Triggers[0].Cron != "" || b.t.Triggers[0].Match != "" || b.t.Triggers[0].Emoji != "" {
		return ""
	}
	words := b.t.Triggers[0].Words
	if at := strings.Index(words, " with "); at > 0 { // what is entered
		words = words[:at]
	}
	parts := articles.Split(words, -1)
	for _, part := range slices.Backward(parts[min(1, len(parts)):]) {
		if at := topicEnd.FindStringIndex(part); at != nil {
			part = part[:at[0]]
		}
		kept := strings.FieldsFunc(english.ID(part), func(r rune) bool { return r == '_' })
		kept = slices.DeleteFunc(kept, func(word string) bool { return general[word] })
		if len(kept) > 0 {
			return strings.Join(kept, " ")
		}
	}
	return ""
}

// tells reports whether a name says what the flow is about, beside verbs, numbers and comparisons.
func tells(id string) bool {
	return slices.ContainsFunc(strings.Split(id, "-"), func(word string) bool { return !general[word] && !isNumber(word) })
}

// whole lowers all steps. With a limit of the whole run they are one branch, and the wait for it is the other.
func (b *lowering) whole() {
	if d := b.t.Deadline; d != nil && len(b.t.Steps) > 0 {
		wait := &flow.WaitSpec{For: b.duration(d.After)}
		if wait.For.IsZero() {
			wait.Until = until(d.Time, b.w.Zone)
		}
		if !wait.For.IsZero() || wait.Until != "" {
			b.limited(wait, d)
			return
		}
		b.note("cannot", "It is not said after how long the whole run ends.")
	}
	out, _ := b.list(b.t.Steps, exits{&b.flow.Entry}, nil, context{last: true})
	out.connect(flow.End)
}

// limited lowers all steps beside a wait: what ends first ends the run.
func (b *lowering) limited(wait *flow.WaitSpec, d *tree.Limit) {
	spec := &flow.ParallelSpec{Branches: []flow.Route{{Label: "the steps"}, {Label: "the time limit"}}, Join: flow.Join{Type: "any"}}
	met := b.then(b.unique("within_time"), flow.Node{Name: "Within the time limit", Spec: spec}, exits{&b.flow.Entry})
	out, _ := b.list(b.t.Steps, exits{&spec.Branches[0].To}, nil, context{})
	out.connect(flow.End)
	patience(spec, b.flow.Nodes[1:])
	over := b.unique("time_is_over")
	limit := b.then(b.unique("time_limit"), flow.Node{Name: "Time limit", Description: "of the whole run", Spec: wait}, exits{&spec.Branches[1].To})
	b.add(over, flow.Node{Name: "Time is over", Spec: &flow.TerminalSpec{Output: idiom.Late}}, limit)
	out, in := b.check(b.unique("is_time_over"), "Is the time over?", over+".result == "+idiom.Literal(idiom.Late), met)
	in.connect(flow.End)
	if len(d.Steps) > 0 {
		out, _ = b.list(d.Steps, out, nil, context{})
	} else {
		out = b.lastWords("too_late", "{{run.title}} stops here: its time is over.", idiom.RunEnds, out)
	}
	if len(out) == 0 {
		return
	}
	b.add(b.unique("failed"), flow.Node{Name: "Too late", Spec: &flow.TerminalSpec{Outcome: "failed"}}, out)
}

// head gives a flow its name, inputs, triggers and key.
type head struct {
	*graph
	*values
}

// finish fills in the fields of the whole flow.
func (b *head) finish() {
	f := b.flow
	f.Name, f.Description = b.called, b.t.About
	if b.loops {
		f.MaxVisits = max(100, len(f.Nodes)+b.visits)
	}
	for _, in := range b.t.Inputs {
		b.input(in)
	}
	for _, g := range b.t.Triggers {
		b.trigger(g)
	}
	b.key()
}

// input declares an input of the flow.
func (b *head) input(in tree.Input) {
	out := flow.Input{Name: idiom.InputName(in.Name), Type: valueType(in.Type), Required: !in.Optional && in.Default == nil, Description: in.About, Sensitive: in.Sensitive}
	if b.flow.Input(out.Name) != nil {
		return
	}
	out.Enum, out.Example, out.Default = enumOf(out.Type, in.Enum), b.example(in), in.Default
	if in.Default != nil {
		if wrong := out.Accepts(in.Default); wrong != "" {
			b.note("cannot", english.SentenceCase(wrong)+".")
			out.Required, out.Default = !in.Optional, nil
		}
	}
	b.flow.Inputs = append(b.flow.Inputs, out)
}

// example is the example that a tool gives for the parameter that takes an input.
func (b *head) example(in tree.Input) any {
	for s := range b.t.Walk {
		for _, p := range s.Params {
			of := env.SchemaParam(p.Name, jsonschema.Property(b.tools[s.Tool].Params, p.Name))
			if of.Example != nil && p.Value.Ref == (tree.Ref{Input: in.Name}) && of.Typ == valueType(in.Type) && !in.Sensitive && len(in.Enum) == 0 {
				return of.Example
			}
		}
	}
	return nil
}

// writes reports whether a step of the flow changes something outside; a message counts if messages says so.
func (b *head) writes(messages bool) bool {
	return slices.ContainsFunc(b.flow.Nodes, func(n flow.Node) bool {
		s, ok := n.Spec.(*flow.ToolSpec)
		return ok && b.tools[s.Tool].Effects != flow.EffectsRead && (messages || b.messenger == nil || s.Tool != b.messenger.Tool)
	})
}

const maxTitle = 2 // inputs that a title repeats

// key sets the title of runs, and the key by which two runs of a flow with effects are the same.
func (b *head) key() {
	title, key, named := runWords(b.flow)
	b.flow.Run.Title = title
	switch {
	case !b.writes(named): // a message may be sent again, unless it is about one thing
	case key == "":
		b.note("two_people", "Two people could run this for the same thing: nothing that a run is given tells two runs apart.")
	default:
		b.flow.Run.Key = key
	}
}

// runWords makes a title and a key of the inputs that every run is given. Amounts and dates alone are no key: two laptops may cost the same.
// What messages and other events start is the same only where an input names a thing, as an order id does: an alert may come again.
func runWords(f *flow.Flow) (title, key string, named bool) {
	var required []string
	title = flow.Words(f.Name)
	shown, none := 0, true
	event := slices.ContainsFunc(f.Triggers, flow.Trigger.ByEvent)
	for _, in := range f.Inputs {
		if !in.Required {
			continue
		}
		ref := "{{inputs." + in.Name + "}}"
		required = append(required, ref)
		_, names := env.CutKey(strings.Split(in.Name, "_"))
		named = named || names
		none = none && !names && (event || slices.Contains([]string{"number", "integer", flow.TypeDate, "boolean"}, in.Type))
		if in.Type != "object" && in.Type != "array" && !in.Sensitive && shown < maxTitle {
			title, shown = title+" "+ref, shown+1
		}
	}
	if none {
		required = nil
	}
	return title, strings.Join(required, "/"), named
}
