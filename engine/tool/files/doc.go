// Package files holds the tools that read and write files of the workspace: files.read, files.write, files.list, files.read_pdf and
// files.write_pdf.
//
// [Tools] gives them for one folder, the workspace. No path leads out of it: neither "..", nor an absolute path, nor a link. A
// file is written under another name first, so that it is never there in part.
//
// The package does not know flows or runs. Where to look next: engine/tool has the catalogue.
//
// # Decisions
//
//   - A text is not written to a path that ends in .pdf: no reader could open that file. files.write_pdf makes a real one.
//   - Text and Markdown become pages of plain lines with headings, bullets and rules. Tables, pictures and links stay as they are written.
package files
