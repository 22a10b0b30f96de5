package shop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// Options says where a shop keeps its books. The zero value keeps them in memory.
type Options struct {
	// Dir is the directory of the books; it is made if missing. Empty keeps them in memory.
	Dir string
	// Log receives what goes wrong. Nil discards it.
	Log *slog.Logger
}

// Order is something that was sold.
type Order struct {
	ID       string  `json:"order_id"`
	Amount   float64 `json:"amount"`
	Customer string  `json:"customer"`
}

// Arrival is a request that reached the shop.
type Arrival struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Key    string `json:"key"` // the Idempotency-Key header
	Body   string `json:"body"`
}

// Booking is a refund that was made.
type Booking struct {
	ID      string  `json:"refund_id"`
	OrderID string  `json:"order_id"`
	Amount  float64 `json:"amount"`
	Status  string  `json:"status"`
	Key     string  `json:"key,omitempty"`
}

// orders are all that the shop ever sold.
var orders = map[string]Order{
	"A-1001": {"A-1001", 250, "Mara Silva"},
	"A-1002": {"A-1002", 150, "Jon Weber"},
	"A-1003": {"A-1003", 40, "Li Na"},
}

// Shop is the service. All its methods may be called concurrently.
type Shop struct {
	log    *slog.Logger
	faults faults

	mu       sync.Mutex // guards everything below
	books    *os.File
	arrivals []Arrival
	bookings []Booking
}

// line is one line of the books: an arrival or a booking.
type line struct {
	Arrival *Arrival `json:"arrival,omitempty"`
	Booking *Booking `json:"booking,omitempty"`
}

// New opens a shop with the books that Options.Dir holds.
func New(options Options) (*Shop, error) {
	s := &Shop{log: options.Log, faults: faults{free: make(chan struct{})}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if options.Dir == "" {
		return s, nil
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the shop's directory: %w", err)
	}
	books, err := os.OpenFile(filepath.Join(options.Dir, "books.jsonl"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the shop's books: %w", err)
	}
	if err := s.read(books); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the shop's books: %w", err), books.Close())
	}
	s.books = books
	return s, nil
}

// read takes in the whole lines of the books and drops a last one that a kill cut short.
func (s *Shop) read(books *os.File) error {
	reader, whole := bufio.NewReader(books), int64(0)
	for {
		raw, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return err
		}
		s.keep(l)
		whole += int64(len(raw))
	}
	if err := books.Truncate(whole); err != nil {
		return err
	}
	_, err := books.Seek(whole, io.SeekStart)
	return err
}

func (s *Shop) keep(l line) {
	if l.Arrival != nil {
		s.arrivals = append(s.arrivals, *l.Arrival)
	}
	if l.Booking != nil {
		s.bookings = append(s.bookings, *l.Booking)
	}
}

// write stores a line and takes it in. s.mu is held.
func (s *Shop) write(l line) error {
	if s.books != nil {
		raw, err := json.Marshal(l)
		if err == nil {
			_, err = s.books.Write(append(raw, '\n'))
		}
		if err != nil {
			return fmt.Errorf("writing the shop's books: %w", err)
		}
	}
	s.keep(l)
	return nil
}

// Close frees every held request and closes the books.
func (s *Shop) Close() error {
	s.Release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.books == nil {
		return nil
	}
	return s.books.Close()
}

// Arrivals are the requests that reached the shop, oldest first.
func (s *Shop) Arrivals() []Arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Arrival{}, s.arrivals...)
}

// Bookings are the refunds that were made, oldest first.
func (s *Shop) Bookings() []Booking {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Booking{}, s.bookings...)
}

// ArrivalsJSON is Arrivals as a JSON array.
func (s *Shop) ArrivalsJSON() json.RawMessage { return asJSON(s.Arrivals()) }

// BookingsJSON is Bookings as a JSON array.
func (s *Shop) BookingsJSON() json.RawMessage { return asJSON(s.Bookings()) }

func asJSON(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("[]") // cannot happen: the records are strings and numbers
	}
	return raw
}

// Reset forgets arrivals, bookings and faults; held requests go on.
func (s *Shop) Reset() error {
	s.faults.clear()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals, s.bookings = nil, nil
	if s.books == nil {
		return nil
	}
	if err := s.books.Truncate(0); err != nil {
		return fmt.Errorf("emptying the shop's books: %w", err)
	}
	if _, err := s.books.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("emptying the shop's books: %w", err)
	}
	return nil
}

// Handler is the service. The paths are those of the package comment.
func (s *Shop) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", s.getOrder)
	mux.HandleFunc("POST /refunds", s.postRefund)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusNotFound, problem("there is nothing at %s: try /orders/A-1001 or /refunds", r.URL.Path))
	})
	return s.recorded(mux)
}

func answer(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"error":"no answer"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // a client that left needs no answer
}

func problem(format string, args ...any) map[string]string {
	return map[string]string{"error": fmt.Sprintf(format, args...)}
}

func (s *Shop) getOrder(w http.ResponseWriter, r *http.Request) {
	order, found := orders[r.PathValue("id")]
	if !found {
		answer(w, http.StatusNotFound, problem("there is no order %q", r.PathValue("id")))
		return
	}
	answer(w, http.StatusOK, order)
}

// refundRequest is the body of POST /refunds; without an amount the whole order is refunded.
type refundRequest struct {
	OrderID string   `json:"order_id"`
	Amount  *float64 `json:"amount"`
}

func (s *Shop) postRefund(w http.ResponseWriter, r *http.Request) {
	var request refundRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		answer(w, http.StatusBadRequest, problem("the body is not JSON as {\"order_id\": \"A-1001\"}: %v", err))
		return
	}
	order, found := orders[request.OrderID]
	if !found {
		answer(w, http.StatusNotFound, problem("there is no order %q", request.OrderID))
		return
	}
	amount := order.Amount
	if request.Amount != nil {
		amount = *request.Amount
	}
	if amount <= 0 || amount > order.Amount {
		answer(w, http.StatusUnprocessableEntity, problem("the amount must be over 0 and at most %v", order.Amount))
		return
	}
	booking, err := s.book(order.ID, amount, r.Header.Get("Idempotency-Key"))
	switch {
	case errors.Is(err, errKeyReused):
		answer(w, http.StatusConflict, problem("%v", err))
	case err != nil:
		s.log.Error("a refund cannot be booked", "error", err)
		answer(w, http.StatusInternalServerError, problem("the refund cannot be booked"))
	default:
		answer(w, http.StatusCreated, booking)
	}
}

var errKeyReused = errors.New("this Idempotency-Key was used for another refund")

// book makes a booking, or finds the one that was made under the same key.
func (s *Shop) book(orderID string, amount float64, key string) (Booking, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bookings {
		if key == "" || b.Key != key {
			continue
		}
		if b.OrderID != orderID || b.Amount != amount {
			return Booking{}, errKeyReused
		}
		return b, nil
	}
	id := fmt.Sprintf("R-%d", 1+len(s.bookings))
	b := Booking{ID: id, OrderID: orderID, Amount: amount, Status: "refunded", Key: key}
	return b, s.write(line{Booking: &b})
}
