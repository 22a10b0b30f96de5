package project

import (
	"context"
	"time"

	"sluice/bot/surface"
	"sluice/storage"
)

// A run has an address when its status message is posted. A first step that reads it waits for that, for a moment after the start.
const (
	addressWait = 5 * time.Second
	addressLook = 50 * time.Millisecond
)

// Address is where a message is, and the thread that is opened beside it. Without a TS there is no such message, or it is not posted yet.
type Address struct{ Channel, TS, Thread string }

// AddressOf finds the root message of the thread in which people follow a run, or the run that it lies within. The run may not be stored yet.
func (p *Projector) AddressOf(ctx context.Context, r storage.Run) (Address, error) {
	root, err := r, error(nil)
	if r.Parent != "" {
		root, err = surface.Root(ctx, p.Engine.Store(), r.Parent)
	}
	switch {
	case err != nil:
		return Address{}, storage.IgnoreMissing(err)
	case root.Thread != "":
		return Address{root.Channel, root.Thread, root.Thread}, nil
	}
	s, posted, err := p.postedStatus(ctx, root)
	if err != nil || !posted {
		return Address{}, err
	}
	return Address{Channel: s.Channel, TS: s.TS}, nil
}

// postedStatus waits until the status message of a run is posted, not longer than for a moment after the start.
func (p *Projector) postedStatus(ctx context.Context, r storage.Run) (storage.Surface, bool, error) {
	look := time.NewTicker(addressLook)
	defer look.Stop()
	for {
		s, err := p.Engine.Store().Surface(ctx, "status-"+r.ID)
		switch {
		case err != nil || s.TS != "":
			return s, err == nil, storage.IgnoreMissing(err)
		case s.Blocked != "", s.Shown >= s.Wanted, p.Engine.Now().Sub(r.Started) > addressWait:
			return s, false, nil
		}
		select {
		case <-ctx.Done():
			return s, false, ctx.Err()
		case <-look.C:
		}
	}
}
