package models_test

import (
	"fmt"

	"sluice/cmd/sluice/models"
)

// A key is never shown, only the name of the variable that holds it.
func ExampleSettings_Rows() {
	s := models.Settings{OpenAIModel: "small", DraftModel: "large"}
	s.Rows(func(name, value string) { fmt.Printf("%s: %s\n", name, value) })
	model, err := s.Open()
	fmt.Println(model != nil, err)
	// Output:
	// draft-model: large
	// models: (none)
	// true <nil>
}
