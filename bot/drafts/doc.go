// Package drafts is the conversation about drafts: describe, answer, change by words and by files, approve, discard, try.
//
// Drafts has a type for each subject, which the router of package bot calls: Words (words.go, change.go; model.go has a language model read
// them), Files (files.go takes dropped files, export.go gives files), Questions (question.go), Approvals (approve.go) and Trials (try.go).
// They share what lies below: finder (find.go) finds the draft that is meant, planning (plan.go) asks the planner what words or files mean
// here, examiner (second.go) says what a draft newly allows and who may be the second person, writer (write.go) stores drafts and their
// cards. ports.go has what all of it needs from outside, and puts the parts together.
//
// needs.go asks what stands here for names of a file that are not known: tools, models, people and channels. The draft keeps the flow as the
// file has it beside the flow as it runs here, so that an answer can be changed. needs_words.go reads such answers in words.
//
// A question is answered by a button (Questions.Answer), in a form with all of them (form.go), or in words (answer.go): each ends in planner.Answer.
//
// The package does not know Slack's wire (bot/slack), nor how a draft's card looks (bot/surface). It never makes a flow by itself:
// engine/planner does.
//
// Why things are as they are stands in decisions.md.
package drafts
