package limits_test

import (
	"fmt"

	"sluice/cmd/sluice/limits"
)

// A setting that is no number is reported with all others that are wrong.
func Example() {
	p := limits.Pacing{StepsPerSecond: 100, StepsBurst: 2000, StartsPerMinute: 1000}
	if err := p.LiveRuns.UnmarshalText([]byte("many")); err != nil {
		panic(err)
	}
	fmt.Println(p.TooLow())
	// Output: [SLUICE_MAX_LIVE_RUNS must be a number, at least 0]
}
