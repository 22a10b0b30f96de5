package slacksim_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/slacksim"
)

// picture is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// upload sends a picture without a channel, as an image block needs it.
func (w *workspace) upload(body []byte) string {
	w.t.Helper()
	f, err := w.api.UploadFile(slack.UploadFileParameters{
		Filename: "flow.png", FileSize: len(body), Reader: bytes.NewReader(body), AltTxt: "a flow", Title: "Flow",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return f.ID
}

// ready polls a file until its mimetype is set, as apps must.
func (w *workspace) ready(id string) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		f, _, _, err := w.api.GetFileInfo(id, 0, 0)
		if err != nil {
			w.t.Fatal(err)
		}
		if f.Mimetype != "" {
			return
		}
	}
	w.t.Fatal("the file never got a mimetype")
}

func imageBlock(blockID, file string) slack.Block {
	return slack.NewImageBlockSlackFile(&slack.SlackFileObject{ID: file}, "the flow in words", blockID, nil)
}

func TestPicturesAreUploadedThenShown(t *testing.T) {
	t.Parallel()
	// Only moving the clock makes the file ready, so that the refusal before it is certain.
	w := open(t, func(o *slacksim.Options) { o.FileDelay = time.Hour })
	body, support := picture(t), w.id("support")
	first := w.upload(body)
	info, _, _, err := w.api.GetFileInfo(first, 0, 0)
	if err != nil || info.Mimetype != "" {
		t.Errorf("a fresh file has mimetype %q: %v", info.Mimetype, err)
	}
	_, _, err = w.api.PostMessage(support, slack.MsgOptionText("a flow", true), slack.MsgOptionBlocks(imageBlock("p1", first)))
	refused, ok := err.(slack.SlackErrorResponse)
	if !ok || refused.Err != "invalid_blocks" || !strings.Contains(refused.ResponseMetadata.Messages[0], "invalid slack file") {
		t.Errorf("a file that is not ready was answered %v", err)
	}
	w.post("clock", map[string]any{"advance": "61m"})
	w.ready(first)
	_, ts, err := w.api.PostMessage(support, slack.MsgOptionText("a flow", true), slack.MsgOptionBlocks(imageBlock("p1", first)))
	if err != nil {
		t.Fatal(err)
	}
	shown := w.get("state", "channel=support").Messages[0].Files
	if len(shown) != 1 || shown[0].ID != first || shown[0].Mimetype != "image/png" || shown[0].Alt != "the flow in words" {
		t.Errorf("shown: %+v", shown)
	}
	var got bytes.Buffer
	if err := w.api.GetFile(info.URLPrivate, &got); err != nil || !bytes.Equal(got.Bytes(), body) {
		t.Errorf("%d bytes came back: %v", got.Len(), err)
	}

	second := w.upload(body)
	w.post("clock", map[string]any{"advance": "61m"})
	for _, step := range []struct{ block, want string }{{"p1", first}, {"p2", second}} {
		_, _, _, err := w.api.UpdateMessage(support, ts, slack.MsgOptionBlocks(imageBlock(step.block, second)))
		if err != nil {
			t.Fatal(err)
		}
		if shown := w.get("state", "channel=support").Messages[0].Files; shown[0].ID != step.want {
			t.Errorf("block %s shows %s, want %s: pictures are cached by block_id", step.block, shown[0].ID, step.want)
		}
	}
	if err := w.api.DeleteFile(first); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := w.api.GetFileInfo(first, 0, 0); !isError(err, "file_deleted") {
		t.Errorf("a deleted file was answered %v", err)
	}
}

func TestFilesAreSharedIntoThreads(t *testing.T) {
	t.Parallel()
	w := open(t)
	root := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "root"})
	body := []byte("one,two\n")
	params := slack.UploadFileParameters{
		Filename: "rows.csv", FileSize: len(body), Reader: bytes.NewReader(body), Channel: w.id("ana"), ThreadTimestamp: root.TS,
		InitialComment: "the rows",
	}
	if _, err := w.api.UploadFileContext(context.Background(), params); err == nil || !strings.Contains(err.Error(), "channel_not_found") {
		t.Errorf("a user in place of a channel was answered %v", err)
	}
	params.Channel, params.Reader = w.id("support"), bytes.NewReader(body)
	if _, err := w.api.UploadFile(params); err != nil {
		t.Fatal(err)
	}
	m := w.get("state", "channel=support&thread_ts="+root.TS).Messages[1]
	if m.Text != "the rows" || len(m.Files) != 1 || m.ThreadTS != root.TS {
		t.Errorf("shared as %+v", m)
	}
}

func TestUploadsMustBeWhatWasAnnounced(t *testing.T) {
	t.Parallel()
	w := open(t)
	body := picture(t)
	_, err := w.api.UploadFile(slack.UploadFileParameters{Filename: "x.png", FileSize: len(body) + 1, Reader: bytes.NewReader(body)})
	if err == nil {
		t.Error("an upload of another size was accepted")
	}
	u, err := w.api.GetUploadURLExternalContext(t.Context(), slack.GetUploadURLExternalParameters{FileName: "x.png", FileSize: 3})
	if err != nil {
		t.Fatal(err)
	}
	complete := slack.CompleteUploadExternalParameters{Files: []slack.FileSummary{{ID: u.FileID}}}
	if _, err := w.api.CompleteUploadExternalContext(t.Context(), complete); !isError(err, "file_not_found") {
		t.Errorf("completing what was never uploaded: %v", err)
	}
}

func TestPeopleSendFiles(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	w.post("message", map[string]any{
		"user": "ana", "channel": "@ana", "text": "a flow",
		"files": []map[string]any{{"name": "flow.yaml", "content": "name: x\n", "alt": "a flow"}},
	})
	e := a.nextMessage(t)
	if e.SubType != "file_share" || len(e.Message.Files) != 1 || e.ChannelType != "im" {
		t.Fatalf("heard %+v", e)
	}
	var got bytes.Buffer
	if err := w.api.GetFile(e.Message.Files[0].URLPrivateDownload, &got); err != nil || got.String() != "name: x\n" {
		t.Errorf("the file holds %q: %v", got.String(), err)
	}
}

// TestFilesOfPeopleAskForTheToken reads, asks for and deletes a file that somebody sent.
func TestFilesOfPeopleAskForTheToken(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	w.post("message", map[string]any{
		"user": "ana", "channel": "#support", "text": "@Sluice", "files": []map[string]any{{"name": "flow.yaml", "content": "name: x\n", "ask": true}},
	})
	e := a.nextMessage(t)
	if len(e.Message.Files) != 1 || e.Message.Files[0].FileAccess != "check_file_info" || e.Message.Files[0].URLPrivate != "" {
		t.Fatalf("heard %+v", e.Message.Files)
	}
	mention := a.next(t, socketmode.EventTypeEventsAPI)
	if body := string(mention.Request.Payload); !strings.Contains(body, `"app_mention"`) || strings.Contains(body, `"files"`) {
		t.Errorf("the mention is %s", body)
	}
	id := e.Message.Files[0].ID
	info, _, _, err := w.api.GetFileInfo(id, 0, 0)
	if err != nil || info.URLPrivateDownload == "" || info.Size != 8 {
		t.Fatalf("files.info: %+v %v", info, err)
	}
	var got bytes.Buffer
	if err := w.api.GetFile(info.URLPrivateDownload, &got); err != nil || got.String() != "name: x\n" {
		t.Errorf("the file holds %q: %v", got.String(), err)
	}
	wrong := slack.New("xoxb-wrong", slack.OptionAPIURL(strings.TrimSuffix(info.URLPrivateDownload, "files/"+id)+"api/"))
	if err := wrong.GetFile(info.URLPrivateDownload, &got); err == nil || !strings.Contains(err.Error(), "sign-in page") {
		t.Errorf("without the token: %v", err)
	}
	w.post("fault", map[string]any{"target": "api", "kind": "500", "method": "url_private"})
	if err := w.api.GetFile(info.URLPrivateDownload, &got); err == nil {
		t.Error("a fault struck nothing")
	}
	if a := w.try("delete_file", map[string]any{"user": "bob", "file": id}); a.Error != "file_not_found" {
		t.Errorf("somebody else's file was deleted: %+v", a)
	}
	w.post("delete_file", map[string]any{"user": "ana", "file": id})
	if _, _, _, err := w.api.GetFileInfo(id, 0, 0); !isError(err, "file_deleted") {
		t.Errorf("a deleted file: %v", err)
	}
	if err := w.api.GetFile(info.URLPrivateDownload, &got); err == nil {
		t.Error("a deleted file can be read")
	}
}
