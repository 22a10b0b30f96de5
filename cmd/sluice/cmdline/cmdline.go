package cmdline

import (
	"errors"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// ForgetEmpty makes a setting of the environment that is empty one that is not set: files of settings have such lines.
func ForgetEmpty(n *kong.Node) {
	for _, f := range n.Flags {
		for _, name := range f.Envs {
			if v, set := os.LookupEnv(name); set && v == "" {
				_ = os.Unsetenv(name) // it is there
			}
		}
	}
	for _, c := range n.Children {
		ForgetEmpty(c)
	}
}

// NameValues has the help call a text by what it is for: --database-url=URL.
func NameValues(n *kong.Node) {
	for _, f := range n.Flags {
		if f.PlaceHolder == "" && !f.HasDefault && f.Target.Kind() == reflect.String {
			f.PlaceHolder = strings.ToUpper(f.Name[strings.LastIndex(f.Name, "-")+1:])
		}
	}
	for _, c := range n.Children {
		NameValues(c)
	}
}

// Only returns, instead of all commands of a program, a struct with the one that is called word or has it as its alias; without such a
// command it returns all. To describe each command to the parser takes longer than many a command runs.
func Only(all any, word string) any {
	commands := reflect.TypeOf(all).Elem()
	for field := range commands.Fields() {
		if word == strings.ToLower(field.Name) || word == field.Tag.Get("aliases") {
			return reflect.New(reflect.StructOf([]reflect.StructField{field})).Interface()
		}
	}
	return all
}

// Command is the command that an error of the parser is about, as it is typed, with the name of the program.
func Command(program string, err error) string {
	words := []string{program}
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		for _, part := range wrong.Context.Path {
			if part.Command != nil {
				words = append(words, part.Command.Name)
			}
		}
	}
	return strings.Join(words, " ")
}
