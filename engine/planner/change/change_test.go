package change

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"sluice/engine/growth"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

const expense = `expense check
1. look up the expense in the ledger
2. if the amount is over 100 ask @finance to approve within 3 days
3. pay the expense
4. tell #books "Paid."
5. tell @ana "It is done."`

// sketch writes the steps of a tree in one line: number, kind, people and text.
func sketch(t *tree.Tree) string {
	numbers := t.Numbers()
	var out []string
	t.Walk(func(s *tree.Step) bool {
		var words strings.Builder
		words.WriteString(numbers[s.ID] + " " + string(s.Kind))
		for _, n := range append(s.Who, s.To...) {
			words.WriteString(" " + n.Words)
		}
		if d := s.Deadline; d != nil && d.After != "" {
			words.WriteString(" after " + d.After)
		}
		if d := s.Deadline; d != nil && d.Remind != "" {
			words.WriteString(" remind " + d.Remind)
		}
		if d := s.Deadline; d != nil && d.EscalateTo != nil {
			words.WriteString(" else " + d.EscalateTo.Words + " after " + d.EscalateAfter)
		}
		if s.Quorum > 1 {
			words.WriteString(" " + strconv.Itoa(s.Quorum) + " of them")
		}
		if s.For != "" {
			words.WriteString(" for " + s.For)
		}
		if s.Retry > 0 {
			words.WriteString(" tries " + strconv.Itoa(s.Retry))
		}
		for _, b := range s.Branches {
			if b.Choice != "" {
				words.WriteString(" on " + b.Choice + " " + string(b.Steps[0].Kind))
				for _, n := range b.Steps[0].To {
					words.WriteString(" " + n.Words)
				}
			}
			if b.When != nil {
				words.WriteString(" [" + b.When.Words + "]")
			}
		}
		out = append(out, strings.TrimSpace(words.String()+" "+s.Text))
		return true
	})
	for _, g := range t.Triggers {
		if g.Open() {
			g.Cron = "?" + g.Words
		}
		out = append(out, "when "+g.Cron)
	}
	return strings.Join(out, "; ")
}

// expenseChanges are replies to the draft, with what it has then and what it has not any more.
var expenseChanges = []struct{ words, has, hasNot string }{
	{"make it 300 instead of 100", "over 300", "over 100"},
	{"change 100 to 2,500", "over 2,500", "over 100"},
	{"ask @bob instead of @finance", "@bob", "@finance"},
	{"swap 4 and 5", "4 tell @ana", "4 tell #books"},
	{"remove 4", "4 tell @ana", "#books"},
	{"remove steps 4 and 5", "pay", "@ana"},
	{"add after 3: tell #audit \"Somebody was paid.\"", "4 tell #audit", "4 tell #books"},
	{"if step 1 fails tell #support \"The ledger is away.\"", "#support", ""},
	{"every Tuesday instead", "when 0 9 * * 2", ""},
	{"3. refund the expense", "3 do refund the expense", "pay"},
	{"4 goes to #money", "4 tell #money", "#books"},
	{"move 5 before 4", "4 tell @ana", "4 tell #books"},
	{"also tell @lea \"Done.\"", "6 tell @lea", ""},
	{"make it 5 days instead of 3", "after 5d", "after 3d"},
	{"give them 2 days instead", "after 2d", "after 3d"},
	{"@finance has a week to answer", "after 1w", "after 3d"},
	{"remind them after 4 hours", "remind 4h", ""},
	{"also tell #sorry when it is rejected", "on reject tell #sorry", ""},
	{"if rejected, tell #sorry", "on reject tell #sorry", ""},
	{"if nobody answers tell @boss", "on timeout tell @boss", ""},
	{"remind @finance every 2 hours", "remind 2h", ""},
	{"step 4 is not needed any more", "4 tell @ana", "#books"},
	{"we don't need step 4", "4 tell @ana", "#books"},
	{"@finance is on holiday until Monday, use @bob for now", "@bob", "@finance"},
	{"because @finance is away, please ask @bob instead", "@bob", "@finance"},
	{"use @bob for now, @finance is out this week", "@bob", "@finance"},
	{"3 days is too long, 2", "after 2d", "after 3d"},
	{"3 days is not enough, make it 5 days", "after 5d", "after 3d"},
	{"100 is too little, 250 is enough", "over 250", "over 100"},
	{"both @ana and @lea must approve", "ask @ana @lea after 3d 2 of them", "@finance"},
	{"two of them must agree", "@finance after 3d 2 of them", ""},
	{"the message in 4 should be \"all is paid\"", "all is paid", ""},
	{"add before 2: ask @ana and @lea to approve, both must agree", "2 ask @ana @lea 2 of them", ""},
	{"move the payment before 2", "2 do pay the expense", "3 do pay"},
	{"remove the payment", "3 tell #books", "pay the expense"},
	{"don't tell #books any more", "4 tell @ana", "#books"},
	{"pls ask @legal to approve before the payment", "3 ask @legal; 4 do pay", ""},
	{"if the look-up fails tell #support", "1 do look up the expense in the ledger; 1a tell #support", ""},
	{"tell #end \"Over.\" at the end", "6 tell #end", ""},
	{"tell #end at the end that it is over", "6 tell #end it is over", "at the end"},
	{"post to #end, at the end: it is over", "6 tell #end it is over", "at the end"},
	{"first ask @lea to approve", "1 ask @lea", ""},
	{"swap @ana and #books", "4 tell @ana", "4 tell #books"},
	{"ask @cfo too", "ask @finance after 3d; 2b ask @cfo", ""},
	{"step 4 should say \"All is paid.\"", "All is paid.", "Paid.\""},
	{"every first Monday of the month instead", "when 0 9 * * 1#1", ""},
	{"every second Friday instead", "when ?every second Friday", ""},
	{"skip the approval below 500", "[500 or more]", ""},
	{"up to 500 no approval is needed", "[more than 500]", ""},
	{"the message to #books should say \"All is paid.\"", "tell #books All is paid.", "All is paid.\""},
	{"@ana and @lea must both agree in 2a", "2a ask @ana @lea", "@finance"},
	{"drop the last step", "4 tell #books", "@ana"},
	{"delete the first one", "1 decide", "ledger"},
	{"remove everything after 3", "3 do pay", "tell"},
	{"without the approval", "2 do pay", "decide"},
	{"do the payment first", "1 do pay", "3 do pay"},
	{"put the payment before 2", "2 do pay", "3 do pay"},
	{"if nobody answers tell @boss; remove 5", "on timeout tell @boss", "5 tell"},
	{"two people must approve", "2 of them", ""},
	{"either @ana or @lea can approve", "ask @ana @lea", "@finance"},
	{"add a reminder after 4 hours", "remind 4h", ""},
	{"add a deadline of 30 min", "after 30m", "after 3d"},
	{"do 4 and 5 at the same time", "4 parallel", ""},
	{"do 3, 4 and 5 in parallel", "3 parallel", ""},
	{"4 and step 5 at once", "4 parallel", ""},
	{"say \"bye\" when it's done", "6 tell bye", ""},
	{"after the payment tell @lea", "4 tell @lea", ""},
	{"then tell @lea", "6 tell @lea", ""},
	{"start it when somebody reacts with :eyes:", "when", ""},
	{"weekdays", "when 0 9 * * 1-5", ""},
	{"swap 4 and 5 and drop 1", "3 tell @ana", "ledger"},
	{"tell #support when the look-up fails", "1a tell #support", ""},
	{"call it costs and run it daily", "when 0 9 * * *", ""},
	{"tell @lea instead of @ana", "5 tell @lea", "@ana"},
	{"300 not 100", "over 300", "over 100"},
	{"raise the limit to 300", "over 300", "over 100"},
	{"put it in #money instead", "4 tell #money", "#books"},
	{"no approval needed", "2 do pay", "decide"},
	{"only 2 days", "after 2d", "after 3d"},
	{"call this costs", "pay", ""},
}

func TestChange(t *testing.T) {
	t.Parallel()
	base, ok := outline.Read(expense, "U1")
	if !ok {
		t.Fatal("the words cannot be read")
	}
	t.Log(sketch(base))
	for _, c := range expenseChanges {
		next, said, err := Apply(base, c.words, "U1")
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		if got := sketch(next); !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) {
			t.Errorf("%q gives %s (%s)", c.words, got, said)
		}
	}
	for _, words := range []string{"thanks a lot", "what does this do?", "remove the old stuff please maybe", "is 100 ok?", "300, please", "daily is fine", "no way", "make it nicer", "wait", "make it 300 and 500", "ask @bob instead if over 1000", "remove 3 unless rejected", "the message to #books isn't needed", "after finance approved, @ana too", "no, 300", "change 100 to 50 and #books to #money", "add @lea as approver", "also remove 4", "pay it only after finance approved", "drop the message at the end"} {
		if next, _, err := Apply(base, words, "U1"); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v, %v", words, next, err)
		}
	}
	for _, words := range []string{"skip the approval below 500", "do the payment first", "ask @lea", "move 2a before 1", "make it $300", "make it 2 days", "2 days is enough"} { // a person has to confirm that
		next, _, err := Apply(base, words, "U1")
		if err != nil || len(next.Objections) != 1 {
			t.Errorf("%q: %v", words, err)
		}
	}
	for _, words := range []string{"remove 9", "swap 1 and 12", "make it 300 instead of 250", "ask @bob instead of @nobody", "#books, not #ops"} {
		var why *Error
		if _, _, err := Apply(base, words, "U1"); !errors.As(err, &why) {
			t.Errorf("%q: %v", words, err)
		}
	}
}

// TestChangeInDraft changes drafts in the words of people who see the numbers, the messages and the questions of a draft.
func TestChangeInDraft(t *testing.T) {
	t.Parallel()
	const refund = `1. get the order
2. ask @ana to approve within 2 days, remind after 1 day
3. ask @bob to approve. if rejected tell #ops "no"
4. refund the order
5. tell #support "the refund is done"`
	const vacation = `vacation: ask for the start date, the end date and the reason. Ask @lea to approve. If approved, pay the bonus. If rejected, tell #hr "no"`
	const outage = `when a message in #alerts contains "down", ask @max whether it is real. If yes, tell #status "we know". If no, tell #noise "false alarm"`
	const daily = `every day at 9: tell #ops "hello". Then tell @bob "bye".`
	for _, c := range []struct{ draft, words, has, hasNot string }{
		{refund, "move step 4 to the front", "1 do refund the order", ""},
		{refund, "after the refund tell @max \"x\"", "", ""},
		{refund, "remove the reminder", "2 ask @ana after 2d;", "remind"},
		{refund, "no deadline", "2 ask @ana remind 1d;", "after 2d"},
		{refund, "don't remind", "2 ask @ana after 2d;", "remind"},
		{refund, "step 5: also tell @max", "5 tell #support @max the refund is done", ""},
		{refund, "change step 5 to \"It is paid\"", "5 tell #support It is paid", ""},
		{vacation, "@lea needs 5 days", "1 ask @lea after 5d", ""},
		{daily, "only on weekdays", "when 0 9 * * 1-5", ""},
		{daily, "every other friday", "when ?every other friday", ""},
		{daily, "to #dev instead of #ops", "1 tell #dev hello", "#ops"},
	} {
		base, ok := outline.Read(c.draft, "U1", "bob")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		next, said, err := Apply(base, c.words, "U1")
		var why *Error
		if errors.As(err, &why) && c.has == "" {
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		if got := sketch(next); !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) {
			t.Errorf("%q gives %s (%s)", c.words, got, said)
		}
	}
	refused := map[string]string{
		"delete the last step": outage, "skip the approval below 500": outage, "only on mondays": outage, "if rejected go back to 1": refund, "go back to 2 if it is late": refund,
		"in step 2, if rejected go back to 4": refund, "skip the approval below 50": expense, "drop the reason": vacation, "move the approval to the end": expense, "drop the order": refund, "in step 2b, if rejected tell #ops": refund,
	}
	for words, draft := range refused {
		base, _ := outline.Read(draft, "U1")
		if next, said, err := Apply(base, words, "U1"); err == nil {
			t.Errorf("%q gives %s (%s)", words, sketch(next), said)
		}
	}
	for words, draft := range map[string]string{"do 3 and 4 at the same time": refund} { // a person has to confirm that
		base, _ := outline.Read(draft, "U1")
		if next, said, err := Apply(base, words, "U1"); err != nil || len(next.Objections) == 0 {
			t.Errorf("%q: %v (%s)", words, err, said)
		}
	}
}

// A schedule is changed, joined by another one, and removed.
func TestChangeSchedule(t *testing.T) {
	t.Parallel()
	base, ok := outline.Read("every Monday at 9: tell #ops hello", "U1")
	if !ok {
		t.Fatal("the words cannot be read")
	}
	for words, want := range map[string]string{
		"remove the schedule":       "1 tell #ops hello; when ",
		"change Monday to Tuesday":  "1 tell #ops hello; when 0 9 * * 2",
		"at 10 instead":             "1 tell #ops hello; when 0 10 * * 1",
		"actually at 3pm":           "1 tell #ops hello; when 0 15 * * 1",
		"make that Tuesday":         "1 tell #ops hello; when 0 9 * * 2",
		"tuesday and friday":        "1 tell #ops hello; when 0 9 * * 2,5",
		"10:30 am":                  "1 tell #ops hello; when 30 10 * * 1",
		"at 8 in the evening":       "1 tell #ops hello; when 0 20 * * 1",
		"stop the schedule":         "1 tell #ops hello; when ",
		"can we do it on Thursday?": "1 tell #ops hello; when 0 9 * * 4",
		"also on Fridays":           "1 tell #ops hello; when 0 9 * * 1; when 0 9 * * 5",
	} {
		next, said, err := Apply(base, words, "U1")
		if err != nil {
			t.Errorf("%q: %v", words, err)
		} else if got := sketch(next); got != want {
			t.Errorf("%q gives %s (%s)", words, got, said)
		}
	}
}

// TestChangeDayOfMonth: a day of the month takes the place of another one, and none that a week has.
func TestChangeDayOfMonth(t *testing.T) {
	t.Parallel()
	for draft, want := range map[string]string{"on the 1st of every month at 9 tell #ops hello": "0 9 5 * *", "every Monday at 9 tell #ops hello": ""} {
		base, ok := outline.Read(draft, "U1")
		if !ok {
			t.Fatalf("%q is not read", draft)
		}
		next, _, err := Apply(base, "actually the 5th", "U1")
		if want == "" && !errors.Is(err, ErrNone) || want != "" && (err != nil || next.Triggers[0].Cron != want) {
			t.Errorf("%q: %v %v", draft, next, err)
		}
	}
}

// TestChangeReaction: a reaction starts the flow in another channel, or another reaction does. "In #x instead" may mean a message, too.
func TestChangeReaction(t *testing.T) {
	t.Parallel()
	const named, letters = "when someone reacts with :bug: in #feedback, tell #ops \"x\"", "when a message in #feedback contains \"down\", tell #ops \"x\""
	for _, c := range []struct{ draft, words, emoji, channel string }{
		{named, "use #bugs instead of #feedback", "bug", "#bugs"},
		{named, "when a message gets :eyes: instead", "eyes", ""},
		{letters, "use #bugs instead of #feedback", "", "#bugs"},
		{letters, "when someone reacts with :bug: in #bugs instead", "bug", "#bugs"},
		{named, "in #bugs instead", "", ""},
		{letters, "in #bugs instead", "", ""},
		{named, "react in #bugs instead", "", ""},
	} {
		base, ok := outline.Read(c.draft, "U1")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		next, said, err := Apply(base, c.words, "U1")
		if c.emoji+c.channel == "" {
			if err == nil {
				t.Errorf("%q, %q: %v", c.draft, c.words, said)
			}
			continue
		}
		if err != nil || len(next.Triggers) != 1 || next.Triggers[0].Emoji != c.emoji || next.Triggers[0].Channel != c.channel || !strings.Contains(sketch(next), "tell #ops x") {
			t.Errorf("%q, %q: %v, %+v", c.draft, c.words, err, next)
		}
	}
}

func FuzzChange(f *testing.F) {
	for words := range strings.SplitSeq(Forms, "\n") {
		f.Add(expense, words)
	}
	f.Fuzz(func(t *testing.T, description, words string) {
		base, ok := outline.Read(description, "")
		if !ok {
			return
		}
		before := sketch(base)
		if _, _, err := Apply(base, words, ""); err == nil && sketch(base) != before {
			t.Error("the tree that was given has changed")
		}
	})
}

// An amount in the words of a step that people do, and the channel of a tool that posts, are exchanged where they stand.
func TestExchangeInWords(t *testing.T) {
	t.Parallel()
	words := "list orders older than 5 days, then post to #orders"
	base := &tree.Tree{Texts: []tree.Text{{Words: words}}, Last: 2, Steps: []tree.Step{
		{ID: "s1", Kind: tree.Do, Doer: tree.DoerPerson, Who: []tree.Name{{Words: "@ann", Is: "@ann"}}, Text: words[:29], Said: tree.Quote{To: 29}},
		{ID: "s2", Kind: tree.Do, Doer: tree.DoerTool, Tool: "slack.post_message", Text: words[36:], Said: tree.Quote{From: 36, To: len(words)}, Params: []tree.Param{{Name: "channel", Value: tree.Value{Words: "#orders", Literal: "#orders"}}}},
	}}
	next, _, err := Apply(base, "make it 10 days instead of 5", "U1")
	if err != nil || next.Steps[0].Text != "list orders older than 10 days" || next.Steps[0].Doer != tree.DoerPerson {
		t.Errorf("%v, %+v", err, next)
	}
	next, _, err = Apply(base, "post to #sales instead of #orders", "U1")
	if err != nil || next.Steps[1].Params[0].Value.Literal != "#sales" {
		t.Errorf("%v, %+v", err, next)
	}
}

// TestOtherSide adds the other side of a condition that has none. “It” is what the first side does.
func TestOtherSide(t *testing.T) {
	t.Parallel()
	const lunch = `if it rains @bob brings the lunch`
	for _, c := range []struct{ draft, words, want string }{
		{lunch, "otherwise @ana does it", "1 decide [it rains]; 1a do @bob brings the lunch; 1b do @ana brings the lunch"},
		{lunch, "if not, @ana does it", "1 decide [it rains]; 1a do @bob brings the lunch; 1b do @ana brings the lunch"},
		{lunch, `otherwise tell #team "no"`, "1 decide [it rains]; 1a do @bob brings the lunch; 1b tell #team no"},
		{lunch + `. If it snows @dan sweeps the yard`, "otherwise @ana does it", "This can be said of the steps 1, 2"},
		{lunch + `, otherwise @dan calls`, "otherwise @ana does it", ErrNone.Error()},
		{`if it rains tell #team "wet"`, "otherwise @ana does it", ErrNone.Error()},
	} {
		base, _ := outline.Read(c.draft, "U1")
		next, _, err := Apply(base, c.words, "U1")
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = sketch(next)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, %q: %s", c.draft, c.words, got)
		}
	}
}

// TestAtEnd adds steps that name no place at the end, once a person confirms it, and takes nothing else for a step.
func TestAtEnd(t *testing.T) {
	t.Parallel()
	base, _ := outline.Read(expense, "U1")
	next, _, err := AtEnd(base, "Archive the receipt. Tell #books \"it is filed\".", "U1")
	if err != nil || len(next.Objections) != 1 || !strings.Contains(sketch(next), "do Archive the receipt") || !strings.Contains(sketch(next), "7 tell #books") {
		t.Errorf("%v: %s", err, sketch(next))
	}
	base, _ = outline.Read("ask @bob to approve it, tell #ops \"done\"", "U1")
	if next, _, err = Apply(base, "without @bob", "U1"); err != nil || len(next.Steps) != 1 || len(next.Objections) != 1 {
		t.Errorf("a question that goes by a name alone is not confirmed: %v, %+v", err, next)
	}
	base, _ = outline.Read(expense, "U1")
	for _, words := range []string{"delete the receipt thing", "not on fridays", "remove 3 unless rejected", "move the approval to the end", "i don't like it", "check with @legal?", "thanks a lot", "archive the receipt. I mean it", "ok", "run it at 03:30 and not on fridays", "start it only if @bob agrees", "@bob approves step 3, not @ana", "give them more time", "wait a day, no, two days", "stop, wait, not the box", "have @legal approve the receipt first", "tell @ana too, she is waiting"} {
		if next, _, err := AtEnd(base, words, "U1"); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v, %v", words, next, err)
		}
	}
	if next, _, err = Apply(base, "add another step that tells #books \"Done.\"", "U1"); err != nil || !strings.HasSuffix(sketch(next), "tell #books") && !strings.Contains(sketch(next), "6 tell #books") {
		t.Errorf("%v: %s", err, sketch(next))
	}
}

// TestReply changes what is certain from a few words, in the way that people correct themselves.
func TestReply(t *testing.T) {
	t.Parallel()
	people := []string{"ana", "bob"}
	for _, c := range []struct{ draft, words, has, hasNot string }{
		{"ask @ana to approve, then tell #ops \"done\"", "no wait, ask bob", "ask @bob", "@ana"},
		{"1. ask @ana to approve\n2. stop", "tell #ops \"done\" at the end", "2 tell #ops done; 3 stop", ""},
		{"ask @ana to approve, then tell #ops \"done\"", "bob approves, not ana", "ask @bob", "@ana"},
		{"ask @ana to approve, then tell #ops \"done\"", "the approver is bob", "ask @bob", "@ana"},
		{"ask @ana to approve, then tell #ops \"done\"", "ask bob as well", "1 ask @ana; 2 ask @bob", ""},
		{"ask @ana to approve, then tell #ops \"done\"", "@bob has to look at it as well", "1 ask @ana; 2 ask @bob", ""},
		{"ask @ana to approve, then tell #ops \"done\"", "also @bob has to say yes", "1 ask @ana; 2 ask @bob; 3 tell", ""},
		{"ask @ana and @bob to approve, then tell #ops \"done\"", "without @bob", "1 ask @ana; 2 tell", "@bob"},
		{"ask @ana and @bob to approve, then tell #ops \"done\"", "no approval from ana", "1 ask @bob; 2 tell", "@ana"},
		{"collect the answers of @ana and @bob, then tell #ops \"done\"", "without @bob", "", ""},
		{"ask @ana to approve, then tell #ops \"done\"", "tell #sales too", "tell #ops #sales done", ""},
		{"asks for the item and the unit price. tell #ops \"it is here\"", "mention the item and the unit price in the message", "it is here. Item: {item}. Unit price: {unit_price}", ""},
		{"asks for the item. tell #ops \"it is here.\"", "the message to #ops should also say the item", "it is here. Item: {item}", ""},
		{"ask @ana to approve, then tell #ops \"done\"", "the message should be \"over\"", "tell #ops over", "done"},
		{"every Friday at 16:00 ask @bob \"ok?\", wait 1 hour, tell #ops \"done\"", "every Tuesday instead", "when 0 16 * * 2", ""},
		{"every Friday at 16:00 tell #ops \"done\"", "make it Thursday at 4pm instead", "when 0 16 * * 4", ""},
		{"every Friday at 16:00 tell #ops \"done\"", "on Thursday instead", "when 0 16 * * 4", ""},
		{"every Friday at 16:00 ask @bob \"ok?\", wait 1 hour, tell #ops \"done\"", "also on Mondays", "when 0 16 * * 5; when 0 16 * * 1", ""},
		{"every Friday at 16:00 ask @bob \"ok?\", wait 1 hour, tell #ops \"done\"", "daily", "when 0 16 * * *", ""},
		{"every Friday at 16:00 ask @bob \"ok?\", wait 1 hour, tell #ops \"done\"", "no waiting", "2 tell", "wait"},
		{"every Friday at 16:00 ask @bob \"is it ok?\", wait 1 hour, tell #ops \"done\"", "if he says no tell @ana", "on no tell @ana", ""},
		{"ask @ana to approve, if rejected tell @bob \"no\"", "if rejected also tell #ops", "tell @bob no; 1b tell #ops", ""},
		{"get the order and ship it", "retry twice", "", "approve"},
	} {
		base, ok := outline.Read(c.draft, "U1")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		next, said, err := Apply(base, c.words, "U1", people...)
		var why *Error
		if errors.As(err, &why) && c.has == "" {
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		if got := sketch(next); !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) || len(next.Objections) > 0 {
			t.Errorf("%q gives %s (%s, %v)", c.words, got, said, next.Objections)
		}
	}
}

// TestLostValues: a value of a step that is gone, or that comes later now, is looked for anew.
func TestLostValues(t *testing.T) {
	t.Parallel()
	base := &tree.Tree{Last: 2, Steps: []tree.Step{
		{ID: "s1", Kind: tree.Do, Doer: tree.DoerTool, Tool: "a.get", Text: "get the order"},
		{ID: "s2", Kind: tree.Do, Doer: tree.DoerTool, Tool: "a.pay", Text: "pay it", Params: []tree.Param{{Name: "amount", Value: tree.Value{Ref: tree.Ref{Step: "s1", Field: "amount"}}}}},
	}}
	for _, words := range []string{"remove 1", "swap 1 and 2"} {
		next, _, err := Apply(base, words, "U1")
		if err != nil || len(next.Step("s2").Params) > 0 {
			t.Errorf("%q: %v, %+v", words, err, next)
		}
	}
	if next, _, err := Apply(base, "add: tell #ops", "U1"); err != nil || len(next.Step("s2").Params) != 1 {
		t.Errorf("a value that is still there is gone: %v, %+v", err, next)
	}
}

func TestChangeGrowsWithTheText(t *testing.T) {
	base, _ := outline.Read(expense, "U1")
	growth.Around(t, 1<<11, "after ", "", func(words string) { _, _, _ = Apply(base, words, "U1", "ana") })
}

// TestAgreeInAnOpenStep: a step of which nobody knows who does it becomes an approval when its words are one.
func TestAgreeInAnOpenStep(t *testing.T) {
	t.Parallel()
	base := &tree.Tree{Texts: []tree.Text{{Words: "ana AND fin both have to agree, then weigh it"}}, Steps: []tree.Step{
		{ID: "s1", Kind: tree.Do, Doer: tree.DoerOpen, Text: "ana AND fin both have to agree"}, {ID: "s2", Kind: tree.Do, Doer: tree.DoerOpen, Text: "weigh it"},
	}, Last: 2}
	for n, want := range map[string]string{"1": "1 ask @ana @fin 2 of them; 2 do weigh it", "2": "1 do ana AND fin both have to agree; 2 do @ana @fin 2 of them weigh it"} {
		next, _, err := Apply(base, "@ana and @fin must both agree in "+n, "U1")
		if err != nil || sketch(next) != want {
			t.Errorf("step %s: %s (%v)", n, sketch(next), err)
		}
	}
}
