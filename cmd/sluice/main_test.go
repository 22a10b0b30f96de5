package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	maybeProgram()
	os.Exit(m.Run())
}
