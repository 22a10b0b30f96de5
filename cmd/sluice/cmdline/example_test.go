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
