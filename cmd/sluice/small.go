package main

import (
	"context"
	_ "embed"
	"fmt"
	"runtime/debug"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

type schemaCmd struct{}

// Run prints the JSON Schema of the flow file.
func (schemaCmd) Run(std stdio) error {
	_, err := std.out.Write(flow.Schema())
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
	version, commit := "development", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	_, err := fmt.Fprintf(std.out, "sluice %s%s\n", version, commit)
	return err
}

// postNowhere stands for Slack where there is none: checking a file needs to know that the tool exists, not to call it.
type postNowhere struct{}

// Post says that there is no Slack here.
func (postNowhere) Post(context.Context, tool.Message) (tool.Posted, error) {
	return tool.Posted{}, &tool.Error{Type: "SlackError", Message: "there is no Slack here", Permanent: true}
}
