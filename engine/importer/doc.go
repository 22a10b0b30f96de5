// Package importer reads a document of any known format into a flow, and writes such a flow in its format again.
//
// [Read] recognises the format from the content and says by what; the name of the file plays no role. [Formats] is the one table of formats.
//
// It does not know the formats: each is a package below, with Profile, Recognise, Decode and Encode. engine/importer/document has what they
// share.
//
// To add a format: a record in engine/importer/formats.go; a package engine/importer/NAME with a file for each of what the record names, as in
// engine/importer/app: engine/importer/app/app.go reads, engine/importer/app/encode.go writes. Its tests play the documents of the format
// (engine/importer/importertest), and cmd/check/layers_test.go gets a line for the package.
//
// # Decisions
//
//   - A document that two formats recognise, or none, is refused with what each format looks for. Nothing is guessed.
package importer
