package main

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"sluice/engine/flow/file"
	"sluice/engine/tool"
)

type schemaCmd struct{}

// Run prints the JSON Schema of the flow file.
func (schemaCmd) Run(std stdio) error {
	_, err := std.out.Write(file.Schema())
	return err
}

//go:embed manifest.yaml
var manifest string

type manifestCmd struct{}

// Run prints the Slack app manifest.
func (manifestCmd) Run(std stdio) error {
	_, err := fmt.Fprint(std.out, manifest)
	return err
}

type configCmd struct {
	config
}

// Run prints the configuration in force.
func (c *configCmd) Run(std stdio) error {
	if err := c.problems(false); err != nil {
		return err
	}
	return c.show(std.out)
}

type versionCmd struct{}

// Run prints the version: of the module, and of the commit it was built from when that is known.
func (versionCmd) Run(std stdio) error {
	_, err := fmt.Fprintln(std.out, "sluice "+release())
	return err
}

// release names what this program was built from.
func release() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

// pseudo is a version that the go command makes of a commit without a tag.
var pseudo = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}(\+|$)`)

// versionOf says in words what a program was built from: a released version, else a commit, and whether files differed from it.
func versionOf(info *debug.BuildInfo) string {
	words := []string{"development"}
	if info == nil {
		return words[0]
	}
	if v := info.Main.Version; v != "" && v != "(devel)" && !pseudo.MatchString(v) {
		words[0] = strings.TrimSuffix(v, "+dirty")
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			words = append(words, s.Value[:min(12, len(s.Value))])
		case s.Key == "vcs.time":
			words = append(words, s.Value[:min(10, len(s.Value))])
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "with changes")
		}
	}
	return strings.Join(words, " ")
}

// postNowhere is the messenger of commands without Slack: a check only needs to know that the tool exists.
type postNowhere struct{}

// Post says that there is no Slack here.
func (postNowhere) Post(context.Context, tool.Message) (tool.Posted, error) {
	return tool.Posted{}, &tool.Error{Type: "SlackError", Message: "there is no Slack here", Permanent: true}
}
