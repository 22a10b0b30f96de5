package drafts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/importer/document"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Put is the result of putting a definition.
type Put struct {
	Draft   string // id of the draft that shows it; "" = nothing has changed
	Same    bool   // it is what an open draft or the approved version says already
	Flow    string
	Missing []string // names that are not known here
}

// Put makes a draft of a definition that a program sends in the place of a person, or that somebody gives at a terminal. It is shown in the
// flow's channel and has to be approved there as every draft. The same definition gives the same draft; another one replaces the open draft.
func (fl *Files) Put(ctx context.Context, in request.Incoming, name string, src []byte) (Put, error) {
	select {
	case fl.one <- struct{}{}:
		defer func() { <-fl.one }()
	case <-ctx.Done():
		return Put{}, ctx.Err()
	}
	f := request.File{Name: name}
	prefix := putPrefix(in.Channel, flow.Slug(name))
	open, err := fl.openPut(ctx, prefix)
	if err != nil {
		return Put{}, err
	}
	doc, problems := fl.document(ctx, in, f, src, open)
	if problems.HasErrors() {
		return Put{}, problems.Errors()
	}
	if err := putAs(doc, name); err != nil {
		return Put{}, err
	}
	out := Put{Flow: doc.Flow.Name}
	head, err := fl.Store.Flow(ctx, doc.Flow.Name)
	if storage.IgnoreMissing(err) != nil {
		return out, err
	}
	if !head.Retired.IsZero() {
		head.Head = 0 // it is made anew
	}
	old, id, err := fl.putBefore(ctx, prefix, doc.Flow, head.Head)
	if err != nil {
		return out, err
	}
	batch := &storage.Batch{}
	if old == nil {
		in.Kept = id
		if open != nil {
			in.Thread = open.Thread // the new draft replaces it there
		}
		_, err = fl.draftOf(ctx, in, f, doc.Flow, problems, open, batch)
	}
	if ue, ok := errors.AsType[*usererror.Error](err); ok && ue.Code == "unchanged" {
		if out.Same = true; open == nil {
			return out, nil
		}
		old, err = open, nil // after its names were settled it says the same
	}
	if err != nil {
		return out, err
	}
	d := old
	if old == nil {
		d = &batch.Draft[len(batch.Draft)-1] // after the one that it replaces
		batch.Audit = append(batch.Audit, fl.Replies.Audit(in, "definition_put", surface.DraftRef(d.ID), map[string]any{"flow": d.Flow, "hash": d.Hash}))
		err = fl.Replies.Write(ctx, in, batch)
	}
	out.Draft, out.Same = d.ID, old != nil
	missing, derr := unsettled(d)
	out.Missing = missing
	return out, errors.Join(derr, err)
}

// putAs refuses a document that holds several flows, or another one than it was sent as.
func putAs(doc document.Document, name string) error {
	if len(doc.Others) > 0 {
		return &usererror.Error{Code: "several_flows", Text: fmt.Sprintf("The file holds %d flows.", len(doc.Others)+1), Hint: "Send each as a file of its own, or drop the file in Slack."}
	}
	if doc.Flow.Name != flow.Slug(name) {
		return &usererror.Error{Code: "other_name", Text: fmt.Sprintf("The definition is that of %s, and it was sent as %s.", doc.Flow.Name, name)}
	}
	return nil
}

// unsettled gives the names in a draft that are not known here.
func unsettled(d *storage.Draft) (names []string, err error) {
	body, _, err := draft.Decode(*d)
	for _, n := range body.Needs {
		if !n.Settled {
			names = append(names, n.String())
		}
	}
	return names, err
}

// putPrefix is how the ids of drafts begin that programs have put of a flow.
func putPrefix(channel, name string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s", channel, name))
	return "put-" + hex.EncodeToString(sum[:6]) + "-"
}

// putsRead is how many drafts are read at once.
const putsRead = 50

// openPut finds the open draft of what programs have put of a flow, also after people have changed it; nil = there is none.
func (fl *Files) openPut(ctx context.Context, prefix string) (*storage.Draft, error) {
	for after := prefix; ; {
		list, err := fl.Store.DraftsAfter(ctx, after, putsRead)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if !strings.HasPrefix(d.ID, prefix) {
				return nil, nil
			}
			if open, err := fl.follow(ctx, &d, ""); open != nil || err != nil {
				return open, err
			}
			after = d.ID
		}
		if len(list) < putsRead {
			return nil, nil
		}
	}
}

// follow goes from a draft to the open one that has replaced it, but not to one that a program has put; nil = there is none. stop is how
// ids of those begin; "" = it goes on.
func (fl *Files) follow(ctx context.Context, d *storage.Draft, stop string) (*storage.Draft, error) {
	for d.Status == draft.Replaced {
		body, _, err := draft.Decode(*d)
		if err != nil || body.Next == "" || stop != "" && strings.HasPrefix(body.Next, stop) {
			return nil, err
		}
		next, err := fl.Store.Draft(ctx, body.Next)
		if err != nil {
			return nil, storage.IgnoreMissing(err)
		}
		d = &next
	}
	if d.Status != draft.Open {
		return nil, nil
	}
	return d, nil
}

// putBefore finds the open draft of the same definition, and gives the id that a new draft of it gets.
func (fl *Files) putBefore(ctx context.Context, prefix string, f *flow.Flow, head int) (open *storage.Draft, id string, err error) {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", flow.Hash(f), head, n))
		id = prefix + hex.EncodeToString(sum[:8])
		d, err := fl.Store.Draft(ctx, id)
		if err != nil {
			return nil, id, storage.IgnoreMissing(err)
		}
		if open, err = fl.follow(ctx, &d, prefix); open != nil || err != nil {
			return open, id, err
		}
	}
}
