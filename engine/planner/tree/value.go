package tree

// Value is something that the words name: a literal, or a value that a run will have.
type Value struct {
	Words   string `json:"words,omitempty"`   // as the author says it: "the amount", "100", "hello"
	Literal any    `json:"literal,omitempty"` // a string, float64, bool or list that stands in the words; nil = none
	Ref     Ref    `json:"ref,omitzero"`      // which value of the run is meant; zero = not known yet
	At      Quote  `json:"at,omitzero"`
}

// Open reports whether it is not known yet what the words mean.
func (v Value) Open() bool { return v.Literal == nil && v.Ref == Ref{} }

// Ref names a value of a run without saying how an expression reaches it. Exactly one of Input, Step, Item and Event is set.
type Ref struct {
	Input string `json:"input,omitempty"` // an input of the flow
	Step  string `json:"step,omitempty"`  // the id of the step whose result is meant; of an Ask: the choice, or the free answer
	Item  string `json:"item,omitempty"`  // the id of the each step whose item is meant
	Event string `json:"event,omitempty"` // what started the run: text, from, channel, thread
	Field string `json:"field,omitempty"` // a field of it, dotted; "" = the whole
}

// Cond is a condition in words. Op "" means that the words are not understood as a comparison: somebody has to decide.
type Cond struct {
	Op    string  `json:"op,omitempty"` // <, <=, >, >=, ==, !=, contains, true (Left holds), empty; and, or, not have Parts
	Left  Value   `json:"left,omitzero"`
	Right Value   `json:"right,omitzero"`
	Parts []Cond  `json:"parts,omitempty"`
	Words string  `json:"words,omitempty"` // the whole condition as the author says it
	At    []Quote `json:"at,omitempty"`
}

// Subject is the value that a comparison, or the first one of several, is about.
func (c *Cond) Subject() Value {
	for len(c.Parts) > 0 {
		c = &c.Parts[0]
	}
	return c.Left
}

// Operators of a condition.
const (
	OpAnd      = "and"
	OpOr       = "or"
	OpNot      = "not"
	OpTrue     = "true"
	OpEmpty    = "empty"
	OpContains = "contains"
)

// Name is a person, group or channel as the words name it.
type Name struct {
	Words string `json:"words"`        // "@finance", "my manager", "the storehouse"
	Is    string `json:"is,omitempty"` // "@finance", "#support", NameRequester, NameThread; "" = not known yet
	Ref   Ref    `json:"ref,omitzero"` // a value that names somebody, such as an input "manager"
	At    Quote  `json:"at,omitzero"`  // where the words stand
	DM    bool   `json:"dm,omitempty"` // a direct message is meant
}

// Names that are not names of the directory.
const (
	NameRequester = "requester" // who started the run
	NameThread    = "thread"    // the run's own thread
)

// Open reports whether it is not known yet who is meant.
func (n Name) Open() bool { return n.Is == "" && n.Ref == Ref{} }
