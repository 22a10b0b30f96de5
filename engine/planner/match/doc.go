// Package match compares words with what there is: which tool the phrase of a step means, which values its parameters get, and which value
// of the run words name.
//
//	Catalogue    every tool that words can mean; Choose finds the one for a phrase    catalogue.go
//	Fill         parameters out of words and earlier results; which words are left    fill.go, message.go
//	Evidence     what the fields of an element hold: whether a word fits it           evidence.go
//	Scope        the values that are known at a place of the tree                     scope.go, answers.go
//	BindRight    the sides of a condition: a flag, a value, a word                    cond.go
//	NounPhrase   and other forms of words that name things without a statement        words.go
//
// It asks no questions and changes no tree. engine/planner does both with the results.
//
// # Decisions
//
//   - A verb alone never chooses a tool, unless the tool declares it: the object has to fit. A tie chooses none.
//   - Tools that send to any address are chosen only for words that hold an address.
//   - The value for a parameter comes from the nearest result that has one of that name.
package match
