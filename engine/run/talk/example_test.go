package talk_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
	"sluice/engine/run/talk"
)

func ExampleTurns() {
	f := &flow.Flow{Name: "f", Entry: "a", Agents: []flow.Agent{{ID: "a"}}, Nodes: []flow.Node{{ID: "a", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "a"}}}}
	p, err := compile.Flow(f)
	if err != nil {
		panic(err)
	}
	// Fact 4 asked, fact 6 is the person's answer.
	t := history.Token{Node: "a", Prev: 6, Conversation: history.Talk{Turns: []int64{4, 6}, Prev: 0}}
	reads := &scope.Reads{Start: &history.RunStarted{}, Outputs: map[int64]history.Output{4: {Text: "Which parcel?"}, 6: {Text: "Number 7"}}}
	rd := scope.New(p, &history.State{Seq: 6}, reads)
	for _, turn := range talk.Turns(rd, p.Nodes["a"], t) {
		fmt.Println(turn.Said.Text, turn.Results.Text)
	}
	then, since := talk.Began(rd, p.Nodes["a"], t)
	fmt.Println(then.Prev, since == "")
	// Output:
	// Which parcel? Number 7
	// 0 true
}
