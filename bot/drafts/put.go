package drafts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Put is what became of a definition that a program has sent.
type Put struct {
	Draft   string // id of the draft that shows it; "" = nothing has changed
	Same    bool   // it is what an open draft or the approved version says already
	Flow    string
	Missing []string // names that are not known here
}

// Put makes a draft of a definition that a program sends in the place of a person. It is shown in the flow's channel and has to be approved
// there as every draft. The same definition sent again gives the same draft.
func (fl *Files) Put(ctx context.Context, in request.Incoming, name string, src []byte) (Put, error) {
	select {
	case fl.one <- struct{}{}:
		defer func() { <-fl.one }()
	case <-ctx.Done():
		return Put{}, ctx.Err()
	}
	f := request.File{Name: name}
	doc, problems := fl.document(ctx, in, f, src, nil)
	if problems.HasErrors() {
		return Put{}, problems.Errors()
	}
	if doc.Flow.Name != flow.Slug(name) || len(doc.Others) > 0 {
		return Put{}, &usererror.Error{Code: "other_name", Text: fmt.Sprintf("The definition is that of %s, and it was sent as %s.", doc.Flow.Name, name)}
	}
	out := Put{Flow: doc.Flow.Name}
	head, err := fl.Store.Flow(ctx, doc.Flow.Name)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return out, err
	}
	old, id, err := fl.putBefore(ctx, in, doc.Flow, head.Head)
	if err != nil {
		return out, err
	}
	batch := &storage.Batch{}
	if old == nil {
		in.Kept = id
		_, err = fl.draftOf(ctx, in, f, doc.Flow, problems, nil, batch)
	}
	if ue, ok := errors.AsType[*usererror.Error](err); ok && ue.Code == "unchanged" {
		out.Same = true
		return out, nil
	}
	if err != nil {
		return out, err
	}
	d := old
	if old == nil {
		d = &batch.Draft[0]
		entry := fl.Replies.Audit(in, "definition_put", surface.DraftRef(d.ID), map[string]any{"flow": d.Flow, "hash": d.Hash})
		entry.Via = string(history.ViaHTTP)
		batch.Audit = append(batch.Audit, entry)
		err = fl.Replies.Write(ctx, in, batch)
	}
	body, _, derr := surface.DecodeDraft(*d)
	if derr != nil {
		return out, derr
	}
	for _, n := range body.Needs {
		if !n.Settled {
			out.Missing = append(out.Missing, n.String())
		}
	}
	out.Draft, out.Same = d.ID, old != nil
	return out, err
}

// putBefore finds the open draft of the same definition, and gives the id that a new draft of it gets.
func (fl *Files) putBefore(ctx context.Context, in request.Incoming, f *flow.Flow, head int) (open *storage.Draft, id string, err error) {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d", in.Channel, flow.Hash(f), head, n))
		id = "put-" + hex.EncodeToString(sum[:12])
		d, err := fl.Store.Draft(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return nil, id, nil
		case err != nil:
			return nil, "", err
		case d.Status == surface.DraftOpen:
			return &d, id, nil
		}
	}
}
