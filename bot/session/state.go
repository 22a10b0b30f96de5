package session

import (
	"context"
	"errors"
	"fmt"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/importer/draftchart"
	"sluice/engine/people"
	"sluice/storage"
)

// Store is the part of the store that sessions are read from.
type Store interface {
	Draft(ctx context.Context, id string) (storage.Draft, error)
	DraftInThread(ctx context.Context, channel, thread string) (storage.Draft, error)
	Run(ctx context.Context, id string) (storage.Run, error)
	RunByName(ctx context.Context, name string) (storage.Run, error)
	Flow(ctx context.Context, name string) (storage.Flow, error)
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
	TokenByHash(ctx context.Context, hash []byte) (storage.Token, error)
	Tokens(ctx context.Context) ([]storage.Token, error)
	Write(ctx context.Context, b *storage.Batch) error
}

// errAbsent is the answer both when there is no such session and when the person may not see it.
var errAbsent = errors.New("there is no such session")

// found is a session as its rows describe it.
type found struct {
	version string // changes with the chart that is shown
	moved   int64  // changes with what has happened in the run
	action  authority.Action
	about   people.About
	draft   storage.Draft // of a thread
	run     storage.Run   // of a run
}

// find looks a session up by its id. It does not ask who may see it.
func (h *Handler) find(ctx context.Context, s Store, id string) (found, error) {
	d, err := s.Draft(ctx, id)
	if err == nil {
		d, err = s.DraftInThread(ctx, d.Channel, d.Thread)
	}
	if err == nil {
		body, _, err := draft.Decode(d)
		return found{
			version: fmt.Sprintf("%s-%d-%s", d.ID, d.Version, d.Status), draft: d,
			action: authority.ReadDraft, about: request.AboutDraft(d, body.Authors),
		}, err
	}
	if !errors.Is(err, storage.ErrNotFound) {
		return found{}, err
	}
	r, err := s.Run(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		r, err = s.RunByName(ctx, id)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return found{}, errAbsent
	}
	if err != nil {
		return found{}, err
	}
	f, err := s.Flow(ctx, r.Flow)
	return found{version: fmt.Sprintf("%s-%d", r.ID, r.Revision), moved: r.Version, run: r, action: authority.ReadRun, about: people.AboutRun(f, r)}, err
}

// see finds a session for a person.
func (h *Handler) see(ctx context.Context, c *Config, p authority.Principal, id string) (found, error) {
	x, err := h.find(ctx, c.Store, id)
	if err != nil {
		return x, err
	}
	allowed, err := request.Allowed(c.Rights.May(ctx, p, x.action, x.about))
	if err == nil && !allowed {
		err = errAbsent
	}
	return x, err
}

// planning is how far the session's chart has come: under discussion, approved, or built for a run.
func (x found) planning(ctx context.Context, s Store) (p draftchart.Planning, err error) {
	if x.draft.ID == "" {
		f, err := draft.Saved(ctx, s, x.run.Flow, x.run.Revision)
		if err != nil {
			return p, fmt.Errorf("read version %d of %s: %w", x.run.Revision, x.run.Flow, err)
		}
		if p, err = draftchart.PlanningOf(f); err == nil { // nothing is under discussion any more
			p, _, err = p.Build()
		}
		return p, err
	}
	if x.draft.Status == draft.Discarded {
		return p, nil
	}
	_, f, err := draft.Decode(x.draft)
	if err != nil {
		return p, err
	}
	if x.draft.Status == draft.Approved {
		return draftchart.PlanningOf(f)
	}
	d, _ := draftchart.DraftOf(f)
	p, _, err = p.Save(d, 0)
	return p, err
}
