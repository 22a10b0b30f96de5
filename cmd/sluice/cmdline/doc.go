// Package cmdline adds to the parser of the command line: settings that are empty in the environment, how values are called in the help,
// which command is worth describing, and which one a line that cannot be understood was for.
//
// It does not know the commands. Look next at cmd/sluice/main.go.
package cmdline
