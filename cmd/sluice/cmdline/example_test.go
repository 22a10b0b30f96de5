package cmdline_test

import (
	"fmt"

	"github.com/alecthomas/kong"

	"sluice/cmd/sluice/cmdline"
)

// A line without what its command needs names the help of that command.
func Example() {
	var line struct {
		Draw struct {
			Out  string `required:""`
			File string `arg:""`
		} `cmd:""`
	}
	parser := kong.Must(&line)
	cmdline.NameValues(parser.Model.Node)
	_, err := parser.Parse([]string{"draw", "flow.yaml"})
	fmt.Println(err)
	fmt.Println("Try:", cmdline.Command("sluice", err), "--help")
	// Output:
	// missing flags: --out=OUT
	// Try: sluice draw --help
}

// The parser learns only the command that is typed, by its name or its alias.
func ExampleOnly() {
	type commands struct {
		Draw struct{} `cmd:"" aliases:"render"`
		Run  struct{} `cmd:""`
	}
	for _, word := range []string{"run", "render", "--help"} {
		for _, c := range kong.Must(cmdline.Only(&commands{}, word)).Model.Children {
			fmt.Println(word, c.Name)
		}
	}
	// Output:
	// run run
	// render draw
	// --help draw
	// --help run
}
