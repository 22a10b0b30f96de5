package drafts

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/planner"
	"sluice/engine/planner/change"
	"sluice/engine/planner/env"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/tree"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Edit treats words in a draft's thread as an edit of it: a numbered line, or "undo". Said to the bot, anybody who may
// write here edits; otherwise only the drafter, who always gets an answer while the draft is open. Other messages are ignored.
func (wd *Words) Edit(ctx context.Context, in request.Incoming, addressed bool) (bool, error) {
	d, err := wd.find.ofThread(ctx, in)
	if err != nil {
		return false, storage.IgnoreMissing(err)
	}
	if !addressed && in.User != d.Author {
		return false, nil // other people are not looked up for each message they write
	}
	body, doc, err := draft.Decode(d)
	if err != nil {
		return false, err
	}
	action := authority.ProposeUnsaid
	if addressed {
		action = authority.Propose
	}
	if err := wd.Access.MayDraft(ctx, in, action, d, body.Authors); err != nil {
		if request.Hidden(err) {
			return false, nil // a person who may not read the draft does not learn of it
		}
		return false, err
	}
	if done, err := wd.besideSteps(ctx, in, d, body, doc, addressed); done || err != nil {
		return true, err
	}
	t, err := changeable(body, doc)
	if err != nil {
		return addressed, err
	}
	m := wd.plan.drafter(in)
	if courteous(in.Text) || !addressed && request.SaidTo(in.Text) != "" && !change.Charges(in.Text) || editable(d) != nil {
		m = nil
	}
	next, edit, err := wd.change(ctx, in, t, body, m == nil)
	if m != nil && (err != nil || leavesOpen(wd.plan.world(ctx, in), t, next)) {
		return true, wd.changeByModel(ctx, in, m, t, changed{next, edit}, d, body)
	}
	if errors.Is(err, change.ErrNone) {
		if addressed || courteous(in.Text) && d.Status != draft.Open {
			return false, nil
		}
		return true, wd.notChanged(ctx, in, t)
	}
	if closed := editable(d); closed != nil {
		return true, closed
	}
	if err != nil {
		return true, err
	}
	return true, wd.proposeChange(ctx, in, next, d, body, origin{body: draft.Body{Edit: edit}})
}

// leavesOpen reports whether a change asks what its words mean: those that are not understood, who does or is told something, what is compared or
// sent. A model may know.
func leavesOpen(w env.World, was, now *tree.Tree) bool {
	open := func(t *tree.Tree) (ids []string) {
		for _, q := range planner.Plan(t, w).Questions {
			if slices.Contains([]string{"doer", "clause", "who", "condition", "value"}, q.Kind) {
				ids = append(ids, q.ID)
			}
		}
		return ids
	}
	before := open(was)
	return slices.ContainsFunc(open(now), func(id string) bool { return !slices.Contains(before, id) })
}

// travels finds words that go back to the draft before, or forward again: "no wait, undo that".
var travels = regexp.MustCompile(`(?i)^\s*(?:(?:no|nope|wait|oh|oops|sorry|ok|please|pls|can you)[,.!]* +)*(undo|redo|revert|take (?:it|that|this) back)(?: (?:it|that|this|(?:the |that |this |my )?last (?:change|one)))?(?:,? (?:please|pls))?[.!]*\s*$`)

// besideSteps takes words in a draft's thread that are no change of its steps by the planner: "undo", a trial, an answer about what the draft
// needs, and changes of a flow in the format of another program.
func (wd *Words) besideSteps(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, doc *flow.Flow, addressed bool) (bool, error) {
	if m := travels.FindStringSubmatch(in.Text); m != nil && strings.EqualFold(m[1], "redo") {
		return true, wd.Redo(ctx, in, request.Command{})
	} else if m != nil {
		return true, wd.Undo(ctx, in, request.Command{})
	}
	if c, ok := triesDraft(in.Text, doc); ok {
		return true, wd.trials.Try(ctx, in, c)
	}
	if said, err := wd.needs.said(ctx, in, d, body); said || err != nil {
		return true, err
	}
	if body.File != "" && doc.Profile != flow.ProfileNative {
		if !addressed && (courteous(in.Text) || request.SaidTo(in.Text) != "") {
			return true, wd.notChanged(ctx, in, nil)
		}
		return true, wd.editForeign(ctx, in, d, body, doc)
	}
	return false, nil
}

// proposeChange makes a draft of a changed tree, after the draft before.
func (wd *Words) proposeChange(ctx context.Context, in request.Incoming, next *tree.Tree, d storage.Draft, body draft.Body, from origin) error {
	from.prev = &d
	from.body.Undo, from.body.Raised, from.body.Only = d.ID, body.Raised, body.Only
	if body.File != "" {
		from.body.Raised = body.Flow
	}
	if d.Status == draft.Approved && body.Only == nil { // a new version of the approved flow, discussed in the same thread
		from.prev, from.body.Undo = nil, ""
	}
	if from.prev == nil || body.File != "" {
		next.Settled = append(next.Settled, "name:"+d.Flow)
	}
	return wd.write.propose(ctx, in, next, from)
}

// changeable gives the steps of a draft that words can change. A flow from a file has some where it is structured.
func changeable(body draft.Body, doc *flow.Flow) (*tree.Tree, error) {
	if body.File == "" {
		return body.Tree, nil
	}
	t, err := raise.Tree(doc)
	if err != nil {
		return nil, &usererror.Error{
			Code: "no_change", Text: "Words cannot change this draft, because " + err.Error() + ".", Err: err,
			Hint: "“Edit as file” on the draft's card gives the file; change it there and drop it into this thread.",
		}
	}
	return t, nil
}

// changed is a draft's tree after a change, and what the change did; the zero value is none.
type changed struct {
	tree *tree.Tree
	said string
}

// change reads words as the answer to a question that they name, or whose button or name they are, else as a change of a draft, else as the answer to
// the only question that they can be meant for, else as new steps at the end, unless a model can read what they mean.
func (wd *Words) change(ctx context.Context, in request.Incoming, t *tree.Tree, body draft.Body, atEnd bool) (*tree.Tree, string, error) {
	w := wd.plan.world(ctx, in)
	if q, words := body.Named(in.Text); words != "" {
		return answerNamed(t, w, q, words, in.User)
	}
	if q, option := body.Chosen(in.Text); option != "" {
		next, err := planner.Answer(t, w, q.ID, option, "", in.User)
		return next, answeredWith(in.Text, q), err
	}
	if next, said, err := answerName(t, w, body, in); !errors.Is(err, change.ErrNone) {
		return next, said, err
	}
	next, said, err := change.Apply(t, in.Text, in.User, planner.People(in.Text, w)...)
	var why *change.Error
	if errors.As(err, &why) {
		return nil, "", &usererror.Error{Code: "no_change", Text: why.Text, Err: err}
	}
	if !errors.Is(err, change.ErrNone) {
		return next, strings.Join(said, " "), err
	}
	next, answer, err := answerOpen(t, w, body, in)
	if errors.Is(err, errWhich) && (!atEnd || request.SaidTo(in.Text) != "" || body.AsksForSteps()) {
		return nil, "", whichQuestion(in.Text, anyWords, body, body.Asked())
	}
	if err == nil {
		return next, answer, nil
	}
	if !atEnd {
		return nil, "", change.ErrNone
	}
	open := err
	if next, said, err = change.AtEnd(t, in.Text, in.User, planner.People(in.Text, w)...); err != nil && errors.Is(open, errWhich) {
		return nil, "", whichQuestion(in.Text, anyWords, body, body.Asked())
	}
	return next, strings.Join(said, " "), err
}

// notChanged answers a drafter's words that were not said to the bot and change nothing.
func (wd *Words) notChanged(ctx context.Context, in request.Incoming, t *tree.Tree) error {
	if to := request.SaidTo(in.Text); to != "" && !change.Charges(in.Text) {
		add := "add: " + card.Shorten(strings.TrimSpace(in.Text), 100)
		return wd.Replies.SayText(ctx, in, card.Textf(":information_source: I take this as said to %s, so the draft has not changed. To change it, begin with @%s or with what should be different, such as “%s”.", to, wd.Replies.Name, add))
	}
	if courteous(in.Text) {
		return wd.Replies.SayText(ctx, in, card.Textf(":information_source: The draft has not changed. Its card has buttons to approve and to answer; to change it, say what should be different."))
	}
	return wd.Replies.Say(ctx, in, wd.Replies.Refusal(noChange(in.Text, t, planner.People(in.Text, wd.plan.world(ctx, in))...)))
}

// courtesies are words that are all courtesies, such as "thx, looks good!".
var courtesies = regexp.MustCompile(`(?i)^\s*(?:(?:thanks?|thx|ty|cheers|you|so much|very much|a lot|ok|okay|great|nice|cool|awesome|perfect|lgtm|(?:that |this |it |that's |all )*(?:looks?|is)? ?(?:good|fine|right)(?: to me)?|now|then|work|job|everyone|all)[\s.,!:)-]*)+$`)

// courteous reports whether words are courtesies and no change, such as a thank-you.
func courteous(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	return courtesies.MatchString(text) || len(words) > 0 && len(words) <= 2 && slices.Contains([]string{"thanks", "thank", "ok", "okay", "great", "nice", "cool", "perfect", "hi", "hello", "hm", "hmm", "yes", "no", "lol"}, strings.TrimRight(words[0], "!.,")) && (len(words) == 1 || words[0] != "no")
}

// formsMost is how many forms of a change a refusal shows.
const formsMost = 5

// NotChanged refuses words in a thread that discusses a draft which the person may read; nil = it discusses none.
func (wd *Words) NotChanged(ctx context.Context, in request.Incoming, text string) error {
	if _, body, err := wd.find.readable(ctx, in); err == nil && len(body.Steps) > 0 {
		return noChange(text, body.Tree)
	}
	return nil
}

// noChange says what can be written in a draft's thread. t are its steps; nil = they are not known.
func noChange(text string, t *tree.Tree, people ...string) *usererror.Error {
	return &usererror.Error{
		Code: "no_edit", Text: "I cannot read this as a change of the draft, so nothing changed: “" + card.Shorten(text, 200) + "”.",
		Hint: "Say what should be different, for example:\n" + request.Fenced(strings.Join(change.NearestIn(t, text, formsMost, people...), "\n")) + "\n`/flow help words` lists all that I can read.",
	}
}

// editable refuses to change a draft that was discarded or replaced.
func editable(d storage.Draft) error {
	if d.Status == draft.Open || d.Status == draft.Approved {
		return nil
	}
	return &usererror.Error{Code: "draft_closed", Text: "This draft is " + d.Status + ".", Hint: "Start another one: new <name>: 1. ..."}
}

// Undo takes back the last thing that somebody did with the draft, by words or by a button, again and again.
func (wd *Words) Undo(ctx context.Context, in request.Incoming, _ request.Command) error {
	return wd.travel(ctx, in, "undo", "There is no change to take back.", func(body draft.Body) string { return body.Undo })
}

// Redo goes forward again after an undo.
func (wd *Words) Redo(ctx context.Context, in request.Incoming, _ request.Command) error {
	return wd.travel(ctx, in, "redo", "Nothing was taken back.", func(body draft.Body) string { return body.Redo })
}

// travel makes a new draft of an earlier or later state of a thread's draft, so that the thread stays in order.
func (wd *Words) travel(ctx context.Context, in request.Incoming, verb, nothing string, to func(draft.Body) string) error {
	d, body, err := wd.find.readable(ctx, in)
	if errors.Is(err, storage.ErrNotFound) {
		return &usererror.Error{Code: "no_draft", Text: "There is no draft in this thread.", Hint: "Use " + verb + " as a reply in a draft's thread."}
	}
	if err != nil {
		return err
	}
	if err := wd.Access.MayDraft(ctx, in, authority.Propose, d, body.Authors); err != nil {
		return err
	}
	if verb == "undo" && d.Status == draft.Open && d.Base > 0 && to(body) == "" { // the first change of an approved version
		return wd.discard(ctx, in, d, body)
	}
	if d.Status != draft.Open || to(body) == "" {
		return &usererror.Error{Code: "no_" + verb, Text: nothing, Hint: "Reply with what should be different, such as “remove 3”."}
	}
	there, err := wd.Store.Draft(ctx, to(body))
	if errors.Is(err, storage.ErrNotFound) {
		return &usererror.Error{Code: "no_" + verb, Text: "What the draft was before is not kept any more.", Hint: "Reply with what should be different, such as “remove 3”.", Err: err}
	}
	if err != nil {
		return err
	}
	state, doc, err := draft.Decode(there)
	if err != nil {
		return err
	}
	next := draft.Body{Edit: "Taken back: " + cmp.Or(body.Last(), "the last change"), Did: state.Last(), File: state.File, Read: state.Read, Said: state.Said, Undo: state.Undo, Redo: d.ID, Raised: state.Raised, Only: state.Only}
	if verb == "redo" {
		next.Edit, next.Redo = "Made again: "+cmp.Or(state.Last(), "the change"), state.Redo
	}
	if state.File != "" {
		return wd.write.proposeWritten(ctx, in, doc, origin{prev: &d, body: next})
	}
	return wd.write.propose(ctx, in, state.Tree, origin{prev: &d, body: next})
}
