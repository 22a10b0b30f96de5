// Package enginetest is the test kit of the engine: a generator of random valid flows, a driver that runs a flow by feeding
// inputs to the machine, and a small script language for readable tests.
//
// The driver is an engine without storage, goroutines or a clock. Its caller decides what happens next: which token is
// claimed, what a step gave, which worker dies. After every transition it checks what must always hold (see Driver.Feed), so
// that every test that uses it is a test of the invariants too.
//
// [WaitTogether] lets the tests of a package that mostly wait run beside each other.
//
// It does not know packages above engine/run. The engine's own world (stores, dispatchers, kills) is tested in engine.
package enginetest
