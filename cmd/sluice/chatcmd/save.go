package chatcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sluice/bot/drafts"
	"sluice/engine/importer"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Definition is the file of a flow, in any format.
type Definition struct {
	File    string // as problems name it
	Source  []byte
	Channel string // where the flow is to live if it is new: "#name" or an id
}

// Save makes a draft of a definition in the flow's channel, as drafts.Files.Put does, and prints what became of it. Errors: flow.Problems of
// the file, *usererror.Error.
func Save(ctx context.Context, cfg Config, def Definition) error {
	d, in, err := newCommander(ctx, cfg)
	if err != nil {
		return err
	}
	name := def.File
	if doc, _, err := importer.Read(filepath.Base(def.File), def.Source); err == nil { // else Put says what is wrong
		name = doc.Flow.Name
		if in.Channel, err = d.home(ctx, name, def.Channel); err != nil {
			return err
		}
	}
	put, err := drafts.New(d.drafts).Files.Put(ctx, in, name, def.Source)
	if err != nil {
		return err
	}
	switch where := (directory{cfg}).called("#", in.Channel); {
	case put.Draft == "":
		fmt.Fprintf(cfg.Out, "Nothing has changed: the approved version of %s says the same.\n", put.Flow)
	case put.Same:
		fmt.Fprintf(cfg.Out, "Nothing has changed: the open draft of %s in %s says the same.\n", put.Flow, where)
	default:
		fmt.Fprintf(cfg.Out, "A draft of %s is stored. Sluice posts it in %s, where it is approved.\n", put.Flow, where)
	}
	if len(put.Missing) > 0 {
		fmt.Fprintf(cfg.Out, "Its card asks there what stands for: %s\n", strings.Join(put.Missing, ", "))
	}
	return nil
}

// home is the channel of a flow, or the one where a new flow is to live.
func (d commander) home(ctx context.Context, name, channel string) (string, error) {
	f, err := d.ports.Store.Flow(ctx, name)
	switch {
	case err == nil && f.Channel == "":
		return "", &usererror.Error{Code: "no_bot", Text: fmt.Sprintf("This database belongs to no bot: %s was run at a terminal.", name), Hint: "Name the database of sluice serve with --data or --database-url."}
	case err == nil:
		return f.Channel, nil
	case !errors.Is(err, storage.ErrNotFound):
		return "", err
	case channel == "":
		return "", &usererror.Error{Code: "no_channel", Text: fmt.Sprintf("The flow %s is new.", name), Hint: "Say with --channel where it is to live, as in --channel C012AB3CD."}
	}
	p, err := d.ports.Directory.Resolve(ctx, channel)
	if errors.Is(err, people.ErrUnknownName) || err == nil && p.Kind != "channel" {
		return "", &usererror.Error{Code: "no_channel", Text: fmt.Sprintf("--channel %s: Slack has no such channel, or the bot is not in it.", channel), Hint: "Invite the bot, or name another one."}
	}
	return p.ID, err
}
