// Package opening reads what a description says of the whole flow: its name and purpose, what starts it, its inputs and outputs.
//
//	head       the name and the purpose                   head.go
//	triggers   events, a start by hand                   trigger.go
//	schedules  times at which runs start                 schedule.go (engine/planner/times)
//	values     inputs and outputs of a run               inputs.go
//
// Begin with Header. It knows no people, and no steps but those that name an output: engine/planner/outline reads the rest of the words, and
// asks it item by item.
package opening
