package request

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Access says what the sender of a delivery may do and see.
type Access struct {
	Engine    Authority
	Store     Records
	Directory people.Directory
	Now       func() time.Time
	Admins    []string // user ids
	Approvers []string // "@group", "@user" or ids who may be the second person for any flow
}

// Authority decides what a person may do. The engine does.
type Authority interface {
	Principal(ctx context.Context, a history.Actor) (authority.Principal, error)
	May(ctx context.Context, p authority.Principal, a authority.Action, about people.About) error
}

// Records are the flows and runs that people may ask about.
type Records interface {
	Flow(ctx context.Context, name string) (storage.Flow, error)
	Flows(ctx context.Context) ([]storage.Flow, error)
	Run(ctx context.Context, id string) (storage.Run, error)
	RunByName(ctx context.Context, name string) (storage.Run, error)
	Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error)
	SurfaceAt(ctx context.Context, channel, ts string) (storage.Surface, error)
}

// ErrHidden is the answer both when a flow or run does not exist and when the person may not read it: the two cannot be told apart.
var ErrHidden = &usererror.Error{Code: "no_such", Text: "There is no such flow or run.", Hint: "`list` shows your flows, `runs` your runs."}

// Who gives the principal that sent a delivery.
func (ac *Access) Who(ctx context.Context, in Incoming) (authority.Principal, error) {
	p, err := ac.Engine.Principal(ctx, in.Actor())
	p.Admin = p.Admin || slices.Contains(ac.Admins, in.User)
	return p, err
}

// May asks whether the sender of a delivery may do an action: nil, an *authority.Denied, or a fault.
func (ac *Access) May(ctx context.Context, in Incoming, a authority.Action, about people.About) error {
	p, err := ac.Who(ctx, in)
	if err != nil {
		return err
	}
	return ac.MayAs(ctx, p, a, about)
}

// MayAs is May for a principal that is known already.
func (ac *Access) MayAs(ctx context.Context, p authority.Principal, a authority.Action, about people.About) error {
	about.Approvers = ac.Approvers
	return ac.Engine.May(ctx, p, a, about)
}

// AsDenied gives the refusal in an error that has no words yet.
func AsDenied(err error) (*authority.Denied, bool) {
	if _, said := errors.AsType[*usererror.Error](err); said {
		return nil, false
	}
	return errors.AsType[*authority.Denied](err)
}

// Allowed tells a refusal from a fault.
func Allowed(err error) (bool, error) {
	if _, denied := AsDenied(err); denied {
		return false, nil
	}
	return err == nil, err
}

// Hidden reports whether an error means that the person may not see what they asked for.
func Hidden(err error) bool {
	denied, ok := AsDenied(err)
	return ok && denied.Code == authority.Hidden
}

// Flow loads a flow for a reader. A removed one is refused.
func (ac *Access) Flow(ctx context.Context, in Incoming, name string) (storage.Flow, error) {
	f, err := ac.FlowEver(ctx, in, name)
	if err == nil && !f.Retired.IsZero() {
		err = usererror.Removed(f.Name)
	}
	return f, err
}

// FlowEver is Flow, also for one that was removed: its runs and what was done to it can still be read.
func (ac *Access) FlowEver(ctx context.Context, in Incoming, name string) (storage.Flow, error) {
	f, err := ac.Store.Flow(ctx, name)
	if err == nil {
		err = ac.May(ctx, in, authority.ReadFlow, people.AboutFlow(f))
	}
	if errors.Is(err, storage.ErrNotFound) || Hidden(err) {
		return storage.Flow{}, ac.unknownFlow(ctx, in, name)
	}
	return f, err
}

// Readable lists the flows that a person may see. Removed ones are left out.
func (ac *Access) Readable(ctx context.Context, in Incoming) ([]storage.Flow, error) {
	all, err := ac.ReadableEver(ctx, in)
	return slices.DeleteFunc(all, func(f storage.Flow) bool { return !f.Retired.IsZero() }), err
}

// ReadableEver is Readable with the flows that were removed.
func (ac *Access) ReadableEver(ctx context.Context, in Incoming) ([]storage.Flow, error) {
	p, err := ac.Who(ctx, in)
	if err != nil {
		return nil, err
	}
	all, err := ac.Store.Flows(ctx)
	if err != nil {
		return nil, err
	}
	var out []storage.Flow
	for _, f := range all {
		ok, err := Allowed(ac.MayAs(ctx, p, authority.ReadFlow, people.AboutFlow(f)))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	return out, nil
}

// Run loads a run for a reader: by its short name.
func (ac *Access) Run(ctx context.Context, in Incoming, name string) (storage.Run, error) {
	r, err := ac.Store.RunByName(ctx, name)
	if err == nil {
		err = ac.MayRun(ctx, in, authority.ReadRun, r)
	}
	if errors.Is(err, storage.ErrNotFound) || Hidden(err) {
		return storage.Run{}, ac.unknownRun(ctx, in, name)
	}
	return r, err
}

// ClickedRun loads the run behind a button.
func (ac *Access) ClickedRun(ctx context.Context, in Incoming) (storage.Run, error) {
	r, err := ac.Store.Run(ctx, in.Value)
	if err == nil {
		err = ac.MayRun(ctx, in, authority.ReadRun, r)
	}
	return r, HideMissing(err)
}

// HideMissing gives the answer for what a person may not see to an error that says that there is no such row.
func HideMissing(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return ErrHidden
	}
	return err
}

func (ac *Access) unknownFlow(ctx context.Context, in Incoming, name string) error {
	flows, err := ac.Readable(ctx, in)
	if err != nil {
		return err
	}
	return Unknown("flow", name, NamesOf(flows), "`/flow list` shows your flows.")
}

// NamesOf are the names of flows; never nil, because a query for the runs of no flows must not be one for all.
func NamesOf(flows []storage.Flow) []string {
	names := make([]string, len(flows))
	for i, f := range flows {
		names[i] = f.Name
	}
	return names
}

func (ac *Access) unknownRun(ctx context.Context, in Incoming, name string) error {
	rows, err := ac.Store.Runs(ctx, storage.RunQuery{Limit: 100})
	if err == nil {
		rows, err = ac.ReadableRuns(ctx, in, rows)
	}
	if err != nil {
		return err
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return Unknown("run", name, names, "`/flow runs` shows your runs.")
}

// ReadableRuns keeps those of some runs that a person may see.
func (ac *Access) ReadableRuns(ctx context.Context, in Incoming, rows []storage.Run) (out []storage.Run, err error) {
	for _, r := range rows {
		ok, err := Allowed(ac.MayRun(ctx, in, authority.ReadRun, r))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// MayRun is May for a run.
func (ac *Access) MayRun(ctx context.Context, in Incoming, a authority.Action, r storage.Run) error {
	f, err := ac.Store.Flow(ctx, r.Flow)
	if err != nil {
		return err
	}
	return ac.May(ctx, in, a, people.AboutRun(f, r))
}

// MayDraft is May for a draft. authors are those of its edits.
func (ac *Access) MayDraft(ctx context.Context, in Incoming, a authority.Action, d storage.Draft, authors []string) error {
	return ac.May(ctx, in, a, AboutDraft(d, authors))
}

func AboutDraft(d storage.Draft, authors []string) people.About {
	return people.About{Home: d.Channel, Authors: append(slices.Clone(authors), d.Author)}
}

// ReadableRun finds a run by its short name, if a person may see it.
func (ac *Access) ReadableRun(ctx context.Context, in Incoming, name string) (r storage.Run, ok bool, err error) {
	r, err = ac.Store.RunByName(ctx, name)
	if err != nil {
		return r, false, storage.IgnoreMissing(err)
	}
	ok, err = Allowed(ac.MayRun(ctx, in, authority.ReadRun, r))
	return r, ok, err
}

// RunsOfThread lists the run whose status message began the thread of a delivery, else those that live in it. The person may not be allowed
// to see them.
func (ac *Access) RunsOfThread(ctx context.Context, in Incoming) ([]storage.Run, error) {
	s, err := ac.Store.SurfaceAt(ctx, in.Channel, in.Thread)
	if err == nil && s.Kind == surface.KindStatus {
		r, err := ac.Store.Run(ctx, strings.TrimPrefix(s.Ref, surface.RunRef("")))
		return []storage.Run{r}, err
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nil, err
	}
	rows, err := ac.Store.Runs(ctx, storage.RunQuery{Channel: in.Channel, Thread: in.Thread})
	return slices.DeleteFunc(rows, func(r storage.Run) bool { return r.Parent != "" }), err
}

// ErrAbsent means that what a command makes cannot be shown where it was typed.
var ErrAbsent = errors.New("the bot is not in this conversation")

// Present checks that the bot can post where a command was typed. Other deliveries come only from where it is a member.
func (ac *Access) Present(ctx context.Context, in Incoming) error {
	if in.Kind != KindShortcut && (in.Kind != KindCommand || in.Direct) {
		return nil
	}
	ok, err := ac.Hears(ctx, in.Channel)
	if err == nil && !ok {
		err = ErrAbsent
	}
	return err
}

// Hears says whether the bot is in a conversation.
func (ac *Access) Hears(ctx context.Context, channel string) (bool, error) {
	if l, ok := ac.Directory.(trigger.Listener); ok {
		return l.Hears(ctx, channel)
	}
	return true, nil
}

// Located corrects whether a command was typed to the bot: a direct message may be one between other people.
func (ac *Access) Located(ctx context.Context, in Incoming) (_ Incoming, err error) {
	if in.Kind == KindCommand && in.Direct {
		in.Direct, err = ac.Hears(ctx, in.Channel)
	}
	return in, err
}
