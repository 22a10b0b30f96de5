package standins_test

import (
	"fmt"

	"sluice/cmd/sluice/standins"
	"sluice/engine/flow"
	"sluice/engine/importer/document"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
)

func ExampleStandIns() {
	f := &flow.Flow{Nodes: []flow.Node{{ID: "find", Spec: &flow.ToolSpec{Tool: "crm.find"}}}}
	here := typecheck.World{Tools: []tool.Tool{{Name: "http.get"}}}
	for _, said := range []string{"crm.find=http.get", "tool:crm.find=http.gt", "crm.fimd=http.get"} {
		with := standins.New([]string{said})
		table, err := with.Table(document.Document{Flow: f}, here)
		fmt.Println(table, err, with.Stray())
	}
	// Output:
	// map[tool:crm.find:http.get] <nil> <nil>
	// map[] --with tool:crm.find=http.gt: there is no tool http.gt here; did you mean 'http.get'? <nil>
	// map[] <nil> --with crm.fimd=http.get: the file does not name it; did you mean 'crm.find'?
}
