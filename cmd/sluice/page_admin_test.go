package main

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageWorkspace deactivates somebody, removes the bot, archives a channel and makes a share of calls fail, in the panel of the small Slack,
// which fits on the narrowest phones.
func TestPageWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	drafted(w, w.write("ana", "#support", "", outline))
	s := openPage(t, w, "ana/support")
	rowOf := func(name, label string) string {
		return `[...document.querySelectorAll('.admin-row')].filter((row) => row.innerText.startsWith('` + name + `')).flatMap((row) => [...row.querySelectorAll('button')]).find((one) => one.innerText === '` + label + `')`
	}
	s.click("Workspace", `document.querySelector('[data-testid="admin-open"]')`)
	s.until("the panel", rowOf("@fin", "Deactivate"))
	s.both("workspace")
	s.resize(360, 800)
	s.until("no sideways scrolling", `document.documentElement.scrollWidth <= 360 && document.querySelector('.admin').getBoundingClientRect().right <= 360`)
	s.shot("workspace 360")
	s.click("Deactivate fin", rowOf("@fin", "Deactivate"))
	s.until("fin is deactivated", rowOf("@fin", "Reactivate"))
	s.click("Remove Sluice", rowOf("#general", "Remove Sluice"))
	s.until("Sluice is removed", rowOf("#general", "Invite Sluice"))
	s.click("Archive general", rowOf("#general", "Archive"))
	s.until("general is archived", rowOf("#general", "Unarchive"))
	s.do("type a plan", chromedp.SendKeys(chromedp.JSPath("("+inPage("document.querySelector('.admin-faults input')")+")()"), "late=100", chromedp.NodeVisible))
	s.click("Apply", `[...document.querySelectorAll('.admin-faults button')].find((one) => one.innerText === 'Apply')`)
	poll(w, "the plan", func() (string, bool) { p := w.get("plan").Plan; return p, p != "" })
	s.press("Escape", 27)
	s.until("nobody can be fin", `!document.querySelector('.admin') && !document.querySelector('[data-user="fin"]')`)
	s.until("no sideways scrolling of the page", `document.documentElement.scrollWidth <= 360`)
	if users := w.get("info").Users; slices.ContainsFunc(users, func(u account) bool { return u.Name == "fin" && !u.Deleted }) {
		t.Error("fin is active")
	}
}
