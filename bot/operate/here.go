package operate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/request"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// RunHere gives the name of the run that "it" means: the one that lives in the thread. verb is what somebody wants to do with it.
func (ls *Lists) RunHere(ctx context.Context, in request.Incoming, verb string) (string, error) {
	if in.Thread != "" {
		rows, err := ls.Access.RunsOfThread(ctx, in)
		if err != nil {
			return "", err
		}
		if rows, err = ls.Access.ReadableRuns(ctx, in, rows); err != nil {
			return "", err
		}
		if r, ok := only(rows); ok {
			return r.Name, nil
		}
	}
	rows, err := ls.Store.Runs(ctx, storage.RunQuery{Flows: []string{}, By: in.User, Live: true, Top: true, Limit: hereMost})
	if err != nil {
		return "", err
	}
	hint := "`/flow runs` shows your runs."
	if len(rows) > 0 {
		var ways []string
		for _, r := range rows {
			ways = append(ways, fmt.Sprintf("`/flow %s %s`", verb, r.Name))
		}
		hint = "For example: " + strings.Join(ways, ", ") + "."
	}
	return "", &usererror.Error{Code: "which_run", Text: "Which run? No single run belongs to this conversation.", Hint: hint}
}

// hereMost is how many runs are looked at for "it".
const hereMost = 5

// only is the one run of a thread that is not over, else the only one.
func only(rows []storage.Run) (r storage.Run, ok bool) {
	n := 0
	for _, row := range rows {
		if !history.Status(row.Status).Final() {
			r, n = row, n+1
		}
	}
	if n == 0 && len(rows) == 1 {
		return rows[0], true
	}
	return r, n == 1
}

// Known reports whether a person may see a flow or a run of this name.
func (ls *Lists) Known(ctx context.Context, in request.Incoming, name string) (bool, error) {
	if _, ok, err := ls.Access.ReadableRun(ctx, in, name); ok || err != nil {
		return ok, err
	}
	flows, err := ls.Access.Readable(ctx, in)
	return slices.Contains(request.NamesOf(flows), name), err
}
