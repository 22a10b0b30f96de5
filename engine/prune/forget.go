package prune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/storage"
)

// Forgotten says what Forget has done.
type Forgotten struct {
	Runs, Drafts, Messages, Audits, Tokens int
	// Left names runs that hold words of the person and are not over. Forget them again when they are.
	Left []string
}

// Forget removes what a person wrote, and keeps that they decided. A run that is over goes when it holds anything that the person wrote:
// its inputs, a note, an answer, a reason; its trail stays, as after any removal. Drafts that they wrote or edited go, and so do the
// records of all private answers and notices, which may quote anybody. Flows that were approved are the workspace's: they stay. wrote
// says whether somebody is an author of a draft.
func (p *Pruner) Forget(ctx context.Context, user string, wrote func(storage.Draft, string) bool) (f Forgotten, err error) {
	if user == "" {
		return f, errors.New("forget whom? the user is empty")
	}
	for _, step := range []func(context.Context, string, *Forgotten) error{
		p.forgetRuns, p.leftRuns,
		func(ctx context.Context, user string, f *Forgotten) error { return p.forgetDrafts(ctx, user, wrote, f) },
		p.forgetRest,
	} {
		if err := step(ctx, user, &f); err != nil {
			return f, fmt.Errorf("forget %s: %w", user, err)
		}
	}
	return f, nil
}

func (p *Pruner) forgetRuns(ctx context.Context, user string, f *Forgotten) error {
	err := p.eachRemovable(ctx, final, func(r storage.Run) error {
		holds, err := p.holdsWords(ctx, r.ID, user)
		if err != nil || !holds {
			return err
		}
		err = p.run(ctx, r)
		if err == nil {
			f.Runs++
		}
		return err
	})
	if err != nil {
		return err
	}
	for {
		n, err := p.Store.RemoveFacts(ctx, factsAtOnce)
		if err != nil || n == 0 {
			return err
		}
	}
}

// leftRuns names the runs that cannot go yet.
func (p *Pruner) leftRuns(ctx context.Context, user string, f *Forgotten) error {
	note := func(r storage.Run) error {
		holds, err := p.holdsWords(ctx, r.ID, user)
		if holds {
			f.Left = append(f.Left, r.Name)
		}
		return err
	}
	if err := p.eachRemovable(ctx, []string{string(history.Failed)}, note); err != nil {
		return err
	}
	for last := (*storage.Run)(nil); ; {
		list, err := p.Store.LiveRuns(ctx, storage.LiveQuery{Limit: runsAtOnce}, last)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			if err := note(r); err != nil {
				return err
			}
		}
		last = &list[len(list)-1]
	}
}

// eachRemovable visits runs of these statuses that nothing refers to any more.
func (p *Pruner) eachRemovable(ctx context.Context, statuses []string, visit func(storage.Run) error) error {
	for q := (storage.RemovalQuery{Final: statuses, Before: p.Now().Add(time.Second), Limit: runsAtOnce}); ; {
		list, err := p.Store.Removable(ctx, q)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			if err := visit(r); err != nil && !errors.Is(err, storage.ErrConflict) { // else it has changed, or somebody else removed it
				return err
			}
			if err := p.rest(ctx); err != nil {
				return err
			}
		}
		q.After = &list[len(list)-1]
	}
}

// holdsWords says whether a run holds more of a person than that they decided.
func (p *Pruner) holdsWords(ctx context.Context, id, user string) (bool, error) {
	facts, err := p.Store.Facts(ctx, id, 0, kindNames()...)
	if err != nil {
		return false, err
	}
	for _, f := range facts {
		var actor history.Actor
		if len(f.Actor) == 0 {
			continue
		}
		if err := json.Unmarshal(f.Actor, &actor); err != nil {
			return false, fmt.Errorf("read the actor of fact %d of run %s: %w", f.Seq, id, err)
		}
		if actor.User != user {
			continue
		}
		kept, ok, err := history.Trail(history.FactKind(f.Kind), actor, f.Body)
		if err != nil || !ok || bytes.Contains(kept, []byte(`"`+history.DroppedKey+`"`)) {
			return true, err
		}
	}
	return p.holdsNotes(ctx, id, user)
}

// holdsNotes reports whether a run began with what runs of a person have noted.
func (p *Pruner) holdsNotes(ctx context.Context, id, user string) (bool, error) {
	facts, err := p.Store.Facts(ctx, id, 0, string(history.KindOf(&history.VarsSet{})))
	if err != nil {
		return false, err
	}
	for _, f := range facts {
		var set struct {
			Vars struct {
				Remembered struct {
					By []string `json:"by"`
				} `json:"remembered"`
			} `json:"vars"`
		}
		if json.Unmarshal(f.Body, &set) == nil && slices.Contains(set.Vars.Remembered.By, user) { // a variable of that name may be anything
			return true, nil
		}
	}
	return false, nil
}

func (p *Pruner) forgetDrafts(ctx context.Context, user string, wrote func(storage.Draft, string) bool, f *Forgotten) error {
	for after := ""; ; {
		list, err := p.Store.DraftsAfter(ctx, after, rowsAtOnce)
		if err != nil || len(list) == 0 {
			return err
		}
		var r storage.Removal
		for _, d := range list {
			if d.Author == user || wrote(d, user) {
				r.Drafts, r.Refs = append(r.Drafts, d.ID), append(r.Refs, p.Draft(d.ID)...)
			}
		}
		if err := p.Store.Remove(ctx, r); err != nil {
			return err
		}
		f.Drafts += len(r.Drafts)
		after = list[len(list)-1].ID
	}
}

// forgetRest removes tokens, records of messages, and reasons from the audit.
func (p *Pruner) forgetRest(ctx context.Context, user string, f *Forgotten) (err error) {
	if f.Tokens, err = p.Store.RemoveTokens(ctx, user); err != nil {
		return err
	}
	for {
		n, err := p.messages(ctx, p.Now().Add(time.Second))
		f.Messages += n
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	for {
		n, err := p.Store.ForgetReasons(ctx, user, rowsAtOnce)
		f.Audits += n
		if err != nil || n == 0 {
			return err
		}
	}
}
