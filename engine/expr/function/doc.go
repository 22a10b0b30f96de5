// Package function is the table of the functions of the language: their names, what they take and give, their limits and their
// errors. Expressions, templates and computed values call them; checks read their types; the list in README.md is made of it.
//
// A function is pure: the same values give the same result, for ever. It reads no clock (the time of now comes from the run),
// no environment, no locale and no random numbers, and changes none of the values that it is given. No function takes a pattern or a
// format whose time grows faster than its text.
//
// Every function is bounded twice: it charges the meter of its evaluation for the text and the members that it looks at or
// makes, and it makes at most MaxItems members and MaxText bytes. A larger result is an error that wraps value.ErrCost.
//
// A value that does not fit gives an [Error] with one of the codes below. In the language the result is then nil, because a value that
// is missing or does not fit must not stop a flow. A strict [Context] returns the error, for formats in which such a node fails.
//
// The table is table.go; adding a function is one record there. The package knows values, see engine/expr/value, and no
// syntax; engine/expr calls it.
//
// # Decisions
//
//   - Sums and products are exact in decimals (add(0.1, 0.2) is 0.3), instead of in binary: they are mostly amounts of money.
//   - A half is rounded away from zero, as people do, instead of to the even number.
//   - Negative positions count from the end in slice and get_item only; in items[-1] they are missing, as before.
//   - fill, which fills a template that is a value, reads members of one object and no expressions: a text from outside can
//     neither call a function nor read other data.
package function
