package slack

import (
	"context"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

// Surfaces hears what Slack says about the messages that show surfaces, and about their channels; *project.Projector does.
type Surfaces interface {
	// Reachable is called when messages of a channel may be accepted again; with "" those of the whole workspace.
	Reachable(ctx context.Context, channel string) error
	// Unreachable is called when messages of a channel may not be accepted any more.
	Unreachable(ctx context.Context, channel string) error
	// PeopleLeft is called when an account was deactivated, or with "" when people left a group.
	PeopleLeft(ctx context.Context, user string) error
	// Deleted is called when a message was deleted, whether by a person or a bot.
	Deleted(ctx context.Context, channel, ts string) error
	// HomeOpened is called when somebody looks at their Home. published says whether Slack has one to show.
	HomeOpened(ctx context.Context, user string, published bool) error
}

// hint passes on what an event says about a message, a channel or a Home. Such an event is not stored: the state is looked up afterwards, so that an event that
// comes twice or never changes the time of a message and not its content.
func (a *App) hint(ctx context.Context, d delivery) error {
	if a.cfg.Surfaces == nil {
		return nil
	}
	switch e := d.data.(type) {
	case *slackevents.MemberJoinedChannelEvent:
		if e.User == a.user {
			return a.cfg.Surfaces.Reachable(ctx, e.Channel)
		}
	case *channelReopened:
		return a.cfg.Surfaces.Reachable(ctx, e.Channel)
	case *channelClosed:
		return a.cfg.Surfaces.Unreachable(ctx, e.Channel)
	case *slackevents.UserChangeEvent:
		a.people.forget()
		if e.User.Deleted {
			return a.cfg.Surfaces.PeopleLeft(ctx, e.User.ID)
		}
	case *slackevents.SubteamMembersChangedEvent:
		a.people.forget()
		if e.RemovedUsersCount > 0 {
			return a.cfg.Surfaces.PeopleLeft(ctx, "")
		}
	case *slackevents.AppHomeOpenedEvent:
		if e.Tab == "home" {
			return a.cfg.Surfaces.HomeOpened(ctx, e.User, e.View != nil)
		}
	case *slackevents.MessageEvent:
		switch {
		case e.SubType == slackgo.MsgSubTypeMessageDeleted:
			return a.cfg.Surfaces.Deleted(ctx, e.Channel, e.DeletedTimeStamp)
		case e.SubType == slackgo.MsgSubTypeMessageChanged && e.Message.SubType == "tombstone": // deleted, with replies under it
			return a.cfg.Surfaces.Deleted(ctx, e.Channel, e.Message.Timestamp)
		}
	}
	return nil
}

// reconnected says that Slack can be reached again, if it accepts the bot token too. When it does not, sending goes on to be tried.
func (a *App) reconnected(ctx context.Context) {
	if a.cfg.Surfaces == nil {
		return
	}
	_, err := a.api.AuthTestContext(ctx)
	if err == nil {
		err = a.cfg.Surfaces.Reachable(ctx, "")
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("the connection to Slack is back, and messages are not sent yet", "error", err)
	}
}
