// Package value says what the values of expressions are and how they compare, read as numbers and become texts.
//
// A value is nil, a text, a bool, a number of any Go type (json.Number included), a time, a list, an object, a [SecretRef] or
// [Sealed] text, or a type of the engine that implements [Plainer] or [Getter]. A value that is missing is nil, and a value
// that does not fit is never an error: it has no members, reads as no number, and compares false.
//
// The package knows no syntax, no scope and no clock. Look next at engine/expr/function, which works on values, and at
// engine/expr, the language.
//
// # Decisions
//
//   - Two texts that read as numbers compare as numbers ('007' == '7'); "inf", "nan", hexadecimal and spaces do not read as numbers.
//   - Whole numbers are exact at every size, other numbers are float64: ids of twenty digits must keep all digits.
//   - A missing value equals an empty text, since both render the same.
//   - JSON writes values itself, because encoding/json knows no Plainer and writes numbers differently. Only texts with special characters
//     go to encoding/json.
package value
