package enginetest

import (
	"flag"
	"runtime"
	"strconv"
)

// WaitTogether runs three tests per processor at once, unless -parallel says otherwise. A TestMain calls it where tests mostly wait: for the
// processes that they started, for leases, for timers. With the race detector programs are slower, and it is two.
func WaitTogether() {
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
