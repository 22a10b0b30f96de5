package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// errand is a usual change whose files a package comment lists.
type errand struct {
	name     string
	comment  string // the file with the list
	from, to string // the words around the list
}

// errands are the usual changes. TestErrands holds their lists.
var errands = []errand{
	{"node kind", "engine/doc.go", "new node kind ", "Everything else"},
	{"card", "bot/project/doc.go", "To add a kind of message:", "\n//\n"},
	{"trigger", "engine/trigger/trigger.go", "A new kind of trigger needs:", "cmd/check"},
	{"importer", "engine/importer/doc.go", "To add a format:", "\n//\n"},
	{"gate rule", "engine/run/doc.go", "To add a rule of gates:", "\n//\n"},
}

// goFile is the name of a file with its folder, as lists have it.
var goFile = regexp.MustCompile(`[a-z]+(?:/[a-zA-Z_]+)+\.(?:go|yaml)`)

// list is the words of the list in the tree below dir.
func (e errand) list(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, e.comment))
	if err != nil {
		return "", err
	}
	_, list, found := strings.Cut(string(text), e.from)
	if !found {
		return "", fmt.Errorf("%s does not say %q", e.comment, e.from)
	}
	list, _, _ = strings.Cut(list, e.to)
	return list, nil
}

// files are the files that the errand touches, each once.
func (e errand) files(dir string) ([]string, error) {
	list, err := e.list(dir)
	names := goFile.FindAllString(list, -1)
	slices.Sort(names)
	return slices.Compact(names), err
}
