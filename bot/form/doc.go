// Package form has the questions with fields that people answer: the inputs of a run, and the gates of a run.
//
// A Form is data. Inputs and Gate make one from what a flow or a run asks; bot/slack draws it as a modal; Typed reads the same values from
// typed words. A Ref names what a form belongs to and comes back with the values. Package bot has one answer function for each owner; it
// hands the values to the engine, which checks them.
//
// The package does not know Slack, the store or who may answer. Look next at bot/forms.go and bot/slack/modal.go.
//
// # Decisions
//
//   - Slack has no field that hides what is typed: a sensitive input is seen while it is entered, and nowhere afterwards.
//   - In typed words a value ends at the next known name: people write sentences, in several lines, too, and a comma or a space must not
//     cut them.
package form
