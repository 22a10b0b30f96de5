package bot

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/people"
)

// blind is a directory that cannot look anybody up.
type blind struct{ workspace }

func (blind) Person(context.Context, string) (people.Person, error) {
	return people.Person{}, errors.New("the directory is away")
}

// TestAPersonWhoCannotBeLookedUpIsToldToTryAgain: nothing is allowed, the delivery is a fault, and in the end the person is told.
func TestAPersonWhoCannotBeLookedUpIsToldToTryAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		who := blind{workspace{"everybody": {"ana"}, "C1": {"ana"}}}
		cards := project.New()
		c.Engine = engine.New(engine.Config{Store: c.Engine.Store(), Tools: c.Tools, Dispatcher: local.New(local.Options{}), Directory: who, Surfaces: cards, Worker: "test"})
		cards.Connect(c.Engine)
		c.Directory, c.Cards = who, cards.Cards
	})
	for _, in := range []request.Incoming{{Kind: request.KindCommand, Text: "help"}, {Kind: request.KindMention, Text: refundWords}, {Kind: request.KindClick, Action: "gate.choose:x", Value: "x 0"}} {
		in.User, in.Channel, in.TS = "ana", "C1", "1.0"
		if err := w.bot.Handle(t.Context(), in); !errors.Is(err, people.ErrLookup) {
			t.Errorf("%s %s: %v", in.Kind, in.Text, err)
		}
		if err := w.bot.GiveUp(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	told := w.surfaces("private")
	if len(told) != 3 || !strings.Contains(string(told[0].Body), "try again") {
		t.Errorf("ana is told %d things", len(told))
	}
	if n := len(w.everything()); n != len(told) {
		t.Errorf("%d things are to be shown besides", n-len(told))
	}
}
