// Package expr evaluates the expressions of a flow: conditions of routes, expressions of
// decisions, and templates in texts and parameters.
//
//	or and not, also || && !        not binds looser than a comparison, tighter than and
//	== != < <= > >=                 see Compare; comparisons are not chained
//	in, not in, contains, matches   matches takes an RE2 pattern in quotes
//	a ? b : c                       the condition counts as true or false, see Truthy
//	'text' "text" 1 -2.5 true false null [1, 2] (1, 2)
//	triage.category  nodes["send-refund"].result  items[0]  send-refund.result
//	split(note, ",") len(items) add(a, b) ...   the functions of package function
//	note.split(",")                             a function behind its first value
//	{{ note | split(",") | join(" / ") }}         in a template, behind a bar
//
// There are no operators that calculate, no loops and no assignments. Words that are operators or values may be written in
// capitals. In a text, \\ \' \" \n \t and \r are escapes and any other backslash stays, so that '\d+' is a pattern.
//
// A value that is missing is nil, and a value that does not fit is never an error: the comparison is false, the function gives
// nil. What remains are mistakes in the source, found when it is compiled (a SyntaxError with place, caret and advice), and
// ErrCost.
//
// Limits: an expression has at most 16 KiB, 2,000 words and 64 levels; a pattern 1,000 bytes. An evaluation costs one unit per
// operation, per 64 bytes of text looked at or made, and per 256 steps of a pattern; defaultCost is 100,000 units, some tenth
// of a second at worst. There are no loops in the language, so that the cost grows with the data alone.
//
// The package does not know what a flow, a node or a run is: names come from a Scope, ids are texts, the time is given. It
// reads no clock and no environment and does not know the values of secrets. Values and how they compare are package value,
// functions package function; engine/run makes the scopes.
//
// An expression is processed in four steps. The scanner (scan.go) makes tokens. The parser (parse.go) makes a Term of them. The preparer
// (prepare.go) compiles patterns and lists the paths that are read. The evaluation (eval.go) walks the term.
//
// # Decisions
//
//   - The package has its own parser, instead of that of expr-lang, which refuses 14 of the 251 valid sources of expr_test.go (ids with a -,
//     digits as members, AND, lists in parentheses, '\d', whole numbers of twenty digits), reads not a == b and send-refund
//     differently, and accepts 43 of the 89 mistakes of testdata/syntax.txtar. With expr-lang, the package also needed a
//     scanner, a check of the grammar and operations of its own. Without it, the package is shorter and faster.
//   - A Term is evaluated as it is, instead of being compiled further: checks and evaluation see the same tree.
//   - There are no arithmetic operators: with them a mistyped send-refnd.result would be a subtraction of two missing values
//     instead of an error.
//   - The pattern of matches must be written out, instead of any value: with a pattern from data, the sender of the data could
//     make an evaluation expensive.
//   - A missing value is in no list or text.
//   - The filter default replaces nil and the empty text, and keeps 0 and false.
package expr
