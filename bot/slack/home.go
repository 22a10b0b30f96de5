package slack

import (
	"context"
	"encoding/json"
	"slices"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/storage"
)

// Slack's limit of blocks in a Home, and ours of one of its items, in characters: all of them together stay below Slack's 250 KB.
const (
	maxHomeBlocks = 100
	maxItem       = 4000
)

// published is what stands in the place of a ts when a Home is there.
const published = "published"

// publish shows a person's Home.
func (a *App) publish(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	if err := a.budget.take(ctx, callOf(s)); err != nil {
		return s, err
	}
	blocks, _ := drawPage(c.Page)
	view := slackgo.HomeTabViewRequest{Type: slackgo.VTHomeTab, Blocks: slackgo.Blocks{BlockSet: blocks}}
	_, err := a.api.PublishViewContext(ctx, slackgo.PublishViewContextRequest{UserID: s.User, View: view})
	if err == nil {
		s.TS = published
	}
	return s, called(methodPublish, err)
}

// drawPage draws the parts of a Home. short says that something had no room.
func drawPage(parts []card.Part) (blocks []slackgo.Block, short bool) {
	for i, p := range parts {
		if i > 0 {
			blocks = append(blocks, slackgo.NewDividerBlock())
		}
		if p.Title != "" {
			blocks = append(blocks, slackgo.NewHeaderBlock(plain(cut(card.OneLine(p.Title), maxHeader))))
		}
		for _, c := range p.Items {
			drawn, cut := drawItem(c.Card())
			blocks, short = append(blocks, drawn...), short || cut
		}
	}
	if len(blocks) > maxHomeBlocks {
		return blocks[:maxHomeBlocks], true
	}
	return blocks, short
}

// drawItem draws one item of a Home. A short text has its one button beside it. Where not all is said there is no button that decides.
func drawItem(c card.Card) ([]slackgo.Block, bool) {
	d := drawAll(c, nil, true, maxItem)
	if d.short && slices.ContainsFunc(c.Buttons, decides) {
		c.Buttons = slices.DeleteFunc(slices.Clone(c.Buttons), decides)
		d = drawAll(c, nil, true, maxItem)
		d.short = true
	}
	if len(c.Buttons) == 1 && len(d.blocks) == 2 {
		text, isText := d.blocks[0].(*slackgo.SectionBlock)
		row, isRow := d.blocks[1].(*slackgo.ActionBlock)
		if isText && isRow {
			text.Accessory = slackgo.NewAccessory(row.Elements.ElementSet[0])
			return d.blocks[:1], d.short
		}
	}
	return d.blocks, d.short
}

// withoutHome is an interaction without what the Home shows: nobody reads that of it, and it may be long.
func withoutHome(payload json.RawMessage) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(payload, &all); err != nil {
		return nil, err
	}
	var err error
	if all["view"], err = kept(all["view"], fields{"id": nil, "type": nil}); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// located gives a click in a Home, or a shortcut that is about no message, a place for its answers: the direct message with the person.
func (a *App) located(ctx context.Context, in request.Incoming) (request.Incoming, error) {
	if !in.Home || in.Channel != "" {
		return in, nil
	}
	var err error
	in.Channel, err = a.people.direct(ctx, in.User)
	return in, err
}
