// Package draft is the stored form of a draft: what the row of a proposed flow holds beside the flow, and its statuses. It also reads the
// approved versions of a flow.
//
// [Decode] reads a row. need.go is about names in a file that are not known here, version.go about approved versions.
//
// The package does not know how a draft looks (bot/surface), nor how it comes about, changes and is approved (bot/drafts).
package draft
