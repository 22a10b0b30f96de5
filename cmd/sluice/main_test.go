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
// With the race detector those are slower, and it is two.
func waitTogether() {
	flag.Parse()
	each := 3
	if raceDetector {
		each = 2
	}
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", strconv.Itoa(each*runtime.GOMAXPROCS(0)))
	}
}
