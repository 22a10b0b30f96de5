package webhook

import (
	"io"
	"net/http"
	"time"
)

// pace is how fast a body must come in: nothing more is waited for when less than rate bytes a second have come after the first grace,
// and none takes longer than most. A body that comes too slowly would keep its slot from others.
type pace struct {
	grace time.Duration
	rate  int // bytes a second
	most  time.Duration
}

var defaultPace = pace{grace: 2 * time.Second, rate: 4 << 10, most: 10 * time.Second}

// due is when the next byte must be there.
func (p pace) due(began time.Time, bytes int64) time.Time {
	return began.Add(min(p.most, p.grace+time.Duration(bytes)*time.Second/time.Duration(p.rate)))
}

// pacedReader reads with a deadline that moves with what has come.
type pacedReader struct {
	io.Reader
	pace
	conn  *http.ResponseController
	began time.Time
	bytes int64
}

func (h *Handler) paced(w http.ResponseWriter, body io.Reader) *pacedReader {
	return &pacedReader{Reader: body, pace: h.pace, conn: http.NewResponseController(w), began: time.Now()}
}

// Read implements io.Reader.
func (r *pacedReader) Read(b []byte) (int, error) {
	if err := r.conn.SetReadDeadline(r.due(r.began, r.bytes)); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(b)
	r.bytes += int64(n)
	if err != nil {
		_ = r.conn.SetReadDeadline(time.Time{}) // its end would end the request that is being answered
	}
	return n, err
}
