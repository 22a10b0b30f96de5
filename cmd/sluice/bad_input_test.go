package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/google/go-cmp/cmp"
)

// moreActions are tools that words can get wrong: two that are told apart by nothing, and one with a number among its parameters.
const moreActions = `
  - name: mail.send_receipt
    description: Send a receipt
    words: [send receipt, send the receipt]
    method: POST
    url: "http://SHOP/refunds"
    params: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
    effects: once
  - name: printer.send_receipt
    description: Send a receipt
    words: [send receipt, send the receipt]
    method: POST
    url: "http://SHOP/refunds"
    params: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
    effects: once
  - name: shop.grant_discount
    description: Grant a discount
    words: [grant a discount, grant discount]
    method: POST
    url: "http://SHOP/refunds"
    params: {type: object, properties: {order_id: {type: string, examples: [A-1001]}, percent: {type: integer, examples: [10]}}, required: [order_id, percent]}
    effects: idempotent
`

// TestBadInput plays testdata/bad_input.txtar: what people see in Slack for words that cannot be what they mean. Lines that begin
// with "> " are what ana does in #support: a command, a message, "reply: " for one in the thread of the last message, or [a button] of
// the last card; what follows is the bot's answer.
func TestBadInput(t *testing.T) {
	t.Parallel()
	const golden = "testdata/bad_input.txtar"
	source, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(source)
	w := newWorld(t, setup{tools: devActions + moreActions})
	drafts(w)
	w.id("ana") // learns who is who
	for i := range archive.Files {
		var out strings.Builder
		p := player{world: w}
		for line := range strings.Lines(string(archive.Files[i].Data)) {
			if did, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
				out.WriteString("> " + did + "\n" + p.play(did))
			}
		}
		if *update {
			archive.Files[i].Data = []byte(out.String())
		} else if diff := cmp.Diff(string(archive.Files[i].Data), out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", archive.Files[i].Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// player does what a line says and gives the answer.
type player struct {
	*world
	root string  // ts of the last message that started a thread
	card message // the last answer
}

func (p *player) play(did string) string {
	p.Helper()
	seen, clicked := p.state("#support"), answer{}
	switch text, command := strings.CutPrefix(did, "/flow "); {
	case command:
		p.flow("ana", "#support", text)
	case strings.HasPrefix(did, "["):
		clicked = p.click("ana", p.card, strings.Trim(did, "[]"))
	case strings.HasPrefix(did, "reply: "):
		p.write("ana", "#support", p.root, strings.TrimPrefix(did, "reply: "))
	default:
		p.root = p.write("ana", "#support", "", did).TS
	}
	p.card = p.untilMessage("#support", "an answer to "+did, func(m message) bool {
		old := slices.ContainsFunc(seen, func(old message) bool { return old.TS == m.TS })
		return m.Bot && (!old || clicked.OK && m.Seq > clicked.Seq)
	})
	return p.comparable(p.card.shown())
}

var (
	shownPicture = regexp.MustCompile(`(?m)^\{picture: .*\}$`)
	shownDate    = regexp.MustCompile(`<!date[^>]*>`)
	shownHash    = regexp.MustCompile("hash `[0-9a-f]+`")
)

// comparable takes out of an answer what differs between two plays.
func (p *player) comparable(text string) string {
	text = shownPicture.ReplaceAllString(text, "{picture}")
	text = shownDate.ReplaceAllString(text, "(date)")
	text = shownHash.ReplaceAllString(text, "hash (hash)")
	for name, id := range p.people {
		text = strings.ReplaceAll(text, "<@"+id+">", "@"+name)
	}
	text = strings.ReplaceAll(text, p.addr, "127.0.0.1:8086")
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
