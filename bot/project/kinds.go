package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

// subject is the kind of object that the reference of a surface names.
type subject int

const (
	ofNothing subject = iota // nothing with an owner
	ofRun
	ofGate
	ofDraft
)

// kind is how surfaces of one sort are delivered.
type kind struct {
	name string
	of   subject
	// card makes the current card of the surface.
	card func(*surface.Cards, context.Context, storage.Surface) (card.Card, error)
	// bare makes the card that is shown when card fails; nil = none is shown.
	bare func(*surface.Cards, context.Context, storage.Surface) (card.Card, error)
	// matters says whether a message that a person has deleted is posted once more. nil = never.
	matters func(*Projector, context.Context, storage.Surface) bool
	// settled receives the result of a delivery, perhaps more than once, and may store it in the body. Its error makes the loop try
	// again. nil = it is not called.
	settled func(*Projector, context.Context, *storage.Surface, Outcome) error
	// needed says whether a message that was never posted is posted at all. nil = always.
	needed func(*Projector, context.Context, storage.Surface) bool
	spread bool // it is no message: it makes the copies of a question
	// linked names the surfaces that show the address of the message: they become stale once there is one. nil = none does.
	linked  func(*Projector, context.Context, storage.Surface) (ref string, err error)
	urgent  bool          // comes before everything that is not, and has slots of its own
	weight  int           // turns beside others of the same urgency
	reply   bool          // posted in the thread of a run's status message
	ordered bool          // those of one thread, or for one person in one channel, are posted in the order in which they were stored
	private bool          // one person sees it, at an address of its own; it says nothing about the channel
	once    bool          // it cannot be edited, and is sent once
	file    bool          // it is a file, shared into a conversation
	fixed   bool          // its content never changes, and its row is removed when it is old
	every   time.Duration // at least this long lies between two states that are shown
	// what names the surface in a message about a failed delivery, before the name of its run; "" = a message.
	what string
}

// kinds lists every kind. Those of people who wait at this moment have more turns.
func kinds() []kind {
	return []kind{
		{name: surface.KindGate, of: ofGate, card: byRef((*surface.Cards).GateCard), bare: byRef((*surface.Cards).BareGate), matters: openQuestion, linked: runOfGate, urgent: true, weight: 2, reply: true, what: "the question of"},
		{name: surface.KindTurn, of: ofGate, card: byRef((*surface.Cards).GateCard), bare: byRef((*surface.Cards).BareGate), matters: openQuestion, linked: runOfGate, urgent: true, weight: 2, reply: true, ordered: true, what: "words of an agent of"},
		{name: surface.KindWhole, card: (*surface.Cards).FileCard, settled: (*Projector).wholeSettled, urgent: true, weight: 2, reply: true, file: true, what: "the whole text of a question"},
		{name: surface.KindRemind, of: ofGate, card: byRef((*surface.Cards).RemindCard), urgent: true, weight: 1, reply: true, what: "the reminder of a question of"},
		{name: surface.KindCopy, of: ofGate, card: (*surface.Cards).CopyCard, bare: bareCopy, matters: openQuestion, needed: openQuestion, urgent: true, weight: 2, what: "the question of"},
		{name: surface.KindNudge, of: ofGate, card: (*surface.Cards).NudgeCard, needed: openQuestion, urgent: true, weight: 1, what: "the reminder of a question of"},
		{name: surface.KindSpread, spread: true, urgent: true, weight: 4},
		{name: surface.KindTold, of: ofRun, card: byRef((*surface.Cards).ToldCard), needed: finalRun, weight: 2, what: "the end of"},
		{name: surface.KindPrivate, card: (*surface.Cards).PrivateCard, weight: 4, ordered: true, private: true, once: true, fixed: true, what: "an answer to you"},
		{name: surface.KindAnswer, card: (*surface.Cards).PrivateCard, weight: 4, fixed: true, what: "an answer to you"},
		{name: surface.KindDirect, card: (*surface.Cards).FixedCard, weight: 4},
		{name: surface.KindFile, card: (*surface.Cards).FileCard, weight: 4, file: true, fixed: true, what: "a file for you"},
		{name: surface.KindDraft, of: ofDraft, card: byRef((*surface.Cards).DraftCard), bare: byRef((*surface.Cards).BareDraft), matters: openDraft, weight: 4, ordered: true},
		{name: surface.KindMoves, card: byRef((*surface.Cards).MovesCard), weight: 2, ordered: true, what: "the runs on earlier versions"},
		{name: surface.KindMessage, of: ofRun, card: (*surface.Cards).MessageCard, settled: messageOver, weight: 3, ordered: true, what: "a message of"},
		{name: surface.KindNotice, card: (*surface.Cards).FixedCard, weight: 2, ordered: true, fixed: true},
		{name: surface.KindHome, card: (*surface.Cards).HomeCard, weight: 2, every: homeEvery, what: "your Home"},
		{name: surface.KindStatus, of: ofRun, card: byRef((*surface.Cards).StatusCard), bare: byRef((*surface.Cards).BareStatus), matters: liveRun, weight: 2, what: "the status of"},
		{name: surface.KindMark, card: (*surface.Cards).MarkCard, weight: 1, private: true},
		{name: surface.KindDrafted, card: (*surface.Cards).DraftedCard, weight: 1, private: true, fixed: true},
		{name: surface.KindPicture, of: ofRun, card: byRef((*surface.Cards).EndCard), bare: byRef((*surface.Cards).BareStatus), weight: 1, reply: true, ordered: true, what: "the end of"},
	}
}

// kindTable is the table, made once.
var kindTable = kinds()

// kindOf finds a kind by name. One that this release does not know has no card.
func kindOf(name string) kind {
	if i := slices.IndexFunc(kindTable, func(k kind) bool { return k.name == name }); i >= 0 {
		return kindTable[i]
	}
	return kind{name: name, weight: 1, card: func(*surface.Cards, context.Context, storage.Surface) (card.Card, error) {
		return card.Card{}, &surface.RefusedError{Code: "unknown_kind", Err: fmt.Errorf("no card for surfaces of kind %q", name)}
	}}
}

// Urgent says whether surfaces of a kind come before everything that is not urgent.
func Urgent(name string) bool { return kindOf(name).urgent }

// Private says whether one person alone sees surfaces of a kind.
func Private(name string) bool { return kindOf(name).private }

// IsMessage says whether surfaces of a kind are sent to Slack.
func IsMessage(name string) bool { return !kindOf(name).spread }

// IsFile says whether surfaces of a kind are files that are shared.
func IsFile(name string) bool { return kindOf(name).file }

// Fixed lists the kinds of surfaces whose content never changes: they are removed when they are old.
func Fixed() (names []string) {
	for _, k := range kindTable {
		if k.fixed {
			names = append(names, k.name)
		}
	}
	return names
}

// bareCopy is a question that one person is asked. In a channel nothing is shown in the place of a copy, because its readers are not known.
func bareCopy(cs *surface.Cards, ctx context.Context, s storage.Surface) (card.Card, error) {
	if s.User == "" {
		return card.Card{}, &surface.RefusedError{Code: "no_card", Err: errors.New("a question is not shown in a channel whose members are not known")}
	}
	return cs.BareGate(ctx, surface.RefID(s.Ref))
}

// byRef makes a card from the id that a surface's reference names.
func byRef(of func(*surface.Cards, context.Context, string) (card.Card, error)) func(*surface.Cards, context.Context, storage.Surface) (card.Card, error) {
	return func(cs *surface.Cards, ctx context.Context, s storage.Surface) (card.Card, error) {
		return of(cs, ctx, surface.RefID(s.Ref))
	}
}
