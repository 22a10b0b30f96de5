package flow

// What a kind of node answers to packages that make something of a node without telling kinds apart: they ask the node, and the node asks
// the record of its kind.

// Part is a text or a value of a node that is evaluated when a token comes to it.
type Part struct {
	Key   string // its path inside the node
	Form  Form
	Text  string // the source; of a FormValue, Value
	Value any
}

// Form says what a part of a node is.
type Form int

// The forms of parts.
const (
	FormText   Form = iota // a template that gives a text
	FormValue              // a value whose texts are templates
	FormExpr               // an expression
	FormList               // an expression that gives the list of a node that repeats
	FormShown              // an expression that people see
	FormCase               // a condition, before the value of a decision
	FormChoice             // the value of a decision
	FormBound              // a bound of a for: from, to or step
)

// Parts lists what is evaluated, in the order in which it is checked and compiled.
func (n *Node) Parts() []Part {
	if s, ok := n.Spec.(evaluated); ok {
		return s.parts()
	}
	return nil
}

// Question is what a node asks people.
type Question struct {
	Who      *Who
	Choices  []string
	Form     map[string]FormField
	Deadline *Deadline
}

// Question gives what the node asks people, or nil.
func (n *Node) Question() *Question {
	if s, ok := n.Spec.(asker); ok {
		return s.question()
	}
	return nil
}

// Use is something outside of its run that a node uses.
type Use struct {
	What    Used
	Name    string
	Params  map[string]any // of a tool
	Effects Effects        // of a tool, as the node declares them
}

// Used is the sort of thing that a node uses.
type Used int

// What nodes use.
const (
	UsedTool    Used = iota
	UsedIfAsked      // a tool that is called only when a model has asked for it
	UsedAgent        // one of the flow
	UsedFlow         // another flow, as a child run
	UsedEvent        // an event that other runs are told of
)

// Uses lists what the node uses outside of its run.
func (n *Node) Uses() []Use {
	if s, ok := n.Spec.(user); ok {
		return s.uses()
	}
	return nil
}

// Names points to the names of tools, models and agents in a node, so that others can be put in their places.
type Names struct{ Tools, Models, Agents []*string }

// Names gives the names of tools, models and agents that the node has itself, in the order of its file.
func (n *Node) Names() Names {
	if s, ok := n.Spec.(namer); ok {
		return s.names()
	}
	return Names{}
}

// pointers gives a pointer to each text of a list.
func pointers(texts []string) []*string {
	out := make([]*string, len(texts))
	for i := range texts {
		out[i] = &texts[i]
	}
	return out
}

// Result says what form the output of a node has. The zero value says nothing.
type Result struct {
	Tool    string         // the result of this tool
	Agent   string         // the answer of this agent
	Schema  map[string]any // JSON Schema that the node declares itself
	Outcome bool           // the outcome of another run
}

// Result gives the form of the node's output. That of a node with a question is its answer.
func (n *Node) Result() Result {
	if s, ok := n.Spec.(giver); ok {
		return s.result()
	}
	return Result{}
}

// Gives is the JSON Schema of what a node gives; nil = it is not known. tool is asked for the schema of a tool's result.
func (f *Flow) Gives(node string, tool func(name string) map[string]any) map[string]any {
	n := f.Node(node)
	if n == nil {
		return nil
	}
	switch r := n.Result(); {
	case r.Schema != nil:
		return r.Schema
	case r.Tool != "":
		return tool(r.Tool)
	case r.Agent != "":
		for i := range f.Agents {
			if f.Agents[i].ID == r.Agent {
				return f.Agents[i].Output
			}
		}
	}
	return nil
}

// Acts reports whether a worker performs the node. A token passes any other node within the transition that reaches it.
func (n *Node) Acts() bool {
	_, acts := n.Spec.(performed)
	return acts
}

// Journals reports whether the acts inside a step of the node have intents and keys of their own.
func (n *Node) Journals() bool {
	s, acts := n.Spec.(performed)
	return acts && s.journals()
}

// Rounds is the name by which the body of a node reads its item or its round; "" for a node without a body.
func (n *Node) Rounds() string {
	if s, ok := n.Spec.(looper); ok {
		return s.rounds()
	}
	return ""
}
