// Package document is what all importers share: the [Document] that they make, and reading within limits.
//
// [JSON] and [YAML] read a text into a [Source], whose values have places. An importer reports through [Source.Error] and [Source.Warn], and
// makes its document with [Source.Document], which keeps the text for export. [Original] gives that text back.
//
// It does not know any format. The packages beside it know one each, and engine/importer chooses among them.
//
// Where to look next: engine/flow/source has the values and their places.
//
// # Decisions
//
//   - A document that cannot be read at all is an error of type [flow.Problem], so that it has a code and a place like every other problem.
//   - Limits are those of flow files.
package document
