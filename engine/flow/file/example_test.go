package file_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
)

func ExampleCheck() {
	_, problems := file.Check("hello.yaml", []byte(`name: hello
flow:
  entry: greet
  nodes:
    - {id: greet, type: say, mesage: Good morning}
`), flow.Checks{})
	fmt.Println(problems[len(problems)-1].String())
	// Output:
	// hello.yaml:5:30: unknown key 'mesage' on flow node 'greet'
	//     5 |     - {id: greet, type: say, mesage: Good morning}
	//       |                              ^
	//   did you mean 'message'?
}

func ExampleFormat() {
	fmt.Print(string(file.Format(&flow.Flow{
		Name: "hello", Entry: "greet",
		Nodes: []flow.Node{{ID: "greet", Spec: &flow.SaySpec{Message: "Good morning"}}},
	})))
	// Output:
	// name: hello
	// flow:
	//   entry: greet
	//   nodes:
	//     - id: greet
	//       type: say
	//       message: Good morning
}
