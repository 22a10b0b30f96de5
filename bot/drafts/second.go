package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/draft"
	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/people"
	"sluice/engine/planner/readback"
	"sluice/storage"
)

// examiner finds what a draft newly allows, and the people who may approve it as the second person.
type examiner struct{ *Ports }

// members lists the user ids that a name of a person, group or channel stands for; none, when there is no such name.
func (ex *examiner) members(ctx context.Context, name string) ([]string, error) {
	p, err := ex.Directory.Resolve(ctx, name)
	if errors.Is(err, people.ErrUnknownName) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	return ex.Directory.Members(ctx, p)
}

// examine fills in what a draft's card says of its flow: what it does, what it depends on, why it needs a second person, and who that
// may be. base is the revision that it changes, with its number; nil = it is the first.
func (ex *examiner) examine(ctx context.Context, body *draft.Body, f, base *flow.Flow, head int) error {
	lock, err := ex.Engine.Dependencies(ctx, f)
	if err != nil {
		return err
	}
	var was flow.Lock
	if base != nil {
		rev, err := ex.Store.Revision(ctx, base.Name, head)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(rev.Lock, &was); err != nil {
			return fmt.Errorf("read the lock of %s revision %d: %w", rev.Flow, rev.Number, err)
		}
	}
	about := ex.Engine.Surroundings(ctx, was, lock)
	about.Step = func(id string) string { return body.Numbers[id] }
	body.Lock, body.Allows, body.Seconds = &lock, approval.Review(base, f, about), ""
	body.Newly = readback.Newly(base, f, body.Allows, ex.Tools.All(), about.Step)
	if ex.SecondPerson && len(body.Allows) > 0 {
		body.Seconds, _, err = ex.seconds(ctx, decidersOf(base, f), body.Authors)
	}
	return err
}

// decidersOf is the flow whose gates name the possible second persons: the approved one, because the author of a draft may have changed its
// gates.
func decidersOf(base, f *flow.Flow) *flow.Flow {
	if base != nil {
		return base
	}
	return f
}

// revised loads the revision that a draft changes; nil = it is the first.
func (ex *examiner) revised(ctx context.Context, d storage.Draft) (*flow.Flow, error) {
	if d.Base == 0 {
		return nil, nil
	}
	return draft.Saved(ctx, ex.Store, d.Flow, d.Base)
}

// seconds lists who may be the second person: people who may decide every gate of the flow, and the approvers, but no author.
func (ex *examiner) seconds(ctx context.Context, f *flow.Flow, authors []string) (words string, users []string, err error) {
	var parts []string
	var gates [][]string
	for i := range f.Nodes {
		who := readback.WhoDecides(&f.Nodes[i])
		if len(who) == 0 {
			continue
		}
		var may []string
		for _, name := range who {
			m, err := ex.members(ctx, name)
			if err != nil {
				return "", nil, err
			}
			may = append(may, m...)
			parts = append(parts, name)
		}
		gates = append(gates, may)
	}
	if len(gates) > 0 {
		users = slices.DeleteFunc(gates[0], func(u string) bool {
			return slices.ContainsFunc(gates[1:], func(g []string) bool { return !slices.Contains(g, u) })
		})
	}
	for _, name := range ex.Approvers {
		m, err := ex.members(ctx, name)
		if err != nil {
			return "", nil, err
		}
		users, parts = append(users, m...), append(parts, name)
	}
	slices.Sort(parts)
	users = slices.DeleteFunc(users, func(u string) bool { return slices.Contains(authors, u) })
	switch parts = slices.Compact(parts); {
	case len(parts) == 0:
		return "nobody yet (set approvers in the configuration)", users, nil
	case len(users) == 0:
		return "nobody yet: only authors of this draft are among " + strings.Join(parts, ", ") + " (set approvers in the configuration)", users, nil
	}
	return strings.Join(parts, ", "), users, nil
}
