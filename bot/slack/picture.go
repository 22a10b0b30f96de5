package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/render"
	"sluice/storage"
)

const (
	filePoll = 50 * time.Millisecond
	fileWait = 10 * time.Second
)

// prepare draws and uploads a card's picture unless the message shows that very picture already. It returns the picture to show
// and the file that it replaces, to be deleted once the message is edited.
func (a *App) prepare(ctx context.Context, s *storage.Surface, c card.Card) (pic *picture, old string, err error) {
	if c.Picture == nil {
		return nil, "", nil
	}
	req := render.Request{Plan: c.Picture.Plan, Overlay: c.Picture.Overlay, Diff: c.Picture.Diff, Subtitle: c.Picture.Subtitle}
	if c.Picture.Title != "" {
		req.Plan.Title = c.Picture.Title
	}
	alt := a.cfg.Render.Alt(req)
	file, key, _ := strings.Cut(s.File, " ")
	if file != "" && key == c.Picture.Key {
		return &picture{file: file, alt: alt}, "", nil
	}
	png, err := a.cfg.Render.PNG(ctx, req)
	if err != nil {
		return nil, "", &project.PermanentError{Err: fmt.Errorf("draw the flowchart: %w", err)}
	}
	up, err := a.api.UploadFileContext(ctx, slackgo.UploadFileParameters{
		Filename: "flowchart.png", FileSize: len(png), Reader: bytes.NewReader(png), Title: cut(req.Plan.Title, 200), AltTxt: cut(alt, 1000),
	})
	if err != nil {
		return nil, "", fmt.Errorf("upload the flowchart: %w", err)
	}
	if err := a.awaitFile(ctx, up.ID); err != nil {
		return nil, "", err
	}
	s.File = up.ID + " " + c.Picture.Key
	return &picture{file: up.ID, alt: alt}, file, nil
}

// awaitFile waits until Slack has looked at a file: a block that shows it earlier is refused.
func (a *App) awaitFile(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, fileWait)
	defer cancel()
	for {
		f, _, _, err := a.api.GetFileInfoContext(ctx, id, 0, 0)
		if err != nil {
			return fmt.Errorf("wait for the flowchart's file: %w", err)
		}
		if f.Mimetype != "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the flowchart's file was not ready within %s", fileWait)
		case <-time.After(filePoll):
		}
	}
}

// dropFile removes a picture that no message shows any more. Failing leaves an orphan, no more.
func (a *App) dropFile(ctx context.Context, id string) {
	if err := a.api.DeleteFileContext(ctx, id); err != nil {
		a.log.Info("an old flowchart was not deleted", "file", id, "error", err)
	}
}

func privateBody(s storage.Surface) (project.PrivateBody, error) {
	var b project.PrivateBody
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return b, &project.PermanentError{Err: fmt.Errorf("read a private line: %w", err)}
	}
	return b, nil
}
