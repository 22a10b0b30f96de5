package doctor_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice/doctor"
	"sluice/engine/secret"
	"sluice/engine/tool"
)

// Findings are printed one below the other, each with what to do.
func ExamplePrint() {
	_ = doctor.Print(os.Stdout, []doctor.Finding{
		{Check: "clock", Level: doctor.Fine, Text: "it agrees with Slack's"},
		{Check: "disk", Level: doctor.Warning, Text: "20 MiB are free", Do: "free some space"},
	})
	// Output:
	// ok      clock: it agrees with Slack's
	// warning disk: 20 MiB are free
	//         → free some space
	// 1 ok, 1 warnings, 0 wrong
}

// Every check has its say although nothing is set up, and what the configuration says already is not said twice.
func TestNothingIsSetUp(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	all := doctor.Examine(t.Context(), doctor.Settings{
		Problems: errors.New("the configuration has faults:\n  - SLUICE_MODELS: no such file\n  - SLUICE_TIMEZONE: no zone"), Data: data, Timeout: time.Minute,
		Open: func() (*tool.Set, *secret.Env, error) { return nil, nil, errors.New("the actions file is a folder") },
	})
	found := map[string]doctor.Level{}
	for _, f := range all {
		found[f.Check] = max(found[f.Check], f.Level)
		if f.Level == doctor.Wrong && f.Do == "" {
			t.Errorf("%s says nothing of what to do", f.Check)
		}
	}
	for check, want := range map[string]doctor.Level{
		"configuration": doctor.Wrong, "bot token": doctor.Wrong, "app token": doctor.Wrong, "tools": doctor.Wrong, "database": doctor.Fine, "model": "", "time zone": "", "channels": "",
	} {
		if found[check] != want {
			t.Errorf("%s is %q instead of %q", check, found[check], want)
		}
	}
	if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
		t.Errorf("the examination has left %v behind (%v)", left, err)
	}
}

// A check that hangs holds up no other one longer than its time.
func TestTimeout(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all := doctor.Examine(ctx, doctor.Settings{
		Data: t.TempDir(), SlackBotToken: "xoxb-1", SlackAPIURL: "http://127.0.0.1:1/", Timeout: time.Second,
		Open: func() (*tool.Set, *secret.Env, error) { return nil, nil, ctx.Err() },
	})
	for _, f := range all {
		if f.Check == "bot token" && (f.Level != doctor.Wrong || !strings.Contains(f.Text, "does not answer")) {
			t.Errorf("it is %+v", f)
		}
	}
}
