package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Export gives a flow as a file: its newest revision, or without a name the draft of the thread.
func (fl *Files) Export(ctx context.Context, in request.Incoming, c request.Command) error {
	name, format := c.Arg(0), strings.ToLower(c.Arg(1))
	if c.Arg(1) == "" && slices.Contains(surface.Formats, strings.ToLower(name)) {
		name, format = "", strings.ToLower(name)
	}
	if format == "yml" {
		format = "yaml"
	}
	if format != "" && !slices.Contains(surface.Formats, format) {
		hint := request.DidYouMean(format, surface.Formats, "I write "+strings.Join(surface.Formats, ", ")+".")
		return &usererror.Error{Code: "no_format", Text: fmt.Sprintf("I do not write flows as %q.", card.Shorten(format, 40)), Hint: hint}
	}
	if name == "" {
		d, _, err := fl.find.readable(ctx, in)
		if errors.Is(err, storage.ErrNotFound) {
			return &usererror.Error{Code: "no_name", Text: "Which flow?", Hint: "For example: `/flow export refund`. In a draft's thread, `export` gives the draft."}
		}
		if err != nil {
			return err
		}
		return fl.give(ctx, in, d.Channel, surface.FileBody{Draft: d.ID, Flow: d.Flow, Format: format})
	}
	f, err := fl.Access.Flow(ctx, in, name)
	if err != nil {
		return err
	}
	return fl.give(ctx, in, f.Channel, surface.FileBody{Flow: f.Name, Revision: f.Head, Format: format})
}

// ExportFlow gives the newest revision of a flow as a file.
func (fl *Files) ExportFlow(ctx context.Context, in request.Incoming) error {
	f, err := fl.Access.Flow(ctx, in, in.Value)
	if err != nil {
		return err
	}
	return fl.give(ctx, in, f.Channel, surface.FileBody{Flow: f.Name, Revision: f.Head})
}

// ExportClicked gives a draft as a file.
func (fl *Files) ExportClicked(ctx context.Context, in request.Incoming) error {
	return fl.clicked(ctx, in, "")
}

// ChangesClicked gives all that a draft changes as a file.
func (fl *Files) ChangesClicked(ctx context.Context, in request.Incoming) error {
	return fl.clicked(ctx, in, surface.FormatChanges)
}

// clicked gives a draft as a file. It may have been decided on meanwhile: a file decides nothing.
func (fl *Files) clicked(ctx context.Context, in request.Incoming, format string) error {
	d, _, _, err := fl.find.ofButton(ctx, in)
	if err != nil {
		return err
	}
	return fl.give(ctx, in, d.Channel, surface.FileBody{Draft: d.ID, Flow: d.Flow, Format: format})
}

// give puts a file into the thread where it was asked for, if everybody there may read the flow; else into a direct message. A slash
// command has no thread.
func (fl *Files) give(ctx context.Context, in request.Incoming, home string, body surface.FileBody) error {
	batch := &storage.Batch{}
	id := fl.Engine.NewID()
	s := storage.Surface{ID: id, Kind: surface.KindFile, Ref: "file:" + id, User: in.User, Created: fl.Engine.Now()}
	if in.Direct || in.Root() != "" && in.Channel == home {
		s.Channel, s.Thread = in.Channel, in.Root()
	} else {
		batch.Surfaces = append(batch.Surfaces, fl.Replies.Private(in, card.Card{Text: card.Textf("%s is in our direct messages.", body.Name())}))
	}
	switch {
	case s.Channel != "" && s.Thread != "":
		body.Back = card.Textf("this thread")
	case home != "" && home[0] != 'D':
		body.Back = card.Channel(home)
	default:
		body.Back = card.Textf("this conversation")
	}
	var err error
	if s.Body, err = json.Marshal(body); err != nil {
		return err
	}
	batch.Surfaces = append(batch.Surfaces, s)
	return fl.Replies.Write(ctx, in, batch)
}
