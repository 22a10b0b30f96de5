// Package forkplan says what forking a run from one of its visits means: which acts followed, which outputs may be reused, and why not.
// It is pure, and reads the facts of the run one after the other.
package forkplan
