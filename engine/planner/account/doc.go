// Package account says what each word of a description became: a part of a step, what a question asks about, a courtesy, what a person left out,
// or nothing yet.
//
//	Of         the clauses of all texts of a tree    account.go
//	           what a later text says again          again.go
//
// A quote is understood when its element has all that matters in it (match.Evidence); words of no quote are understood when they only join
// others. It holds for every reader.
//
// The package does not ask about what is not understood: package planner does.
package account
