package form_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/bot/form"
)

// workspace knows ana and #general, and that #secret is not for everybody.
func workspace(t *testing.T) form.Here {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones: ", err)
	}
	find := func(known map[string]string, near string) func(string) (string, string, error) {
		return func(name string) (string, string, error) {
			if name == "@down" {
				return "", "", errAway
			}
			if found := known[name]; found != "" {
				return found, "", nil
			}
			return "", near, nil
		}
	}
	return form.Here{
		Now: time.Date(2026, 11, 25, 10, 0, 0, 0, zone), Zoned: true, Me: "@ana",
		Person:  find(map[string]string{"@ana": "@ana", "U0ANA": "@ana"}, "@ana"),
		Channel: find(map[string]string{"#general": "#general", "C0GEN": "#general"}, ""),
	}
}

var errAway = errors.New("nobody answers")

// TestSettle: what people write becomes what a flow knows, or a sentence that says what can be written.
func TestSettle(t *testing.T) {
	t.Parallel()
	h := workspace(t)
	for _, c := range []struct {
		kind        form.Kind
		given, want string
		wrong       string
	}{
		{form.Text, " as it is ", " as it is ", ""},
		{form.List, " Ana, Bob ", `["Ana","Bob"]`, ""},
		{form.List, "Smith, John\nDoe, Jane", `["Smith, John","Doe, Jane"]`, ""},
		{form.List, ",", "", "This has no value; [] is an empty list."},
		{form.List, "[]", "[]", ""},
		{form.List, `[{"a": 1}]`, `[{"a":1}]`, ""},
		{form.List, `{"a": 1}`, "", `must be a JSON list, for example [{"name": "value"}]`},
		{form.Date, "next Monday", "2026-11-30", ""},
		{form.Date, "2026-12-01", "2026-12-01", ""},
		{form.Date, "next Monday at the latest", "", "is no day"},
		{form.Date, "3/4/2026", "", "is no day"},
		{form.Moment, "tomorrow at 9", "2026-11-26T09:00:00+01:00", ""},
		{form.Moment, "1764143999", "2025-11-26T08:59:59+01:00", ""},
		{form.Moment, "2026-12-01T09:00", "2026-12-01T09:00:00+01:00", ""},
		{form.Moment, "2026-12-01T09:00:00Z", "2026-12-01T10:00:00+01:00", ""},
		{form.Moment, "soon", "", "is no time"},
		{form.Person, "@ana", "@ana", ""},
		{form.Person, "ana", "@ana", ""},
		{form.Person, "me", "@ana", ""},
		{form.Person, "U0ANA", "@ana", ""},
		{form.Person, "@anna", "", "Did you mean @ana?"},
		{form.Channel, "general", "#general", ""},
		{form.Channel, "C0GEN", "#general", ""},
		{form.Channel, "#secret", "", "no channel that we both see"},
		{form.YesNo, "Yes", "true", ""},
		{form.YesNo, "nope", "false", ""},
		{form.YesNo, "maybe", "", "yes or no"},
		{form.Number, "1,000.50", "1000.5", ""},
		{form.Number, "12", "12", ""},
		{form.Number, "much", "much", ""}, // the engine says what it is not
		{form.Choice, "PAID", "paid", ""},
		{form.Choice, "2", "unpaid", ""},
		{form.Choice, "half", "half", ""}, // likewise
		{form.File, `{"name":"a.pdf"}`, `{"name":"a.pdf"}`, ""},
		{form.File, "a.pdf", "", "Attach a file"},
	} {
		fields := []form.Field{{Name: "v", Kind: c.kind, Options: []string{"paid", "unpaid"}}}
		values, wrong, err := form.Settle(fields, map[string]string{"v": c.given, "other": "x"}, h)
		if err != nil || values["v"] != c.want || values["other"] != "x" || (wrong["v"] == "") != (c.wrong == "") || !strings.Contains(wrong["v"], c.wrong) {
			t.Errorf("%s %q: %q, %q (%v)", c.kind, c.given, values["v"], wrong["v"], err)
		}
	}
	if _, _, err := form.Settle([]form.Field{{Name: "v", Kind: form.Person}}, map[string]string{"v": "@down"}, h); !errors.Is(err, errAway) {
		t.Errorf("somebody who cannot be looked up: %v", err)
	}
}

func TestMistyped(t *testing.T) {
	t.Parallel()
	names := []string{"order", "amount"}
	for text, want := range map[string]string{
		"order=A-1 amuont=5":          "amuont",
		`order="A-1 amuont=5"`:        "",
		"order=A-1 color=red":         "",
		"order=A-1 amount=5 amuont=6": "",
		"order=A-1, amount=5":         "",
	} {
		if got, _ := form.Mistyped(text, names); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func ExampleSettle() {
	fields := []form.Field{{Name: "from", Kind: form.Date}, {Name: "paid", Kind: form.YesNo}}
	h := form.Here{Now: time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)}
	fmt.Println(form.Settle(fields, map[string]string{"from": "tomorrow", "paid": "yes"}, h))
	// Output: map[from:2026-11-26 paid:true] map[] <nil>
}
