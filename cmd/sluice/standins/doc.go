// Package standins reads what --with says at a terminal: what stands here for a name of a flow file, such as a tool or an agent that this
// installation does not have. In chat people are asked the same by the card of a draft (bot/drafts, needs.go).
//
// It reads no files: package main of cmd/sluice gives it the documents, and what there is.
//
// # Decisions
//
//   - A command may read several files, and flows that these start: a name has to be that of one of them, so Stray is asked at the end.
package standins
