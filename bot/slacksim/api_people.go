package slacksim

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// readCursor understands the cursors that pageOf makes.
func readCursor(cursor string, length int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(cursor)
	at, isOurs := strings.CutPrefix(string(decoded), "at:")
	n, bad := strconv.Atoi(at)
	if err != nil || !isOurs || bad != nil || n < 0 {
		return 0, refuse("invalid_cursor")
	}
	return min(n, length), nil
}

func (s *Server) userJSON(u *user) reply {
	offset, label := 0, u.TZ
	if zone, err := time.LoadLocation(u.TZ); err == nil {
		label, offset = s.clock.now().In(zone).Zone()
	}
	out := reply{
		"id": u.ID, "team_id": s.teamOf(u), "name": u.Name, "real_name": u.RealName, "deleted": u.Deleted,
		"tz": u.TZ, "tz_label": label, "tz_offset": offset, "is_bot": u.IsBot, "is_app_user": false,
		"is_admin": u.Admin, "is_owner": false, "is_restricted": u.Guest || u.MultiGuest, "is_ultra_restricted": u.Guest, "updated": 0,
		"profile": reply{
			"real_name": u.RealName, "real_name_normalized": u.RealName, "display_name": u.Name,
			"display_name_normalized": u.Name, "email": s.email(u), "team": s.teamOf(u),
		},
	}
	if s.foreign(u) { // only said of others, and true only of those with whom the app shares no channel
		out["is_stranger"] = !slices.ContainsFunc(s.world.channels, func(c *channel) bool { return c.has(u.ID) && c.has(s.world.bot.ID) })
	}
	if len(u.Teams) > 0 {
		out["enterprise_user"] = reply{
			"id": "W" + u.ID[1:], "enterprise_id": seedID("E", "organisation"), "enterprise_name": "Organisation", "is_admin": false, "is_owner": false, "teams": u.Teams,
		}
	}
	return out
}

// foreign reports whether a person belongs to another workspace. People of this one may be in others, too.
func (s *Server) foreign(u *user) bool {
	return u.Team != "" && u.Team != s.world.seed.Workspace.ID && !slices.Contains(u.Teams, s.world.seed.Workspace.ID)
}

func (s *Server) email(u *user) string {
	if u.IsBot {
		return ""
	}
	return u.Name + "@example.com"
}

func (s *Server) usersInfo(a args) (reply, error) {
	u := s.world.user(a.str("user"))
	if u == nil || u.ID != a.str("user") {
		return nil, refuse("user_not_found")
	}
	return reply{"user": s.userJSON(u)}, nil
}

func (s *Server) usersList(a args) (reply, error) {
	list := []reply{}
	for _, u := range s.world.users {
		list = append(list, s.userJSON(u))
	}
	part, next, err := pageOf(list, a, 1000)
	return reply{"members": part, "cache_ts": s.clock.now().Unix(), "response_metadata": reply{"next_cursor": next}}, err
}

func (s *Server) usersLookupByEmail(a args) (reply, error) {
	i := slices.IndexFunc(s.world.users, func(u *user) bool { return s.email(u) != "" && s.email(u) == a.str("email") })
	if i < 0 {
		return nil, refuse("users_not_found")
	}
	return reply{"user": s.userJSON(s.world.users[i])}, nil
}

func (s *Server) usergroupsList(a args) (reply, error) {
	list := []reply{}
	for _, g := range s.world.groups {
		one := reply{
			"id": g.ID, "team_id": s.world.seed.Workspace.ID, "is_usergroup": true, "is_external": false,
			"name": g.Name, "description": "", "handle": g.Handle, "date_create": 0, "date_update": 0, "date_delete": 0,
			"prefs": reply{"channels": channelIDs(g.Channels), "groups": []string{}},
		}
		if a.yes("include_users") {
			one["users"] = g.Members
		}
		if a.yes("include_count") {
			one["user_count"] = len(g.Members)
		}
		list = append(list, one)
	}
	return reply{"usergroups": list}, nil
}

func channelIDs(names []string) []string {
	ids := []string{}
	for _, name := range names {
		ids = append(ids, seedID("C", name))
	}
	return ids
}

func (s *Server) usergroupsUsersList(a args) (reply, error) {
	g := s.world.group(a.str("usergroup"))
	if g == nil || g.ID != a.str("usergroup") {
		return nil, refuse("no_such_subteam")
	}
	return reply{"users": g.Members}, nil
}
