package schedule_test

import (
	"fmt"
	"time"

	"sluice/engine/schedule"
)

func ExampleParseCron() {
	s, err := schedule.ParseCron("0 9 * * 1-5", "Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, at := range schedule.NextFires(s, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), 2) {
		fmt.Println(at.Format("Mon 15:04 MST"))
	}
	_, err = schedule.ParseCron("@daily", "Berlin")
	fmt.Println(err)
	// Output:
	// Mon 08:00 UTC
	// Tue 08:00 UTC
	// I do not know the time zone "Berlin". Use a name such as Europe/Berlin or America/New_York.
}
