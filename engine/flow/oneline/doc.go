// Package oneline writes plain values as YAML on one line, so that every YAML reader reads the same values again.
//
// It does not know flows, nor blocks of lines: engine/flow/file writes whole files.
package oneline
