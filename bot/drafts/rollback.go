package drafts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Rollback handles "rollback refund 2": what version 2 does becomes a draft, which is approved as every change is. The version that it
// becomes is a new one.
func (wd *Words) Rollback(ctx context.Context, in request.Incoming, c request.Command) error {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(c.Arg(1)), "v"))
	if c.Arg(0) == "" || err != nil || n < 1 || len(c.Args) > 2 {
		return &usererror.Error{Code: "no_version", Text: "Which flow, and which version of it?", Hint: "For example: `/flow rollback refund 2`. `/flow history refund` lists its versions."}
	}
	f, err := wd.Access.Flow(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	if err := atHome(in, f, "Ask for it there."); err != nil {
		return err
	}
	if n == f.Head {
		return &usererror.Error{Code: "same_version", Text: fmt.Sprintf("Version %d is the one that %s runs now.", n, f.Name), Hint: "`/flow history " + f.Name + "` lists the others."}
	}
	rev, err := wd.Store.Revision(ctx, f.Name, n)
	if errors.Is(err, storage.ErrNotFound) {
		return &usererror.Error{Code: "no_revision", Text: fmt.Sprintf("%s has no version %d.", f.Name, n), Hint: "`/flow history " + f.Name + "` lists its versions."}
	}
	if err != nil {
		return err
	}
	doc, err := flow.FromJSON(rev.Body)
	if err != nil {
		return err
	}
	head, err := wd.Store.Revision(ctx, f.Name, f.Head)
	if err != nil {
		return err
	}
	if head.Hash == rev.Hash {
		return &usererror.Error{Code: "same_version", Text: fmt.Sprintf("%s does now what version %d did.", f.Name, n), Hint: "`/flow history " + f.Name + "` lists its versions."}
	}
	body := draft.Body{File: draft.Version(n), Edit: fmt.Sprintf("back to version %d", n)}
	return wd.write.proposeWritten(ctx, in, doc, origin{body: body})
}
