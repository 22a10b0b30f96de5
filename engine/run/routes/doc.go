// Package routes chooses the routes that a token takes when its step is over: by conditions, by literals, by the policy of the node.
//
//	Choose          the routes of a finished step, or the questions that a model must answer first    choose.go
//	AfterTimeout    the route for a gate that nobody answered                                         condition.go
//
// In a trial, where values may be unknown, each route up to the first that certainly matches is open, and the trial picks one (trial.go).
//
// The package emits no facts and moves no token: engine/run does, with what comes out here. What expressions read is in engine/run/scope.
package routes
