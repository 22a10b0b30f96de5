package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// again is when a caller may try once more.
const again = 5 * time.Second

type (
	// Problem is a code for machines, a sentence for people, and each thing that is wrong when there are several.
	Problem struct {
		Code     string   `json:"code"`
		Error    string   `json:"error"`
		Problems []string `json:"problems,omitempty"`
	}
	// status is how the process is.
	status struct {
		Status   string   `json:"status"`
		Problems []string `json:"problems,omitempty"`
	}
)

// Answer writes JSON.
func Answer(w http.ResponseWriter, code int, body any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client has gone
}

// Later answers with when to try again.
func Later(w http.ResponseWriter, code int, p Problem) {
	w.Header().Set("Retry-After", strconv.Itoa(int(again/time.Second)))
	Answer(w, code, p)
}
