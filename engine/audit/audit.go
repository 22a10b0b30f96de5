// Package audit tells who did what: the rows of the audit (approvals, schedules, pauses, tokens) and what stays of the facts of runs (starts,
// decisions, ends) as one list of entries.
//
// An entry never holds a value of a run: of a fact it has what stays when the run is removed (history.Trail), so that the list is the same
// before and after that.
//
// The package does not know who may read what: its callers leave out what somebody may not see. Look next at engine/history/trail.go.
//
// # Decisions
//
//   - Facts have no order beyond their run, and an index by time would cost every transition. Each gives the rows first and then run by run; who
//     wants one order sorts by time.
package audit

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"sluice/engine/history"
	"sluice/storage"
)

// Entry is one thing that somebody did, or that happened on their word.
type Entry struct {
	At     time.Time
	User   string // "" = Sluice itself
	Team   string
	Via    string
	What   string // revision_approved, gate_decided, ...
	Flow   string // "" = it is about no flow
	Run    string // its short name; "" = it is about no run
	Node   string // of the run
	Ref    string // what it is about: a row's reference, or the run
	Detail []byte // JSON, without values; nil = nothing
}

// Store is what the list is read from.
type Store interface {
	AuditPage(ctx context.Context, q storage.AuditQuery) ([]storage.Audit, error)
	Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error)
	Schedules(ctx context.Context, flow string) ([]storage.Schedule, error)
	SomeFacts(ctx context.Context, run string, after int64, limit int, kinds ...string) ([]storage.Fact, error)
}

// Query narrows the list.
type Query struct {
	Flow string    // "" = of all flows, and what is about none
	User string    // "" = of everybody
	From time.Time // zero = from the beginning
	To   time.Time // entries before it; zero = to the end
}

// Fits reports whether an entry is asked for.
func (q Query) Fits(e Entry) bool {
	return (q.Flow == "" || e.Flow == q.Flow) && (q.User == "" || e.User == q.User) && !e.At.Before(q.From) && (q.To.IsZero() || e.At.Before(q.To))
}

// page is how many rows or runs are read at a time.
const page = 200

// Each gives the entries one after the other until visit returns an error: the rows of the audit, newest first, then the facts of the runs,
// newest run first. It holds a page at a time.
func Each(ctx context.Context, s Store, q Query, visit func(Entry) error) error {
	if err := Rows(ctx, s, q, visit); err != nil {
		return err
	}
	var last *storage.Run
	for {
		runs, err := s.Runs(ctx, storage.RunQuery{Flow: q.Flow, Before: last, Limit: page})
		if err != nil {
			return err
		}
		for _, r := range runs {
			if !q.To.IsZero() && !r.Started.Before(q.To) || !r.Ended.IsZero() && r.Ended.Before(q.From) {
				continue
			}
			err := Run(ctx, s, r, func(e Entry) error {
				if q.Fits(e) {
					return visit(e)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if len(runs) < page {
			return nil
		}
		last = &runs[len(runs)-1]
	}
}

// Rows gives the rows of the audit, newest first.
func Rows(ctx context.Context, s Store, q Query, visit func(Entry) error) error {
	schedules, err := s.Schedules(ctx, "")
	if err != nil {
		return err
	}
	flows := map[string]string{}
	for _, c := range schedules {
		flows["schedule:"+c.ID] = c.Flow
	}
	for before := int64(0); ; {
		rows, err := s.AuditPage(ctx, storage.AuditQuery{User: q.User, Before: before, Limit: page})
		if err != nil {
			return err
		}
		for _, row := range rows {
			e := Entry{At: row.At, User: row.User, Team: row.Team, Via: row.Via, What: row.What, Ref: row.Ref, Detail: row.Detail, Flow: flows[row.Ref]}
			if name, ok := strings.CutPrefix(row.Ref, "flow:"); ok {
				e.Flow = name
			}
			if !q.Fits(e) {
				continue
			}
			if err := visit(e); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
		before = rows[len(rows)-1].ID
	}
}

// kinds are the facts of which something is told: what people did, and what came of it. That a question was opened, or that somebody was
// reminded, was done by no person.
var kinds = func() (out []string) {
	for _, k := range history.TrailKinds() {
		switch k {
		case "gate_opened", "gate_reminded", "message_queued", "message_over", "message_withdrawn", "child_started":
		default:
			out = append(out, string(k))
		}
	}
	return out
}()

// Run gives what was done about a run, oldest first.
func Run(ctx context.Context, s Store, r storage.Run, visit func(Entry) error) error {
	return storage.EachFact(ctx, s, r.ID, 0, func(f storage.Fact) error {
		var who history.Actor
		if len(f.Actor) > 0 {
			if err := json.Unmarshal(f.Actor, &who); err != nil {
				return err
			}
		}
		kept, ok, err := history.Trail(history.FactKind(f.Kind), who, f.Body)
		if err != nil || !ok {
			return err
		}
		return visit(Entry{
			At: f.At, User: who.User, Team: who.Team, Via: string(who.Via), What: f.Kind, Flow: r.Flow, Run: r.Name, Node: f.Node, Ref: "run:" + r.ID, Detail: kept,
		})
	}, kinds...)
}
