// Command sluice is the program: a Slack bot that turns words into flowcharts and runs them, and the same machine in the
// terminal. This package only connects the packages: configuration, wiring, and one file per subcommand.
//
// Where to look: main.go for the command line, config.go for what can be set, wire.go for which package fills which port; serve.go, dev.go,
// run.go, prune.go, validate.go and render.go for the subcommands. testdata/script holds scripts of what the command does.
//
// # Decisions
//
//   - serve waits for a database that refuses connections, is starting up or cannot be reached, for SLUICE_DATABASE_WAIT: programs and
//     their databases are often started together. A wrong host name, user, password or database ends it at once, since time mends none.
package main
