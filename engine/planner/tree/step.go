package tree

import "slices"

// Kind says what a step is.
type Kind string

// The kinds of steps.
const (
	Do       Kind = "do"       // something is done: by a tool, a person, another flow; Doer says by whom
	Agent    Kind = "agent"    // a language model does it: Text is the instruction
	Ask      Kind = "ask"      // people answer: an approval (Choices), or a question (Fields or free text)
	Tell     Kind = "tell"     // a message: To and Text
	Decide   Kind = "decide"   // Branches with When, tried in order; the last one may be Else
	Each     Kind = "each"     // Branches[0] for every item of Over
	Parallel Kind = "parallel" // all Branches at the same time
	Repeat   Kind = "repeat"   // Branches[0] again and again until Until holds
	Wait     Kind = "wait"     // For, Until or Event
	Stop     Kind = "stop"     // the run ends here; Text says how when the words say so
	Set      Kind = "set"      // a value gets a name: Result and Over
)

// Doer says who does a Do step.
type Doer string

// Who does a Do step.
const (
	DoerOpen   Doer = ""       // not known yet
	DoerTool   Doer = "tool"   // Tool and Params
	DoerPerson Doer = "person" // a gate with Done and I can't; Who
	DoerFlow   Doer = "flow"   // another flow: Tool is its name, Params its inputs
)

// PersonChoices are the choices of a step that a person does: it is done, or they cannot do it.
func PersonChoices() []string { return []string{"Done", "I can't"} }

// Step is one step. Which fields count depends on its kind.
type Step struct {
	ID   string  `json:"id"`           // stable while the tree lives; people never see it
	No   int     `json:"no,omitempty"` // the number that the author gave it; 0 = none
	Kind Kind    `json:"kind"`
	Text string  `json:"text,omitempty"` // in the author's words: what is done, asked or said, without the words that At quotes
	Said Quote   `json:"said,omitzero"`  // where Text stands
	At   []Quote `json:"at,omitempty"`   // all other words that the reader understood: "ask", "@finance", "within 3 days", "then"
	// Parts is Text cut into literals and values, where it has values; nil = Text is meant word for word. The planner fills it.
	Parts []Value `json:"parts,omitempty"`

	Doer   Doer    `json:"doer,omitempty"`
	Tool   string  `json:"tool,omitempty"`
	Params []Param `json:"params,omitempty"` // what the words or an answer give
	Result string  `json:"result,omitempty"` // the name that the words give to the result

	Who      []Name    `json:"who,omitempty"`      // Ask, Do by a person: who may answer
	Quorum   int       `json:"quorum,omitempty"`   // how many of them must agree; 0 = one
	Choices  []string  `json:"choices,omitempty"`  // Ask: nil = approve and reject, unless Fields or Free
	Fields   []Field   `json:"fields,omitempty"`   // Ask: a form; Agent: the fields of its answer
	Free     bool      `json:"free,omitempty"`     // Ask: a free text is the answer
	Judges   bool      `json:"judges,omitempty"`   // Ask: the answer is that of a condition; no choice refuses anything
	Show     []Value   `json:"show,omitempty"`     // Ask: what the deciders should see
	Deadline *Deadline `json:"deadline,omitempty"` // Ask, Do by a person

	To []Name `json:"to,omitempty"` // Tell

	Branches []Branch `json:"branches,omitempty"` // Decide, Each, Parallel, Repeat; Ask: what follows a choice
	Over     Value    `json:"over,omitzero"`      // Each: the list; Set: the value; Wait: how many times For, where the words name a value
	As       string   `json:"as,omitempty"`       // Each: what an item is called
	Until    *Cond    `json:"until,omitempty"`    // Repeat
	Max      int      `json:"max,omitempty"`      // Repeat: how often at most; 0 = the default
	Times    string   `json:"times,omitempty"`    // Repeat: the input that says how often at most, where Max is 0
	Any      bool     `json:"any,omitempty"`      // Parallel: goes on as soon as one branch is done; Repeat: goes on after Max rounds, too

	For   string `json:"for,omitempty"`   // Wait: a duration of the flow format, "2h", "2 working days"
	Time  string `json:"time,omitempty"`  // Wait: until a time of day "14:30" or a date
	Event string `json:"event,omitempty"` // Wait: until something happens, in words
	Side  string `json:"side,omitempty"`  // Wait: Over is a date; For before or after it, or on it: before, after, on

	Retry   int      `json:"retry,omitempty"` // attempts in all; 0 = as the tool does it
	Pause   string   `json:"pause,omitempty"` // between attempts: a duration
	OnError []Step   `json:"on_error,omitempty"`
	Tools   []string `json:"tools,omitempty"` // Agent: the tools that it may use
}

// ReadByPeople reports whether people read the text of a step.
func (s *Step) ReadByPeople() bool {
	return s.Kind == Ask || s.Kind == Tell || s.Kind == Do && s.Doer == DoerPerson
}

// Branch is a list of steps and when they are taken.
type Branch struct {
	Label  string  `json:"label,omitempty"`
	When   *Cond   `json:"when,omitempty"`   // Decide
	Choice string  `json:"choice,omitempty"` // Ask: the choice that it follows; "timeout" = nobody answered
	Else   bool    `json:"else,omitempty"`   // Decide: taken when no other one is
	Steps  []Step  `json:"steps,omitempty"`
	At     []Quote `json:"at,omitempty"`
}

// Param is a parameter that the words give.
type Param struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// SetParam gives a parameter its value, in place of the one that it has.
func SetParam(all []Param, name string, v Value) []Param {
	all = slices.DeleteFunc(all, func(p Param) bool { return p.Name == name })
	return append(all, Param{Name: name, Value: v})
}

// Field is one field of a form or of an agent's answer.
type Field struct {
	Name     string   `json:"name"`
	Type     string   `json:"type,omitempty"` // string (default), number, integer, boolean, date, array
	Required bool     `json:"required,omitempty"`
	Enum     []string `json:"enum,omitempty"`
	At       Quote    `json:"at,omitzero"`
}

// Deadline is how long people have. Durations are those of the flow format.
type Deadline struct {
	After         string `json:"after,omitempty"` // "3d", "2 working days"; [Until] and a time: "until friday 17:00"
	Remind        string `json:"remind,omitempty"`
	RemindOnce    bool   `json:"remind_once,omitempty"`
	EscalateAfter string `json:"escalate_after,omitempty"`
	EscalateTo    *Name  `json:"escalate_to,omitempty"`
	Choice        string `json:"choice,omitempty"` // the outcome at the deadline; "" = the branch "timeout", else the run ends
}

// Until stands before the time until which people have, in place of how long they have.
const Until = "until "

// Named finds the steps of the people whom meant accepts that a message can tell them to do: nothing waits for such a step. asks reports whether
// another step needs their answer.
func (t *Tree) Named(meant func(n *Name) bool) (told []*Step, asks bool) {
	for s := range t.Walk {
		switch {
		case !slices.ContainsFunc(s.Names(), meant), s.Kind == Tell:
		case s.Doer == DoerPerson && len(s.Who) == 1 && meant(&s.Who[0]) && len(s.Branches) == 0 && s.Deadline == nil:
			told = append(told, s)
		default:
			asks = true
		}
	}
	return told, asks
}
