package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sluice/engine/run"
	"sluice/storage"
)

const (
	askers   = 4                // gates that are asked about at once
	askMost  = 1000             // gates that wait to be asked about; further ones come again when the claim on their timer ends
	askLimit = 20 * time.Second // a directory that takes longer could not be asked
)

// people finds out whether anybody may answer the gates that have been opened, until ctx ends. It does so aside from the other timers:
// a directory may take its time. One that cannot be asked closes no gate; it is asked again when the claim on the timer ends.
func (e *Engine) people(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-e.asking:
			if err := e.askPeople(ctx, t); err != nil && ctx.Err() == nil {
				e.log.Warn("it is not known who may answer a gate; asking again later", "run", t.Run, "error", err)
			}
		}
	}
}

func (e *Engine) askPeople(ctx context.Context, t storage.Timer) error {
	asking, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	reason, err := e.unanswerable(asking, t)
	if err != nil {
		return err
	}
	_, err = e.transition(ctx, t.Run, run.Fired{At: e.Now(), ID: t.Num, Nobody: reason}, nil)
	if domain(err) {
		return nil
	}
	return err
}

// unanswerable says why nobody may answer the gate that a timer asks about; nothing when somebody may, or when the gate is closed.
func (e *Engine) unanswerable(ctx context.Context, t storage.Timer) (string, error) {
	row, err := e.cfg.Store.Run(ctx, t.Run)
	if err != nil {
		return "", err
	}
	st, err := run.DecodeState(row.State)
	if err != nil {
		return "", err
	}
	tm := st.Timer(t.Num)
	if tm == nil || e.cfg.Directory == nil {
		return "", nil
	}
	g, err := e.cfg.Store.Gate(ctx, GateID(t.Run, tm.Gate))
	if err != nil {
		return "", err
	}
	body, err := DecodeGate(g)
	if err != nil {
		return "", err
	}
	return e.Nobody(ctx, row, body)
}

// Nobody says why there is nobody who could answer a gate at this moment; nothing when there is somebody, or when nobody knows. It closes
// no gate: that is for the moment at which one opens.
func (e *Engine) Nobody(ctx context.Context, row storage.Run, body GateBody) (string, error) {
	if e.cfg.Directory == nil {
		return "", nil
	}
	who, users, err := e.Deciders(ctx, row, body)
	if err != nil {
		return "", err
	}
	requester := ""
	for _, id := range users {
		p, err := e.cfg.Directory.Person(ctx, id)
		switch {
		case err != nil:
			return "", fmt.Errorf("look up %s: %w", id, err)
		case !p.Active || p.Bot:
		case id == row.By && selfless(body.Opened.Who):
			requester = id
		default:
			return "", nil
		}
	}
	var why []string
	for _, p := range who {
		why = append(why, missing(p, requester))
	}
	return "nobody may answer: " + strings.Join(why, "; "), nil
}

// missing says why one of those whom a gate names cannot answer it; requester is who may not although it is there.
func missing(p Principal, requester string) string {
	switch {
	case p.Kind == "unknown":
		return "nobody is called " + p.Name
	case p.Kind == "user" && p.ID == requester:
		return p.Name + " asked for the run and may not approve it"
	case p.Kind == "user":
		return p.Name + " is deactivated or a bot"
	case requester != "":
		return p.Name + " has no active members besides whoever asked for the run, who may not approve it"
	}
	return p.Name + " has no active members"
}
