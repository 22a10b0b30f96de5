package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/llm"
	"sluice/engine/secret"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/inspect"
)

// Level is how bad a finding is.
type Level string

// Levels.
const (
	Fine    Level = "ok"
	Warning Level = "warning"
	Wrong   Level = "wrong"
)

// Finding is what a check has found: what it means, and what to do about it.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Do    string `json:"do,omitempty"`
}

// Settings are what an installation is made of, as far as it is examined.
type Settings struct {
	Problems error // of the configuration; what cannot be read because of them is not examined

	DatabaseURL, Data string

	SlackAPIURL, SlackAppToken, SlackBotToken string
	Manifest                                  string // of the Slack app

	Providers []llm.Provider // of models
	Models    bool           // Providers could be read
	Default   string         // name of the provider that settings name without a file

	Actions string // the file of declared actions, as it is shown; "" = none
	// Open loads the tools with their secrets.
	Open func() (*tool.Set, *secret.Env, error)
	// Hook says what is wrong with the webhook of a flow, or nothing.
	Hook func(ctx context.Context, secrets *secret.Env, flow string, w flow.WebhookTrigger) string

	Timezone string
	Zone     *time.Location // nil = it could not be read

	Timeout time.Duration // of each check
}

// examination makes the checks. It changes nothing and takes no lock, so that it can be made while the bot serves.
type examination struct {
	Settings
	findings []Finding
	db       inspect.Found
	flows    []*flow.Flow // newest revisions
	slack    bool         // Slack knows the bot token
}

// Examine makes every check and gives what it found, in order.
func Examine(ctx context.Context, s Settings) []Finding {
	d := &examination{Settings: s}
	for _, check := range []func(ctx context.Context){
		d.configuration, d.database, d.botToken, d.appToken, d.events, d.channels, d.models, d.tools, d.webhooks, d.zone,
	} {
		limited, cancel := context.WithTimeout(ctx, s.Timeout)
		check(limited)
		cancel()
	}
	return d.findings
}

// Print writes findings for people.
func Print(w io.Writer, all []Finding) error {
	count := map[Level]int{}
	for _, f := range all {
		count[f.Level]++
		fmt.Fprintf(w, "%-8s%s: %s\n", f.Level, f.Check, f.Text)
		if f.Do != "" {
			fmt.Fprintf(w, "        → %s\n", f.Do)
		}
	}
	_, err := fmt.Fprintf(w, "%d ok, %d warnings, %d wrong\n", count[Fine], count[Warning], count[Wrong])
	return err
}

func (d *examination) say(l Level, check, do, format string, args ...any) {
	d.findings = append(d.findings, Finding{Check: check, Level: l, Text: fmt.Sprintf(format, args...), Do: do})
}

func (d *examination) configuration(context.Context) {
	err := d.Problems
	if err == nil {
		d.say(Fine, "configuration", "", "it can be read; sluice config prints it")
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n  - ") {
		if !strings.HasSuffix(line, ":") {
			d.say(Wrong, "configuration", "change this setting; sluice serve --help lists all of them", "%s", line)
		}
	}
}

// diskLow is so little free space that runs may soon stand still.
const diskLow = 200 << 20

// database looks at the database without opening it as a store: that would migrate it.
func (d *examination) database(ctx context.Context) {
	const check = "database"
	var err error
	d.db, err = inspect.Look(ctx, d.DatabaseURL, d.Data)
	switch {
	case err != nil:
		d.say(Wrong, check, "start the database, or correct DATABASE_URL (user, password, host, name)", "it does not answer: %s", hideURL(err.Error(), d.DatabaseURL))
		return
	case d.db.Missing:
		d.say(Fine, check, "", "there is none yet; sluice serve makes it")
	case d.db.Step > d.db.Newest:
		d.say(Wrong, check, "use the program that wrote it, or a newer one", "%s is at step %d, and this program knows %d", d.db.Version, d.db.Step, d.db.Newest)
	case d.db.Step < d.db.Newest:
		d.say(Warning, check, "make a backup, then start sluice serve of this version", "%s is at step %d of %d: the next start applies the rest", d.db.Version, d.db.Step, d.db.Newest)
	default:
		d.say(Fine, check, "", "%s answers, and its shape is this program's (step %d)", d.db.Version, d.db.Step)
	}
	if d.db.Writable != nil {
		d.say(Wrong, check, "give the bot's user the right to write there", "it cannot be written: %v", d.db.Writable)
	}
	if d.db.Kind == storage.Postgres {
		d.clock("the database's clock", d.db.Clock)
	} else {
		d.disk()
	}
	for _, row := range d.db.Flows {
		f, err := flow.FromJSON(row.Body)
		if err != nil {
			d.say(Wrong, "flow "+row.Name, "use the program that wrote it, or a newer one", "it cannot be read: %v", err)
			continue
		}
		d.flows = append(d.flows, f)
	}
}

// hideURL takes an address with its password out of an error.
func hideURL(text, address string) string {
	if address == "" {
		return text
	}
	return strings.ReplaceAll(text, address, "DATABASE_URL")
}

func (d *examination) disk() {
	_, path, err := storage.ParseURL(d.DatabaseURL, d.Data)
	if err != nil {
		return // the configuration says so
	}
	switch free, err := inspect.FreeSpace(path); {
	case err != nil:
		d.say(Warning, "disk", "", "how much is free where the database lies is not known: %v", err)
	case free < diskLow:
		d.say(Warning, "disk", "free some space: on a full disk runs stand still", "%d MiB are free where the database lies", free>>20)
	default:
		d.say(Fine, "disk", "", "%d MiB are free where the database lies", free>>20)
	}
}

const (
	skewWarn  = 5 * time.Second
	skewWrong = time.Minute
)

// clock compares this machine's clock with another one.
func (d *examination) clock(whose string, ahead time.Duration) {
	off, l, do := ahead.Abs().Round(time.Second), Fine, ""
	switch {
	case off >= skewWrong:
		l, do = Wrong, "let this machine's clock be set by NTP: deadlines, schedules and signatures go by it"
	case off >= skewWarn:
		l, do = Warning, "let this machine's clock be set by NTP"
	}
	direction := "behind"
	if ahead < 0 {
		direction = "ahead of"
	}
	if off == 0 {
		d.say(Fine, "clock", "", "this machine's clock agrees with %s", whose)
		return
	}
	d.say(l, "clock", do, "this machine's clock is %s %s %s", off, direction, whose)
}

// zone says which time it is for schedules.
func (d *examination) zone(context.Context) {
	if d.Zone == nil {
		return // the configuration says so
	}
	l, do := Fine, ""
	if d.Timezone == "UTC" {
		do = "set SLUICE_TIMEZONE when people's working days and schedules are in another zone"
	}
	d.say(l, "time zone", do, "schedules and working days go by %s, where it is %s", d.Timezone, time.Now().In(d.Zone).Format("15:04"))
}

// tools loads the declared actions, and asks whether their hosts answer and their secrets are there.
func (d *examination) tools(ctx context.Context) {
	const check = "tools"
	set, secrets, err := d.Open()
	var problems flow.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			d.say(Wrong, check, cmp.Or(p.Hint, "correct it in the actions file"), "%s", p.String())
		}
		return
	case err != nil:
		d.say(Wrong, check, "correct what it names", "%v", err)
		return
	case d.Actions == "":
		d.say(Fine, check, "", "no actions are declared: flows call http.* alone (SLUICE_TOOLS names a file)")
	default:
		d.say(Fine, check, "", "the actions of %s can be read", d.Actions)
	}
	hosts := map[string]bool{}
	for _, t := range set.All() {
		if t.Host != "" && !hosts[t.Host] {
			hosts[t.Host] = true
			d.host(ctx, t)
		}
		d.secretsOf(ctx, secrets, t)
	}
	for _, f := range d.flows {
		for _, name := range approval.SecretNames(f) {
			if !slices.Contains(secrets.Names(), name) {
				d.say(Wrong, "secrets", "set SLUICE_SECRET_"+name+" in the bot's environment", "the flow %s needs secret.%s, which has no value", f.Name, name)
			}
		}
	}
}

func (d *examination) secretsOf(ctx context.Context, secrets *secret.Env, t tool.Tool) {
	for _, name := range t.Secrets {
		_, err := secrets.Resolve(ctx, name, secret.Use{Flow: d.caller(t.Name), Tool: t.Name, Host: t.Host, Declared: true})
		if errors.Is(err, secret.ErrNotBound) && d.caller(t.Name) == "" && strings.Contains(err.Error(), "outside a flow") {
			err = nil // it is for some flows alone, and none of them calls this tool yet
		}
		if err != nil {
			d.say(Wrong, "secrets", "set it in the bot's environment, and name its hosts and flows beside it", "%s cannot be called: %v", t.Name, err)
			continue
		}
		d.say(Fine, "secrets", "", "secret.%s of %s is set", name, t.Name)
	}
}

// caller names a flow that calls a tool; empty when none does.
func (d *examination) caller(toolName string) string {
	for _, f := range d.flows {
		for i := range f.Nodes {
			if t, ok := f.Nodes[i].Spec.(*flow.ToolSpec); ok && t.Tool == toolName {
				return f.Name
			}
		}
	}
	return ""
}
