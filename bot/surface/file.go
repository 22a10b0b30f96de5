package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/chart"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/importer"
	"sluice/render"
	"sluice/storage"
)

// FileBody is the body of a file that a person asked for: a draft, or a revision of a flow.
type FileBody struct {
	Draft    string    `json:"draft,omitempty"`
	Gate     string    `json:"gate,omitempty"` // of formatWhole
	Flow     string    `json:"flow,omitempty"`
	Revision int       `json:"revision,omitempty"`
	Format   string    `json:"format,omitempty"` // one of Formats; "" = yaml
	Back     card.Text `json:"back,omitzero"`    // where to drop it when it was changed
}

// Formats are the forms in which a flow is given out.
var Formats = []string{"yaml", "mermaid", "dot"}

// FormatChanges is the list of what counts in a draft, which only its card asks for.
const FormatChanges = "changes"

// Name is what the file is called.
func (b FileBody) Name() string {
	switch b.Format {
	case "mermaid":
		return b.Flow + ".mmd"
	case "dot":
		return b.Flow + ".dot"
	case FormatChanges:
		return b.Flow + ".changes.txt"
	case formatWhole:
		return strings.ReplaceAll(b.Flow, "/", "-") + ".txt"
	}
	return b.Flow + ".flow.yaml"
}

// FileCard is a flow as a file, with a sentence on how to give it back.
func (cs *Cards) FileCard(ctx context.Context, s storage.Surface) (card.Card, error) {
	var b FileBody
	if err := json.Unmarshal(s.Body, &b); err != nil || !slices.Contains(append(Formats, "", FormatChanges, formatWhole), b.Format) {
		return card.Card{}, &RefusedError{Code: "bad_file", Err: fmt.Errorf("a file of the format %q: %w", b.Format, err)}
	}
	switch b.Format {
	case FormatChanges:
		return cs.changesCard(ctx, b)
	case formatWhole:
		return cs.wholeCard(ctx, b)
	}
	f, what, commented, err := cs.filed(ctx, b)
	if err != nil {
		return card.Card{}, err
	}
	file := &card.File{Name: b.Name()}
	switch b.Format {
	case "mermaid":
		file.Text = render.New(render.Options{}).Mermaid(chart.Of(f))
		return card.Card{File: file, Text: card.Textf("%s, as a Mermaid flowchart.", what)}, nil
	case "dot":
		file.Text = render.New(render.Options{}).DOT(chart.Of(f))
		return card.Card{File: file, Text: card.Textf("%s, as Graphviz source.", what)}, nil
	}
	otherwise := ""
	if f.Profile != flow.ProfileNative {
		if format, ok := importer.ByProfile(f.Profile); ok {
			src, err := format.Encode(f)
			if otherwise = " It cannot be written as " + format.Name + " any more, so this is a flow file of Sluice."; err == nil {
				file.Text, file.Name = string(src), b.Flow+extension(src)
				return card.Card{File: file, Text: card.Textf("%s, in the format that it came from: it is %s. Change it and drop it into %s, with @%s: it becomes the next draft.", what, format.Name, b.Back, cs.Name)}, nil
			}
		}
	}
	file.Text = string(flowfile.Format(f))
	text := card.Textf("%s, as a file.%s Change it and drop it into %s, with @%s: it becomes the next draft.", what, otherwise, b.Back, cs.Name)
	if commented {
		text = card.Textf("%s Comments of the file that it came from are not kept.", text)
	}
	if doc, bad := flowfile.Parse(file.Name, []byte(file.Text)); bad.HasErrors() || flow.Hash(doc.Flow) != flow.Hash(agents.Without(f)) {
		text = card.Textf("%s Not all of this flow can be written in a file: what cannot is left out.", text)
	}
	return card.Card{File: file, Text: text}, nil
}

// extension is how the name of a file with a text in a foreign format ends.
func extension(src []byte) string {
	switch {
	case json.Valid(src):
		return ".json"
	case !utf8.Valid(src): // an archive
		return ".flow"
	}
	return ".yaml"
}

// changesCard is all that counts in a draft, as a file.
func (cs *Cards) changesCard(ctx context.Context, b FileBody) (card.Card, error) {
	d, err := cs.Engine.Store().Draft(ctx, b.Draft)
	if err != nil {
		return card.Card{}, gone(err)
	}
	body, _, err := draft.Decode(d)
	if err != nil {
		return card.Card{}, err
	}
	var text strings.Builder
	for _, l := range countedLists(d, body) {
		fmt.Fprintf(&text, "%s\n\n", l.title)
		for _, line := range l.lines {
			fmt.Fprintf(&text, "- %s\n", line)
		}
		text.WriteByte('\n')
	}
	return card.Card{
		File: &card.File{Name: b.Name(), Text: text.String()},
		Text: card.Textf("*%s*, draft %d: all that a second person approves.", d.Flow, d.Number),
	}, nil
}

// filed finds the flow of a file, words for it, and whether it came from a file, which may have had comments.
func (cs *Cards) filed(ctx context.Context, b FileBody) (f *flow.Flow, what card.Text, commented bool, err error) {
	store := cs.Engine.Store()
	if b.Draft != "" {
		d, err := store.Draft(ctx, b.Draft)
		if err != nil {
			return nil, what, false, gone(err)
		}
		body, f, err := draft.Decode(d)
		return f, card.Textf("*%s*, draft %d", d.Flow, d.Number), body.Dropped(), err
	}
	rev, err := store.Revision(ctx, b.Flow, b.Revision)
	if err != nil {
		return nil, what, false, gone(err)
	}
	if d, err := store.Draft(ctx, rev.Draft); err == nil {
		body, _, err := draft.Decode(d)
		commented = err == nil && body.Dropped()
	}
	f, err = flow.FromJSON(rev.Body)
	return f, card.Textf("*%s*, version %d", rev.Flow, rev.Number), commented, err
}

// gone makes a missing row a permanent error.
func gone(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return &RefusedError{Code: "gone", Err: err}
	}
	return err
}
