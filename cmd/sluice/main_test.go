package main

import (
	"os"
	"testing"

	"sluice/engine/enginetest"
)

func TestMain(m *testing.M) {
	maybeProgram()
	enginetest.WaitTogether()
	os.Exit(m.Run())
}
