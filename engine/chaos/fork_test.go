package chaos_test

import (
	"context"
	"errors"

	"sluice/engine"
	"sluice/engine/run"
	"sluice/storage"
)

// The flow of which runs that are over are forked, and the node that they are forked from.
const (
	forkedFlow = "chain"
	forkedNode = "second"
)

// fork forks a run that is over, and says what is wrong if that cannot be done.
func (c *counter) fork(ctx context.Context, id string) (refused string, err error) {
	_, err = c.e.Fork(ctx, id, engine.ForkPoint{Node: forkedNode}, nil, meddler)
	var ue *engine.UserError
	if errors.As(err, &ue) && ue.Code != "paused" {
		return ue.Text, nil
	}
	return "", err
}

// fork forks one of the runs that have come to a good end; what they did is kept.
func (s *storm) fork() {
	s.Helper()
	var over []storage.Run
	s.ask("list the runs", func(ctx context.Context) error {
		all, err := s.store.Runs(ctx, storage.RunQuery{Flow: forkedFlow, Top: true, Limit: 1000})
		over = nil
		for _, r := range all {
			if s.started[r.ID] != nil && r.Status == string(run.Succeeded) {
				over = append(over, r)
			}
		}
		return err
	})
	if len(over) == 0 {
		return
	}
	s.mu.Lock()
	r := over[s.r.IntN(len(over))]
	s.mu.Unlock()
	var refused string
	if s.tell("/fork", r.ID, &refused); refused != "" {
		s.Errorf("%s cannot be forked: %s", r.Name, refused)
	}
	s.note("%s is forked", r.Name)
}

// forked says what the forks must have come to: the same as the run that they come from, without another act. A fork whose worker
// died before it could tell was asked for twice.
func (s *storm) forked() {
	s.Helper()
	names := map[string]*begunRun{}
	for id, b := range s.started {
		names[s.rows[id].Name] = b
	}
	for id, row := range s.rows {
		if row.Flow != forkedFlow || row.Parent != "" || s.started[id] != nil {
			continue
		}
		for _, f := range s.factsOf(id) {
			if b, ok := f.Body.(*run.RunForked); ok && names[b.From] != nil {
				from := *names[b.From]
				forecast := *from.forecast
				forecast.acts = map[place]int{}
				from.forecast = &forecast
				s.started[id] = &from
				s.figures.forks++
			}
		}
	}
}
