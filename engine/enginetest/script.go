package enginetest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
)

// Script plays a script against the driver, line by line, and returns the first surprise with its line number. Empty lines
// and lines that begin with # are skipped; ! before a command expects it to be refused, see refusals. Inside a foreach NODE#2 is
// the node for the item with the index 2.
//
//	start [begin=ENTRY] [NAME=VALUE ...]      start the run
//	event JSON                             the event that the next start begins with
//	do NODE [@failed] [@next=V] [@tool=V] [@handle=V] [@calls=TOOL,TOOL] [OUTPUT]
//	                                       claim the token at NODE if need be, and finish its step: JSON or a text
//	claim NODE                             claim the dispatched token at NODE
//	judge NODE [ID=yes|no ...]             claim if need be, and answer the questions about NODE's step; none: there is no usable answer
//	fail NODE TYPE: MESSAGE                claim if need be, and fail the step (final TYPE: cannot be retried; unknown TYPE: may have taken effect)
//	offer NODE MESSAGE                     claim if need be, and offer the step to a person
//	call NODE N WHAT EFFECTS               the step intends act N
//	called NODE N [RESULT]                 act N has its outcome
//	lose NODE [release]                    the worker of NODE's token is gone
//	late NODE [OUTPUT]                     the revoked worker of NODE reports all the same
//	again NODE [OUTPUT]                    the worker that lost NODE's token last reports all the same
//	answer NODE CHOICE [by=U] [note=..] [text=..] [form=JSON] [value=JSON] [shown=HASH|ok]
//	says TEXT                              the person of the run says something in its conversation
//	edit NODE JSON [shown=HASH]            set arguments of the call that NODE asks about; tools of the module ask do
//	fire KIND [NODE]                       move the clock to the first timer of the kind, and fire it
//	people                                 from now on gates ask who may answer them: fire people, or
//	nobody NODE REASON                     nobody may answer the gate at NODE
//	wait DURATION                          move the clock
//	child NODE [OUTPUT]                    the child that NODE waits for has succeeded
//	rejected NODE [NOTE]                   it was rejected, by U7
//	childless NODE [REASON]                it was cancelled
//	childerror NODE TYPE: MESSAGE          it could not be started
//	queue NODE [TEXT]                      claim if need be; the step has a message that is to be delivered
//	posted NODE, refused NODE TYPE: MESSAGE   what becomes of the message that NODE waits for
//	latepost NODE [TYPE: MESSAGE]          what became of NODE's message that was withdrawn; none: it was posted
//	told ID NAME [JSON]                    an event has happened
//	toldpast DURATION ID NAME [JSON]       an event happened so long ago
//	cancel [REASON]
//	move                                   go over to an identical revision
//	fork NODE [KEPT ...]                   become a run that is forked at NODE, without doing KEPT again
//	reopen NODE                            ask once more what nobody answered in time
//	pause [run|flow|all] [REASON], resume [run|flow|all] [REASON]
//
// Expectations:
//
//	status STATUS
//	outcome OUTCOME [NODE CHOICE BY NOTE]  of the run that has ended, and the decision that made it; - for what is empty
//	at [NODE ...]                          nodes of the live tokens, in order of the tokens
//	deferred [NODE ...]                    nodes of the tokens that wait their turn
//	phase NODE PHASE
//	path NODE ...                          all visits so far
//	edges EDGE ...                         all edges taken so far
//	output NODE VALUE                      latest output: JSON data, else text
//	result VALUE                           the run's own output
//	vars JSON
//	size N                                 the stored state takes at most N bytes
//	approval NODE CHOICE
//	params NODE JSON                       claim if need be; the step's rendered parameters
//	key NODE KEY                           claim if need be; its idempotency key
//	input NODE TEXT                        claim if need be; what an agent reads as previous output
//	talk NODE [CALLS=RESULTS ...] [since TEXT]
//	                                       claim if need be; the conversation that its agent goes on with
//	asked NODE CALLS for AGENT             claim if need be; the calls that it performs
//	questions NODE [ID ...]                claim if need be; what a worker is asked about NODE's step
//	verdicts NODE [ID=yes|no ...]          of its latest visit, as pictures show them
//	gate NODE KIND [CHOICE ...]
//	message NODE TEXT                      of the open gate
//	gates N, timers [KIND ...], visits N, acts N, active DURATION
//	items NODE ITEMS                       of the open foreach: total/started/ended/kept errors
//	error TYPE: MESSAGE                    latest error of the run contains this
//	seen EDGE JSON                         values that the latest RouteTaken over EDGE saw
//	why EDGE TEXT
//	view NODE STATE [VISITS [ITEMS]]       as pictures show it; items of a foreach: total/started/ended/failed
//	messages N                             that are to be delivered
//	children N                             runs that were asked for and are waited for
//	cancelled N                            children that were told to end
//	inputs NODE JSON                       of the child that NODE waits for
//	fact KIND [JSON]                       the latest fact of the kind has these fields
//	nofact KIND
func (d *Driver) Script(script string) error {
	p := &player{d: d, lost: map[string]run.Perform{}}
	for i, line := range strings.Split(script, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.line(line); err != nil {
			return fmt.Errorf("line %d: %s: %w", i+1, line, err)
		}
	}
	return nil
}

type player struct {
	d     *Driver
	event map[string]any
	lost  map[string]run.Perform // by node: the step whose worker was lost
}

// refusals are the words after ! that say how a command is refused.
var refusals = map[string]error{
	"fenced": run.ErrFenced, "over": run.ErrOver, "nogate": run.ErrNoGate, "choice": run.ErrChoice,
	"shown": run.ErrShown, "voted": history.ErrVoted, "notimer": run.ErrNoSuchTimer, "held": run.ErrHeld, "notheld": run.ErrNotHeld,
	"nobody": run.ErrNoWaiter, "sent": run.ErrSent, "unheard": run.ErrNoListener, "full": run.ErrFull, "notexpired": run.ErrNotExpired, "forkpoint": run.ErrForkPoint,
}

func (p *player) line(line string) error {
	if rest, ok := strings.CutPrefix(line, "! "); ok {
		word, command, _ := strings.Cut(rest, " ")
		err := p.command(command)
		var form *run.FormError
		switch {
		case word == "form" && errors.As(err, &form):
			return nil
		case word != "form" && errors.Is(err, refusals[word]) && refusals[word] != nil:
			return nil
		}
		return fmt.Errorf("expected to be refused as %s, got: %w", word, err)
	}
	return p.command(line)
}

func (p *player) command(line string) error {
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if do, ok := commands[name]; ok {
		return do(p, rest)
	}
	if look, ok := looks[name]; ok {
		return look(p.d, rest)
	}
	return fmt.Errorf("no such command")
}

var commands = map[string]func(p *player, rest string) error{
	"start": (*player).start,
	"event": func(p *player, rest string) error { return json.Unmarshal([]byte(rest), &p.event) },
	"do": func(p *player, rest string) error {
		node, out, _ := strings.Cut(rest, " ")
		return p.finish(node, Output(out), nil)
	},
	"claim": func(p *player, rest string) error {
		t, err := p.token(rest)
		if err != nil {
			return err
		}
		return p.d.Claim(t.ID)
	},
	"judge":  (*player).judge,
	"fail":   (*player).fail,
	"offer":  (*player).offer,
	"call":   (*player).call,
	"called": (*player).called,
	"lose":   (*player).lose,
	"late":   (*player).late,
	"again":  (*player).again,
	"answer": (*player).answer,
	"edit":   (*player).edit,
	"fire":   (*player).fire,
	"people": (*player).people,
	"says":   (*player).says,
	"nobody": func(p *player, rest string) error {
		node, reason, _ := strings.Cut(rest, " ")
		g := p.d.gate(node)
		if g == nil || g.People == 0 {
			return errors.New("no gate asks who may answer it")
		}
		return p.d.fire(g.People, reason)
	},
	"child": func(p *player, rest string) error {
		node, out, _ := strings.Cut(rest, " ")
		return p.endChild(node, run.ChildOver{Status: history.Succeeded, Output: Output(out)})
	},
	"rejected": func(p *player, rest string) error {
		node, note, _ := strings.Cut(rest, " ")
		ending := &history.Ending{Outcome: history.OutcomeRejected, Node: "inner", Choice: "reject", Note: note, By: history.Actor{User: "U7"}, Firm: true}
		return p.endChild(node, run.ChildOver{Status: history.Succeeded, Ending: ending})
	},
	"childless": func(p *player, rest string) error {
		node, reason, _ := strings.Cut(rest, " ")
		return p.endChild(node, run.ChildOver{Status: history.Cancelled, Reason: reason})
	},
	"childerror": func(p *player, rest string) error {
		node, words, _ := strings.Cut(rest, " ")
		return p.endChild(node, run.ChildOver{Status: history.Cancelled, Error: nodeError(words)})
	},
	"queue":    (*player).queue,
	"posted":   func(p *player, rest string) error { return p.deliver(rest, nil) },
	"refused":  (*player).refused,
	"latepost": (*player).latePost,
	"told":     func(p *player, rest string) error { return p.told(0, rest) },
	"toldpast": func(p *player, rest string) error {
		ago, rest, _ := strings.Cut(rest, " ")
		by, err := time.ParseDuration(ago)
		if err != nil {
			return err
		}
		return p.told(by, rest)
	},
	"params": func(p *player, rest string) error {
		return p.look(rest, func(s run.Perform, want string) error { return sameJSON(want, s.Params) })
	},
	"key": func(p *player, rest string) error {
		return p.look(rest, func(s run.Perform, want string) error { return same(want, s.Key) })
	},
	"questions": func(p *player, rest string) error {
		return p.look(rest, func(s run.Perform, want string) error {
			var ids []string
			for _, q := range s.Questions {
				ids = append(ids, q.ID)
			}
			return sameWords(want, ids)
		})
	},
	"input": func(p *player, rest string) error {
		return p.look(rest, func(s run.Perform, want string) error { return same(want, s.Input) })
	},
	"talk": func(p *player, rest string) error {
		return p.look(rest, func(s run.Perform, want string) error { return same(want, talkWords(s)) })
	},
	"asked": func(p *player, rest string) error {
		return p.look(rest, func(s run.Perform, want string) error { return same(want, askedWords(s)) })
	},
	"wait": func(p *player, rest string) error {
		by, err := time.ParseDuration(rest)
		p.d.Now = p.d.Now.Add(by)
		return err
	},
	"move": func(p *player, _ string) error { return p.d.Move(p.d.Flow) },
	"fork": func(p *player, rest string) error {
		words := strings.Fields(rest)
		return p.d.Fork(words[0], words[1:]...)
	},
	"reopen": func(p *player, rest string) error {
		t, err := p.token(rest)
		if err != nil {
			return err
		}
		_, err = p.d.Feed(run.Reopen{At: p.d.Now, Actor: history.Actor{User: "U1"}, Step: t.Step})
		return err
	},
	"pause": func(p *player, rest string) error {
		scope, reason := holdWords(rest)
		_, err := p.d.Feed(run.Pause{At: p.d.Now, Actor: history.Actor{User: "U1"}, Scope: scope, Reason: reason})
		return err
	},
	"resume": func(p *player, rest string) error {
		scope, reason := holdWords(rest)
		_, err := p.d.Feed(run.Resume{At: p.d.Now, Actor: history.Actor{User: "U1"}, Scope: scope, Reason: reason})
		return err
	},
	"cancel": func(p *player, rest string) error {
		_, err := p.d.Feed(run.Cancel{At: p.d.Now, Actor: history.Actor{User: "U1"}, Reason: rest})
		return err
	},
}

// holdWords reads the scope of a pause, and its reason.
func holdWords(rest string) (history.HoldScope, string) {
	scope, reason, _ := strings.Cut(rest, " ")
	return history.HoldScope(cmp.Or(scope, string(history.HoldRun))), reason
}

// Output makes an output of a script's word: JSON becomes data, everything else text. What begins with @ before it says how the
// step ended.
func Output(word string) history.Output {
	word = strings.TrimSpace(word)
	if strings.HasPrefix(word, "@") {
		mark, rest, _ := strings.Cut(word, " ")
		out := Output(rest)
		switch name, value, _ := strings.Cut(mark, "="); name {
		case "@failed":
			out.Failed = true
		case "@next":
			out.Next = value
		case "@tool":
			out.Tool = value
		case "@handle":
			out.Handle = value
		case "@calls":
			out.Calls, out.Pending = calls(value), true
			out.Tool = out.Calls[0].Name
		}
		return out
	}
	if word != "" && json.Valid([]byte(word)) {
		return history.Output{Data: json.RawMessage(word)}
	}
	return history.Output{Text: word}
}

func (p *player) start(rest string) error {
	inputs, entry := map[string]any{}, ""
	for word := range strings.FieldsSeq(rest) {
		name, value, _ := strings.Cut(word, "=")
		if name == "begin" {
			entry = value
			continue
		}
		var v any
		if json.Unmarshal([]byte(value), &v) != nil {
			v = value
		}
		inputs[name] = v
	}
	_, err := p.d.Feed(run.Start{At: p.d.Now, Actor: history.Actor{User: "U1", Via: history.ViaCLI}, Run: history.RunStarted{
		Flow: p.d.Flow.Name, Revision: 1, Name: p.d.Flow.Name + "-1", Inputs: inputs, Event: p.event, Entry: entry, By: "U1",
	}})
	return err
}

// token finds the live token at a node.
func (p *player) token(node string) (history.Token, error) {
	tokens := p.d.Tokens(node)
	if len(tokens) == 0 {
		return history.Token{}, fmt.Errorf("no token at %s", node)
	}
	return tokens[0], nil
}

// numbered reads a node and the number of a call.
func (p *player) numbered(words []string) (run.Perform, int, error) {
	step, err := p.performing(words[0])
	if err != nil {
		return step, 0, err
	}
	n, err := strconv.Atoi(words[1])
	return step, n, err
}

// performing claims the token at a node if nobody holds it, and gives its step.
func (p *player) performing(node string) (run.Perform, error) {
	t, err := p.token(node)
	if err != nil {
		return run.Perform{}, err
	}
	if l, ok := p.d.Leases[t.ID]; ok && l.Perform == nil {
		if err := p.d.Claim(t.ID); err != nil {
			return run.Perform{}, err
		}
	}
	l := p.d.Leases[t.ID]
	if l.Perform == nil {
		return run.Perform{}, fmt.Errorf("nobody performs %s: it is %s", node, t.Phase)
	}
	return *l.Perform, nil
}

// look claims the token at a node if nobody holds it, and looks at its step.
func (p *player) look(rest string, look func(s run.Perform, want string) error) error {
	node, want, _ := strings.Cut(rest, " ")
	s, err := p.performing(node)
	if err != nil {
		return err
	}
	return look(s, want)
}

func (p *player) finish(node string, out history.Output, nerr *history.NodeError) error {
	step, err := p.performing(node)
	if err != nil {
		return err
	}
	return p.d.Finish(step.Token, out, nerr)
}

func (p *player) endChild(node string, over run.ChildOver) error {
	t, err := p.token(node)
	if err != nil {
		return err
	}
	over.Name = node + "-1"
	return p.d.EndChild(t.ID, over)
}

func (p *player) told(ago time.Duration, rest string) error {
	words := append(strings.SplitN(rest, " ", 3), "", "")
	return p.d.Tell(words[0], words[1], p.d.Now.Add(-ago), json.RawMessage(words[2]))
}

func nodeError(words string) *history.NodeError {
	words, permanent := strings.CutPrefix(words, "final ")
	words, away := strings.CutPrefix(words, "away ")
	words, unknown := strings.CutPrefix(words, "unknown ")
	kind, message, _ := strings.Cut(words, ": ")
	return &history.NodeError{Type: kind, Message: message, Permanent: permanent, Unknown: unknown, Away: away}
}

func (p *player) judge(rest string) error {
	node, answers, _ := strings.Cut(rest, " ")
	step, err := p.performing(node)
	if err != nil {
		return err
	}
	var verdicts []history.Verdict
	for answer := range strings.FieldsSeq(answers) {
		id, word, _ := strings.Cut(answer, "=")
		verdicts = append(verdicts, history.Verdict{ID: id, Met: word == "yes", Reason: "because " + id})
	}
	if len(verdicts) == 0 {
		return p.d.Judge(step.Token, nil, &history.NodeError{Type: "ModelError", Message: "no usable answer"})
	}
	return p.d.Judge(step.Token, verdicts, nil)
}

func (p *player) fail(rest string) error {
	node, words, _ := strings.Cut(rest, " ")
	return p.finish(node, history.Output{}, nodeError(words))
}

func (p *player) offer(rest string) error {
	node, message, _ := strings.Cut(rest, " ")
	step, err := p.performing(node)
	if err != nil {
		return err
	}
	_, err = p.d.Feed(run.Finished{
		At: p.d.Now, Token: step.Token, Step: step.Step, Epoch: step.Epoch, Offer: &run.Offer{Message: message},
	})
	return err
}

func (p *player) call(rest string) error {
	words := append(strings.Fields(rest), "", "", "")
	step, n, err := p.numbered(words)
	if err != nil {
		return err
	}
	_, err = p.d.Feed(run.Called{At: p.d.Now, Token: step.Token, Step: step.Step, Epoch: step.Epoch, Intent: &history.CallIntended{
		Number: n, What: words[2], Effects: effects(words[3]), Key: run.Key(step.Prefix, n, step.Gen),
	}})
	return err
}

func (p *player) called(rest string) error {
	words := append(strings.SplitN(rest, " ", 3), "null")
	step, n, err := p.numbered(words)
	if err != nil {
		return err
	}
	_, err = p.d.Feed(run.Called{At: p.d.Now, Token: step.Token, Step: step.Step, Epoch: step.Epoch, Outcome: &history.CallFinished{
		Number: n, Result: json.RawMessage(words[2]),
	}})
	return err
}

func (p *player) lose(rest string) error {
	node, reason, _ := strings.Cut(rest, " ")
	t, err := p.token(node)
	if err != nil {
		return err
	}
	if l := p.d.Leases[t.ID]; l.Perform != nil {
		p.lost[node] = *l.Perform
	}
	return p.d.Lose(t.ID, reason)
}

func (p *player) late(rest string) error {
	node, out, _ := strings.Cut(rest, " ")
	i := slices.IndexFunc(p.d.Revoked, func(s run.Perform) bool { return s.Node.ID == node })
	if i < 0 {
		return fmt.Errorf("no act of %s was revoked", node)
	}
	return p.report(p.d.Revoked[i], out)
}

func (p *player) again(rest string) error {
	node, out, _ := strings.Cut(rest, " ")
	return p.report(p.lost[node], out)
}

func (p *player) report(step run.Perform, out string) error {
	_, err := p.d.Feed(run.Finished{At: p.d.Now, Token: step.Token, Step: step.Step, Epoch: step.Epoch, Output: Output(out)})
	return err
}

func (p *player) fire(rest string) error {
	words := append(strings.Fields(rest), "", "")
	for _, tm := range p.d.State.Timers {
		t := p.d.State.Token(tm.Token)
		if string(tm.Kind) == words[0] && (words[1] == "" || t != nil && t.Node == words[1]) {
			return p.d.Fire(tm.ID)
		}
	}
	return run.ErrNoSuchTimer
}
