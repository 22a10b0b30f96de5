package project

import (
	"encoding/json"
	"html"
	"time"

	"sluice/bot/card"
	"sluice/engine"
	"sluice/storage"
)

// noticeBody is the body of a notice with marks, beside what the engine writes: engine.NoticeBody, which has none.
type noticeBody struct {
	engine.NoticeBody
	Said card.Text `json:"said,omitzero"`
}

// Notice is a message with a fixed text, sent once; see engine.Notice.
func Notice(id, channel, thread string, text card.Text, now time.Time) storage.Surface {
	s := engine.Notice(id, channel, thread, "", now)
	s.Body, _ = json.Marshal(noticeBody{NoticeBody: engine.NoticeBody{Text: text.String()}, Said: text}) // plain data
	return s
}

// noticeCard shows a fixed text. What the engine wrote, and what earlier releases escaped, has no marks.
func noticeCard(body []byte) (card.Card, error) {
	var b noticeBody
	err := json.Unmarshal(body, &b)
	if b.Said.Empty() {
		b.Said = card.Plain(html.UnescapeString(b.Text))
	}
	return card.Card{Text: b.Said}, err
}
