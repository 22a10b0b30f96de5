package drafts

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/storage"
)

// Ports are what the conversation about drafts needs.
type Ports struct {
	Engine    *engine.Engine
	Store     Store
	Access    *request.Access
	Replies   *request.Replies
	Tools     tool.Catalogue
	Directory people.Directory
	Slack     Slack
	Cards     *surface.Cards
	Log       *slog.Logger
	Secret    func(name string) bool // is a secret set; nil = not known
	Model     bool                   // a language model answers for agents
	Models    []string               // those that the installation lists
	Ceilings  flow.Ceilings          // what no flow may pass
	// HookProblem says what keeps a webhook of a flow from being heard, and what to do about it; empty = nothing. nil = not known.
	HookProblem func(name string, w flow.WebhookTrigger) string
	// SecondPerson demands that somebody else than an edit's author approves what a revision newly allows.
	SecondPerson bool
	Approvers    []string // "@group", "@user" or ids who may be that second person for any flow
}

// Store holds drafts, flows and their revisions.
type Store interface {
	Draft(ctx context.Context, id string) (storage.Draft, error)
	DraftsAfter(ctx context.Context, id string, limit int) ([]storage.Draft, error)
	DraftInThread(ctx context.Context, channel, thread string) (storage.Draft, error)
	Flow(ctx context.Context, name string) (storage.Flow, error)
	Gate(ctx context.Context, id string) (storage.Gate, error)
	Gates(ctx context.Context, q storage.GateQuery) ([]storage.Gate, error)
	Revisions(ctx context.Context, flow string) ([]storage.Revision, error)
	Run(ctx context.Context, id string) (storage.Run, error)
	LiveRuns(ctx context.Context, q storage.LiveQuery, before *storage.Run) ([]storage.Run, error)
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
	Surface(ctx context.Context, id string) (storage.Surface, error)
	SurfaceAt(ctx context.Context, channel, ts string) (storage.Surface, error)
	Write(ctx context.Context, b *storage.Batch) error
}

// Slack has the calls of Slack that drafts make at once, without a stored surface.
type Slack interface {
	// React adds an emoji to a message, to show that it arrived. An error changes nothing else.
	React(ctx context.Context, channel, ts, emoji string) error
	// File reads a file that somebody attached to a message, if it has at most so many bytes. ErrFileGone, ErrFileClosed and
	// ErrFileBig stay as they are when it is tried again; any other error is a fault.
	File(ctx context.Context, f request.File, most int) ([]byte, error)
}

// Why a file cannot be read, wrapped with what was being done.
var (
	ErrFileGone   = errors.New("the file was deleted")
	ErrFileClosed = errors.New("the file cannot be read")
	ErrFileBig    = errors.New("the file is too big")
)

// Drafts is the conversation about drafts, by subject.
type Drafts struct {
	Words *Words // draft and change flows by words
	// Beginnings draft flows of forms and of messages.
	Beginnings *Beginnings
	Continuing *Continuing // change the flow of a single run in which a step has failed
	Files      *Files      // draft and change flows by files, and give files of them
	Questions  *Questions  // what is asked and answered on a draft's card
	Needs      *Needs      // what stands here for names of a file
	Approvals  *Approvals  // approve and discard
	Trials     *Trials     // try and replay
}

// parts are what the subjects share.
type parts struct {
	*Ports
	find  *finder
	plan  *planning
	judge *examiner
	write *writer
}

// New makes the conversation about drafts.
func New(ports Ports) *Drafts {
	p := &parts{Ports: &ports, find: &finder{&ports}, plan: &planning{&ports}, judge: &examiner{&ports}}
	p.write = &writer{p}
	trials, questions := &Trials{p}, &Questions{p}
	needs := &Needs{questions}
	words := &Words{parts: p, trials: trials, needs: needs}
	return &Drafts{
		Words: words, Beginnings: &Beginnings{words}, Continuing: &Continuing{words}, Files: &Files{parts: p, one: make(chan struct{}, 1)},
		Questions: questions, Needs: needs, Approvals: &Approvals{p}, Trials: trials,
	}
}

// reactionMost is how long an answer waits for the reaction that comes before it.
const reactionMost = 2 * time.Second

// marked says whether a delivery is a person's message, on which a reaction shows what becomes of it.
func marked(in request.Incoming) bool {
	return in.TS != "" && (in.Kind == request.KindMention || in.Kind == request.KindMessage || in.Kind == request.KindShortcut)
}

// drafted adds to a batch what the reaction to a message is in the end.
func (p *Ports) drafted(in request.Incoming, emoji string, batch *storage.Batch) {
	if marked(in) {
		batch.Surfaces = append(batch.Surfaces, surface.Drafted(in.Channel, in.TS, emoji, p.Engine.Now()))
	}
}

// heard adds a reaction to a message that is being worked on.
func (p *Ports) heard(ctx context.Context, in request.Incoming) {
	if !marked(in) || p.Slack == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reactionMost)
	defer cancel()
	if err := p.Slack.React(ctx, in.Channel, in.TS, surface.HeardMark); err != nil {
		p.Log.Info("no reaction", "channel", in.Channel, "error", err)
	}
}
