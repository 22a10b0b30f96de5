package operate

import (
	"context"
	"errors"
	"time"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/schedule"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Ports are what operations on runs and flows need.
type Ports struct {
	Engine    Engine
	Store     Store
	Access    *request.Access
	Replies   *request.Replies
	Directory people.Directory
	Tools     tool.Catalogue
	Cards     *surface.Cards
	Example   func() string // a description that can be typed, for a person without flows
}

// Starts starts runs by hand, Lists shows what there is, Runs changes runs, and Holds decides when they may go on or begin.
type (
	Starts struct{ *Ports }
	Lists  struct{ *Ports }
	Runs   struct{ *Ports }
	Holds  struct{ *Ports }
)

// Engine has the operations on runs and flows.
type Engine interface {
	Agents(ctx context.Context) ([]flow.Agent, error)
	Start(ctx context.Context, q engine.StartRequest) (engine.Started, error)
	StartOf(ctx context.Context, id string) (*history.RunStarted, error)
	RunAnyway(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) (left []history.Hold, err error)
	Cancel(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) error
	ForkPlan(ctx context.Context, id string, at engine.ForkPoint) (*engine.ForkPlan, error)
	Fork(ctx context.Context, id string, at engine.ForkPoint, again []string, actor history.Actor, inbox ...int64) (storage.Run, error)
	MovePlan(ctx context.Context, flow string, to int) (engine.MovePlan, error)
	Move(ctx context.Context, id string, to int, actor history.Actor, inbox ...int64) error
	MoveFitting(ctx context.Context, flow string, to int, actor history.Actor) (moved int, err error)
	PauseRun(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) error
	ResumeRun(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) (left []history.Hold, err error)
	PauseFlow(ctx context.Context, flow string, actor history.Actor, reason string, add func(*storage.Batch)) (held int, err error)
	RetireFlow(ctx context.Context, name string, add func(*storage.Batch)) error
	ResumeFlow(ctx context.Context, flow string, actor history.Actor, reason string, add func(*storage.Batch)) (released int, err error)
	AddSchedule(ctx context.Context, s storage.Schedule, inputs map[string]any, actor history.Actor, inbox ...int64) (storage.Schedule, []time.Time, error)
	PrepareSchedule(ctx context.Context, s storage.Schedule, inputs map[string]any) (storage.Schedule, []time.Time, error)
	ReadSchedule(words, zone string) (schedule.Timetable, error)
	ReadUntil(words, zone string) (time.Time, error)
	SkipNext(s storage.Schedule) (_ storage.Schedule, skipped time.Time, err error)
	PauseUntil(s storage.Schedule, end time.Time) (storage.Schedule, error)
	ResumeSchedule(s storage.Schedule) (storage.Schedule, error)
	LeftOut(s storage.Schedule) time.Time
}

// Store holds flows, runs, schedules, triggers and pauses.
type Store interface {
	Flow(ctx context.Context, name string) (storage.Flow, error)
	Pauses(ctx context.Context) ([]storage.Pause, error)
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
	Revisions(ctx context.Context, flow string) ([]storage.Revision, error)
	Draft(ctx context.Context, id string) (storage.Draft, error)
	Run(ctx context.Context, id string) (storage.Run, error)
	RunByName(ctx context.Context, name string) (storage.Run, error)
	Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error)
	Schedule(ctx context.Context, id string) (storage.Schedule, error)
	Schedules(ctx context.Context, flow string) ([]storage.Schedule, error)
	SurfacesOf(ctx context.Context, ref string) ([]storage.Surface, error)
	AuditPage(ctx context.Context, q storage.AuditQuery) ([]storage.Audit, error)
	SomeFacts(ctx context.Context, run string, after int64, limit int, kinds ...string) ([]storage.Fact, error)
	TriggersOf(ctx context.Context, flow string) ([]storage.Trigger, error)
}

// nothingCalled says that no run, flow or schedule has a name, in the same words as for one that is hidden from the person.
func (p *Ports) nothingCalled(ctx context.Context, in request.Incoming, name string, cause error) error {
	if _, said := errors.AsType[*usererror.Error](cause); !said || errors.Is(cause, storage.ErrRetired) {
		return cause
	}
	flows, err := p.Access.Readable(ctx, in)
	if err != nil {
		return err
	}
	return request.Unknown("run, flow or schedule", name, request.NamesOf(flows), "`/flow runs` shows your runs, `/flow list` your flows, `/flow schedules` your schedules.")
}

// operates refuses a person who may not operate a run.
func (p *Ports) operates(ctx context.Context, in request.Incoming, r storage.Run) error {
	f, err := p.Store.Flow(ctx, r.Flow)
	if err != nil {
		return err
	}
	err = p.Access.May(ctx, in, authority.OperateRun, people.AboutRun(f, r))
	return request.Because(err, card.Textf("Only who asked for the run, the flow's owner, approvers and admins may do this. %s", request.OwnedBy(f)), "")
}

// startable finds a flow that a person may start.
func (p *Ports) startable(ctx context.Context, in request.Incoming, name string) (storage.Flow, error) {
	f, err := p.Access.Flow(ctx, in, name)
	if err == nil {
		err = p.Access.May(ctx, in, authority.Start, people.AboutFlow(f))
	}
	return f, err
}

// resumed says whether a run goes on now. left are the holds that it still has.
func (p *Ports) resumed(ctx context.Context, in request.Incoming, r storage.Run, left []history.Hold) error {
	if len(left) > 0 {
		return p.Replies.After(ctx, in, card.Textf("*%s* is still paused %s.", r.Name, surface.HeldBy(left)))
	}
	return p.Replies.Done(ctx, in, card.Textf("*%s* goes on.", r.Name))
}
