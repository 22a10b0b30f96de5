package scope

import (
	"slices"

	"sluice/engine/history"
)

// Trial answers for unknown values when a flow is only tried out (package engine/try): Context.Trial. Decide tells it what expressions
// read, and has it choose where the choice depends on an unknown value.
//
// A value made from an unknown one is unknown, too: Decision.Unknown names the facts. An unknown value never makes an expression fail, because
// the actual value might not.
type Trial interface {
	// Unknown reports whether what is read is unknown: it was made up, or may be missing.
	Unknown(r Read) bool
	// Choose picks one of the ways on from a token's node that an unknown value leaves open; there are at least two.
	Choose(t history.Token, ways []Way) int
	// Items says how many items of a list start at most; leaving some out makes the result unknown.
	Items(t history.Token, items int) int
}

// Read is what an expression looks at.
type Read struct {
	What ReadKind
	Name string // of the node, variable or input; empty = any of them
	Seq  int64  // of an output: the fact that holds it, 0 = there is none
}

// ReadKind says what kind of thing is read.
type ReadKind string

// What can be read.
const (
	ReadOutput   ReadKind = "output"
	ReadBare     ReadKind = "bare"   // a field of the latest agent answer
	ReadAnswer   ReadKind = "answer" // what was chosen at a gate
	ReadDetail   ReadKind = "detail" // what else an approval holds: the note, by whom, the form
	ReadVariable ReadKind = "variable"
	ReadInput    ReadKind = "input"
	ReadEvent    ReadKind = "event"
	ReadURL      ReadKind = "url" // the address of the run
)

// Way is one way on from a node. Without an edge the path ends, or no item starts.
type Way struct{ Edge, To string }

// NoteUnknown records that a fact of this decision holds a value made from an unknown one.
func (rd *Reader) NoteUnknown(f history.Fact) {
	if !rd.Unknown {
		return
	}
	rd.UnknownFacts = append(rd.UnknownFacts, f.Seq)
	if b, ok := f.Body.(*history.VarsSet); ok {
		history.Put(&rd.unknownVars, "", true)
		for name := range b.Vars {
			history.Put(&rd.unknownVars, name, true)
		}
	}
}

// Note records what an expression reads.
func (rd *Reader) Note(r Read) {
	if rd.Trial == nil || rd.Unknown {
		return
	}
	rd.Unknown = rd.Trial.Unknown(r) || r.Seq != 0 && slices.Contains(rd.UnknownFacts, r.Seq) || r.What == ReadVariable && rd.unknownVars[r.Name]
}

// trialInputs are the inputs, read one by one so that each can be unknown.
type trialInputs struct {
	rd     *Reader
	values map[string]any
}

// Member reads one input.
func (in trialInputs) Member(name string) any {
	in.rd.Note(Read{What: ReadInput, Name: name})
	return in.values[name]
}

// Plain reads them all.
func (in trialInputs) Plain() any {
	in.rd.Note(Read{What: ReadInput})
	return in.values
}
