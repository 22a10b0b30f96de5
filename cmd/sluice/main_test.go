package main

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

func TestMain(m *testing.M) {
	maybeProgram()
	waitTogether()
	os.Exit(m.Run())
}

// waitTogether runs three tests per processor at once, unless -parallel says otherwise: a test here mostly waits for the processes that it started.
// With the race detector those are slow enough to fill the processors.
func waitTogether() {
	flag.Parse()
	if raceDetector {
		return
	}
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
}
