// Package source reads YAML and JSON into values with their positions, so that a problem can name line and column and show the line.
//
// [New] takes the text of a file; [YAML] and [JSON] read it; [File.Problem] makes a problem with its place, and [File.Inside] finds a
// place inside a string. [File.Edits] changes values in their places. The reader of a format starts from a [Value]. [PlainYAML] is for formats without aliases.
//
// It does not know flows: engine/flow/file reads flow files with it, and engine/tool the files of actions.
//
// # Decisions
//
//   - A document that cannot be read gives one [Error]. Parsing on after a syntax error would give misleading errors.
//   - Limits are checked on tokens before the parser sees them: nesting would exhaust its stack, and for some inputs its time grows
//     with the square of their length.
//   - JSON has its own reader, because the YAML reader reads some JSON strings differently.
package source
