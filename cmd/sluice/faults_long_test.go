//go:build chaos

package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"testing"

	"sluice/storage/pgtest"
)

// TestManyFaultPlans is TestStoryUnderFaults with many seeds, on both databases, and with calls that are never answered.
func TestManyFaultPlans(t *testing.T) {
	for seed := range 20 {
		t.Run(fmt.Sprintf("SQLite %d", seed), func(t *testing.T) {
			t.Parallel()
			underFaults(t, setup{}, fmt.Sprint("timeout=1,", faultPlan, seed))
		})
		t.Run(fmt.Sprintf("Postgres %d", seed), func(t *testing.T) {
			t.Parallel()
			underFaults(t, setup{database: pgtest.URL(t)}, fmt.Sprint("timeout=1,", faultPlan, 100+seed))
		})
	}
}

var firstSeed = flag.Int("seed", 1, "other plans of faults for the stories")

// TestStoriesUnderFaults tells the other stories of the ordinary suite, each with what it wants at the end, while Slack fails as in a plan.
func TestStoriesUnderFaults(t *testing.T) {
	none := planOfAll
	t.Cleanup(func() { planOfAll = none })
	planOfAll = func(t *testing.T) string {
		seed := fnv.New32a()
		fmt.Fprint(seed, t.Name(), *firstSeed)
		return fmt.Sprint(faultPlan, seed.Sum32())
	}
	for _, story := range []struct {
		name string
		tell func(*testing.T)
	}{
		{"forms", TestForms},
		{"a free answer", TestAFreeAnswerInAForm},
		{"questions of a draft", TestTheQuestionsOfADraftInAForm},
		{"every type of field", TestEveryTypeOfField},
		{"somebody else is asked", TestSomebodyElseIsAsked},
		{"each choice", TestEachChoiceGoesItsWay},
		{"arguments", TestArgumentsAreChangedInAForm},
		{"the requester is told", TestTheRequesterIsToldTheEnd},
		{"outcomes", TestOutcomesOnCards},
		{"an approved flow", TestAnApprovedFlowOffersWhatCanBeDone},
		{"an earlier version", TestRunsOnAnEarlierVersion},
		{"edit and continue", TestEditAndContinue},
		{"deciders elsewhere", TestDecidersElsewhere},
		{"a large group", TestALargeGroupIsAskedInItsChannel},
		{"home", TestHome},
		{"shortcuts", TestShortcuts},
		{"schedules in words", TestScheduleInWords},
		{"history", TestHistoryAndRollback},
		{"formats", TestFormatsToTheirEnd},
		{"conversation", TestAConversation},
		{"agent", TestAgent},
		{"triggers", TestTriggersInWords},
		{"pause", TestPauseAndResume},
		{"retry, skip, fork", TestReopenRetrySkipFork},
	} {
		t.Run(story.name, story.tell)
	}
}
