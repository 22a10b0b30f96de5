package bot

import (
	"context"

	"sluice/storage"
)

// store is what the conversation needs of the database.
type store interface {
	Draft(ctx context.Context, id string) (storage.Draft, error)
	DraftInThread(ctx context.Context, channel, thread string) (storage.Draft, error)
	Flow(ctx context.Context, name string) (storage.Flow, error)
	Flows(ctx context.Context) ([]storage.Flow, error)
	Gate(ctx context.Context, id string) (storage.Gate, error)
	Gates(ctx context.Context, q storage.GateQuery) ([]storage.Gate, error)
	Pauses(ctx context.Context) ([]storage.Pause, error)
	PendingInThread(ctx context.Context, thread string, limit int) ([]storage.Inbox, error)
	PutInbox(ctx context.Context, m storage.Inbox) (fresh bool, err error)
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
	Run(ctx context.Context, id string) (storage.Run, error)
	RunByName(ctx context.Context, name string) (storage.Run, error)
	Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error)
	Schedule(ctx context.Context, id string) (storage.Schedule, error)
	Schedules(ctx context.Context, flow string) ([]storage.Schedule, error)
	Surface(ctx context.Context, id string) (storage.Surface, error)
	SurfaceAt(ctx context.Context, channel, ts string) (storage.Surface, error)
	Triggers(ctx context.Context, kind, subject string) ([]storage.Trigger, error)
	TriggersOf(ctx context.Context, flow string) ([]storage.Trigger, error)
	Write(ctx context.Context, b *storage.Batch) error
}
