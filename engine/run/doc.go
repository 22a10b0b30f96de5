// Package run is the state machine of a run, and pure: Decide says what an input means as facts and effects, Apply turns facts
// into state. It knows flows and expressions, but no clock, no storage, no network and no Slack.
package run
