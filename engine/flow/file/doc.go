// Package file reads and writes flow files, YAML and JSON.
//
// [Parse] makes a [Document]: the flow and the places of its parts. It reports every problem of form in one pass, with line,
// column and a suggestion. [Document.Validate] then checks how the parts fit together, and [Check] does both. [Format] writes a
// flow in a readable layout. [Schema] is the JSON Schema of the file, for editors.
//
// The package is pure: it reads and returns bytes. It does not know expressions or tools: callers pass
// [flow.Checks].
//
// Where to look next: package flow has the document and its rules; engine/flow/source reads YAML and JSON into values with positions.
//
// # Decisions
//
//   - The keys of the file follow from the Go types of package flow and their json tags. The table rules in shape.go has the rest:
//     words for the schema, closed lists, keys that the file does not have.
//   - Parse fills in defaults (join, choices, retry, item name). Format leaves them out again.
//   - An id such as support_main is accepted as flow.id and becomes the name support-main.
//   - The parts that only imported flows have are in the canonical form and its hash, and in no file. Format leaves them out; Parse does not
//     read them.
//   - Kinds that only imported flows have are refused by name. Format writes them for reading.
package file
