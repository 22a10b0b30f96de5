package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// actionsFile is the setting that names the file of declared actions. Empty: the one beside the flow file, when there is one. "none", or
// an empty value on the command line: none.
type actionsFile string

// noActions switches declared actions off.
const noActions actionsFile = "none"

// UnmarshalText never fails.
func (a *actionsFile) UnmarshalText(text []byte) error {
	if *a = actionsFile(strings.TrimSpace(string(text))); *a == "" {
		*a = noActions
	}
	return nil
}

// beside gives the actions to load for a flow file, and says so when nobody has named them.
func (a actionsFile) beside(std stdio, flowFile string) string {
	switch a {
	case noActions:
		return ""
	case "":
	default:
		return a.named()
	}
	for _, name := range []string{"actions.yaml", "actions.yml", "actions.json"} {
		file := filepath.Join(filepath.Dir(flowFile), name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && file != flowFile {
			fmt.Fprintf(std.err, "sluice: the actions are those of %s, beside the flow (--tools FILE for others, --tools none for none)\n", displayPath(file))
			return file
		}
	}
	return ""
}

// named is the file of a setting that has no flow file beside it.
func (a actionsFile) named() string {
	if a == noActions || a == "" {
		return ""
	}
	if file, err := filepath.Abs(string(a)); err == nil {
		return file
	}
	return string(a)
}
