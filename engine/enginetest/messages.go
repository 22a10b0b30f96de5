package enginetest

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/history"
	"sluice/engine/run"
)

// Queue reports that a token's step has a message that is to be delivered.
func (d *Driver) Queue(token int, text string) error {
	p := d.Leases[token].Perform
	if p == nil {
		return fmt.Errorf("nobody performs token %d", token)
	}
	_, err := d.Feed(run.Finished{
		At: d.Now, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Message: &run.Message{Channel: "#c", Text: text, Key: p.Key}, Leave: d.leaves(p.Step),
	})
	return err
}

// Deliver reports that a message was posted, or why not.
func (d *Driver) Deliver(msg run.PostMessage, nerr *history.NodeError) error {
	in := run.Delivered{At: d.Now, Message: msg.ID, Token: msg.Token, Step: msg.Step, Epoch: msg.Epoch, Error: nerr}
	if nerr == nil {
		in.Channel, in.TS, in.Output = "C1", "1.2", history.Output{Text: msg.Message.Text}
	}
	delete(d.Messages, msg.ID)
	d.Withdrawn = slices.DeleteFunc(slices.Clone(d.Withdrawn), func(w run.PostMessage) bool { return w.ID == msg.ID })
	_, err := d.Feed(in)
	return err
}

// checkMessages makes sure that a message is waited for exactly as long as it is to be delivered and was not withdrawn.
func (d *Driver) checkMessages() error {
	waited := 0
	for _, t := range d.State.Tokens {
		if (t.Phase == history.PhaseMessage) != (t.Message != "") {
			return fmt.Errorf("token %d is %s and has the message %q", t.ID, t.Phase, t.Message)
		}
		if t.Message == "" {
			continue
		}
		waited++
		if _, known := d.Messages[t.Message]; !known {
			return fmt.Errorf("token %d waits for %s, which nobody delivers", t.ID, t.Message)
		}
	}
	if waited != len(d.Messages) {
		return fmt.Errorf("%d messages are to be delivered, and %d tokens wait for one", len(d.Messages), waited)
	}
	return nil
}

func (p *player) queue(rest string) error {
	node, text, _ := strings.Cut(rest, " ")
	step, err := p.performing(node)
	if err != nil {
		return err
	}
	return p.d.Queue(step.Token, text)
}

func (p *player) deliver(node string, nerr *history.NodeError) error {
	t, err := p.token(node)
	if err != nil {
		return err
	}
	return p.d.Deliver(p.d.Messages[t.Message], nerr)
}

func (p *player) refused(rest string) error {
	node, words, _ := strings.Cut(rest, " ")
	return p.deliver(node, nodeError(words))
}

func (p *player) latePost(rest string) error {
	node, words, _ := strings.Cut(rest, " ")
	of := func(msg run.PostMessage) bool {
		return slices.ContainsFunc(p.d.Facts, func(f history.Fact) bool { return f.Step == msg.Step && f.Node == node })
	}
	i := slices.IndexFunc(p.d.Withdrawn, of)
	if i < 0 {
		return fmt.Errorf("no message of %s was withdrawn", node)
	}
	var nerr *history.NodeError
	if words != "" {
		nerr = nodeError(words)
	}
	return p.d.Deliver(p.d.Withdrawn[i], nerr)
}
