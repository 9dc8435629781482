package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/internal/tomledit"
	"github.com/memoryd/memoryd/pkg/text"
)

// Team returns the team of an agent by the settings alone: of the keys of Teams
// that fit the agent, the most specific decides.
//
//   - the agent's id itself
//   - a glob, a key with *, ? or [ as [path.Match] reads it; of several the one
//     with the most other characters
//   - a prefix: "DEV" fits "DEV-001"; of several the longest
//
// Of equally specific keys the first in order of bytes decides. Case makes no
// difference.
func (s Settings) Team(agent string) (string, bool) {
	agent = text.FoldName(strings.TrimSpace(agent))
	if agent == "" {
		return "", false
	}
	const exact, glob, prefix = 3, 2, 1
	best, bestKind, bestLength := "", 0, 0
	for _, key := range slices.Sorted(maps.Keys(s.Teams)) {
		pattern, kind := strings.ToLower(key), 0
		switch {
		case pattern == agent:
			kind = exact
		case isGlob(pattern):
			if ok, err := path.Match(pattern, agent); ok && err == nil {
				kind = glob
			}
			pattern = strings.NewReplacer("*", "", "?", "").Replace(pattern)
		case strings.HasPrefix(agent, strings.TrimSuffix(pattern, "-")+"-"):
			kind = prefix
		}
		if kind > bestKind || kind == bestKind && kind > 0 && len(pattern) > bestLength {
			best, bestKind, bestLength = key, kind, len(pattern)
		}
	}
	return s.Teams[best], bestKind > 0
}

// PrefixTeam returns the team that the prefix of an agent id means where
// nothing else tells: DEV development, SEC security, INF infrastructure, QA qa.
// Case makes no difference.
func PrefixTeam(agent string) (string, bool) {
	prefix, _, ok := strings.Cut(strings.TrimSpace(agent), "-")
	if !ok {
		return "", false
	}
	team, ok := map[string]string{
		"DEV": "development", "SEC": "security", "INF": "infrastructure", "QA": "qa",
	}[strings.ToUpper(prefix)]
	return team, ok
}

func isGlob(agents string) bool { return strings.ContainsAny(agents, "*?[") }

// teamForms ends a sentence that begins with "write".
const teamForms = `"DEV-001" = "development", "DEV-*" = "development" or development = ["DEV-001", "DEV-*"]`

// team reads an entry of [teams]: agents = team, or team = list of agents.
func (f *file) team(key string, n *tomledit.Node) {
	switch v := n.Value.(type) {
	case string:
		f.addTeam(key, v, n.Line)
	case []any:
		for _, item := range v {
			agents, ok := item.(string)
			if !ok {
				f.problem(n.Line, "teams.%s lists %s: write agents, such as %s = [\"DEV-001\", \"DEV-*\"]", plain(key), show(item), plain(key))
				return
			}
			f.addTeam(agents, key, n.Line)
		}
	default:
		f.problem(n.Line, "teams.%s is %s: write %s", plain(key), show(n.Value), teamForms)
	}
}

func (f *file) addTeam(agents, team string, line int) {
	if problem := checkTeam(agents, team); problem != "" {
		f.problem(line, "%s", problem)
		return
	}
	key, folded := "teams."+agents, strings.ToLower(agents)
	if first, ok := f.agents[folded]; ok {
		if other := f.set[first].value; other != team {
			f.problem(line, "%s is in two teams, %s (line %d) and %s: remove one", quoted(agents), show(other), f.lines[first], quoted(team))
		}
		return
	}
	f.agents[folded] = key
	f.record(key, team, line)
}

// checkTeam returns what is wrong with an entry of [teams]. A team is the name of
// a directory below teams/.
func checkTeam(agents, team string) (problem string) {
	switch _, err := path.Match(agents, ""); {
	case strings.TrimSpace(agents) == "":
		return "an entry of [teams] names no agent: write " + teamForms
	case err != nil:
		return fmt.Sprintf("%s is not a pattern of agents: write * for any characters, ? for one", quoted(agents))
	case isGlob(team):
		return fmt.Sprintf("%s is not a team: write %s = [%s]", quoted(team), tomledit.Quote(shorten(agents)), tomledit.Quote(shorten(team)))
	case team == "" || team != strings.TrimSpace(team) || strings.HasPrefix(team, ".") ||
		strings.ContainsAny(team, `/\:`) || strings.ContainsFunc(team, unicode.IsControl):
		return fmt.Sprintf("%s is not a team: write a name without / \\ : and without a dot or blank at its ends", quoted(team))
	}
	return ""
}
