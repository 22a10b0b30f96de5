package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"sluice/engine/llm/llmtest"
	"sluice/engine/tool"
	"sluice/examples/shop"
)

// devShop is where "sluice dev" serves the sample shop, and what the examples' actions name.
const devShop = "http://127.0.0.1:8086/shop"

// TestExamples runs the story of every example: a script over the real program, the sample shop and a scripted model. Besides
// testscript's own commands and those of TestScript a story may use
//
//	outcome STATUS NODE...       the last sluice run --json: how the run ended, and which nodes it passed
//	bookings [ORDER...]          which orders the shop has refunded so far
//	arrivals METHOD PATH COUNT   how often the shop was asked since the last look
//	fault KIND METHOD PATH TIMES the shop misbehaves, see examples/shop; KIND/MOMENT says when
//	model FILE                   what the model answers next, one JSON value a line
//
// $SHOP and $MODEL are the addresses of the shop and of the model's service.
func TestExamples(t *testing.T) {
	t.Parallel()
	stories, err := filepath.Glob("../../examples/*/story.txtar")
	if err != nil || len(stories) < 4 {
		t.Fatalf("%d stories, %v", len(stories), err)
	}
	for _, path := range stories {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			testscript.Run(t, testscript.Params{
				Files: []string{path}, RequireUniqueNames: true,
				Setup: func(env *testscript.Env) error { return s.setup(env, dir) },
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"sluice": runProgram, "code": checkCode, "typed": typeNext, "is": checkKind,
					"outcome": s.checkOutcome, "bookings": s.checkBookings, "arrivals": s.checkArrivals, "fault": s.fault, "model": s.scriptModel,
				},
			})
		})
	}
}

// story is the world of one example.
type story struct {
	shop   *shop.Shop
	server *httptest.Server
	model  *llmtest.Server
	looked int // arrivals at the shop that were looked at
}

func newStory(t *testing.T) *story {
	t.Helper()
	s, err := shop.New(shop.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.Handler())
	mux.HandleFunc("GET /orders/A-1004", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"order_id": "A-1004", "customer": "Ola Berg"}`) // an order whose amount is lost
	})
	served := httptest.NewServer(mux)
	model := llmtest.New(t)
	t.Cleanup(func() {
		served.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if n := model.Left(); n > 0 {
			t.Errorf("the model was not asked for its last %d answers", n)
		}
	})
	return &story{shop: s, server: served, model: model}
}

// setup copies the example to where the script runs, with the addresses of this world in its actions.
func (s *story) setup(env *testscript.Env, dir string) error {
	env.Values[lastCode{}], env.Values[typedNext{}] = new(int), new(string)
	env.Setenv("SHOP", s.server.URL)
	env.Setenv("MODEL", s.model.URL)
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".yaml" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte(devShop), []byte(s.server.URL))
		if err := os.WriteFile(filepath.Join(env.WorkDir, f.Name()), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// checkOutcome reads what sluice run --json printed.
func (s *story) checkOutcome(ts *testscript.TestScript, _ bool, args []string) {
	var out struct {
		Status string
		Nodes  map[string]struct{ Visits int }
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
	got := []string{}
	for id, n := range out.Nodes {
		if n.Visits > 0 {
			got = append(got, id)
		}
	}
	slices.Sort(got)
	want := append([]string{}, args[1:]...)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); out.Status != args[0] || diff != "" {
		ts.Fatalf("the run %s; nodes (-want +got):\n%s", out.Status, diff)
	}
}

func (s *story) checkBookings(ts *testscript.TestScript, _ bool, want []string) {
	got := []string{}
	for _, b := range s.shop.Bookings() {
		got = append(got, b.OrderID)
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		ts.Fatalf("refunds (-want +got):\n%s", diff)
	}
}

// checkArrivals counts requests since the last look; the same key counts as often as it came.
func (s *story) checkArrivals(ts *testscript.TestScript, _ bool, args []string) {
	all := s.shop.Arrivals()
	got := 0
	for _, a := range all[s.looked:] {
		if a.Method == args[0] && a.Path == args[1] {
			got++
		}
	}
	s.looked = len(all)
	if want := number(ts, args, 2); got != want {
		ts.Fatalf("%d requests %s %s arrived", got, args[0], args[1])
	}
}

func (s *story) fault(ts *testscript.TestScript, _ bool, args []string) {
	kind, moment, _ := strings.Cut(args[0], "/")
	ts.Check(s.shop.SetFault(kind, args[1], args[2], moment, number(ts, args, 3)))
}

// scriptModel queues answers of the model: {"text": ...}, {"json": ...}, {"status": 500} or {"calls": [{"name": ..., "args": ...}]}.
func (s *story) scriptModel(ts *testscript.TestScript, _ bool, args []string) {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	d.DisallowUnknownFields()
	for {
		var line struct {
			Text   string
			JSON   any
			Status int
			Calls  []llmtest.Call
		}
		err := d.Decode(&line)
		if errors.Is(err, io.EOF) {
			return
		}
		ts.Check(err)
		reply := llmtest.Reply{Text: line.Text, Status: line.Status, Calls: line.Calls}
		if line.JSON != nil {
			reply = llmtest.JSON(line.JSON)
		}
		s.model.Reply(reply)
	}
}

func number(ts *testscript.TestScript, args []string, i int) int {
	if i >= len(args) {
		ts.Fatalf("%d arguments are too few", len(args))
	}
	n, err := strconv.Atoi(args[i])
	ts.Check(err)
	return n
}

// TestExamplesUseTheActionsOfDev compares what the examples declare with what "sluice dev" writes for its shop.
func TestExamplesUseTheActionsOfDev(t *testing.T) {
	t.Parallel()
	dev := map[string]tool.Tool{}
	for _, a := range actionsOf(t, "dev_actions.yaml", strings.ReplaceAll(devActions, "http://SHOP", devShop)) {
		dev[a.Name] = a
	}
	files, err := filepath.Glob("../../examples/*/actions.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range actionsOf(t, file, string(text)) {
			if diff := cmp.Diff(dev[a.Name], a); diff != "" {
				t.Errorf("%s: %s is not the action of dev (-dev +example):\n%s", file, a.Name, diff)
			}
		}
	}
}

// actionsOf reads declared actions, without what they do.
func actionsOf(t *testing.T, file, text string) []tool.Tool {
	t.Helper()
	all, err := tool.LoadActions(file, []byte(text), tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].Call = nil
	}
	return all
}
