// Package doctor examines an installation: configuration, database, Slack's tokens, scopes and channels, model providers, tools with their hosts
// and secrets, webhooks, clock and zone. It says what each finding means and what to do about it.
//
// It changes nothing, takes no lock and opens no store, since opening one would migrate it. It does not read settings: package main of
// cmd/sluice does, and prints the findings.
//
// Where to look: doctor.go has the order of the checks, the database and the tools; slack.go, models.go and hosts.go ask other services.
package doctor
