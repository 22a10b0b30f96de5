// Package english is what the planner knows of words: where the words of a text begin and end, which of them mean the same, what numbers
// they are, and how names and lists are written for people.
//
//	Tokens, Scan   the words and signs of a text with their places           token.go, scan.go
//	Is             whether a text is English                                 language.go
//	Stem, Stems    words without their endings, by which texts are compared  scan.go
//	ParseNumber    a number as people write one                              number.go
//	Join, Quoted   lists, quotation marks, capitals, short names, ids        phrase.go
//
// It depends on no step, tool or flow. engine/planner/match compares words with tools and values; the grammar of steps is in
// engine/planner/outline.
//
// # Decisions
//
//   - A stop word in capitals is a name: "project IT".
//   - Text in single quotes is at most 120 bytes long, since an apostrophe looks the same.
package english
