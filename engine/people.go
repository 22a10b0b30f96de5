package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/authority"
	"sluice/engine/history"
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

// unanswerable gives the reason why no person may answer the gate that a timer asks about. It is empty when a person may, or when the gate
// is closed.
func (e *Engine) unanswerable(ctx context.Context, t storage.Timer) (string, error) {
	row, err := e.cfg.Store.Run(ctx, t.Run)
	if err != nil {
		return "", err
	}
	st, err := history.DecodeState(row.State)
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

// Nobody gives the reason why no person can answer a gate at this moment. It is empty when a person can, or when that is not known. It
// closes no gate: that is decided when a gate opens.
func (e *Engine) Nobody(ctx context.Context, row storage.Run, body GateBody) (string, error) {
	if e.cfg.Directory == nil {
		return "", nil
	}
	a := askedOf(row, body)
	asked, may, err := e.able(ctx, a)
	if err != nil && !(errors.Is(err, ErrLookup) && len(may) > 0) {
		return "", err
	}
	if len(may) > 0 {
		return "", nil
	}
	var why []string
	for _, p := range asked.who {
		text, err := e.missing(ctx, p, a.Not)
		if err != nil {
			return "", err
		}
		why = append(why, text)
	}
	return "nobody may answer: " + strings.Join(why, "; "), nil
}

// missing gives the reason why one principal that a gate names cannot answer it. not is the requester of the run, where they may not
// answer.
func (e *Engine) missing(ctx context.Context, p Principal, not string) (string, error) {
	switch p.Kind {
	case "unknown":
		return "nobody is called " + p.Name, nil
	case "user":
		who, err := e.Principal(ctx, history.Actor{User: p.ID})
		switch {
		case err != nil:
			return "", err
		case who.Standing == authority.Guest:
			return p.Name + " is a guest, whom the flow must name by user id", nil
		case who.Standing == authority.Foreign:
			return p.Name + " is of another workspace", nil
		case who.Standing == authority.Member:
			return p.Name + " asked for the run and may not approve it", nil
		}
		return p.Name + " is deactivated or a bot", nil
	}
	if not != "" {
		if members, err := e.cfg.Directory.Members(ctx, p); err != nil {
			return "", fmt.Errorf("list the members of %s: %w", p.Name, err)
		} else if slices.Contains(members, not) {
			return p.Name + " has no active members besides the requester, who may not approve it", nil
		}
	}
	return p.Name + " has no active members", nil
}
