package tree

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// Tree is what words say.
type Tree struct {
	Texts    []Text    `json:"texts,omitempty"`
	Name     string    `json:"name,omitempty"`   // of the flow; "" = the words give none
	Called   string    `json:"called,omitempty"` // the name that the planner gave it, which stays while the steps change
	About    string    `json:"about,omitempty"`  // one sentence of what it is for
	At       []Quote   `json:"at,omitempty"`     // the words of the name and other words that concern the whole
	Zone     string    `json:"zone,omitempty"`   // of its times, that of who began it; who changes it may live in another one
	Inputs   []Input   `json:"inputs,omitempty"`
	Triggers []Trigger `json:"triggers,omitempty"`
	Deadline *Limit    `json:"deadline,omitempty"` // of the whole run
	Steps    []Step    `json:"steps,omitempty"`
	// Left is what a person has left out, LeftBy who.
	Left []LeftOut `json:"left,omitempty"`
	// Replaced are words that a later change took the place of.
	Replaced []Quote `json:"replaced,omitempty"`
	// Settled are the ids of questions whose answer changes no field: "yes, this is meant".
	Settled []string `json:"settled,omitempty"`
	// Objections are what a second reading found to differ from the words; each waits for a person.
	Objections []Objection `json:"objections,omitempty"`
	// Last is the number of the newest step id; ids are never given twice.
	Last int `json:"last,omitempty"`
}

// Objection is a difference between the words and what was made of them.
type Objection struct {
	ID     string `json:"id"`
	Quote  Quote  `json:"quote,omitzero"` // zero = the words say nothing of it
	Text   string `json:"text"`
	Change bool   `json:"change,omitempty"` // a change made it, and its words do not name it
	// Steps are the ids of the steps that it is about, whose numbers Text has as marks. Without one of them there is nothing to confirm.
	Steps []string `json:"steps,omitempty"`
	// Behind is the step before the words in whose place the steps stand. It is done in some cases only, so that a person has to say where they belong.
	Behind string `json:"behind,omitempty"`
	Lost   []Lost `json:"lost,omitempty"` // what the change took away, and a person may keep
	// Drop are the ids of steps that stand in the draft, of which a person says whether they stay.
	Drop []string `json:"drop,omitempty"`
}

// NumberMark stands for the number that a step has when a text is shown.
func NumberMark(id string) string { return "{step " + id + "}" }

// Input is a value that a run is given at its start.
type Input struct {
	Name      string   `json:"name"`
	Type      string   `json:"type,omitempty"` // as Field.Type, and file
	Optional  bool     `json:"optional,omitempty"`
	About     string   `json:"about,omitempty"`
	Enum      []string `json:"enum,omitempty"`
	Default   any      `json:"default,omitempty"`
	Sensitive bool     `json:"sensitive,omitempty"`
	At        []Quote  `json:"at,omitempty"`
	Added     bool     `json:"added,omitempty"` // no words declare it: a step needs it, or an answer gives it
}

// Trigger starts runs. Exactly one of Cron, Channel with Match, Emoji, Path is set, and the Channel of an Emoji may be; none = the words name
// something that has to be asked about ("when a complaint comes in").
type Trigger struct {
	Words   string  `json:"words,omitempty"`
	Cron    string  `json:"cron,omitempty"` // five fields
	Zone    string  `json:"zone,omitempty"`
	Channel string  `json:"channel,omitempty"` // of a message, or of the message with the emoji: "#refunds"
	Match   string  `json:"match,omitempty"`   // a regular expression whose named groups are inputs
	Emoji   string  `json:"emoji,omitempty"`
	Path    string  `json:"path,omitempty"` // of a webhook
	By      bool    `json:"by,omitempty"`   // somebody starts it by hand: the words ask for nothing else
	At      []Quote `json:"at,omitempty"`
}

// Open reports whether it is not known yet what starts the flow.
func (g Trigger) Open() bool {
	return g.Cron == "" && g.Channel == "" && g.Emoji == "" && g.Path == "" && !g.By
}

// Limit is how long a whole run may take, and what happens then.
type Limit struct {
	After string  `json:"after,omitempty"` // a duration
	Time  string  `json:"time,omitempty"`  // a time of day, "14:30"
	Steps []Step  `json:"steps,omitempty"`
	At    []Quote `json:"at,omitempty"`
}

// NewID gives the next step its id.
func (t *Tree) NewID() string {
	t.Last++
	return "s" + strconv.Itoa(t.Last)
}

// Lists gives the lists of steps below a step, in order: its branches, then what happens on an error.
func (s *Step) Lists() []*[]Step {
	var out []*[]Step
	for i := range s.Branches {
		out = append(out, &s.Branches[i].Steps)
	}
	return append(out, &s.OnError)
}

// Own is the step without the steps below it.
func (s *Step) Own() Step {
	own := *s
	own.OnError, own.Branches = nil, slices.Clone(s.Branches)
	for i := range own.Branches {
		own.Branches[i].Steps = nil
	}
	return own
}

// TakesTime reports whether a step can have a deadline: people answer or do it, or it is not known yet who or what does.
func (s *Step) TakesTime() bool {
	return s.Kind == Ask || s.Kind == Do && (s.Doer == DoerPerson || s.Doer == DoerOpen)
}

// SetDeadline gives a question a deadline, unless it has another one.
func (s *Step) SetDeadline(term string) bool {
	if term == "" {
		return true
	}
	if s.Deadline == nil {
		s.Deadline = &Deadline{}
	}
	if s.Deadline.After != "" && s.Deadline.After != term {
		return false
	}
	s.Deadline.After = term
	return true
}

// Unable gives the branch of what follows when a person cannot do a step.
func (s *Step) Unable() *Branch {
	no := PersonChoices()[1]
	at := slices.IndexFunc(s.Branches, func(b Branch) bool { return b.Choice == no })
	if at < 0 {
		at, s.Branches = len(s.Branches), append(s.Branches, Branch{Choice: no})
	}
	return &s.Branches[at]
}

// Approves reports whether a step asks for a yes or a no, and names no answers of its own.
func (s *Step) Approves() bool {
	return s.Kind == Ask && len(s.Choices)+len(s.Fields) == 0 && !s.Free
}

// Walk gives each step, in order of the words, outer steps first: for s := range t.Walk.
func (t *Tree) Walk(visit func(s *Step) bool) {
	if walk(t.Steps, visit) && t.Deadline != nil {
		walk(t.Deadline.Steps, visit)
	}
}

// Walk gives the step, and each step below it.
func (s *Step) Walk(visit func(s *Step) bool) { walkStep(s, visit) }

func walk(steps []Step, visit func(s *Step) bool) bool {
	for i := range steps {
		if !walkStep(&steps[i], visit) {
			return false
		}
	}
	return true
}

func walkStep(s *Step, visit func(s *Step) bool) bool {
	if !visit(s) {
		return false
	}
	for _, list := range s.Lists() {
		if !walk(*list, visit) {
			return false
		}
	}
	return true
}

// Step finds a step by its id; nil = there is none.
func (t *Tree) Step(id string) *Step {
	if list, at := t.Place(id); list != nil {
		return &(*list)[at]
	}
	return nil
}

// Input finds an input by its name; nil = there is none.
func (t *Tree) Input(name string) *Input {
	if i := slices.IndexFunc(t.Inputs, func(in Input) bool { return in.Name == name }); i >= 0 {
		return &t.Inputs[i]
	}
	return nil
}

// Declare adds an input, unless there is one of its name, and gives its name: a number behind it where another type has the name. An input
// without a type takes that of the other.
func (t *Tree) Declare(in Input) (name string, added bool) {
	base := in.Name
	for n := 2; ; n++ {
		old := t.Input(in.Name)
		if old == nil {
			in.Added = true
			t.Inputs = append(t.Inputs, in)
			return in.Name, true
		}
		if old.Type == in.Type || old.Type == "" || in.Type == "" {
			old.Type = cmp.Or(old.Type, in.Type)
			return in.Name, false
		}
		in.Name = base + "_" + strconv.Itoa(n)
	}
}

// Renumber gives the steps the author's numbers anew, in order, where the author has numbered them.
func (t *Tree) Renumber() {
	if !slices.ContainsFunc(slices.Collect(t.Walk), func(s *Step) bool { return s.No > 0 }) {
		return
	}
	next := 0
	var renumber func(steps []Step, all bool)
	renumber = func(steps []Step, all bool) {
		all = all || slices.ContainsFunc(steps, func(s Step) bool { return s.No > 0 })
		for i := range steps {
			if all {
				next++
				steps[i].No = next
			}
			for _, list := range steps[i].Lists() {
				renumber(*list, false)
			}
		}
	}
	renumber(t.Steps, true)
}

// Numbers gives each step the number by which people know it: the author's own where there is one, else the next number that is free: 2, below
// it 2a, 2b, below those 2a1, 2a2 and so on. The steps of all branches below one step are counted through.
func (t *Tree) Numbers() map[string]string {
	out := map[string]string{}
	number(t.Steps, "", 0, 0, out)
	if t.Deadline != nil {
		number(t.Deadline.Steps, "L", 0, 0, out)
	}
	return out
}

// number numbers a list whose first step comes after count others, and returns the new count. A step without a number between two that the author
// numbered one after the other is a part of the first of them.
func number(steps []Step, prefix string, depth, count int, out map[string]string) int {
	taken := map[int]bool{}
	for i := range steps {
		taken[steps[i].No] = depth == 0 && steps[i].No > 0
	}
	last, parts := "", 0
	for i := range steps {
		s := &steps[i]
		numbered, part := depth == 0 && s.No > 0, depth == 0 && s.No == 0 && last != "" && taken[count+1]
		n, level := "", depth+1
		switch {
		case numbered:
			n, count = strconv.Itoa(s.No), s.No
		case part:
			parts, level = parts+1, depth+2
			n = last + ordinal(parts, depth+1)
		default:
			place := count + 1
			for taken[place] { // a later step has it
				place++
			}
			if taken[place] = depth == 0; place == count+1 {
				count = place
			}
			n = prefix + ordinal(place, depth)
		}
		out[s.ID] = n
		below := 0
		for _, l := range s.Lists() {
			below = number(*l, n, level, below, out)
		}
		if numbered {
			last, parts = n, below
		}
	}
	return count
}

// ordinal is a digit at even depths and a letter at odd ones.
func ordinal(n, depth int) string {
	if depth%2 == 0 {
		return strconv.Itoa(n)
	}
	out := ""
	for ; n > 0; n = (n - 1) / 26 {
		out = string(rune('a'+(n-1)%26)) + out
	}
	return out
}

// Clone gives a copy that shares nothing with the tree.
func (t *Tree) Clone() *Tree {
	body, err := json.Marshal(t)
	var out Tree
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil {
		panic("tree: a tree is plain data: " + err.Error())
	}
	out.Texts = slices.Clone(t.Texts) // JSON would change bytes that are no letters, and quotes count bytes
	return &out
}
