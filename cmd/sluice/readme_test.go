package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"sluice/cmd/sluice/cmdline"
)

// offline are the commands of the README that run without a service, a person or a database.
var offline = map[string]bool{"validate": true, "render": true, "config": true, "manifest": true, "version": true}

// placeholder is what stands in the README for a name of the reader's own.
var placeholder = regexp.MustCompile(`^[A-Z]+$`)

// readmeCommands are the commands of a text, each as words, without the variables before them and the comments behind them.
func readmeCommands(text string) (out [][]string) {
	for _, m := range regexp.MustCompile("(?m)^ {4,}(?:[A-Z_]+=\\S+ )*(?:go run \\./cmd/)?sluice ([^#\n]*)|`sluice ([a-z][^`]*)`").FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Fields(m[1]+m[2]))
	}
	return out
}

// TestCommandsOfTheReadme: each is one that the program knows, with flags that it has and files that a fresh clone has; those that need
// nothing else are run.
func TestCommandsOfTheReadme(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := readmeCommands(string(readme))
	if len(commands) < 20 {
		t.Fatalf("the README has %d commands: %q", len(commands), commands)
	}
	ran := 0
	for _, words := range commands {
		whole := "sluice " + strings.Join(words, " ")
		k, known := parsed(t, words)
		switch {
		case !known:
			t.Errorf("the program does not know %s", whole)
			continue
		case k == nil: // a command is named, and not given
			continue
		}
		own := false
		for _, file := range filesOf(k) {
			if own = own || placeholder.MatchString(file); own {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s: a fresh clone has no %s", whole, file)
			}
			for i, w := range words {
				if w == file {
					words[i] = filepath.Join(root, file)
				}
			}
		}
		if own || !offline[k.Selected().Name] {
			continue
		}
		for i := range words[1:] {
			if words[i] == "-o" {
				words[i+1] = filepath.Join(t.TempDir(), words[i+1])
			}
		}
		ran++
		var out strings.Builder
		if code := program(words, stdio{strings.NewReader(""), &out, &out}); code != 0 {
			t.Errorf("%s ends with %d:\n%s", whole, code, out.String())
		}
	}
	if ran < 2 {
		t.Errorf("%d commands were run", ran)
	}
}

// parsed reads a command as the program does; nil = its name stands alone, and it needs more.
func parsed(t *testing.T, words []string) (k *kong.Context, known bool) {
	t.Helper()
	var c cli
	parser, err := kong.New(&c, kong.Name("sluice"), kong.Vars{"targets": targetNames()})
	if err != nil {
		t.Fatal(err)
	}
	cmdline.NameValues(parser.Model.Node)
	if k, err = parser.Parse(words); err == nil {
		return k, true
	}
	return nil, len(words) == 1 && slices.ContainsFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == words[0] })
}

// filesOf are the files that a command reads, as they were written.
func filesOf(k *kong.Context) (out []string) {
	add := func(v any) {
		here, err := os.Getwd()
		for path := range strings.SplitSeq(strings.Trim(fmt.Sprint(v), "[]"), " ") {
			if file, bad := filepath.Rel(here, path); bad == nil && filepath.IsAbs(path) {
				path = file
			}
			if err == nil && path != "" && path != "none" {
				out = append(out, path)
			}
		}
	}
	for _, p := range k.Path {
		switch {
		case p.Positional != nil && p.Positional.Tag.Type == "path":
			add(p.Positional.Target.Interface())
		case p.Flag != nil && p.Flag.Name != "out" && (p.Flag.Tag.Type == "path" || p.Flag.Name == "tools"):
			add(p.Flag.Target.Interface())
		}
	}
	return out
}
