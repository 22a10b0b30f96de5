package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sluice/storage"
)

// TestATerminalDecidesNothingInABotsDatabase: `sluice run` on it is refused while the bot serves, and after it was stopped, and says where
// the questions are answered. The flow in the file asks the same question as the bot's.
func TestATerminalDecidesNothingInABotsDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	file := w.file("tell.yaml", "name: tell\nflow: {entry: approve_1, nodes: [{id: approve_1, type: approval, message: 'Go on?', routes: [{to: end}]}]}\n")
	terminal := func(when, want string) {
		p := start(t, "sluice run", nil, "run", file, "--data", w.botData(), "--answer", "approve_1=approve")
		if code := p.wait(t); code != exitBadFile {
			t.Errorf("%s: exit code %d", when, code)
		}
		if said := p.output(); !strings.Contains(said, "--data "+displayPath(w.botData())) || !strings.Contains(said, want) || !strings.Contains(said, "choose another directory") {
			t.Errorf("%s it says:\n%s", when, said)
		}
	}
	serves := fmt.Sprintf("process %d", w.bot.cmd.Process.Pid)
	terminal("a bot without flows serves", serves)
	status, card := waitingRefund(w)
	terminal("the bot serves", serves)
	if code := w.bot.stop(t); code != 0 {
		t.Errorf("serve ends with code %d", code)
	}
	terminal("the bot is stopped", "/flow run refund")
	untouched(w)
	w.startBot()
	w.click("fin", card, "Approve")
	settled(w, status)
}

// untouched checks that a stopped bot's database has its one run with its open question, and nothing of another flow.
func untouched(w *world) {
	w.Helper()
	ctx := context.Background()
	s, err := openStore(ctx, "sqlite:"+filepath.Join(w.botData(), "sluice.db"), w.botData())
	if err != nil {
		w.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs(ctx, storage.RunQuery{})
	if err != nil || len(runs) != 1 || runs[0].Name != "refund-1" {
		w.Errorf("the runs are %+v, %v", runs, err)
	}
	open, err := s.Gates(ctx, storage.GateQuery{Open: true, Limit: 10})
	if err != nil || len(open) != 1 {
		w.Errorf("the open questions are %+v, %v", open, err)
	}
	if _, err := s.Flow(ctx, "tell"); err == nil {
		w.Error("the file's flow is saved")
	}
}
