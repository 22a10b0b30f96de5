package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/secret"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/inspect"
)

type doctorCmd struct {
	config
	JSON    bool `help:"Print the findings as JSON."`
	Timeout span `default:"10s" help:"How long each check may take."`
}

// level is how bad a finding is.
type level string

const (
	fine    level = "ok"
	warning level = "warning"
	wrong   level = "wrong"
)

// finding is what a check has found: what it means, and what to do about it.
type finding struct {
	Check string `json:"check"`
	Level level  `json:"level"`
	Text  string `json:"text"`
	Do    string `json:"do,omitempty"`
}

// doctor makes the checks. It changes nothing and takes no lock, so that it can be asked while the bot serves.
type doctor struct {
	c        *config
	timeout  time.Duration
	findings []finding
	db       inspect.Found
	flows    []*flow.Flow // newest revisions
	slack    bool         // Slack knows the bot token
}

// Run makes every check and says what it found; the program ends with 1 when something is wrong.
func (c *doctorCmd) Run(ctx context.Context, std stdio) error {
	d := &doctor{c: &c.config, timeout: time.Duration(c.Timeout)}
	if d.timeout <= 0 {
		d.timeout = 10 * time.Second
	}
	for _, check := range []func(ctx context.Context){
		d.configuration, d.database, d.botToken, d.appToken, d.events, d.channels, d.models, d.tools, d.webhooks, d.zone,
	} {
		limited, cancel := context.WithTimeout(ctx, d.timeout)
		check(limited)
		cancel()
	}
	if err := d.print(std.out, c.JSON); err != nil {
		return err
	}
	for _, f := range d.findings {
		if f.Level == wrong {
			return &exitError{code: exitFailed}
		}
	}
	return nil
}

func (d *doctor) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(d.findings)
	}
	count := map[level]int{}
	for _, f := range d.findings {
		count[f.Level]++
		fmt.Fprintf(w, "%-8s%s: %s\n", f.Level, f.Check, f.Text)
		if f.Do != "" {
			fmt.Fprintf(w, "        → %s\n", f.Do)
		}
	}
	_, err := fmt.Fprintf(w, "%d ok, %d warnings, %d wrong\n", count[fine], count[warning], count[wrong])
	return err
}

func (d *doctor) say(l level, check, do, format string, args ...any) {
	d.findings = append(d.findings, finding{Check: check, Level: l, Text: fmt.Sprintf(format, args...), Do: do})
}

func (d *doctor) configuration(context.Context) {
	err := d.c.problems(false)
	if err == nil {
		d.say(fine, "configuration", "", "it can be read; sluice config prints it")
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n  - ") {
		if !strings.HasSuffix(line, ":") {
			d.say(wrong, "configuration", "change this setting; sluice serve --help lists all of them", "%s", line)
		}
	}
}

// diskLow is so little free space that runs may soon stand still.
const diskLow = 200 << 20

// database looks at the database without opening it as a store: that would migrate it.
func (d *doctor) database(ctx context.Context) {
	const check = "database"
	var err error
	d.db, err = inspect.Look(ctx, d.c.DatabaseURL, d.c.Data)
	switch {
	case err != nil:
		d.say(wrong, check, "start the database, or correct DATABASE_URL (user, password, host, name)", "it does not answer: %s", hideURL(err.Error(), d.c.DatabaseURL))
		return
	case d.db.Missing:
		d.say(fine, check, "", "there is none yet; sluice serve makes it")
	case d.db.Step > d.db.Newest:
		d.say(wrong, check, "use the program that wrote it, or a newer one", "%s is at step %d, and this program knows %d", d.db.Version, d.db.Step, d.db.Newest)
	case d.db.Step < d.db.Newest:
		d.say(warning, check, "make a backup, then start sluice serve of this version", "%s is at step %d of %d: the next start applies the rest", d.db.Version, d.db.Step, d.db.Newest)
	default:
		d.say(fine, check, "", "%s answers, and its shape is this program's (step %d)", d.db.Version, d.db.Step)
	}
	if d.db.Writable != nil {
		d.say(wrong, check, "give the bot's user the right to write there", "it cannot be written: %v", d.db.Writable)
	}
	if d.db.Kind == storage.Postgres {
		d.clock("the database's clock", d.db.Clock)
	} else {
		d.disk()
	}
	for _, row := range d.db.Flows {
		f, err := flow.FromJSON(row.Body)
		if err != nil {
			d.say(wrong, "flow "+row.Name, "use the program that wrote it, or a newer one", "it cannot be read: %v", err)
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

func (d *doctor) disk() {
	_, path, err := storage.ParseURL(d.c.DatabaseURL, d.c.Data)
	if err != nil {
		return // the configuration says so
	}
	switch free, err := inspect.FreeSpace(path); {
	case err != nil:
		d.say(warning, "disk", "", "how much is free where the database lies is not known: %v", err)
	case free < diskLow:
		d.say(warning, "disk", "free some space: on a full disk runs stand still", "%d MiB are free where the database lies", free>>20)
	default:
		d.say(fine, "disk", "", "%d MiB are free where the database lies", free>>20)
	}
}

const (
	skewWarn  = 5 * time.Second
	skewWrong = time.Minute
)

// clock compares this machine's clock with another one.
func (d *doctor) clock(whose string, ahead time.Duration) {
	off, l, do := ahead.Abs().Round(time.Second), fine, ""
	switch {
	case off >= skewWrong:
		l, do = wrong, "let this machine's clock be set by NTP: deadlines, schedules and signatures go by it"
	case off >= skewWarn:
		l, do = warning, "let this machine's clock be set by NTP"
	}
	direction := "behind"
	if ahead < 0 {
		direction = "ahead of"
	}
	if off == 0 {
		d.say(fine, "clock", "", "this machine's clock agrees with %s", whose)
		return
	}
	d.say(l, "clock", do, "this machine's clock is %s %s %s", off, direction, whose)
}

// zone says which time it is for schedules.
func (d *doctor) zone(context.Context) {
	cal, problems := d.c.calendar()
	if len(problems) > 0 {
		return // the configuration says so
	}
	l, do := fine, ""
	if d.c.Timezone == "UTC" {
		do = "set SLUICE_TIMEZONE when people's working days and schedules are in another zone"
	}
	d.say(l, "time zone", do, "schedules and working days go by %s, where it is %s", d.c.Timezone, time.Now().In(cal.Zone).Format("15:04"))
}

// tools loads the declared actions, and asks whether their hosts answer and their secrets are there.
func (d *doctor) tools(ctx context.Context) {
	const check = "tools"
	box, err := openTools(d.c, postNowhere{})
	var problems flow.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			d.say(wrong, check, cmp.Or(p.Hint, "correct it in the actions file"), "%s", p.String())
		}
		return
	case err != nil:
		d.say(wrong, check, "correct what it names", "%v", err)
		return
	case d.c.Tools == "":
		d.say(fine, check, "", "no actions are declared: flows call http.* alone (SLUICE_TOOLS names a file)")
	default:
		d.say(fine, check, "", "the actions of %s can be read", displayPath(d.c.Tools))
	}
	hosts := map[string]bool{}
	for _, t := range box.set.All() {
		if t.Host != "" && !hosts[t.Host] {
			hosts[t.Host] = true
			d.host(ctx, t)
		}
		d.secretsOf(ctx, box, t)
	}
	for _, f := range d.flows {
		for _, name := range approval.SecretNames(f) {
			if !hasName(box.secrets.Names(), name) {
				d.say(wrong, "secrets", "set SLUICE_SECRET_"+name+" in the bot's environment", "the flow %s needs secret.%s, which has no value", f.Name, name)
			}
		}
	}
}

func (d *doctor) secretsOf(ctx context.Context, box *toolbox, t tool.Tool) {
	for _, name := range t.Secrets {
		_, err := box.secrets.Resolve(ctx, name, secret.Use{Flow: d.caller(t.Name), Tool: t.Name, Host: t.Host, Declared: true})
		if errors.Is(err, secret.ErrNotBound) && d.caller(t.Name) == "" && strings.Contains(err.Error(), "outside a flow") {
			err = nil // it is for some flows alone, and none of them calls this tool yet
		}
		if err != nil {
			d.say(wrong, "secrets", "set it in the bot's environment, and name its hosts and flows beside it", "%s cannot be called: %v", t.Name, err)
			continue
		}
		d.say(fine, "secrets", "", "secret.%s of %s is set", name, t.Name)
	}
}

// caller names a flow that calls a tool; empty when none does.
func (d *doctor) caller(toolName string) string {
	for _, f := range d.flows {
		for i := range f.Nodes {
			if t, ok := f.Nodes[i].Spec.(*flow.ToolSpec); ok && t.Tool == toolName {
				return f.Name
			}
		}
	}
	return ""
}

func hasName(names []string, name string) bool {
	return slices.Contains(names, name)
}
