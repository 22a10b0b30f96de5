// Package expr evaluates what a flow's authors write in it: conditions on routes, the expressions of
// decisions, and templates in texts and parameters.
//
// The language is S3's, and a little more:
//
//	or and not, also || && !        not binds looser than a comparison, tighter than and
//	== != < <= > >=                 see Compare; comparisons are not chained
//	in, not in, contains, matches   matches takes an RE2 pattern in quotes
//	a ? b : c                       the condition is asked whether it counts as true
//	'text' "text" 1 -2.5 true false null [1, 2] (1, 2)
//	triage.category  nodes["send-refund"].result  items[0]  send-refund.result
//	len lower upper trim str int float now
//	.lower() .upper() .trim() .strip() .get(key)
//	{{ expression | json | join(", ") | trim | lower | upper | default("none") | date("YYYY-MM-DD") }}
//
// Nothing else is in it: no arithmetic, no loops, no assignments. Words that are operators or values
// may be written in capitals. In a text, \\ \' \" \n \t and \r are escapes and any other backslash
// stays, so that '\d+' is a pattern.
//
// A value that is missing is nil, and a value that does not fit is never an error: the comparison is
// false, the function gives nil. What remains are mistakes in the source, found when it is compiled (a
// SyntaxError with place, caret and advice), and ErrCost.
//
// Limits: an expression has at most 16 KiB, 2,000 words and 64 levels; a pattern 1,000 bytes. An
// evaluation costs one unit per operation, per 64 bytes of text looked at or made, and per 256 steps
// of a pattern; DefaultCost is 100,000 units, some tenth of a second at worst. There are no loops in
// the language, so that the cost grows with the data alone.
//
// The room does not know what a flow, a node or a run is: names come from a Scope, ids are texts, the
// time is given. It reads no clock and no environment and does not know the values of secrets
// (secret.go). Look next at engine/run, which makes the scopes.
//
// The way of an expression: scanner (token.go) reads words; arrange (arrange.go) checks their order
// and writes them again as expr-lang reads them; expr-lang's parser makes the tree; the patcher
// (patch.go) puts our operations (operators.go, functions.go) in the place of every node; expr-lang's
// compiler and machine run it. A path alone skips the machine.
//
// # Decisions
//
//   - expr-lang's compiler is called with the patched tree directly, instead of through expr.Compile
//     with a visitor: a visitor sees children before parents and cannot tell a callee from a name, and
//     the type checker would refuse what S3 allows.
//   - Names, members and literals reach expr-lang as placeholders, instead of as they are: ids may hold
//     a -, members may be digits or keywords, and none of expr-lang's builtins can be called by chance.
//   - No arithmetic, as in S3, instead of expr-lang's: with it a mistyped send-refnd.result would be a
//     subtraction of nothing from nothing rather than an error.
//   - The pattern of matches must be written out, instead of any value: one that came from data would let
//     the sender choose the work.
//   - Two texts that read as numbers compare as numbers ('007' == '7'), as S3-x03 says; "inf", "nan" and
//     hexadecimal do not read as numbers, other than in S3's source.
//   - A missing value equals an empty text, since both render the same, and is in no list or text.
//   - The filter default replaces nil and the empty text, and keeps 0 and false.
package expr
