package surface

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"sluice/bot/card"
	"sluice/engine/run"
	"sluice/storage"
)

// formatWhole is the whole text of a question or a draft that is too long for its card. It is posted in the thread before there is a
// button that decides.
const formatWhole = "whole"

// wholeMost is how many characters such a file may have. People would not read a longer one, so that it cannot be decided on in chat.
const wholeMost = run.MaxShown * 2

// shownBody is the body of a gate's surface: the hash of what its message shows in full; "" = it does not.
type shownBody struct {
	Shown string `json:"shown,omitempty"`
}

// surfaces reads rows of surfaces.
type surfaces interface {
	Surface(ctx context.Context, id string) (storage.Surface, error)
}

// ShownAt is the hash of what the message of a gate shows in full, with which a typed answer is given; "" = it does not, or is not posted.
func ShownAt(ctx context.Context, store surfaces, gate string) (string, error) {
	s, err := store.Surface(ctx, gateSurface(gate))
	if errors.Is(err, storage.ErrNotFound) || err == nil && (s.TS == "" || len(s.Body) == 0) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var b shownBody
	err = json.Unmarshal(s.Body, &b)
	return b.Shown, err
}

// NoteShown keeps on a gate's row the hash of what its message shows in full.
func NoteShown(s *storage.Surface, hash string) { s.Body, _ = json.Marshal(shownBody{hash}) } // plain data

// Fits says whether one message shows all of a card.
func (cs *Cards) Fits(c card.Card) bool { return cs.Limits == nil || cs.Limits.Fits(c) }

// whole posts a text that does not fit into a card as a file in its thread, once, and describes the state of that in words. When posted is true
// the card may have buttons that decide.
func (cs *Cards) whole(ctx context.Context, at storage.Surface, b FileBody) (posted bool, words card.Text, err error) {
	text, err := cs.wholeText(ctx, b)
	if err != nil {
		return false, words, err
	}
	if n := len([]rune(text)); n > wholeMost {
		return false, card.Textf(":no_entry: *Nobody can decide on this here*: it has %d characters, and at most %d can be shown in full.", n, wholeMost), nil
	}
	at.ID, at.Kind, at.Ref, at.Created = "whole-"+at.ID, KindWhole, "whole:"+b.Gate+b.Draft, cs.Engine.Now()
	s, err := cs.Engine.Store().Surface(ctx, at.ID)
	if errors.Is(err, storage.ErrNotFound) {
		if at.Body, err = json.Marshal(b); err != nil {
			return false, words, err
		}
		s, err = at, cs.Engine.Store().Write(ctx, &storage.Batch{Surfaces: []storage.Surface{at}})
		cs.Wake()
	}
	switch {
	case err != nil:
		return false, words, err
	case s.TS != "":
		return true, card.Textf(":page_facing_up: This is not all. The whole text is in the file *%s* in this thread: read it before you decide.", b.Name()), nil
	case s.Shown >= s.Wanted && s.Shown > 0:
		return false, card.Textf(":no_entry: *Nobody can decide on this here*: the whole text is too long for a message, and its file %s could not be posted.", b.Name()), nil
	}
	return false, card.Textf(":hourglass: The whole text is too long for a message. It comes as the file *%s*; then there are buttons.", b.Name()), nil
}

func (cs *Cards) wholeCard(ctx context.Context, b FileBody) (card.Card, error) {
	text, err := cs.wholeText(ctx, b)
	if err != nil {
		return card.Card{}, gone(err)
	}
	what := card.Textf("The whole question")
	if b.Draft != "" {
		what = card.Textf("The whole draft")
	}
	return card.Card{File: &card.File{Name: b.Name(), Text: text}, Text: card.Textf("%s, for those who decide.", what)}, nil
}

// wholeText is all that is decided on, as plain text.
func (cs *Cards) wholeText(ctx context.Context, b FileBody) (string, error) {
	if b.Draft != "" {
		d, err := cs.Engine.Store().Draft(ctx, b.Draft)
		if err != nil {
			return "", err
		}
		c, err := cs.wholeDraft(ctx, d)
		return plainText(c), err
	}
	g, body, err := cs.gate(ctx, b.Gate)
	if err != nil {
		return "", err
	}
	v, err := cs.Engine.View(ctx, g.Run)
	if err != nil {
		return "", err
	}
	return plainText(cs.Asked(v, g, body)), nil
}

// plainText writes a card's words without marks.
func plainText(c card.Card) string {
	var out []string
	add := func(title string, text card.Text) {
		if title != "" {
			out = append(out, "== "+card.OneLine(title)+" ==")
		}
		if !text.Empty() {
			out = append(out, text.Words())
		}
	}
	add(c.Title, c.Text)
	for _, s := range c.Sections {
		add(s.Title, s.Text)
	}
	for _, w := range c.Warnings {
		add("Mind", w)
	}
	return strings.Join(out, "\n\n") + "\n"
}

// beginnings cuts the parts of a card to their beginnings, and says so, for a card whose whole text is elsewhere.
func beginnings(c card.Card) card.Card {
	c.Text = beginning(c.Text)
	room := 12
	var sections []card.Section
	for _, s := range c.Sections[:min(len(c.Sections), room)] {
		s.Text = beginning(s.Text)
		s.Title = card.Shorten(s.Title, 150)
		sections = append(sections, s)
	}
	if left := len(c.Sections) - len(sections); left > 0 {
		sections = append(sections, card.Section{Text: card.Textf("… and %d more parts", left)})
	}
	c.Sections = sections
	var warnings []card.Text
	for _, w := range c.Warnings[:min(len(c.Warnings), room)] {
		warnings = append(warnings, beginning(w))
	}
	c.Warnings = warnings
	return c
}

// beginningMost is how much of a part a card shows whose whole text is elsewhere.
const beginningMost = 300

func beginning(t card.Text) card.Text {
	if t.Length() <= beginningMost {
		return t
	}
	return card.Textf("%s… (this is not all: %d characters)", t.Pages(beginningMost)[0], t.Length())
}
