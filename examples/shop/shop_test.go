package shop_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/examples/shop"
)

// open serves a shop whose books lie in dir.
func open(t *testing.T, dir string) (*shop.Shop, *httptest.Server) {
	t.Helper()
	s, err := shop.New(shop.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		served.Close()
	})
	return s, served
}

// ask sends a request and returns status and body; a connection that was cut is status 0.
func ask(ctx context.Context, t *testing.T, method, url, key, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(raw)
}

func TestOrdersAndRefunds(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, method, path, body string
		status                   int
		says                     string
	}{
		{"an order", "GET", "/orders/A-1001", "", 200, `{"order_id":"A-1001","amount":250,"customer":"Mara Silva"}`},
		{"a smaller one", "GET", "/orders/A-1002", "", 200, `"amount":150`},
		{"a small one", "GET", "/orders/A-1003", "", 200, `"amount":40`},
		{"an unknown order", "GET", "/orders/A-9", "", 404, `there is no order`},
		{"a refund", "POST", "/refunds", `{"order_id":"A-1002"}`, 201, `{"refund_id":"R-1","order_id":"A-1002","amount":150,"status":"refunded"}`},
		{"a part of it", "POST", "/refunds", `{"order_id":"A-1001","amount":12.5}`, 201, `"amount":12.5`},
		{"too much", "POST", "/refunds", `{"order_id":"A-1003","amount":41}`, 422, `at most 40`},
		{"nothing", "POST", "/refunds", `{"order_id":"A-1003","amount":0}`, 422, `over 0`},
		{"a refund of nothing", "POST", "/refunds", `{"order_id":"A-9"}`, 404, `there is no order`},
		{"nonsense", "POST", "/refunds", `refund it`, 400, `not JSON`},
		{"another path", "GET", "/", "", 404, `try /orders/A-1001`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, served := open(t, "")
			status, body := ask(t.Context(), t, c.method, served.URL+c.path, "", c.body)
			if status != c.status || !strings.Contains(body, c.says) || !json.Valid([]byte(body)) {
				t.Errorf("%d %s, want %d %s", status, body, c.status, c.says)
			}
		})
	}
}

func TestOneKeyOneBookingAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, served := open(t, dir)
	status, first := ask(t.Context(), t, "POST", served.URL+"/refunds", "run-1/refund/1", `{"order_id":"A-1001"}`)
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, first)
	}
	again, served := open(t, dir)
	if status, second := ask(t.Context(), t, "POST", served.URL+"/refunds", "run-1/refund/1", `{"order_id":"A-1001"}`); status != 201 || second != first {
		t.Errorf("the same key was answered %d %s, at first %s", status, second, first)
	}
	if status, _ := ask(t.Context(), t, "POST", served.URL+"/refunds", "run-1/refund/1", `{"order_id":"A-1002"}`); status != http.StatusConflict {
		t.Errorf("the same key for another refund was answered %d", status)
	}
	if status, other := ask(t.Context(), t, "POST", served.URL+"/refunds", "run-2/refund/1", `{"order_id":"A-1001"}`); status != 201 || other == first {
		t.Errorf("another key was answered %d %s", status, other)
	}
	want := []shop.Arrival{
		{Method: "POST", Path: "/refunds", Key: "run-1/refund/1", Body: `{"order_id":"A-1001"}`},
		{Method: "POST", Path: "/refunds", Key: "run-1/refund/1", Body: `{"order_id":"A-1001"}`},
		{Method: "POST", Path: "/refunds", Key: "run-1/refund/1", Body: `{"order_id":"A-1002"}`},
		{Method: "POST", Path: "/refunds", Key: "run-2/refund/1", Body: `{"order_id":"A-1001"}`},
	}
	if diff := cmp.Diff(want, again.Arrivals()); diff != "" {
		t.Error(diff)
	}
	if n := len(again.Bookings()); n != 2 {
		t.Errorf("%d bookings", n)
	}
}

func TestBooksCutShortLoseTheirLastLineOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	books := `{"arrival":{"method":"GET","path":"/orders/A-1001","key":"","body":""}}` + "\n" + `{"booking":{"refu`
	if err := os.WriteFile(filepath.Join(dir, "books.jsonl"), []byte(books), 0o600); err != nil {
		t.Fatal(err)
	}
	s, served := open(t, dir)
	ask(t.Context(), t, "GET", served.URL+"/orders/A-1002", "", "")
	if again, _ := open(t, dir); len(s.Arrivals()) != 2 || len(again.Arrivals()) != 2 || len(again.Bookings()) != 0 {
		t.Errorf("arrivals %v, then %v", s.Arrivals(), again.Arrivals())
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if again, _ := open(t, dir); len(again.Arrivals()) != 0 {
		t.Errorf("after a reset: %v", again.Arrivals())
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	cases := []struct {
		kind, after   string
		status, books int
	}{
		{"500", shop.BeforeBooking, 500, 0},
		{"500", shop.AfterBooking, 500, 1},
		{"429", "", 429, 0},
		{"drop", shop.BeforeBooking, 0, 0},
		{"drop", shop.AfterBooking, 0, 1},
		{"timeout", shop.BeforeBooking, 0, 0},
		{"timeout", shop.AfterBooking, 0, 1},
		{"delay", "1", 201, 1},
		{"duplicate", "", 201, 2},
	}
	for _, c := range cases {
		t.Run(c.kind+" "+c.after, func(t *testing.T) {
			t.Parallel()
			s, served := open(t, "")
			if err := s.SetFault(c.kind, "POST", "/refunds", c.after, 1); err != nil {
				t.Fatal(err)
			}
			if status, body := ask(t.Context(), t, "GET", served.URL+"/orders/A-1001", "", ""); status != 200 {
				t.Errorf("the fault struck another request: %d %s", status, body)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if c.kind != "timeout" {
				ctx = t.Context()
			}
			if status, body := ask(ctx, t, "POST", served.URL+"/refunds", "", `{"order_id":"A-1001"}`); status != c.status {
				t.Errorf("answered %d %s, want %d", status, body, c.status)
			}
			if n := len(s.Bookings()); n != c.books {
				t.Errorf("%d bookings, want %d", n, c.books)
			}
			if status, body := ask(t.Context(), t, "POST", served.URL+"/refunds", "", `{"order_id":"A-1001"}`); status != 201 {
				t.Errorf("the fault struck twice: %d %s", status, body)
			}
		})
	}
	s, _ := open(t, "")
	for _, bad := range [][2]string{{"melt", ""}, {"hold", "tea"}} {
		if err := s.SetFault(bad[0], "", "", bad[1], 1); err == nil {
			t.Errorf("the fault %v was accepted", bad)
		}
	}
}

func TestAHeldRequestIsBookedAfterItsClientLeft(t *testing.T) {
	t.Parallel()
	s, served := open(t, "")
	if err := s.SetFault("hold", "POST", "", shop.BeforeBooking, 1); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		ask(ctx, t, "POST", served.URL+"/refunds", "k", `{"order_id":"A-1003"}`)
	}()
	waitFor(t, func() bool { return len(s.Arrivals()) == 1 })
	leave()
	<-left
	if n := len(s.Bookings()); n != 0 {
		t.Errorf("%d bookings while it is held", n)
	}
	s.Release()
	waitFor(t, func() bool { return len(s.Bookings()) == 1 })
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); {
		if time.Now().After(deadline) {
			t.Fatal("it never happened")
		}
		runtime.Gosched()
	}
}
