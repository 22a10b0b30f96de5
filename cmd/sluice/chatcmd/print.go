package chatcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

var proposed = card.Textf("The draft is stored. Sluice posts it in the flow's channel, where it is approved.")

// printing is a store that prints the private answers of the person instead of keeping them.
type printing struct {
	storage.Store
	cfg Config
}

// Write prints the answers of a batch and stores what is left of it. What is stored is printed only once it is.
func (p printing) Write(ctx context.Context, b *storage.Batch) error {
	var said []storage.Surface
	rest := *b
	rest.Surfaces = slices.DeleteFunc(slices.Clone(b.Surfaces), func(s storage.Surface) bool {
		mine := s.User == p.cfg.Person && s.Kind == surface.KindPrivate
		if mine {
			said = append(said, s)
		}
		return mine
	})
	if len(said) == 0 || len(rest.Surfaces) > 0 || len(b.Schedules) > 0 || len(b.Audit) > 0 {
		if err := p.Store.Write(ctx, &rest); err != nil {
			return err
		}
	}
	for _, s := range said {
		var body surface.PrivateBody
		if err := json.Unmarshal(s.Body, &body); err != nil {
			return fmt.Errorf("read an answer: %w", err)
		}
		p.print(body.Card)
	}
	return nil
}

// print writes what a card says in words. Its buttons are left out: what they do is a command, too.
func (p printing) print(c card.Card) {
	line := func(s string) {
		if s = strings.TrimRight(s, "\n "); s != "" {
			fmt.Fprintln(p.cfg.Out, s)
		}
	}
	line(card.Visible(c.Title))
	line(p.words(c.Text))
	for _, s := range c.Sections {
		line(card.Visible(s.Title))
		line(p.words(s.Text))
	}
	for _, t := range slices.Concat(c.Warnings, c.Context) {
		line(p.words(t))
	}
}

var (
	date   = regexp.MustCompile(`<!date\^(-?\d+)\^[^>]*>`)
	named  = regexp.MustCompile(`<(?:!subteam\^[^|>]*\||https?://[^|>]*\|)([^>]*)>`)
	called = regexp.MustCompile(`<([@#])([A-Z0-9]+)>`)
)

// words are those of a text, with times in the zone, and people and channels by their names where they are known.
func (p printing) words(t card.Text) string {
	s := date.ReplaceAllStringFunc(t.Words(), func(ref string) string {
		sec, _ := strconv.ParseInt(date.FindStringSubmatch(ref)[1], 10, 64)
		return time.Unix(sec, 0).In(p.cfg.Zone).Format("2006-01-02 15:04 MST")
	})
	s = named.ReplaceAllString(s, "$1")
	s = called.ReplaceAllStringFunc(s, func(ref string) string {
		m := called.FindStringSubmatch(ref)
		return directory{p.cfg}.called(m[1], m[2])
	})
	return card.Visible(s)
}
