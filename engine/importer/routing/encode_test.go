package routing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/importer/routing"
)

const small = "{\r\n  \"id\": \"small\", // größer: \"later\"\r\n  \"description\": \"A \\u00e9\", \"isConversational\": true, \"entrypointNodeId\": \"a\",\r\n" +
	"  \"nodes\": [{\"id\": \"a\", \"nodeType\": \"AGENT\", \"nodeName\": \"Boss\", \"agentId\": \"x\"}],\r\n" +
	"  \"edges\": [{\"id\": \"e\", \"sourceNodeId\": \"a\", \"targetNodeId\": null, \"conditionType\": \"CONDITIONAL\", \"conditionValue\": \"END\"}]\r\n}\r\n"

func TestChangesAreWrittenInTheirPlaces(t *testing.T) {
	t.Parallel()
	f := read(t, small).Flow
	if back, err := routing.Encode(f); err != nil || string(back) != small {
		t.Fatalf("it came back as %q: %v", back, err)
	}
	f.Description, f.Nodes[0].Name = "Another", "Chief"
	got, err := routing.Encode(f)
	want := strings.NewReplacer(`"A \u00e9"`, `"Another"`, `"Boss"`, `"Chief"`).Replace(small)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
