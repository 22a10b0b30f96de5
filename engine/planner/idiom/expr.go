package idiom

import (
	"regexp"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
)

// Literal writes a text into an expression.
func Literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + "'"
}

// InputName makes a name of an input that expressions can read.
func InputName(name string) string {
	if flow.IsIdentifier(name) {
		return name
	}
	low := english.Snake(name)
	if flow.IsIdentifier(low) {
		return low
	}
	return "input_" + low
}

var inputRead = regexp.MustCompile(`\binputs?\.([A-Za-z_][A-Za-z0-9_]*)`)

// InputsRead lists the inputs that a template reads.
func InputsRead(template string) []string {
	var out []string
	for _, m := range inputRead.FindAllStringSubmatch(template, -1) {
		out = append(out, m[1])
	}
	return out
}

var (
	pathForm = `[A-Za-z_]\w*(?:\.\w+|\['(?:[^'\\]|\\.)*'\])*`
	textForm = `'((?:[^'\\]|\\.)*)'`
	// PathOnly is a path and nothing else.
	PathOnly = regexp.MustCompile(`^` + pathForm + `$`)
	// Single is a template of one path, also where it gives a text.
	Single = regexp.MustCompile(`^\{\{\s*(?:str\()?(` + pathForm + `)\)?(?: \| (?:join\('\\n'\)|json))?\s*\}\}$`)
	// RoundsForm asks whether a repeat was done so many times, or as often as an input says.
	RoundsForm = regexp.MustCompile(`^len\(vars\.\w+\) >= (?:([0-9]+)|inputs\.(\w+))$`)
	// StoppedForm asks whether a branch has ended early.
	StoppedForm = regexp.MustCompile(`^(?:\w+\.result == '` + Stopped + `'(?: or |$))+$`)

	answerForm   = regexp.MustCompile(`^approvals\.([A-Za-z0-9_-]+) == ` + textForm + `$`)
	templatePart = regexp.MustCompile(`\{\{(?:[^'"}]|'[^']*'|"[^"]*")*\}\}`)
)

// Answered asks whether the answer of a gate is a choice.
func Answered(gate, choice string) string { return "approvals." + gate + " == " + Literal(choice) }

// Answer gives the choice for whose answer of the gate a condition asks; false = it asks for something else.
func Answer(gate, when string) (choice string, ok bool) {
	m := answerForm.FindStringSubmatch(when)
	if m == nil || m[1] != gate {
		return "", false
	}
	return unescaped.Replace(m[2]), true
}

// Filled writes a template as people read it. value gives the words for what is filled in: a path, or another expression.
func Filled(template string, value func(inner string) string) string {
	return templatePart.ReplaceAllStringFunc(template, func(part string) string {
		inner := strings.TrimSpace(part[2 : len(part)-2])
		if text, ok := expr.Literal(inner); ok && !PathOnly.MatchString(inner) {
			return expr.Text(text)
		}
		path, _, _ := strings.Cut(inner, "|")
		path = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(path), "str("), ")")
		if PathOnly.MatchString(path) {
			return value(path)
		}
		return value(inner)
	})
}

// unescaped undoes what Literal does to the text between the quotes.
var unescaped = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\n`, "\n", `\r`, "\r", `\t`, "\t")

// Spoken is the last name of a path as words.
func Spoken(path string) string {
	name := strings.ReplaceAll(EndOf(path), "_", " ")
	return strings.TrimPrefix(strings.TrimPrefix(name, "is "), "has ")
}

// EndOf is the last name of a path, written in either way.
func EndOf(path string) string {
	if i := strings.LastIndex(path, "['"); i >= 0 && strings.HasSuffix(path, "']") {
		return unescaped.Replace(path[i+2 : len(path)-2])
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}
