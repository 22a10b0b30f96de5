// Package llmtest is a scripted service for chat completions, on loopback and over real HTTP: tests of the program point
// OPENAI_BASE_URL at it and say what the model shall answer.
//
// It is strict where real services are: a request that one of them would refuse is answered with 400 and fails the test.
// It knows nothing of agents; what it checks is the wire.
package llmtest
