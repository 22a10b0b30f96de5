package hometab_test

import (
	"context"
	"fmt"
	"time"

	"sluice/bot/hometab"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/storage"
)

// fresh is an installation without flows and runs, in which everybody may do everything.
type fresh struct {
	hometab.Store
	request.Records
}

func (fresh) WaitingFor(context.Context, authority.Principal, int, int) (people.Waiting, error) {
	return people.Waiting{}, nil
}

func (fresh) Principal(_ context.Context, a history.Actor) (authority.Principal, error) {
	return authority.Principal{User: a.User}, nil
}

func (fresh) May(context.Context, authority.Principal, authority.Action, people.About) error {
	return nil
}
func (fresh) Flows(context.Context) ([]storage.Flow, error) { return nil, nil }
func (fresh) Runs(context.Context, storage.RunQuery) ([]storage.Run, error) {
	return nil, nil
}

func (fresh) Run(context.Context, string) (storage.Run, error) {
	return storage.Run{}, storage.ErrNotFound
}
func (fresh) LiveRunsBy(context.Context, string) (int, error) { return 0, nil }
func (fresh) Schedules(context.Context, string) ([]storage.Schedule, error) {
	return nil, nil
}
func (fresh) Pauses(context.Context) ([]storage.Pause, error) { return nil, nil }

// The Home of a person who has nothing yet says what the bot is, and offers starting points.
func ExampleHome_Card() {
	var f fresh
	h := hometab.Home{Engine: f, Store: f, Access: &request.Access{Engine: f, Store: f, Now: time.Now}, Name: "Sluice"}
	c, err := h.Card(context.Background(), "U1")
	if err != nil {
		fmt.Println(err)
	}
	for _, p := range c.Page {
		fmt.Println(p.Title)
		for _, item := range p.Items {
			for _, b := range item.Buttons {
				fmt.Println("  button:", b.Label)
			}
		}
	}
	// Output:
	// Welcome
	// New
	//   button: New workflow…
	//   button: Vacation request
	//   button: Approval by amount
	//   button: Weekly numbers
	// Waiting for you
}
