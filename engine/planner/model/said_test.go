package model_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
	"sluice/engine/planner"
	"sluice/engine/planner/model"
	"sluice/engine/planner/tree"
)

// The parts of answers.
var (
	get    = say{"kind": "tool", "label": "a", "text": "get the order", "tool": "shop.get_order"}
	refund = say{"kind": "tool", "text": "refund it", "tool": "shop.refund"}
)

func answer(steps ...any) say { return say{"steps": steps} }

func decide(branches ...any) say { return say{"kind": "decide", "branches": branches} }

func ask(more say) say {
	out := say{"kind": "ask", "label": "q", "also": []any{"ask"}, "text": "approve", "who": []any{name("@finance", "@finance")}}
	maps.Copy(out, more)
	return out
}

func value(words, as, from, field string) say {
	return say{"words": words, "as": as, "from": from, "field": field}
}

func amount(quote, op, number string) say {
	return say{"quote": quote, "op": op, "left": value("", "value", "step:a", "amount"), "right": value(number, "number", "", "")}
}

func tellIt(also string) say {
	return say{"kind": "tell", "also": []any{also}, "text": "it is done", "to": []any{name("#support", "#support")}}
}

// read reads words with the same answer each time, and gives the tree, as JSON too, and the second request.
func read(t *testing.T, words string, w say) (got *tree.Tree, text, second string) {
	t.Helper()
	r := llmtest.JSON(w)
	s, m := newModel(t, r, r, r, r)
	got, _, err := model.Read(t.Context(), m, words, "ana", world(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if all := s.Requests(); len(all) > 1 {
		second = all[1].Last()
	}
	body, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return got, string(body), second
}

// TestWrongAnswers: what the words do not say goes back, and is not taken over.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	silent := func(d say) say { return ask(say{"deadline": d}) }
	for title, c := range map[string]struct {
		words       string
		answer      say
		back, never string
	}{
		"another unit": {
			"ask @finance to approve within 3 days", answer(silent(say{"quote": "within 3 days", "after": "3h"})), `The duration "3h"`, `"after":"3h"`,
		},
		"silence approves": {
			"ask @finance to approve within 3 days", answer(silent(say{"quote": "within 3 days", "after": "3d", "choice": "approve"})), "silence approves", `"choice":"approve"`,
		},
		"another day": {
			"every Monday at 9 tell #support it is done",
			say{"triggers": []any{say{"quote": "every Monday at 9", "kind": "schedule", "cron": "0 9 * * 2"}}, "steps": []any{tellIt("tell")}},
			`say the cron "0 9 * * 1"`, "* * 2",
		},
		"an excluded day": {
			"every weekday at 9 tell #support it is done. not on Fridays",
			say{"triggers": []any{say{"quote": "not on Fridays", "kind": "schedule", "cron": "0 9 * * 3-5"}}, "steps": []any{tellIt("every weekday at 9 tell")}},
			"No field holds", "* * 3-5",
		},
		"another zone": {
			"every Monday at 9 tell #support it is done",
			say{"triggers": []any{say{"quote": "every Monday at 9", "kind": "schedule", "cron": "0 9 * * 1", "zone": "America/New_York"}}, "steps": []any{tellIt("tell")}},
			"name no time zone", "New_York",
		},
		"the other side of a bound": {
			"get the order. if the amount is over 100 ask @finance to approve",
			answer(get, decide(say{"quote": "if the amount is over 100", "when": amount("the amount is over 100", "<", "100"), "steps": []any{ask(nil)}})), "say > 100", `"op":"\u003c"`,
		},
		"another amount": {
			"get the order. if the amount is over five thousand ask @finance to approve",
			answer(get, decide(say{"quote": "if the amount is over five thousand", "when": amount("the amount is over five thousand", ">", "over"), "steps": []any{ask(nil)}})), "are not one number", `"literal":5,`,
		},
		"the other answer": {
			"ask @finance to approve. if they refuse tell #support it is done",
			answer(ask(say{"branches": []any{say{"quote": "if they refuse", "choice": "approve", "steps": []any{tellIt("tell")}}}})), `do not say the choice "approve"`, `"choice":"approve"`,
		},
		"branches in each other's place": {
			"get the order. if the amount is over 100 ask @finance to approve, otherwise refund it",
			answer(get, decide(say{"quote": "if the amount is over 100", "when": amount("the amount is over 100", ">", "100"), "steps": []any{refund}}, say{"quote": "otherwise", "else": true, "steps": []any{ask(nil)}})),
			"have changed places", "nothing",
		},
		"an end that nobody said": {
			"get the order, then refund it", answer(get, say{"kind": "stop", "also": []any{"then"}}, refund), "No words of the description are left", `"stop"`,
		},
		"words of another step": {
			"get the order, refund it", answer(get, say{"kind": "stop", "also": []any{"refund it"}}, refund), "No words of the description are left", `"stop"`,
		},
		"done twice": {
			"get the order, refund it", answer(get, refund, refund), "No words of the description are left", `"id":"s3"`,
		},
		"a value of a step that nobody said": {
			"get the order. if the amount is over 100 ask @finance to approve",
			answer(say{"kind": "tool", "label": "a", "text": "", "tool": "shop.get_order"}, say{"kind": "tool", "text": "get the order", "tool": "shop.get_order"},
				decide(say{"quote": "if the amount is over 100", "when": amount("the amount is over 100", ">", "100"), "steps": []any{ask(nil)}})), "uses a value of a step that is not there", `"step":"s1"`,
		},
		"another order": {
			"1. get the order\n2. ask @finance to approve\n3. refund it", answer(get, refund, ask(nil)), "Step 2 of the description stands behind step 3", "nothing",
		},
		"only on refusal": {
			"ask @finance to approve, tell #support it is done", answer(ask(say{"branches": []any{say{"choice": "reject", "steps": []any{tellIt("tell")}}}})), `No words say that "it is done" is done under reject only`, "nothing",
		},
		"only otherwise": {
			"get the order. if the amount is over 100 ask @finance to approve. refund it",
			answer(get, decide(say{"quote": "if the amount is over 100", "when": amount("the amount is over 100", ">", "100"), "steps": []any{ask(nil)}}, say{"else": true, "steps": []any{refund}})),
			`No words say that "refund it" is done under else only`, "nothing",
		},
		"only on an error": {
			"refund it. tell #support it is done", answer(say{"kind": "tool", "text": "refund it", "tool": "shop.refund", "on_error": []any{tellIt("tell")}}), `No words say that "it is done" is done on an error only`, "nothing",
		},
		"somebody else": {
			"get the order, tell the customer it is done", answer(get, say{"kind": "tell", "also": []any{"tell"}, "text": "it is done", "to": []any{name("the customer", "requester")}}), "", `"is":"requester"`,
		},
		"a lost detail beside something else": {
			"get the order, tell #support it is done, with the receipt", answer(say{"kind": "tool", "text": "get the order", "tool": "shop.get_order", "retry": 5}, say{"kind": "tell", "also": []any{"tell", "with the receipt"}, "text": "it is done", "to": []any{name("#support", "#support")}}), `No field says "with the receipt"`, "nothing",
		},
		"a denied answer": {
			"ask @finance to approve. tell #support it is done, until somebody doesn't accept",
			answer(say{"kind": "repeat", "until": say{"quote": "until somebody doesn't accept", "op": "==", "left": value("", "value", "step:q", ""), "right": value("doesn't accept", "text", "", "")}, "steps": []any{ask(nil), tellIt("tell")}}),
			"", `"literal":"approve"`,
		},
		"a limit without a time": {
			"get the order. if the 20th is reached tell #support it is done",
			say{"steps": []any{get}, "limit": say{"quote": "if the 20th is reached", "after": "19d", "steps": []any{tellIt("tell")}}},
			"has no time", `"deadline"`,
		},
		"a plain yes to its opposite": {
			"ask @bob whether it is urgent. if not tell #support it is done",
			answer(say{"kind": "ask", "label": "q", "also": []any{"ask"}, "text": "whether it is urgent", "who": []any{name("@bob", "@bob")}, "fields": []any{say{"quote": "urgent", "name": "urgent", "type": "boolean"}}},
				decide(say{"quote": "if not", "when": say{"quote": "if not", "op": "true", "left": value("", "value", "step:q", "urgent")}, "steps": []any{tellIt("tell")}})),
			"say the opposite", `"op":"true"`,
		},
		"no answer to the question": {
			"ask @finance to approve. repeat that until it is signed",
			answer(say{"kind": "repeat", "also": []any{"repeat that"}, "until": say{"quote": "until it is signed", "op": "==", "left": value("it", "value", "step:q", "status"), "right": value("it is", "text", "", "")}, "steps": []any{ask(nil)}}),
			"none of the answers", `"literal":"it is"`,
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			got, text, second := read(t, c.words, c.answer)
			if !strings.Contains(second, c.back) {
				t.Errorf("this went back: %s", second)
			}
			if strings.Contains(text, c.never) {
				t.Errorf("the tree is %s", text)
			}
			if got == nil || len(got.Steps) == 0 {
				t.Error("there are no steps")
			}
		})
	}
}

// TestRightAnswers: an answer that says what the words say costs no correction and no question.
func TestRightAnswers(t *testing.T) {
	t.Parallel()
	until := func(quote, op string, sides ...say) say {
		c := say{"quote": quote, "op": op}
		if len(sides) > 0 {
			c["left"], c["right"] = sides[0], sides[1]
		}
		return answer(get, say{"kind": "repeat", "until": c, "steps": []any{
			ask(say{"branches": []any{say{"quote": "if they refuse", "choice": "reject", "steps": []any{refund}}}}),
		}})
	}
	for title, c := range map[string]struct {
		words  string
		answer say
		want   string
	}{
		"thousands": {
			"get the order. if the amount is over $1.5k ask @finance to approve",
			answer(get, decide(say{"quote": "if the amount is over $1.5k", "when": amount("the amount is over $1.5k", ">", "$1.5k"), "steps": []any{ask(nil)}})), `"literal":1500`,
		},
		"the same in days":      {"ask @finance to approve within 48 hours", answer(ask(say{"deadline": say{"quote": "within 48 hours", "after": "2d"}})), `"after":"2d"`},
		"a number in two ways":  {"ask @finance to approve within fourteen (14) days", answer(ask(say{"deadline": say{"quote": "within fourteen (14) days", "after": "14d"}})), `"after":"14d"`},
		"a number of two words": {"ask @finance to approve within twenty-one days", answer(ask(say{"deadline": say{"quote": "within twenty-one days", "after": "21d"}})), `"after":"21d"`},
		"the same unit": {
			"ask @finance to approve within ten days, a reminder comes after seven",
			answer(ask(say{"deadline": say{"quote": "within ten days, a reminder comes after seven", "after": "10d", "remind": "7d"}})), `"remind":"7d"`,
		},
		"no answer is a yes": {
			"ask @finance to approve by 3pm, if they don't answer refund it anyway",
			answer(ask(say{"deadline": say{"quote": "by 3pm, if they don't answer refund it anyway", "after": "15:00", "choice": "approve"}})), `"choice":"approve"`,
		},
		"names that are joined": {
			"ask @finance (money) AND @bob to approve",
			answer(ask(say{"also": []any{"ask @finance (money) AND @bob to"}, "who": []any{name("@finance", "@finance"), name("@bob", "@bob")}, "quorum": 2})), `"quorum":2`,
		},
		"one more try": {
			"get the order. if that does not work try it again an hour later",
			answer(say{"kind": "tool", "text": "get the order", "tool": "shop.get_order", "also": []any{"if that does not work try it again an hour later"}, "retry": 2, "pause": "1h"}), `"retry":2`,
		},
		"a choice that begins a sentence": {
			"ask @finance: keep it or send it back. Send it back: refund it",
			answer(ask(say{"also": []any{"ask @finance:"}, "text": "", "choices": []any{"keep it", "send it back"}, "branches": []any{say{"quote": "Send it back:", "choice": "Send it back", "steps": []any{refund}}}})), `"choice":"send it back"`,
		},
		"an hour of either half of the day": {
			"ask @finance to approve by 11", answer(ask(say{"deadline": say{"quote": "by 11", "after": "23:00"}})), `"after":"until 23:00"`,
		},
		"where something is told": {
			"get the order -> #support", answer(get, say{"kind": "tell", "to": []any{name("#support", "#support")}}), `"kind":"tell"`,
		},
		"one more while": {
			"ask @finance to approve within 10 minutes, escalate to @bob, and after another 20 minutes tell #support it is done",
			answer(ask(say{
				"deadline": say{"quote": "within 10 minutes, escalate to @bob, and after another 20 minutes", "after": "30m", "escalate_after": "10m", "escalate_to": name("@bob", "@bob")},
				"branches": []any{say{"quote": "after another 20 minutes", "choice": "timeout", "steps": []any{tellIt("tell")}}},
			})), `"after":"30m"`,
		},
		"no objections": {
			"get the order. ask @finance to approve, if they refuse refund it, until there are no objections",
			until("until there are no objections", "==", value("", "value", "step:q", ""), value("approve", "text", "", "")), `"literal":"approve"`,
		},
		"a plain yes": {
			"ask @bob whether it is urgent. if yes tell #support it is done",
			answer(say{"kind": "ask", "label": "q", "also": []any{"ask"}, "text": "whether it is urgent", "who": []any{name("@bob", "@bob")}, "fields": []any{say{"quote": "urgent", "name": "urgent", "type": "boolean"}}},
				decide(say{"quote": "if yes", "when": say{"quote": "if yes", "op": "true", "left": value("", "value", "step:q", "urgent")}, "steps": []any{tellIt("tell")}})),
			`"op":"true"`,
		},
		"an event": {
			"get the order, wait until the parcel has arrived", answer(get, say{"kind": "wait", "event": "the parcel has arrived", "also": []any{"wait until"}}), `"event":"the parcel has arrived"`,
		},
		"an event without other words": {
			"get the order. the parcel has arrived: tell #support it is done", answer(get, say{"kind": "wait", "event": "the parcel has arrived"}, tellIt("tell")), `"event":"the parcel has arrived"`,
		},
		"an end that is told": {
			"ask @finance to approve. if they refuse tell #support the order is closed",
			answer(ask(say{"branches": []any{say{"quote": "if they refuse", "choice": "reject", "steps": []any{
				say{"kind": "tell", "also": []any{"tell"}, "text": "the order is closed", "to": []any{name("#support", "#support")}}, say{"kind": "stop", "also": []any{"the order is closed"}},
			}}}})), `"kind":"stop"`,
		},
		"an end that its branch says": {
			"get the order. if the amount is over 100 we cancel it, else refund it",
			answer(get, decide(say{"quote": "if the amount is over 100 we cancel it", "when": amount("the amount is over 100", ">", "100"), "steps": []any{say{"kind": "stop"}}}, say{"quote": "else", "else": true, "steps": []any{refund}})), `"kind":"stop"`,
		},
		"a verb for what the tool does": {
			"grab the order, then the order is returned", answer(say{"kind": "tool", "label": "a", "text": "grab the order", "tool": "shop.get_order"}, say{"kind": "open", "also": []any{"then"}, "text": "the order is returned"}), `"shop.get_order"`,
		},
		"rounds by their last one": {
			"get the order. ask @finance to approve, after the third attempt go on",
			answer(say{"kind": "repeat", "also": []any{"after the third attempt go on"}, "max": 3, "any": true, "steps": []any{get, ask(nil)}}), `"max":3`,
		},
		"a form with a refusal": {
			"ask @finance for a reason and to approve. they may veto, then tell #support it is done",
			answer(ask(say{"also": []any{"ask", "for", "and to"}, "fields": []any{say{"quote": "a reason", "name": "reason", "type": "string"}}, "branches": []any{say{"quote": "they may veto, then", "choice": "reject", "steps": []any{tellIt("tell")}}}})), `"choice":"reject"`,
		},
		"one of them": {
			"ask @finance to approve, one is enough", answer(ask(say{"also": []any{"ask", "one is enough"}, "quorum": 1})), `"ask"`,
		},
		"a week's time": {"ask @finance to approve in a week's time", answer(ask(say{"deadline": say{"quote": "in a week's time", "after": "7d"}})), `"after":"7d"`},
		"all of them":   {"ask @finance and @bob to approve", answer(ask(say{"who": []any{name("@finance", "@finance"), name("@bob", "@bob")}, "also": []any{"ask", "and"}})), `"quorum":2`},
		"unless": {
			"get the order. unless the amount is over 100 refund it",
			answer(get, decide(say{"quote": "unless the amount is over 100", "when": amount("the amount is over 100", "<=", "100"), "steps": []any{refund}})), `"op":"\u003c="`,
		},
		"in both cases": {
			"ask @finance to approve. if they refuse tell #support it is done. in both cases get the order",
			answer(ask(say{"choices": []any{"approve", "refuse"}, "branches": []any{say{"quote": "if they refuse", "choice": "refuse", "steps": []any{tellIt("tell")}}}}), say{"kind": "tool", "also": []any{"in both cases"}, "text": "get the order", "tool": "shop.get_order"}), "get_order",
		},
		"rounds by the answer": {
			"get the order. ask @finance to approve, if they refuse refund it, until they have accepted",
			until("until they have accepted", "==", value("", "value", "step:q", "choice"), value("accepted", "text", "", "")), `"literal":"approve"`,
		},
		"a value in a message": {
			"get the order, tell #support the paperwork",
			answer(get, say{"kind": "tell", "also": []any{"tell"}, "text": "the paperwork", "to": []any{name("#support", "#support")}, "values": []any{value("the paperwork", "value", "step:a", "amount")}}), `"field":"amount"`,
		},
		"one of the values of an input": {
			"the user gives the department (sales or support). for sales get the order",
			say{
				"also": []any{"the user gives"}, "inputs": []any{say{"quote": "the department (sales or support)", "name": "department", "type": "string", "enum": []any{"sales", "support"}}},
				"steps": []any{decide(say{"quote": "for sales", "when": say{"quote": "for sales", "op": "==", "left": value("", "value", "input:department", ""), "right": value("sales", "text", "", "")}, "steps": []any{get}})},
			},
			`"literal":"sales"`,
		},
		"a failure": {
			"refund it. if that does not work tell #support it is done", answer(say{"kind": "tool", "text": "refund it", "tool": "shop.refund", "on_error": []any{tellIt("if that does not work tell")}}), `"on_error"`,
		},
		"attempts behind the first": {
			"refund it. try it twice more if it fails", answer(say{"kind": "tool", "text": "refund it", "tool": "shop.refund", "also": []any{"try it twice more if it fails"}, "retry": 3}), `"retry":3`,
		},
		"choices": {
			"ask @finance: ship, wait or no answer at all", answer(ask(say{"text": "", "choices": []any{"ship", "wait", "no answer at all"}})), `"choices":["ship","wait","no answer at all"]`,
		},
		"capital letters": {
			"get the shop order Shop", answer(say{"kind": "tool", "text": "get the shop order Shop", "tool": "shop.get_order", "params": []any{say{"name": "order_id", "value": value("Shop", "text", "", "")}}}), `"literal":"Shop"`,
		},
		"an open schedule": {
			"every second Tuesday at 9:15 tell #support it is done",
			say{"triggers": []any{say{"quote": "every second Tuesday at 9:15", "kind": "schedule", "cron": "15 9 */14 * 2"}}, "steps": []any{tellIt("tell")}},
			`"words":"every second Tuesday at 9:15","at"`,
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			got, text, second := read(t, c.words, c.answer)
			if second != "" {
				t.Errorf("this went back: %s", second)
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("the tree is %s", text)
			}
			for _, q := range planner.Plan(got, world()).Questions {
				if q.Kind == "clause" || q.Kind == "condition" {
					t.Errorf("it asks: %s", q.Text)
				}
			}
		})
	}
}

// TestRightChanges: a change keeps what it does not name, also of a step that it changes.
func TestRightChanges(t *testing.T) {
	t.Parallel()
	keep := func(n string) say { return say{"kind": "keep", "was": n} }
	for title, c := range map[string]struct {
		words        string
		base         say
		change       string
		answer       say
		want, absent string
	}{
		"the other parameters": {
			"get the order of A-1, refund it in B-2", answer(say{"kind": "tool", "text": "get the order of A-1", "tool": "shop.get_order", "params": []any{say{"name": "order_id", "value": value("A-1", "text", "", "")}}}),
			"try the order twice", answer(say{"kind": "tool", "was": "1", "also": []any{"try the order twice"}, "tool": "shop.get_order", "retry": 2}), `"literal":"A-1"`, "",
		},
		"the choices": {
			"ask @finance: ship or return. if ship refund it", answer(ask(say{"text": "", "choices": []any{"ship", "return"}, "branches": []any{say{"quote": "if ship", "choice": "ship", "steps": []any{refund}}}})),
			"let @bob answer", answer(say{"kind": "ask", "was": "1", "also": []any{"let", "answer"}, "who": []any{name("@bob", "@bob")}, "branches": []any{say{"choice": "ship", "steps": []any{keep("1a")}}}}), `"choice":"ship"`, "",
		},
		"the zone": {
			"every Monday at 9 in Europe/Berlin tell #support it is done",
			say{"triggers": []any{say{"quote": "every Monday at 9 in Europe/Berlin", "kind": "schedule", "cron": "0 9 * * 1", "zone": "Europe/Berlin"}}, "steps": []any{tellIt("tell")}},
			"rather every Tuesday at 9",
			say{"also": []any{"rather"}, "gone": []any{"trigger:1"}, "triggers": []any{say{"quote": "every Tuesday at 9", "kind": "schedule", "cron": "0 9 * * 2", "zone": "Europe/Berlin"}}, "steps": []any{keep("1")}},
			`"zone":"Europe/Berlin"`, "",
		},
		"the hour": {
			"every Monday at 7:30 tell #support it is done",
			say{"triggers": []any{say{"quote": "every Monday at 7:30", "kind": "schedule", "cron": "30 7 * * 1"}}, "steps": []any{tellIt("tell")}},
			"rather every Tuesday",
			say{"also": []any{"rather"}, "gone": []any{"trigger:1"}, "triggers": []any{say{"quote": "every Tuesday", "kind": "schedule", "cron": "30 7 * * 2"}}, "steps": []any{keep("1")}},
			`"cron":"30 7 * * 2"`, "",
		},
		"another trigger": {
			"every Monday at 9 tell #support it is done",
			say{"triggers": []any{say{"quote": "every Monday at 9", "kind": "schedule", "cron": "0 9 * * 1"}}, "steps": []any{tellIt("tell")}},
			"rather every Tuesday at 9",
			say{"also": []any{"rather"}, "gone": []any{"trigger:1"}, "triggers": []any{say{"quote": "every Tuesday at 9", "kind": "schedule", "cron": "0 9 * * 2"}}, "steps": []any{keep("1")}},
			`"cron":"0 9 * * 2"`, `"by":true`,
		},
		"a value of a changed step": {
			"get the order", answer(get), "try the order twice. if the amount is over 100 ask @finance to approve",
			answer(say{"kind": "tool", "was": "1", "also": []any{"try the order twice"}, "retry": 2, "tool": "shop.get_order"}, decide(say{
				"quote": "if the amount is over 100", "steps": []any{ask(nil)},
				"when": say{"quote": "the amount is over 100", "op": ">", "left": value("the amount", "value", "step:1", "amount"), "right": value("100", "number", "", "")},
			})), `"field":"amount"`, "",
		},
		"a reminder": {
			"ask @finance to approve within 5 days", answer(ask(say{"deadline": say{"quote": "within 5 days", "after": "5d"}})), "nudge them after 3 days",
			answer(say{"kind": "ask", "was": "1", "also": []any{"nudge them"}, "deadline": say{"quote": "after 3 days", "remind": "3d"}}), `"after":"5d","remind":"3d"`, "",
		},
		"more time": {
			"ask @finance to approve within 5 days", answer(ask(say{"deadline": say{"quote": "within 5 days", "after": "5d"}})), "they get a week",
			answer(say{"kind": "ask", "was": "1", "also": []any{"they get"}, "deadline": say{"quote": "a week", "after": "1w"}}), `"after":"1w"`, "",
		},
		"only the hour": {
			"every Monday at 7:30 tell #support it is done",
			say{"triggers": []any{say{"quote": "every Monday at 7:30", "kind": "schedule", "cron": "30 7 * * 1"}}, "steps": []any{tellIt("tell")}},
			"make it 6:45",
			say{"also": []any{"make it"}, "gone": []any{"trigger:1"}, "triggers": []any{say{"quote": "6:45", "kind": "schedule", "cron": "45 6 * * 1"}}, "steps": []any{keep("1")}},
			`"cron":"45 6 * * 1"`, "",
		},
		"what is done in rounds": {
			"get the order. ask @finance to approve, until they have accepted",
			answer(get, say{"kind": "repeat", "until": say{"quote": "until they have accepted", "op": "decide"}, "steps": []any{ask(nil)}}),
			"at most 4 times", answer(keep("1"), say{"kind": "repeat", "was": "2", "also": []any{"at most 4 times"}, "max": 4}), `"max":4`, `"branches":[{}]`,
		},
		"what is replaced": {
			"ask @finance to approve", answer(ask(nil)), "ask @bob instead of @finance",
			say{"also": []any{"instead of @finance"}, "steps": []any{say{"kind": "ask", "was": "1", "also": []any{"ask"}, "who": []any{name("@bob", "@bob")}}}},
			`"is":"@bob"`, `"is":"@finance"`,
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			old, _, back := read(t, c.words, c.base)
			s, m := newModel(t, llmtest.JSON(c.answer))
			got, _, err := model.Read(t.Context(), m, c.change, "ana", world(), old)
			if err != nil || len(s.Requests()) > 1 {
				t.Fatalf("this went back: %s, and of the change %d times: %v", back, len(s.Requests()), err)
			}
			body, err := json.Marshal(got)
			if text := string(body); err != nil || !strings.Contains(text, c.want) || c.absent != "" && strings.Contains(text, c.absent) {
				t.Errorf("the tree is %s", text)
			}
			if n := len(got.Objections); n > 0 {
				t.Errorf("%d things have to be confirmed: %+v", n, got.Objections)
			}
		})
	}
}
