// Package env describes what a flow can use: tools with their parameters and results, flows, people and channels.
//
//	World           what a description is planned in           world.go
//	Param, Field    parameters and results, out of schemas     schema.go
//	Messaging       the tool behind "tell"                     messaging.go
//
// It depends on no step and no planned flow. engine/planner/match compares it with words.
package env
