package form

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/planner/phrase"
)

// Here is what the words of a person are read against.
type Here struct {
	Now   time.Time // in the person's zone
	Zoned bool      // the zone is known; else it is that of the installation
	Me    string    // the person, such as "@ana"
	// Person and Channel find somebody or a channel by a name or an id, as far as the person may know of them. name "" = there is none; near is
	// a name that may be meant. nil = names stay as they are written.
	Person, Channel func(name string) (found, near string, err error)
}

// Settle turns what a person entered into values as a flow knows them: "next Monday" into its date, "yes" into true, an id into the name of
// a person. What cannot be read is told by field, and everything that no field has stays as it is.
func Settle(fields []Field, entered map[string]string, h Here) (values map[string]string, wrong map[string]string, err error) {
	values, wrong = map[string]string{}, map[string]string{}
	for name, text := range entered {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 || strings.TrimSpace(text) == "" {
			values[name] = text
			continue
		}
		value, problem, err := fields[i].settle(text, h)
		switch {
		case err != nil:
			return nil, nil, err
		case problem != "":
			wrong[name] = problem
		default:
			values[name] = value
		}
	}
	return values, wrong, nil
}

// settle reads one value.
func (f Field) settle(text string, h Here) (value, problem string, err error) {
	trimmed := strings.TrimSpace(text)
	switch f.Kind {
	case Text, Long, JSON, Several:
		return text, "", nil
	case List:
		return f.list(trimmed)
	case Choice:
		for i, o := range f.Options {
			if strings.EqualFold(o, trimmed) || trimmed == strconv.Itoa(i+1) && !slices.Contains(f.Options, trimmed) {
				return o, "", nil
			}
		}
		return text, "", nil // the engine says what it must be
	case YesNo:
		return yesNo(trimmed)
	case Number, Integer:
		return number(trimmed), "", nil
	case Date:
		return f.date(trimmed, h)
	case Moment:
		return f.moment(trimmed, h)
	case Person:
		if strings.EqualFold(trimmed, "me") && h.Me != "" {
			trimmed = h.Me
		}
		return named("@", trimmed, "Nobody here is called", h.Person)
	case Channel:
		return named("#", trimmed, "There is no channel that we both see called", h.Channel)
	case File:
		if strings.HasPrefix(trimmed, "{") {
			return trimmed, "", nil
		}
		return "", "Attach a file here: a name alone gives no file.", nil
	}
	return text, "", nil
}

func yesNo(text string) (value, problem string, err error) {
	switch strings.ToLower(strings.TrimRight(text, ".!")) {
	case "yes", "y", "true", "yep", "yeah", "sure", "on", "1":
		return "true", "", nil
	case "no", "n", "false", "nope", "off", "0":
		return "false", "", nil
	}
	return "", "Answer yes or no.", nil
}

// list gives the values of a list as JSON.
func (f Field) list(text string) (value, problem string, err error) {
	values, problem := listing.Read(text, f.Item)
	if problem != "" {
		return "", "This " + problem + ".", nil
	}
	written, err := json.Marshal(values)
	return string(written), "", err
}

// Understood says of each list which values were read: where a text is cut is not what every person means. values are those of Settle.
func (asked Form) Understood(values map[string]any) (lines []string) {
	for _, f := range asked.Fields {
		var list []any
		if text, ok := values[f.Name].(string); f.Kind != List || !ok || json.Unmarshal([]byte(text), &list) != nil {
			continue
		}
		if words, plain := listing.Words(list); plain && !f.Hidden {
			lines = append(lines, f.Label+": "+words)
		}
	}
	return lines
}

// number gives a number that is written as people do, such as 1,000.50 or 5k, as a machine reads it; anything else as it is.
func number(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	if toks := phrase.Scan(text, 0, len(text)); len(toks) == 1 && !strings.HasSuffix(text, "%") {
		if v, ok := phrase.Amount(toks[0]); ok {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return text
}

func (f Field) date(text string, h Here) (value, problem string, err error) {
	if flow.TextOfType(flow.TypeDate, text) {
		return text, "", nil
	}
	toks := phrase.Scan(text, 0, len(text))
	if day, n := phrase.ReadDate(toks, h.Now); n > 0 && n == len(toks) {
		return day.Format(time.DateOnly), "", nil
	}
	return "", fmt.Sprintf("%q is no day that I can read. Write for example “next Monday”, “1 December” or %s.", text, h.Now.AddDate(0, 0, 1).Format(time.DateOnly)), nil
}

// moment reads a point in time; a modal gives it as the seconds since 1970.
func (f Field) moment(text string, h Here) (value, problem string, err error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.In(h.Now.Location()).Format(time.RFC3339), "", nil
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 1e8 {
		return time.Unix(seconds, 0).In(h.Now.Location()).Format(time.RFC3339), "", nil
	}
	if at, err := time.ParseInLocation("2006-01-02T15:04:05", text, h.Now.Location()); err == nil {
		return h.written(at), "", nil
	}
	toks := phrase.Scan(text, 0, len(text))
	if at, n := phrase.ReadMoment(toks, h.Now); n > 0 && n == len(toks) {
		return h.written(at), "", nil
	}
	return "", fmt.Sprintf("%q is no time that I can read. Write for example “tomorrow at 9” or %s.", text, h.Now.AddDate(0, 0, 1).Format("2006-01-02 15:04")), nil
}

// written is a time on the clocks of a person as a flow knows it. Without a known zone they are those of the installation.
func (h Here) written(at time.Time) string {
	if !h.Zoned {
		return at.Format("2006-01-02T15:04:05")
	}
	return at.Format(time.RFC3339)
}

// named finds a person or a channel. Without a way to look it up it is taken as it is written.
func named(sigil, text, missing string, find func(string) (string, string, error)) (value, problem string, err error) {
	name := text
	if !strings.HasPrefix(name, sigil) && strings.ToUpper(name) != name {
		name = sigil + name
	}
	if find == nil {
		return name, "", nil
	}
	found, near, err := find(name)
	switch {
	case err != nil:
		return "", "", err
	case found != "":
		return found, "", nil
	case near != "":
		return "", fmt.Sprintf("%s %s. Did you mean %s?", missing, name, near), nil
	}
	return "", fmt.Sprintf("%s %s.", missing, name), nil
}
