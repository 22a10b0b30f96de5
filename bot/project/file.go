package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/render"
	"sluice/storage"
)

// FileBody is the body of a file that somebody asked for: a draft, or a revision of a flow.
type FileBody struct {
	Draft    string `json:"draft,omitempty"`
	Flow     string `json:"flow,omitempty"`
	Revision int    `json:"revision,omitempty"`
	Format   string `json:"format,omitempty"` // one of Formats; "" = yaml
	Back     string `json:"back,omitempty"`   // where to drop it when it was changed, in mrkdwn
}

// Formats are the forms in which a flow is given out.
var Formats = []string{"yaml", "mermaid", "dot"}

// Name is what the file is called.
func (b FileBody) Name() string {
	switch b.Format {
	case "mermaid":
		return b.Flow + ".mmd"
	case "dot":
		return b.Flow + ".dot"
	}
	return b.Flow + ".flow.yaml"
}

// fileCard is a flow as a file, with a sentence on how to give it back.
func (p *Projector) fileCard(ctx context.Context, raw []byte) (card.Card, error) {
	var b FileBody
	if err := json.Unmarshal(raw, &b); err != nil || !slices.Contains(append(Formats, ""), b.Format) {
		return card.Card{}, &PermanentError{fmt.Errorf("a file of the format %q: %w", b.Format, err)}
	}
	f, what, commented, err := p.filed(ctx, b)
	if err != nil {
		return card.Card{}, err
	}
	file := &card.File{Name: b.Name()}
	switch b.Format {
	case "mermaid":
		file.Text = render.New(render.Options{}).Mermaid(f.Plan())
		return card.Card{File: file, Text: what + ", as a Mermaid flowchart."}, nil
	case "dot":
		file.Text = render.New(render.Options{}).DOT(f.Plan())
		return card.Card{File: file, Text: what + ", as Graphviz source."}, nil
	}
	file.Text = string(flow.Format(f))
	text := fmt.Sprintf("%s, as a file. Change it and drop it into %s, with @%s: it becomes the next draft.", what, b.Back, p.Name)
	if commented {
		text += " Comments of the file that it came from are not kept."
	}
	if doc, bad := flow.Parse(file.Name, []byte(file.Text)); bad.HasErrors() || flow.Hash(doc.Flow) != flow.Hash(f) {
		text += " Not all of this flow can be written in a file: what cannot is left out."
	}
	return card.Card{File: file, Text: text}, nil
}

// filed finds the flow of a file, words for it, and whether it came from a file, which may have had comments.
func (p *Projector) filed(ctx context.Context, b FileBody) (f *flow.Flow, what string, commented bool, err error) {
	store := p.Engine.Store()
	if b.Draft != "" {
		d, err := store.Draft(ctx, b.Draft)
		if err != nil {
			return nil, "", false, gone(err)
		}
		body, f, err := DecodeDraft(d)
		return f, fmt.Sprintf("*%s*, draft %d", d.Flow, d.Number), body.File != "", err
	}
	rev, err := store.Revision(ctx, b.Flow, b.Revision)
	if err != nil {
		return nil, "", false, gone(err)
	}
	if d, err := store.Draft(ctx, rev.Draft); err == nil {
		body, _, err := DecodeDraft(d)
		commented = err == nil && body.File != ""
	}
	f, err = flow.FromJSON(rev.Body)
	return f, fmt.Sprintf("*%s*, revision %d", rev.Flow, rev.Number), commented, err
}

// gone says of a missing row that it will not come back.
func gone(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return &PermanentError{err}
	}
	return err
}
