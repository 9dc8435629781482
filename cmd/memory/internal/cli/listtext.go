package cli

import (
	"strconv"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// listedMemory is a memory in a list, for --json.
type listedMemory struct {
	ID           string     `json:"id"`
	Type         string     `json:"type"`
	Subtype      string     `json:"subtype"`
	Scope        string     `json:"scope"`
	ScopeID      string     `json:"scope_id"`
	Tags         []string   `json:"tags"`
	Summary      string     `json:"summary"`
	Priority     string     `json:"priority"`
	CreatedAt    *time.Time `json:"created_at"`
	UpdatedAt    *time.Time `json:"updated_at"`
	LastAccessed *time.Time `json:"last_accessed"`
	AccessCount  int64      `json:"access_count"`
	FilePath     string     `json:"file_path"`
	JSONPath     string     `json:"json_path"`
	Archived     bool       `json:"archived"`
	Tier         string     `json:"tier"`
	Retention    float64    `json:"retention"`
}

func (c *call) listed(ms []*workspace.Memory) []listedMemory {
	all, summaries := make([]listedMemory, len(ms)), workspace.Summaries(ms)
	for i, m := range ms {
		score := c.score(m)
		all[i] = listedMemory{
			ID: m.ID, Type: m.Type, Subtype: m.Subtype, Scope: m.Scope.Kind, ScopeID: m.Scope.ID,
			Tags: append([]string{}, m.Tags...), Summary: summaries[i], Priority: m.Priority,
			CreatedAt: orNull(m.CreatedAt), UpdatedAt: orNull(m.UpdatedAt), LastAccessed: orNull(m.LastAccessed),
			AccessCount: m.AccessCount, FilePath: m.File, JSONPath: m.Pointer(), Archived: m.Archived,
			Tier: score.Tier.String(), Retention: hundredths(score.Score),
		}
	}
	return all
}

// orNull makes an unknown time null.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// printList prints memories in a table, or their ids alone with --quiet.
func (c *call) printList(ms []*workspace.Memory, found int) {
	if c.quiet {
		for _, m := range ms {
			c.printf("%s\n", printable(m.ID))
		}
		return
	}
	if found == 0 {
		c.printf("no memories\n")
		return
	}
	t := &table{
		head:  []string{"ID", "TYPE", "SCOPE", "UPDATED", "READS", "TIER", "PRIORITY", "SUMMARY"},
		right: map[int]bool{4: true}, cut: true, spare: []int{6, 4, 5, 3, 1},
		paint: func(row, _ int, text string) string {
			if ms[row].Archived {
				return c.style.dim(text)
			}
			return text
		},
	}
	summaries := workspace.Summaries(ms)
	for i, m := range ms {
		summary := summaries[i]
		if m.Archived {
			summary = "[archived] " + summary
		}
		t.row(m.ID, or(m.Type, "-"), m.Scope.String(), day(m.Newest()), strconv.FormatInt(m.AccessCount, 10), c.score(m).Tier.String(), or(m.Priority, "-"), summary)
	}
	c.printf("%s", t.format("", c.style))
	if len(ms) < found {
		c.printf("%s\n", c.style.dim(thousands(len(ms))+" of "+quantity(found, "memory")))
	}
}

// or is text, or another where that is empty.
func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}
