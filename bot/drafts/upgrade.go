package drafts

import (
	"context"
	"errors"
	"fmt"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/importer"
	"sluice/engine/usererror"
)

// Upgrade handles "upgrade desk": the flow becomes a draft in the present form of the format that its file had. When it is approved, the
// runs that wait can be put on it as on every version.
func (wd *Words) Upgrade(ctx context.Context, in request.Incoming, c request.Command) error {
	if c.Arg(0) == "" {
		return &usererror.Error{Code: "no_name", Text: "Which flow?", Hint: "For example: `/flow upgrade desk`."}
	}
	f, err := wd.Access.Flow(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	if err := atHome(in, f, "Ask for it there."); err != nil {
		return err
	}
	doc, err := draft.Saved(ctx, wd.Store, f.Name, f.Head)
	if err != nil {
		return err
	}
	src, err := importer.Upgrade(doc)
	if errors.Is(err, importer.ErrNewest) {
		return &usererror.Error{Code: "unchanged", Text: fmt.Sprintf("%s has the present form of its format already.", f.Name), Err: err}
	}
	if err != nil {
		return err
	}
	format, _ := importer.ByProfile(doc.Profile)
	next, err := format.Decode(f.Name, src)
	if err != nil {
		return fmt.Errorf("read %s in its present form: %w", f.Name, err)
	}
	next.Flow.Name = f.Name
	body := draft.Body{File: draft.Version(f.Head), Edit: "the present form of its format"}
	return wd.write.proposeWritten(ctx, in, next.Flow, origin{body: body})
}
