// Package limits has the settings that bound what flows may ask for and how fast their runs go: flags and variables, their defaults, and what
// is wrong with them.
//
// It does not know what becomes of a limit that is hit: see engine/flow for ceilings, and engine/runner for the pace.
package limits
