//go:build !unix

package growth

import "time"

var begin = time.Now()

// spent is the time since the start, where the system does not say how long it worked.
func spent() time.Duration { return time.Since(begin) }
