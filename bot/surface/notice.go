package surface

import (
	"encoding/json"
	"html"
	"time"

	"sluice/bot/card"
	"sluice/engine/outbox"
	"sluice/storage"
)

// noticeBody is the body of a notice with marks, beside what the engine writes: outbox.NoticeBody, which has none.
type noticeBody struct {
	outbox.NoticeBody
	Said card.Text `json:"said,omitzero"`
}

// Notice is a message with a fixed text, sent once; see outbox.Notice.
func Notice(id, channel, thread string, text card.Text, now time.Time) storage.Surface {
	s := outbox.Notice(id, channel, thread, "", now)
	s.Body, _ = json.Marshal(noticeBody{NoticeBody: outbox.NoticeBody{Text: text.String()}, Said: text}) // plain data
	return s
}

// noticeCard shows a fixed text. Texts of the engine, and those that earlier releases escaped, have no marks.
func noticeCard(body []byte) (card.Card, error) {
	var b noticeBody
	err := json.Unmarshal(body, &b)
	if b.Said.Empty() {
		b.Said = card.Plain(html.UnescapeString(b.Text))
	}
	return card.Card{Text: b.Said}, err
}
