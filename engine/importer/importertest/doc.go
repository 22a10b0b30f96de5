// Package importertest is the test kit of the importers: it finds the shared documents, plays imported flows against people and models that
// follow a seed, and makes documents that are meant to do harm.
//
// It does not know any format.
package importertest
