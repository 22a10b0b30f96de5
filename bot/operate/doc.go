// Package operate is what people do with runs and flows by commands and buttons: start, list, show, cancel, fork, move, pause, resume, and
// schedules.
//
// Starts, Lists, Runs and Holds share Ports (operate.go). starts.go starts runs by hand, and says what a start came to; lists.go and show.go
// answer what there is; cancel.go, fork.go and move.go change a run; holds.go pauses and resumes; schedules.go is about starts by the clock.
//
// form.go asks for the inputs of a run in a form and takes them: another way to call startFlow.
//
// The package does not know which command or button leads to it (bot); the engine does what is asked, and engine/authority says who may.
//
// Why things are as they are stands in decisions.md.
package operate
