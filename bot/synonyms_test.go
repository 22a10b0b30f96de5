package bot

import (
	"errors"
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/storage"
)

// TestEverydayWords: what a text means, and that descriptions stay descriptions.
func TestEverydayWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"status":                               "runs running",
		"What is running?":                     "runs running",
		"whats running":                        "runs running",
		"what’s waiting for me?":               "approvals",
		"Whats waiting for me":                 "approvals",
		"flows":                                "list",
		"please list my flows":                 "list",
		"list":                                 "list",
		"what failed?":                         "runs failed",
		"stop refund-1":                        "cancel refund-1",
		"stop it":                              "cancel it",
		"Stop it!":                             "cancel it",
		"status of refund-1":                   "show refund-1",
		"status refund":                        "show refund",
		"show me the refund":                   "show refund",
		"start refund order_id=A-1":            "run refund order_id=A-1",
		"run the refund order_id=A?":           "run refund order_id=A?",
		"schedule my refund every monday at 9": "schedule refund every monday at 9",
		"pause everything":                     "pause all",
		"what can you do?":                     "help",
		"Who approved the refund flow?":        "audit refund",
		"who stopped refund-1":                 "audit refund-1",
		"who did what in refund-1?":            "audit refund-1",
		"why did refund-1 fail?":               "show refund-1",
		"why is refund-1 waiting":              "show refund-1",
		"what happened to refund-1?":           "show refund-1",
		"what does the refund flow do?":        "show refund",
		"how much did refund-1 cost?":          "show refund-1",
		"what did @fin decide?":                "audit @fin",

		"who approved it?":                  "who approved it?",
		"what did fin decide?":              "what did fin decide?",
		"what happened to the order of ana": "what happened to the order of ana",

		"start the refund when somebody asks":    "start the refund when somebody asks",
		"end of the month: get the sales":        "end of the month: get the sales",
		"search the orders, then tell #ops":      "search the orders, then tell #ops",
		"new status: 1. get the order":           "new status: 1. get the order",
		"1. get the order\n2. stop it":           "1. get the order\n2. stop it",
		"trigger on messages in #ops: tell @ana": "trigger on messages in #ops: tell @ana",
		"":                                       "",
	} {
		if got, _ := meant(text); got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
	b := newWorld(t, nil).bot
	for _, table := range []map[string]string{everyday, instead} {
		for way, command := range table {
			verb, _, _ := strings.Cut(command, " ")
			if _, known := b.verb(verb); !known {
				t.Errorf("%q means %q, and there is no such command", way, command)
			}
			if _, known := b.verb(way); known {
				t.Errorf("%q is a command, and means another one", way)
			}
		}
	}
}

// TestEverydayWordsAreHeardEverywhere: after a slash command, a mention and in a direct message; "it" is the run of the thread.
func TestEverydayWordsAreHeardEverywhere(t *testing.T) {
	t.Parallel()
	w := operated(t)
	for _, in := range []request.Incoming{{Kind: request.KindCommand}, {Kind: request.KindMention}, {Kind: request.KindMention, Channel: "D1", Direct: true}} {
		for text, want := range map[string]string{
			"what is running?": "*refund-1*", "flows": "*refund*", "whats waiting for me": "waits for you", "staus": "Did you mean `status`?", "flws": "Did you mean `flows`?",
			"shedule refund every second friday at 9 order_id=A-1": "Did you mean `schedule`?", "stop refund-7": "no such run: “refund-7”", "stop it": "Which run?",
		} {
			in.User, in.Text = "bob", text
			if got := said(w.hear(in)); !strings.Contains(got, want) {
				t.Errorf("%s %q is answered %q", in.Kind, text, got)
			}
		}
	}
	if got := w.command("bob", "stop it"); !strings.Contains(got, "`/flow cancel refund-1`") {
		t.Errorf("the runs that may be meant are %q", got)
	}
	r := w.inThread("refund-1", "77.0")
	if got := w.command("eve", "stop it"); strings.Contains(got, "refund") {
		t.Errorf("eve is told %q", got)
	}
	in := request.Incoming{Kind: request.KindMention, User: "eve", Text: "stop it", Channel: r.Channel, Thread: r.Thread}
	if got := said(w.hear(in)); !strings.Contains(got, "Which run?") || w.status("refund-1") != "running" {
		t.Errorf("eve is told %q", got)
	}
	in.User = "bob"
	w.hear(in)
	if got := w.status("refund-1"); got != "cancelled" {
		t.Errorf("the run is %s", got)
	}
	if got := w.command("bob", "whats running"); !strings.Contains(got, "Nothing is running") {
		t.Errorf("bob is told %q", got)
	}
}

// TestAGreetingIsNoCommand: what stands behind a greeting is read as it is without one; a greeting alone gets the help.
func TestAGreetingIsNoCommand(t *testing.T) {
	t.Parallel()
	w := operated(t)
	for text, want := range map[string]string{
		"hello": "I turn steps", "Hi!": "I turn steps", "hi there, ": "I turn steps", "Good morning": "I turn steps", "hey team!": "I turn steps",
		"hi, what is running?": "*refund-1*", "hello list": "*refund*",
	} {
		if got := said(w.hear(request.Incoming{Kind: request.KindMention, User: "bob", Text: text})); !strings.Contains(got, want) {
			t.Errorf("%q is answered %q, which has no %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"hello, i need a workflow that tells #ops the numbers every friday at 9": "every Friday at 09:00",
		"Hi! When somebody writes \"help\" in #ops: tell #team the duty begins":  "A message in #ops",
		"hi there! tell #ops hello":         "Tell “#ops”, who is not known yet: hello.",
		"good morning\ntell #ops the menu":  "What is “the menu”",
		"hello: tell #ops welcome everyone": ": welcome everyone",
	} {
		_, d := w.draft("bob", text)
		if words, _ := w.cardWords(d); !strings.Contains(words, want) {
			t.Errorf("%q becomes %q, which has no %q", text, words, want)
		}
	}
}

// TestQuestionsAreNoSteps: a question without an answer is told what there are answers to; what says what to do is a step.
func TestQuestionsAreNoSteps(t *testing.T) {
	t.Parallel()
	w := operated(t)
	for text, want := range map[string]string{
		"what can you do without anyone approving?": "I have no answer to “what can you do without anyone approving?”",
		"can anyone change it?":                     ": who did what",
		"how safe is this":                          "`/flow runs`, `/flow approvals`, `/flow schedules`, ",
		"who approved refund?":                      "approved a version of *refund*",
		"why did refund-1 fail":                     "*Running*. 0 of 3 steps.",
		"did the dishes: tell #ops hello":           "",
		"do the dishes":                             "",
	} {
		got := w.command("bob", text)
		if !strings.Contains(got, want) || want == "" && strings.Contains(got, "no answer") {
			t.Errorf("%q is answered %q", text, got)
		}
	}
}

// inThread lets a run live in a thread.
func (w *world) inThread(name, thread string) storage.Run {
	w.Helper()
	for {
		r, err := w.store.RunByName(w.Context(), name)
		if err != nil {
			w.Fatal(err)
		}
		r.Thread = thread
		err = w.store.Write(w.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r}})
		if err == nil {
			return r
		}
		if !errors.Is(err, storage.ErrConflict) { // the run moves at the same time
			w.Fatal(err)
		}
	}
}
