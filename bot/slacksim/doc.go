// Package slacksim is a small Slack.
package slacksim
