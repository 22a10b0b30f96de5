package slack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"sluice/bot/drafts"
	"sluice/bot/request"
)

// modeGone is the mode of a file that was deleted.
const modeGone = "tombstone"

// incoming is a file that was shared. In shared channels there may be nothing but its id.
func incoming(f slackgo.File) request.File {
	return request.File{ID: f.ID, Name: f.Name, Type: f.Mimetype, Size: f.Size, URL: cmp.Or(f.URLPrivateDownload, f.URLPrivate)}
}

// filesOf lists what is attached to a message. An app_mention may leave out what its message has.
func (a *App) filesOf(ctx context.Context, m *slackevents.MessageEvent) ([]request.File, error) {
	if len(m.Message.Files) > 0 || m.Type != "app_mention" {
		return attached(m.Message.Files), nil
	}
	thread := m.ThreadTimeStamp
	if thread == m.TimeStamp {
		thread = ""
	}
	posted, _, err := a.one(ctx, m.Channel, thread, m.TimeStamp)
	if err != nil && passing(err) {
		return nil, fmt.Errorf("look at a message that names the bot: %w", err)
	}
	if err != nil {
		a.log.Info("a message that names the bot cannot be looked at; its files are not known", "channel", m.Channel, "error", err)
	}
	return attached(posted.Files), nil
}

// attached are the files of a message.
func attached(files []slackgo.File) []request.File {
	var out []request.File
	for _, f := range files {
		out = append(out, incoming(f))
	}
	return out
}

// File reads what somebody attached to a message; see bot.Slack. The token goes to Slack's own hosts and the API's alone: the client
// refuses any other address.
func (a *App) File(ctx context.Context, f request.File, most int) ([]byte, error) {
	if f.URL == "" {
		info, _, _, err := a.api.GetFileInfoContext(ctx, f.ID, 0, 0)
		if err != nil {
			return nil, fileError(fmt.Errorf("ask for the file %s: %w", f.ID, err))
		}
		if info.Mode == modeGone {
			return nil, fmt.Errorf("ask for the file %s: %w", f.ID, drafts.ErrFileGone)
		}
		f = incoming(*info)
	}
	if f.Size > most {
		return nil, fmt.Errorf("%d bytes: %w", f.Size, drafts.ErrFileBig)
	}
	got := &capped{most: most}
	if err := a.api.GetFileContext(ctx, f.URL, got); err != nil {
		return nil, fileError(fmt.Errorf("download the file %s: %w", f.ID, err))
	}
	return got.Bytes(), nil
}

// capped holds so many bytes and refuses more.
type capped struct {
	bytes.Buffer
	most int
}

func (c *capped) Write(b []byte) (int, error) {
	if c.Len()+len(b) > c.most {
		return 0, fmt.Errorf("more than %d bytes: %w", c.most, drafts.ErrFileBig)
	}
	return c.Buffer.Write(b)
}

// ReadFrom goes through Write, so that nothing is read past the cap.
func (c *capped) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{c}, r) }

// fileError sorts why a file was not read: a passing error stays a fault that is tried again, any other one is final.
func fileError(err error) error {
	var status slackgo.StatusCodeError
	var address *url.Error
	switch {
	case errors.As(err, &address) && address.Op == "parse":
		return fmt.Errorf("%w: %w", drafts.ErrFileClosed, err)
	case errors.Is(err, drafts.ErrFileBig) || passing(err):
		return err
	case errors.As(err, &status) && (status.Code == http.StatusNotFound || status.Code == http.StatusGone):
		return fmt.Errorf("%w: %w", drafts.ErrFileGone, err)
	case hasCode(err, "file_not_found", "file_deleted"):
		return fmt.Errorf("%w: %w", drafts.ErrFileGone, err)
	}
	return fmt.Errorf("%w: %w", drafts.ErrFileClosed, err)
}

// passing says that a call failed for a reason that may be over when it is tried again.
func passing(err error) bool {
	return IsAway(err) || errors.Is(err, context.Canceled) || hasCode(err, "internal_error", "fatal_error", "service_unavailable", "request_timeout")
}

// hasCode says whether Slack answered with one of these errors.
func hasCode(err error, codes ...string) bool {
	var answer slackgo.SlackErrorResponse
	return errors.As(err, &answer) && slices.Contains(codes, answer.Err)
}
