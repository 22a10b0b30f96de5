package reply_test

import (
	"slices"
	"testing"

	"sluice/engine/planner/english"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
)

func TestMeans(t *testing.T) {
	t.Parallel()
	late := &tree.Deadline{After: "1d"}
	approval, timed := tree.Step{Kind: tree.Ask, Text: "the refund"}, tree.Step{Kind: tree.Ask, Text: "the refund", Deadline: late}
	yesNo := tree.Step{Kind: tree.Ask, Text: "the parcel arrived", Choices: []string{"yes", "no"}}
	person := tree.Step{Kind: tree.Do, Doer: tree.DoerPerson, Text: "deploys the release"}
	slow := tree.Step{Kind: tree.Do, Doer: tree.DoerPerson, Text: "reviews the contract", Deadline: late}
	for _, c := range []struct {
		step  tree.Step
		words string
		want  []string
	}{
		{approval, "ok", []string{"approve"}},
		{approval, "the refund is declined", []string{"reject"}},
		{approval, "he does not approve", []string{"reject"}},
		{approval, "he does not answer in time", nil},
		{approval, "the moon is full", nil},
		{timed, "he does not answer in time", []string{"timeout"}},
		{timed, "nobody has answered", []string{"timeout"}},
		{timed, "there's no decision by then", []string{"timeout"}},
		{timed, "he doesn't", []string{"timeout", "reject"}},
		{timed, "he does not approve it", []string{"timeout", "reject"}},
		{yesNo, "not", []string{"no"}},
		{yesNo, "it is not", []string{"no"}},
		{yesNo, "ok", []string{"yes"}},
		{person, "the deployment fails", []string{"I can't"}},
		{person, "he can't do it", []string{"I can't"}},
		{person, "the deployment is finished", []string{"Done"}},
		{person, "they are all done", []string{"Done"}},
		{person, "the customer is done", nil},
		{person, "it is not in time", nil},
		{slow, "he has not finished it in time", []string{"timeout"}},
		{slow, "the review is not done", []string{"timeout", "I can't"}},
		{slow, "he doesn't", []string{"timeout", "I can't"}},
		{slow, "the train is late", nil},
	} {
		if got := reply.Means(&c.step, english.Scan(c.words)); !slices.Equal(got, c.want) {
			t.Errorf("%q of %q means %q, want %q", c.words, c.step.Text, got, c.want)
		}
	}
}
