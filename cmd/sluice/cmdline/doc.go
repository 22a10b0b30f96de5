// Package cmdline adds to the parser of the command line: settings that are empty in the environment, how values are called in the help, and
// which command a line that cannot be understood was for.
//
// It does not know the commands. Look next at cmd/sluice/main.go.
package cmdline
