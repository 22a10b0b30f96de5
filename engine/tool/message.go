package tool

import (
	"context"
	"errors"

	"sluice/engine/flow"
)

// PostMessageName is the name of the tool that posts messages.
const PostMessageName = flow.PostMessage

// PostMessage is slack.post_message over a messenger. It is idempotent because the messenger posts once per key.
func PostMessage(m Messenger) Tool {
	return Tool{
		Name:        PostMessageName,
		Description: "Post a message to a Slack channel or person.",
		Words:       []string{"tell", "post message", "send message", "notify", "write to channel"},
		Params: object(map[string]any{
			"channel": map[string]any{"type": "string", "minLength": 1, "description": "#channel, @person or an id"},
			"text":    map[string]any{"type": "string", "minLength": 1, "description": "the message, in mrkdwn"},
			"thread":  map[string]any{"type": "string", "description": "timestamp of the message to answer in its thread"},
		}, "channel", "text"),
		Result: map[string]any{"type": "object", "properties": map[string]any{
			"channel": map[string]any{"type": "string"},
			"ts":      map[string]any{"type": "string"},
			"queued":  map[string]any{"type": "boolean", "description": "only inside an agent: it is not posted yet, and will be, once"},
			"key":     map[string]any{"type": "string", "description": "of a message that is queued"},
			"note":    map[string]any{"type": "string"},
		}},
		Effects: flow.EffectsIdempotent,
		Policy:  Allow,
		Message: messageOf,
		Call: func(ctx context.Context, c Call) (Result, error) {
			msg := messageOf(c)
			posted, err := m.Post(ctx, msg)
			switch {
			case err != nil:
				return Result{}, messageError(err)
			case posted.Queued:
				return Result{
					Data: map[string]any{"queued": true, "key": c.Key, "note": "it will be posted, once, when Slack takes it: do not post it again"},
					Text: "queued for " + msg.Channel,
				}, nil
			}
			return Result{
				Data: map[string]any{"channel": posted.Channel, "ts": posted.TS},
				Text: "posted to " + msg.Channel,
			}, nil
		},
	}
}

// messageOf is what a call of slack.post_message wants to have posted.
func messageOf(c Call) Message {
	text := func(name string) string { s, _ := c.Params[name].(string); return s }
	m := Message{Key: c.Key, Channel: text("channel"), Thread: text("thread"), Text: text("text"), Run: c.Run}
	if c.ByModel && m.Text != "" {
		m.Model = [][2]int{{0, len(m.Text)}}
	}
	return m
}

func messageError(err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Type: "ToolError", Message: "the message was not posted: " + err.Error(), Err: err}
}

// object is the schema of an object with these properties and no others.
func object(props map[string]any, required ...string) map[string]any {
	schema := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if len(required) > 0 {
		names := make([]any, len(required))
		for i, name := range required {
			names[i] = name
		}
		schema["required"] = names
	}
	return schema
}
