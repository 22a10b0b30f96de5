package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/surface"
	"sluice/render"
	"sluice/storage"
)

const (
	filePoll = 50 * time.Millisecond
	fileWait = 10 * time.Second
)

// shown is the picture that a card shows, if it is there.
func (a *App) shown(c card.Card) *picture {
	if c.Picture == nil || c.Picture.File == "" {
		return nil
	}
	return &picture{file: c.Picture.File, alt: a.cfg.Render.Alt(renderRequest(c.Picture))}
}

func renderRequest(p *card.Picture) render.Request {
	req := render.Request{Chart: p.Chart, Overlay: p.Overlay, Version: p.Version, Diff: p.Diff, Subtitle: p.Subtitle}
	if p.Title != "" {
		req.Chart.Title = p.Title
	}
	return req
}

// Upload makes the file that a card shows; see project.Sender.
func (a *App) Upload(ctx context.Context, c card.Card) (string, error) {
	if c.File != nil {
		id, err := a.upload(ctx, slackgo.GetUploadURLExternalParameters{FileName: c.File.Name, FileSize: len(c.File.Text)}, strings.NewReader(c.File.Text))
		return id, a.classify("", err)
	}
	req := renderRequest(c.Picture)
	png, err := a.cfg.Render.PNG(ctx, req)
	if err != nil {
		return "", fmt.Errorf("draw the flowchart: %w", err)
	}
	id, err := a.upload(ctx, slackgo.GetUploadURLExternalParameters{
		FileName: "flowchart.png", FileSize: len(png), AltTxt: cut(a.cfg.Render.Alt(req), 1000),
	}, bytes.NewReader(png))
	if err == nil {
		_, err = a.api.CompleteUploadExternalContext(ctx, slackgo.CompleteUploadExternalParameters{
			Files: []slackgo.FileSummary{{ID: id, Title: cut(req.Chart.Title, 200)}},
		})
		err = called(methodShare, err)
	}
	if err == nil {
		err = a.awaitFile(ctx, id)
	}
	err = a.classify("", err)
	if _, known := errors.AsType[*project.RetryError](err); !known && IsAway(err) {
		err = &project.RetryError{Err: err} // the picture is fine
	}
	return id, err
}

// upload brings the bytes of a file to Slack, where they are not visible yet.
func (a *App) upload(ctx context.Context, p slackgo.GetUploadURLExternalParameters, from io.Reader) (string, error) {
	u, err := a.api.GetUploadURLExternalContext(ctx, p)
	if err != nil {
		return "", called(methodUpload, err)
	}
	if err := a.api.UploadToURL(ctx, slackgo.UploadToURLParameters{UploadURL: u.UploadURL, Reader: from, Filename: p.FileName}); err != nil {
		return "", called("upload", err)
	}
	return u.FileID, nil
}

// awaitFile waits until Slack has looked at a file: a block that shows it earlier is refused.
func (a *App) awaitFile(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, fileWait)
	defer cancel()
	for {
		f, _, _, err := a.api.GetFileInfoContext(ctx, id, 0, 0)
		pause := filePoll
		switch limited, ok := errors.AsType[*slackgo.RateLimitedError](err); {
		case err == nil && f.Mimetype != "":
			return nil
		case ok:
			pause = limited.RetryAfter
		case err != nil && !IsAway(err):
			return called("files.info", fmt.Errorf("wait for the flowchart's file: %w", err))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the flowchart's file was not ready within %s", fileWait)
		case <-time.After(pause):
		}
	}
}

// Drop deletes the file of a picture; see project.Sender. When that fails the file stays, and no message shows it.
func (a *App) Drop(ctx context.Context, id string) {
	if err := a.api.DeleteFileContext(ctx, id); err != nil {
		a.log.Info("an old flowchart was not deleted", "file", id, "error", err)
	}
}

func privateBody(s storage.Surface) (surface.PrivateBody, error) {
	var b surface.PrivateBody
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return b, &surface.RefusedError{Code: "bad_body", Err: fmt.Errorf("read a private line: %w", err)}
	}
	return b, nil
}
