package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestPage lives the refund's story from the first words to the last picture in the page of the small Slack, in a real browser,
// with a mouse and a keyboard. Every step is shown in both themes, and can be kept as screenshots; see screen.shot.
func TestPage(t *testing.T) {
	t.Parallel()
	s := openPage(t, newWorld(t, setup{}), "ana/general")

	s.click("#support in the sidebar", `document.querySelector('[data-channel="support"]')`)
	s.write("composer", "@Slu")
	s.until("completion of @Slu", `document.querySelector('[data-testid="completion"] [data-value="@Sluice"]')`)
	s.shot("completion")
	s.write("composer", "ice new refund: 1. get the order from the shop  2. if the amount is over 100 ask @finance to approve  3. refund it  4. tell #support")
	s.press("Enter", 13)
	s.until("reaction", `inChannel('@Sluice new refund').querySelector('[data-reaction="white_check_mark"]')`)
	s.click("thread of the request", `inChannel('@Sluice new refund').querySelector('[data-testid="replies"]')`)
	s.until("draft with its picture and buttons", `shown(inThread('Refund, draft 1')) && button(inThread('Refund, draft 1'), 'Approve') && button(inThread('Refund, draft 1'), 'Discard')`)
	s.shot("draft")
	s.click("Discard", `button(inThread('Refund, draft 1'), 'Discard')`)
	s.until("question before it is discarded", `document.querySelector('[data-testid="confirm"] [data-testid="confirm-accept"]')`)
	s.shot("confirm")
	s.click("Keep", `document.querySelector('[data-testid="confirm-deny"]')`)
	s.until("no question", `!document.querySelector('[data-testid="confirm"]')`)

	s.write("thread-composer", "2. if the amount is over 200 ask @finance to approve")
	s.press("Enter", 13)
	s.until("second draft", `shown(inThread('Refund, draft 2')) && button(inThread('Refund, draft 2'), 'Approve')`)
	s.until("first draft without buttons", `/Replaced by draft 2/.test(inThread('Refund, draft 1').innerText) && buttons(inThread('Refund, draft 1')) === 0`)
	s.shot("revised draft")

	s.click("Approve", `button(inThread('Refund, draft 2'), 'Approve')`)
	s.until("approval", `/Approved as version 1 by @Ana Lindqvist/.test(inThread('Refund, version 1').innerText) && !button(inThread('Refund, version 1'), 'Approve')`)
	s.shot("approved")

	s.write("composer", "/flow run refund order_id=A-1001")
	s.until("hint for the command", `document.querySelector('[data-testid="command-hint"]')`)
	s.shot("command")
	s.press("Enter", 13)
	s.until("status message with a task per step", `inChannel('Waiting').querySelectorAll('[data-task-id]').length > 3`)
	s.click("thread of the run", `inChannel('Waiting').querySelector('[data-testid="replies"]')`)
	s.until("gate", `shown(runStatus()) && button(gate(), 'Approve') && button(gate(), 'Reject')`)
	s.shot("gate")
	s.readmeThread()
	s.click("picture of the run", `runStatus().querySelector('.picture')`)
	s.until("picture in full size", `document.querySelector('[data-testid="lightbox"] img').naturalWidth > 0`)
	s.shot("picture")
	s.press("Escape", 27)
	s.until("no picture in full size", `!document.querySelector('[data-testid="lightbox"]')`)

	s.write("composer", "/flow run refund order_id=A-1001")
	s.press("Enter", 13)
	s.until("the run that exists already", `button(privateTo('channel'), 'Run anyway…')`)
	s.shot("same run again")

	s.click("bob", `document.querySelector('[data-user="bob"]')`)
	s.until("bob's page", `document.querySelector('[data-user="bob"][aria-checked="true"]') && privateTo('channel') === none`)
	s.click("Approve as bob", `button(gate(), 'Approve')`)
	s.until("private refusal that names who may", `/@finance/.test(privateTo('thread').innerText)`)
	s.until("gate still open", `button(gate(), 'Approve')`)
	s.shot("bob may not")

	s.click("fin", `document.querySelector('[data-user="fin"]')`)
	s.until("fin's page, without bob's line", `document.querySelector('[data-user="fin"][aria-checked="true"]') && privateTo('thread') === none`)
	s.click("Approve as fin", `button(gate(), 'Approve')`)
	s.until("outcome without buttons", `/Approve by @Fin/.test(gate().innerText) && buttons(gate()) === 0`)
	s.until("status message done", `/Done/.test(runStatus().innerText) && !button(runStatus(), 'Cancel')`)
	s.until("last picture", `shown(runStatus()) && /done/.test(runStatus().querySelector('.picture img').alt)`)
	s.shot("done")
	s.readmeFlowchart()

	if n := s.bookings(); n != 1 {
		t.Errorf("the shop has booked %d refunds, want 1", n)
	}
}

// words is JavaScript that the steps of a story are written in. What finds a message gives an element without text or buttons when
// there is none yet.
const words = `
const messages = (pane) => [...document.querySelectorAll('[data-testid="' + pane + '"] [data-ts]')];
const none = document.createElement('div');
const find = (pane, text) => messages(pane).find((one) => one.innerText.includes(text)) || none;
const inChannel = (text) => find('channel', text);
const inThread = (text) => find('thread', text);
const gate = () => messages('thread').find((one) => /✋|:raised_hand:/.test(one.innerText) && !one.querySelector('[data-task-id]')) || none;
const runStatus = () => messages('thread')[0] || none;
const privateTo = (pane) => messages(pane).filter((one) => one.dataset.ephemeral === 'true').at(-1) || none;
const button = (message, label) => [...message.querySelectorAll('button[data-action-id]:not([aria-busy])')].find((one) => one.innerText.trim() === label);
const buttons = (message) => message.querySelectorAll('button[data-action-id]').length;
const selects = (message) => message.querySelectorAll('.select').length;
const selectIn = (message) => message.querySelector('.select:not(.button-busy)');
const inHome = (title) => {
  const blocks = [...(document.querySelector('[data-testid="home"] .blocks')?.children || [])];
  const from = blocks.findIndex((one) => one.innerText.trim() === title);
  const part = blocks.slice(from + 1);
  const end = part.findIndex((one) => one.dataset.blockType === 'divider');
  return from < 0 ? none : { querySelectorAll: (q) => part.slice(0, end < 0 ? undefined : end).flatMap((one) => [...one.querySelectorAll(q)]), innerText: part.slice(0, end < 0 ? undefined : end).map((one) => one.innerText).join('\n') };
};
const openModal = () => document.querySelector('[data-testid="modal"]');
const field = (name) => openModal()?.querySelector('[data-block-id="' + name + '"] :is(input, textarea)');
const shown = (message) => [...message.querySelectorAll('.picture img')].some((one) => one.complete && one.naturalWidth > 0);
`

// screen is the page in a browser.
type screen struct {
	*world
	browser context.Context
	dir     string // of the screenshots
	keeps   bool   // somebody will look at the screenshots of a test that succeeds
	taken   int
}

// openPage opens the page of a world at an address as it stands behind its #.
func openPage(t *testing.T, w *world, address string) *screen {
	t.Helper()
	s := &screen{world: w, browser: newBrowser(t), dir: os.Getenv("SLUICE_SCREENSHOTS")}
	s.keeps = s.dir != "" || flag.Lookup("test.artifacts").Value.String() == "true"
	if s.dir == "" {
		s.dir = t.ArtifactDir()
	}
	s.do("open the page", chromedp.EmulateViewport(1440, 1000), chromedp.Navigate(w.url("/?theme=light#"+address)))
	s.until("page", `document.querySelector('#app[data-ready="true"]')`)
	return s
}

// newBrowser opens a window of its own, without the cookies of others, in the one Chromium of all tests. Errors in its console fail the test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path := chromium(t)
	shared.start.Do(func() {
		if shared.err = startChromium(path); shared.err != nil { // on a busy machine it may crash before it has opened anything
			stopChromium()
			shared.err = startChromium(path)
		}
	})
	if shared.err != nil {
		t.Fatalf("start Chromium: %v", shared.err)
	}
	window, end := chromedp.NewContext(shared.browser, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	if err := chromedp.Do(window); err != nil {
		t.Fatalf("open a window of Chromium: %v", err)
	}
	watchConsole(t, window)
	return window
}

// shared is the Chromium of all tests. The first test that needs it starts it, and TestMain stops it.
var shared struct {
	start   sync.Once
	browser context.Context
	stop    func()
	err     error
}

// startChromium starts the browser that the tests share. Its windows must go on drawing while other windows are in front of them.
func startChromium(path string) error {
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
	}
	for _, name := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage", "hide-scrollbars",
		"disable-backgrounding-occluded-windows", "disable-renderer-backgrounding", "disable-background-timer-throttling",
	} {
		options = append(options, chromedp.Flag(name, true))
	}
	options = append(options, chromedp.Flag("lang", "en-US"), chromedp.Flag("force-color-profile", "srgb"), chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, end := chromedp.NewContext(allocator)
	shared.browser, shared.stop = browser, func() {
		end()
		stop()
	}
	return chromedp.Do(browser)
}

// stopChromium ends the browser, if a test has started it.
func stopChromium() {
	if shared.stop != nil {
		shared.stop()
	}
}

// chromium finds the browser. A machine without one skips the test, continuous integration must have one.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no Chromium on this machine; CI must have one (Debian: apt-get install chromium)")
	}
	t.Skip("SKIPPED: the page is not tested, because there is no Chromium on this machine (Debian: apt-get install chromium)")
	return ""
}

// watchConsole collects what the page complains about. A picture that was deleted while it was on its way, because the card has a newer one
// now, is none of it.
func watchConsole(t *testing.T, browser context.Context) {
	ctx, stop := context.WithCancel(browser)
	var complaints []chromedp.ConsoleMessage
	console := chromedp.Console(ctx)
	var reader sync.WaitGroup
	reader.Go(func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning {
				complaints = append(complaints, m)
			}
		}
	})
	t.Cleanup(func() {
		stop()
		reader.Wait()
		for _, one := range complaints {
			if !strings.Contains(one.URL, "/shown/") || !replaced(browser, one.URL) {
				t.Errorf("the browser's console: %s (%s:%d)", one, one.URL, one.Line+1)
			}
		}
	})
}

// replaced waits until the page shows no picture of an address any more.
func replaced(browser context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(browser, patience)
	defer cancel()
	gone := fmt.Sprintf("() => [...document.images].every((one) => one.src !== %q)", address)
	_, err := chromedp.Run(ctx, chromedp.PollFunction[bool](gone, looksAgain, chromedp.WithPollingTimeout(patience)))
	return err == nil
}

func (s *screen) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.browser, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		s.fail(what, err)
	}
}

// looksAgain is how often a page is looked at: not with every frame, because the frames of all windows cost the processor more than the program.
var looksAgain = chromedp.WithPollingInterval(50 * time.Millisecond)

// until waits until a condition in the page holds.
func (s *screen) until(what, condition string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.browser, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.PollFunction[bool](inPage("Boolean("+condition+")"), looksAgain, chromedp.WithPollingTimeout(patience)))
	if err != nil {
		s.fail(what, err)
	}
}

func inPage(expression string) string { return "() => {" + words + "return " + expression + ";\n}" }

// fail ends the test with what the page shows.
func (s *screen) fail(what string, err error) {
	s.Helper()
	text, _ := chromedp.Run(s.browser, chromedp.Evaluate[string]("document.body.innerText"))
	s.save("failure", chromedp.CaptureScreenshot())
	s.Fatalf("%s: %v\n--- the page shows:\n%s", what, err, text)
}

// click presses the mouse on an element once it is there, and again if the page moved under the mouse: a card grows when its picture comes.
func (s *screen) click(what, element string) {
	s.Helper()
	for deadline := time.Now().Add(patience); ; {
		s.until(what, element)
		s.do("watch the mouse", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			removeEventListener('click', window.landing, true);
			window.landed = false;
			window.landing = (click) => { const wanted = (%s)(); window.landed ||= Boolean(wanted && wanted.contains(click.target)); };
			addEventListener('click', window.landing, true);
		}; undefined`, inPage(element))))
		s.do("click "+what, chromedp.Click(chromedp.JSPath("("+inPage(element)+")()"), chromedp.NodeVisible))
		landed, err := chromedp.Run(s.browser, chromedp.Evaluate[bool]("window.landed"))
		if err == nil && landed {
			return
		}
		if err != nil || time.Now().After(deadline) {
			s.fail("the mouse misses "+what, err)
		}
	}
}

// write types into a composer, key by key.
func (s *screen) write(composer, text string) {
	s.Helper()
	box := chromedp.CSS(`[data-testid="` + composer + `"]`)
	s.do("type "+text, chromedp.SendKeys(box, text, chromedp.NodeVisible))
}

// press presses a key as people do: what the page takes for its own types no character. (The library's own Enter always does.)
func (s *screen) press(key string, code int) {
	s.Helper()
	s.do("press "+key, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, kind := range []string{"rawKeyDown", "keyUp"} {
			event := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
			if err := t.Call(ctx, "Input.dispatchKeyEvent", event, nil); err != nil {
				return err
			}
		}
		return nil
	}))
}

// shot shows the page in both themes. It keeps what the page shows as two files, light and dark, in the directory that SLUICE_SCREENSHOTS
// names, else among the test's artifacts (go test -artifacts). Without either nobody would see the files, and they are not made.
func (s *screen) shot(name string) {
	s.Helper()
	s.taken++
	s.mouseAway()
	for _, theme := range []string{"dark", "light"} {
		s.theme(theme)
		if s.keeps {
			s.save(fmt.Sprintf("%02d %s %s", s.taken, name, theme), chromedp.CaptureScreenshot())
		}
	}
}

// mouseAway takes the mouse to the top, so that no message has its tools on show.
func (s *screen) mouseAway() {
	s.Helper()
	s.do("move the mouse away", chromedp.MouseEvent(chromedp.MouseMoved, 2, 2))
}

// theme changes the colours and waits until they have changed.
func (s *screen) theme(name string) {
	s.Helper()
	s.do("theme", chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.documentElement.dataset.theme = %q; undefined", name)))
	s.until("colours", `!document.getAnimations().some((one) => one instanceof CSSTransition) && messages('channel').every((one) => !one.querySelector('.picture img') || shown(one))`)
}

func (s *screen) save(name string, picture chromedp.Action[[]byte]) {
	s.Helper()
	bytes, err := chromedp.Run(s.browser, picture)
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, strings.ReplaceAll(name, " ", "-")+".png"), bytes, 0o644)
	}
	if err != nil {
		s.Errorf("keep the screenshot %q: %v", name, err)
	}
}

// readmeThread keeps thread.png, the README's picture of a question in its thread, and readmeFlowchart keeps flowchart.png, the
// flowchart of a run. To renew them, name a directory with SLUICE_SCREENSHOTS and copy both from there to .github/pictures.
func (s *screen) readmeThread() {
	s.Helper()
	s.mouseAway()
	s.do("make the window sharp", chromedp.EmulateViewport(1360, 980, chromedp.EmulateScale(1.25)))
	s.until("the whole question", `(gate().scrollIntoView(), gate().getBoundingClientRect().bottom <= innerHeight)`)
	if s.keeps {
		s.save("thread", chromedp.CaptureScreenshot())
	}
	s.do("make the window large", chromedp.EmulateViewport(1440, 1000))
}

func (s *screen) readmeFlowchart() {
	s.Helper()
	address, err := chromedp.Run(s.browser, chromedp.Evaluate[string]("("+inPage(`runStatus().querySelector('.picture img').src`)+")()"))
	if err != nil {
		s.fail("address of the last picture", err)
	}
	s.save("flowchart", func(ctx context.Context, _ *chromedp.Target) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		answer, err := s.web.Do(request)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		return io.ReadAll(answer.Body)
	})
}
