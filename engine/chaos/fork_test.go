package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// The flow whose ended runs are forked, and the node that they are forked from. That node performs a once act.
const (
	forkedFlow = "chain"
	forkedNode = "second"
	// generationsPerFork is how many generations of acts each run owns: the engine multiplies the run's number by it.
	generationsPerFork = 1000
)

// forking asks a worker to fork a run, and to do its acts at some nodes again.
type forking struct {
	Run   string
	Again []string
}

// redoActor forks runs whose act is to be done again. The judge reads from the actor what was asked for.
var redoActor = history.Actor{User: "U3", Via: history.ViaCommand}

// fork forks a run that has ended, and gives the reason of a refusal.
func (c *workerAPI) fork(ctx context.Context, f forking) (refused string, err error) {
	by := operator
	if len(f.Again) > 0 {
		by = redoActor
	}
	_, err = c.e.Fork(ctx, f.Run, engine.ForkPoint{Node: forkedNode}, f.Again, by)
	var ue *usererror.Error
	if errors.As(err, &ue) && ue.Code != "paused" {
		return ue.Text, nil
	}
	return "", err
}

// fork forks a succeeded run twice: one fork keeps every act, the other repeats the act of the node where it begins.
func (s *storm) fork() {
	s.Helper()
	var over []storage.Run
	s.query("list the runs", func(ctx context.Context) error {
		all, err := s.store.Runs(ctx, storage.RunQuery{Flow: forkedFlow, Top: true, Limit: 1000})
		over = nil
		for _, r := range all {
			if s.started[r.ID] != nil && r.Status == string(history.Succeeded) {
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
	for _, again := range [][]string{nil, {forkedNode}} {
		var refused string
		began := time.Now()
		if s.tell("/fork", forking{r.ID, again}, &refused); refused != "" {
			s.Errorf("%s cannot be forked: %s", r.Name, refused)
		}
		s.mu.Lock()
		s.forkTimes = append(s.forkTimes, moment{began, time.Now()})
		s.mu.Unlock()
		s.note("%s is forked; again: %v", r.Name, again)
	}
}

// forked records what the forks must have come to: the same as their origin, with no act but the repeated one. A fork whose worker died
// before it answered was asked for twice.
func (s *storm) forked() {
	s.Helper()
	names := map[string]*begunRun{}
	for id, b := range s.started {
		names[s.rows[id].Name] = b
	}
	s.forks = map[string]string{}
	for id, row := range s.rows {
		if row.Flow != forkedFlow || row.Parent != "" || s.started[id] != nil {
			continue
		}
		facts := s.factsOf(id)
		i := slices.IndexFunc(facts, func(f history.Fact) bool { return f.Kind == history.KindOf((*history.RunForked)(nil)) })
		if i < 0 {
			continue
		}
		b := facts[i].Body.(*history.RunForked)
		if names[b.From] == nil {
			continue
		}
		from := *names[b.From]
		expectation := *from.expectation
		expectation.acts = map[place]int{}
		if facts[i].Actor.User == redoActor.User {
			s.figures.redone++
			if !slices.ContainsFunc(facts[i:], func(f history.Fact) bool { return begun(f) && f.Node == forkedNode }) {
				s.Errorf("run %s was to do the act at %s again, and has not", row.Name, forkedNode)
			}
			maps.Copy(expectation.acts, from.expectation.acts)
			maps.DeleteFunc(expectation.acts, func(at place, _ int) bool { return at.Node != forkedNode })
		}
		from.expectation = &expectation
		s.started[id] = &from
		s.forks[fmt.Sprint(b.Origin, "/", row.Number)] = id
		s.figures.forks++
	}
}
