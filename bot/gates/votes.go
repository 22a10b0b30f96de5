package gates

import (
	"context"
	"slices"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
)

// namedMost is how many people are named as those who may still answer; of more, the group is named.
const namedMost = 5

// votedWords says that an answer counts but does not decide: who has answered what, how many are needed, and who may still answer.
func (gs *Gates) votedWords(ctx context.Context, res engine.Answered, choice string) (card.Text, error) {
	b, err := gate.Decode(res.Gate)
	if err != nil {
		return card.Text{}, err
	}
	r, err := gs.Store.Run(ctx, res.Gate.Run)
	if err != nil {
		return card.Text{}, err
	}
	asked, users, err := gs.Engine.Deciders(ctx, r, b)
	if err != nil {
		return card.Text{}, err
	}
	words := card.Textf("Your answer *%s* is counted.", surface.ChoiceLabel(choice))
	if res.Again {
		words = card.Textf("You have answered *%s* already, and it counts once.", surface.ChoiceLabel(choice))
	}
	return card.Textf("%s Now %s. Still asked: %s.", words, surface.Votes(b), stillAsked(asked, users, b.Votes)), nil
}

// stillAsked names the people who may answer and have not.
func stillAsked(asked []people.Principal, users []string, votes []history.Vote) card.Text {
	var left []people.Principal
	for _, u := range users {
		if !slices.ContainsFunc(votes, func(v history.Vote) bool { return v.By.Same(history.Actor{User: u}) }) {
			left = append(left, people.Principal{Kind: "user", ID: u})
		}
	}
	if len(left) > namedMost {
		left = asked
	}
	return surface.Who(left, false)
}
