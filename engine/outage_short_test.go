//go:build !chaos

package engine_test

import "time"

// outage is how long the database stays away. With the tag chaos it is longer.
const outage = 2 * time.Second
