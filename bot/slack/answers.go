package slack

import (
	"errors"
	"slices"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/project"
	"sluice/bot/surface"
)

// callError is an error of a call of Slack's API, which Slack counts by method.
type callError struct {
	method string
	err    error
}

// Error gives the cause.
func (e *callError) Error() string { return e.method + ": " + e.err.Error() }

// Unwrap gives the cause.
func (e *callError) Unwrap() error { return e.err }

func called(method string, err error) error {
	if err == nil {
		return nil
	}
	return &callError{method, err}
}

// The codes that Slack answers with, by their meaning. The workspace's concern every call; the channels' one channel; the contents' one message as it is;
// a passing fault is tried again. Anything else is an unknown answer.
var (
	workspaceCodes = []string{
		"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "org_login_required", "ekm_access_denied",
		"team_access_not_granted", "team_not_found", "access_denied", "two_factor_setup_required",
	}
	channelCodes = []string{
		"channel_not_found", "not_in_channel", "is_archived", "user_not_in_channel", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "restricted_action_thread_locked",
		"cannot_reply_to_message", "is_inactive", "messages_tab_disabled",
	}
	aloneCodes   = []string{"missing_scope", "not_allowed_token_type", "no_permission"}
	contentCodes = []string{
		"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text", "invalid_attachments", "too_many_attachments",
		"invalid_metadata_format", "invalid_metadata_schema", "metadata_too_large", "block_mismatch", "attachment_payload_limit_exceeded",
		"cant_update_message", "edit_window_closed", "user_not_found", "user_disabled", "thread_not_found", "cannot_dm_bot",
	}
	passingCodes = []string{"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org", "external_channel_migrating"}
)

func refusesBlocks(err error) bool { return hasCode(err, "invalid_blocks") }

// classify sorts an error of Slack by what it means for the surface; see project.Sender.
func (a *App) classify(channel string, err error) error {
	var limited *slackgo.RateLimitedError
	var at *callError
	var refused *surface.RefusedError
	var answer slackgo.SlackErrorResponse
	switch {
	case err == nil, errors.As(err, &refused):
		return err
	case errors.As(err, &limited):
		if errors.As(err, &at) {
			a.budget.pause(at.method, channel, limited.RetryAfter)
		}
		return &project.RetryError{After: limited.RetryAfter, Answered: true, Err: err}
	case !errors.As(err, &answer):
		return err
	}
	code := answer.Err
	switch {
	case slices.Contains(workspaceCodes, code):
		return &project.BlockedError{Code: code, Err: err}
	case slices.Contains(channelCodes, code):
		return &project.BlockedError{Code: code, Channel: channel, Err: err}
	case slices.Contains(aloneCodes, code):
		return &project.BlockedError{Code: code, Alone: true, Err: err}
	case code == "message_not_found":
		return &project.DeletedError{Err: err}
	case slices.Contains(contentCodes, code):
		return &surface.RefusedError{Code: code, Err: err}
	case slices.Contains(passingCodes, code):
		return err
	}
	return &surface.RefusedError{Code: code, Unsure: true, Err: err}
}
