package people

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/storage"
)

// Waiting is what waits for somebody's answer.
type Waiting struct {
	Gates  []storage.Gate // a page of them, the oldest first
	All    int
	Unsure int // open gates of which it is not known at the moment whether they wait for this person
}

// oldMost is how many gates of earlier releases are looked at: their rows do not say whom they are for.
const oldMost = 10_000

// WaitingFor lists the open gates that somebody may answer, without the first skip. What it reads grows with how many different people
// gates are for, and not with how many gates wait for others.
func (x *People) WaitingFor(ctx context.Context, p authority.Principal, skip, most int) (Waiting, error) {
	counts, err := x.store.OpenAsked(ctx)
	if err != nil {
		return Waiting{}, err
	}
	var out Waiting
	var old []storage.Gate
	mine := []string{}
	known := map[string]asked{}
	for _, c := range counts {
		if c.Asked == "" {
			if old, err = x.oldWaiting(ctx, p, known, &out); err != nil {
				return out, err
			}
			continue
		}
		var a gate.Asked
		if err := json.Unmarshal([]byte(c.Asked), &a); err != nil {
			return out, fmt.Errorf("read whom gates are for: %w", err)
		}
		switch may, err := x.waitsFor(ctx, p, a, known); {
		case err != nil:
			x.log.Warn("it is not known for whom gates wait", "gates", c.Open, "error", err)
			out.Unsure += c.Open
		case may:
			out.All += c.Open
			mine = append(mine, c.Asked)
		}
	}
	out.All += len(old)
	out.Gates = old[min(skip, len(old)):min(skip+most, len(old))]
	if rest := most - len(out.Gates); rest > 0 && len(mine) > 0 {
		more, err := x.store.Gates(ctx, storage.GateQuery{Open: true, Asked: mine, Skip: max(0, skip-len(old)), Limit: rest})
		if err != nil {
			return out, err
		}
		out.Gates = append(slices.Clone(out.Gates), more...)
	}
	return out, nil
}

// waitsFor asks the one function that decides.
func (x *People) waitsFor(ctx context.Context, p authority.Principal, a gate.Asked, known map[string]asked) (bool, error) {
	var s authority.Subject
	_, err := x.decision(ctx, a, &s, known)
	return err == nil && authority.May(p, authority.Decide, s) == nil, err
}

// askedOnce is asked for one question of several: the directory is asked once for those that name the same people.
func (x *People) askedOnce(ctx context.Context, a gate.Asked, known map[string]asked) (asked, error) {
	shared := gate.Asked{Names: a.Names, Channel: a.Channel, Flow: a.Flow}
	key, err := shared.Key()
	if err != nil {
		return asked{}, err
	}
	found, ok := known[key]
	if !ok {
		if found, err = x.asked(ctx, shared); err != nil {
			return found, err
		}
		known[key] = found
	}
	found.users = append(slices.Clone(found.users), a.Requester)
	return found, nil
}

// oldWaiting lists the gates whose rows do not name the people who are asked.
func (x *People) oldWaiting(ctx context.Context, p authority.Principal, known map[string]asked, out *Waiting) ([]storage.Gate, error) {
	all, err := x.store.Gates(ctx, storage.GateQuery{Open: true, Asked: []string{""}, Limit: oldMost})
	if err != nil {
		return nil, err
	}
	var mine []storage.Gate
	for _, g := range all {
		row, err := x.store.Run(ctx, g.Run)
		if err != nil {
			return nil, err
		}
		body, err := gate.Decode(g)
		if err != nil {
			return nil, err
		}
		switch may, err := x.waitsFor(ctx, p, gate.AskedOf(row, body), known); {
		case err != nil:
			out.Unsure++
		case may:
			mine = append(mine, g)
		}
	}
	return mine, nil
}
