package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageFiles puts flow files up in the page: picked with the paperclip, dragged onto the messages, and taken away again as a file.
func TestPageFiles(t *testing.T) {
	t.Parallel()
	s := openPage(t, newWorld(t, setup{}), "ana/support")
	file := s.file("refund.flow.yaml", exampleFlow(t, "refund/flow.yaml"))

	s.write("composer", "@Sluice ")
	s.do("reach the paperclip with the keyboard", chromedp.Evaluate[chromedp.Void](`document.querySelector('[data-testid="composer-file"]').focus(); undefined`))
	s.until("the paperclip's focus in sight", `getComputedStyle(document.activeElement.closest('label')).outlineStyle === 'solid'`)
	s.do("pick a file", chromedp.SetUploadFiles(chromedp.CSS(`[data-testid="composer-file"]`), []string{file}))
	s.until("the file in the composer", `/refund.flow.yaml/.test(document.querySelector('.composer-files').innerText)`)
	s.shot("file picked")
	s.click("Send", `document.querySelector('[data-testid="send"]')`)
	s.until("the file in the channel", `inChannel('refund.flow.yaml').querySelector('a.file-card')`)
	s.click("thread of the file", `inChannel('refund.flow.yaml').querySelector('[data-testid="replies"]')`)
	s.until("the draft", `shown(inThread('Refund, draft 1')) && button(inThread('Refund, draft 1'), 'Edit as file')`)
	s.shot("draft of a file")
	s.click("Edit as file", `button(inThread('Refund, draft 1'), 'Edit as file')`)
	s.until("the file that is given", `inThread('Change it and drop it into this thread').querySelector('a.file-card')`)
	s.shot("file given")

	s.do("drag a file over the thread", chromedp.Evaluate[chromedp.Void](drag("dragover", brokenFlow)))
	s.until("where it would land", `document.querySelector('[data-testid="thread"] .pane-scroll[data-dropping]')`)
	s.shot("file dragged")
	s.do("drop it", chromedp.Evaluate[chromedp.Void](drag("drop", brokenFlow)))
	s.until("the file in the thread's composer", `/broken.yaml/.test(document.querySelector('[data-testid="thread"] .composer-files').innerText) && !document.querySelector('[data-dropping]')`)
	s.write("thread-composer", "@Sluice ")
	s.press("Enter", 13)
	s.until("its problems", `/broken.yaml has 4 problems/.test(inThread('broken.yaml has').innerText) && inThread('broken.yaml has').querySelector('pre')`)
	s.shot("problems of a file")
}

// drag is JavaScript that moves a file over the messages of the thread, or lets it go there.
func drag(event, content string) string {
	return fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([%q], 'broken.yaml'));
		const over = { dataTransfer: data, bubbles: true, cancelable: true };
		document.querySelector('[data-testid="thread"] .pane-scroll').dispatchEvent(new DragEvent(%q, over));
	})()`, content, event)
}
