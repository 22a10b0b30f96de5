package main

import (
	"os"
	"testing"

	"sluice/engine/enginetest"
)

func TestMain(m *testing.M) {
	maybeProgram()
	enginetest.WaitTogether()
	code := m.Run()
	stopChromium()
	os.Exit(code)
}
