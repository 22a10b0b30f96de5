package outbox

import (
	"encoding/json"
	"time"

	"sluice/storage"
)

// NoticeBody is the body of a surface that shows a fixed text and is derived from nothing else.
type NoticeBody struct {
	Text string `json:"text"`
}

// Notice is a message with a fixed text, sent once. It is stored with the batch it belongs to, so that it is not lost.
func Notice(id, channel, thread, text string, now time.Time) storage.Surface {
	body, _ := json.Marshal(NoticeBody{Text: text})
	return storage.Surface{ID: id, Kind: "notice", Ref: "notice:" + id, Channel: channel, Thread: thread, Body: body, Created: now}
}
