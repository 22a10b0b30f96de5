package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/bot/slacksim"
)

// asProgram turns a copy of this test binary into the program.
const asProgram = "SLUICE_AS_PROGRAM"

// noRaceSleep spares every child the second that the race detector waits at an exit.
const noRaceSleep = "GORACE=atexit_sleep_ms=0"

// maybeProgram is called by TestMain before anything else: with asProgram set it is the program, and it does not return. File 3 is
// the end of a pipe that the tests hold, so that no program outlives them.
func maybeProgram() {
	if os.Getenv(asProgram) != "1" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.NewFile(3, "tests"))
		os.Exit(exitFailed)
	}()
	os.Exit(program(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// patience is how long anything may take on a busy machine before a test gives up.
const patience = time.Minute

// process is the program, running.
type process struct {
	name string
	cmd  *exec.Cmd
	tied *os.File      // held by the tests; see maybeProgram
	said chan struct{} // closed and replaced with every line
	over chan struct{} // closed when the process has ended

	mu    sync.Mutex
	out   []string // lines of its output and of its errors, as they came
	ended error
}

// start runs the program with a clean environment and these settings ("NAME=value").
func start(t *testing.T, name string, settings []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	alive, tied, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	p := &process{name: name, cmd: exec.Command(self, args...), tied: tied, said: make(chan struct{}), over: make(chan struct{})}
	p.cmd.Env = append(cleanEnviron(), asProgram+"=1", noRaceSleep)
	p.cmd.Env = append(p.cmd.Env, settings...)
	p.cmd.ExtraFiles = []*os.File{alive}
	p.cmd.Dir = t.TempDir()
	reader, writer := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = writer, writer
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.listen(reader)
	go func() {
		err := p.cmd.Wait()
		_ = writer.Close()
		p.mu.Lock()
		p.ended = err
		p.mu.Unlock()
		close(p.over)
	}()
	t.Cleanup(func() { p.clean(t) })
	return p
}

// cleanEnviron leaves out what would configure the program.
func cleanEnviron() []string {
	var out []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if name != "DATABASE_URL" && !strings.HasPrefix(name, "SLUICE_") && !strings.HasPrefix(name, "SLACK_") && !strings.HasPrefix(name, "OPENAI_") {
			out = append(out, kv)
		}
	}
	return out
}

func (p *process) listen(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.mu.Lock()
		p.out = append(p.out, lines.Text())
		close(p.said)
		p.said = make(chan struct{})
		p.mu.Unlock()
	}
}

// clean ends a process after its test and reports what must never be in its output.
func (p *process) clean(t *testing.T) {
	p.kill()
	text := p.output()
	for _, bad := range []string{"WARNING: DATA RACE", "panic:", "the bot broke on a delivery", slacksim.Refused} {
		if strings.Contains(text, bad) {
			t.Errorf("%s wrote %q:\n%s", p.name, bad, text)
		}
	}
	if t.Failed() {
		t.Logf("--- what %s wrote:\n%s", p.name, text)
	}
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.out, "\n")
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.over
	_ = p.tied.Close()
}

// stop asks the process to end, as Ctrl-C does, and gives its exit code.
func (p *process) stop(t *testing.T) int {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatalf("interrupt %s: %v", p.name, err)
	}
	return p.wait(t)
}

// wait waits for the end of the process and gives its exit code.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.over:
	case <-time.After(patience):
		t.Fatalf("%s does not end; it wrote:\n%s", p.name, p.output())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var exit *exec.ExitError
	if errors.As(p.ended, &exit) {
		return exit.ExitCode()
	}
	return 0
}

var errEnded = errors.New("the process has ended")

// says waits for a line and gives the pattern's first group.
func (p *process) says(pattern string) (string, error) {
	re := regexp.MustCompile(pattern)
	limit := time.After(patience)
	for {
		p.mu.Lock()
		lines, said := p.out, p.said
		p.mu.Unlock()
		for _, l := range lines {
			if m := re.FindStringSubmatch(l); m != nil {
				return m[len(m)-1], nil
			}
		}
		select {
		case <-said:
		case <-p.over:
			if text := p.output(); !re.MatchString(text) {
				return "", fmt.Errorf("%w:\n%s", errEnded, text)
			}
		case <-limit:
			return "", fmt.Errorf("%s never said %q:\n%s", p.name, pattern, p.output())
		}
	}
}

// world is a small Slack with a shop, in a process of its own, and the bot, in the same process or in another.
type world struct {
	*testing.T
	setup
	data   string // of the small Slack
	addr   string // host:port
	dev    *process
	bot    *process // nil when dev holds the bot
	web    *http.Client
	people map[string]string // ids by name

	unheard func() // does again what the app may not have heard, under a plan of faults
}

// setup says what a world is made of; the zero value is `sluice dev` with its defaults.
type setup struct {
	database     string // DATABASE_URL; empty = a SQLite file
	secondPerson bool
	apart        bool // the bot is `sluice serve` beside `sluice dev --no-bot`
	seed         string
	tools        string   // an actions file's text, with http://SHOP for the shop
	settings     []string // more of the environment
	rate         int      // SLUICE_MESSAGES_PER_MINUTE of `sluice serve`; 0 = 300
	plan         string   // of faults between Slack and the bot
}

// planOfAll gives a plan of faults for every world that has none of its own.
var planOfAll = func(*testing.T) string { return "" }

func newWorld(t *testing.T, s setup) *world {
	t.Helper()
	w := &world{T: t, setup: s, data: t.TempDir(), addr: "127.0.0.1:0", web: &http.Client{Timeout: patience}}
	if s.tools != "" && !s.apart {
		w.addr = reserved(t) // the actions name the shop's address before dev starts
	}
	w.startDev()
	if s.apart {
		w.startBot()
	}
	if w.plan = cmp.Or(s.plan, planOfAll(t)); w.plan != "" {
		w.post("plan", fields{"plan": w.plan})
		t.Cleanup(func() {
			a, err := w.callTraced(context.WithoutCancel(t.Context()), http.MethodGet, "plan", nil)
			t.Logf("%s struck %v %v", w.plan, a.Struck, err)
		})
	}
	return w
}

// reserved finds an address that is free. Its port is none that the system gives to connections: one of those could have it a moment later.
func reserved(t *testing.T) string {
	t.Helper()
	const lowest, ports = 20_000, 12_000
	for range ports {
		address := fmt.Sprintf("127.0.0.1:%d", lowest+(os.Getpid()*100+int(handedOut.Add(1)))%ports) // another program with these tests begins elsewhere
		if ln, err := net.Listen("tcp", address); err == nil {
			_ = ln.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// handedOut counts the ports that were tried.
var handedOut atomic.Int64

func (w *world) switches() []string {
	out := []string{"SLUICE_SECOND_PERSON=off", "SLUICE_LOG_LEVEL=info"}
	if w.secondPerson {
		out[0] = "SLUICE_SECOND_PERSON=on"
	}
	if w.database != "" {
		out = append(out, "DATABASE_URL="+w.database)
	}
	return append(out, w.settings...)
}

// startDev starts `sluice dev` on the world's data, at the address that it had before if it had one. Somebody else's connection
// may have that port for a moment.
func (w *world) startDev() {
	w.Helper()
	args := []string{"dev", "--addr", w.addr, "--data", w.data}
	if w.apart {
		args = append(args, "--no-bot")
	}
	if w.seed != "" {
		args = append(args, "--seed", w.file("seed.yaml", w.seed))
	}
	if w.tools != "" && !w.apart {
		args = append(args, "--tools", w.toolsFile())
	}
	for limit := time.Now().Add(patience); ; {
		w.dev = start(w.T, "dev", w.switches(), args...)
		address, err := w.dev.says(`open at http://(\S+)`)
		if err == nil {
			w.addr = address
			return
		}
		if !strings.Contains(err.Error(), "address already in use") || time.Now().After(limit) {
			w.Fatal(err)
		}
	}
}

// startBot starts `sluice serve` beside the small Slack and waits until it serves.
func (w *world) startBot() {
	w.Helper()
	w.bot = w.serve("serve")
	if _, err := w.bot.says(`sluice serves`); err != nil {
		w.Fatal(err)
	}
}

// serve starts a `sluice serve` that may have to stand by.
func (w *world) serve(name string) *process {
	w.Helper()
	tools := filepath.Join(w.data, "actions.yaml")
	if w.tools != "" {
		tools = w.toolsFile()
	}
	settings := append(w.switches(), "SLACK_BOT_TOKEN=xoxb-dev", "SLACK_APP_TOKEN=xapp-dev", "SLACK_API_URL="+w.url("/api/"), fmt.Sprintf("SLUICE_MESSAGES_PER_MINUTE=%d", cmp.Or(w.rate, 300)))
	return start(w.T, name, settings, "serve", "--data", w.botData(), "--tools", tools)
}

// botData is the data directory of a bot in a process of its own.
func (w *world) botData() string { return filepath.Join(w.data, "bot") }

// toolsFile writes the world's actions once the shop's address is known.
func (w *world) toolsFile() string {
	w.Helper()
	return w.file("tools.yaml", strings.ReplaceAll(w.tools, "http://SHOP", w.url("/shop")))
}

func (w *world) file(name, text string) string {
	w.Helper()
	path := filepath.Join(w.data, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

func (w *world) url(path string) string { return "http://" + w.addr + path }

// shopActions is the actions file of `sluice dev` with the refund's effects replaced.
func shopActions(effects string) string {
	return regexp.MustCompile(`effects: idempotent.*`).ReplaceAllString(devActions, "effects: "+effects)
}
