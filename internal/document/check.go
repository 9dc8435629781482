package document

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/internal/repository"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Check is what check found, as --json prints it.
type Check struct {
	Fixed    []workspace.Fixed `json:"fixed,omitempty"`
	DryRun   bool              `json:"dry_run,omitempty" jsonschema:"fixed is what would be fixed, and the problems are those that would be left; nothing was written"`
	Problems []memory.Problem  `json:"problems"`
	Errors   int               `json:"errors"`
	Warnings int               `json:"warnings"`
	Memories int               `json:"memories"`
	Swap     string            `json:"swap,omitempty" jsonschema:"how files are replaced: exchange, link or rename"`
	Code     *Code             `json:"code,omitempty" jsonschema:"with code"`
	Later    int               `json:"later,omitempty" jsonschema:"problems left out, because a run that is not finished may be their cause"`
	Behind   []string          `json:"behind,omitempty" jsonschema:"indexes that don't list the newest saves yet; the next command that writes brings them up to date"`
	Page                       // of problems
}

// CheckSummary is when the last check of a workspace was, and what it found.
type CheckSummary struct {
	At         time.Time `json:"at"`
	Errors     int       `json:"errors"`
	Warnings   int       `json:"warnings"`
	IndexDrift int       `json:"index_differences" jsonschema:"problems of indexes among these"`
}

// LogCheck is what a check of the log's chain found, as --json prints it.
type LogCheck struct {
	Intact   bool         `json:"intact"`
	Entries  int          `json:"entries"`
	Head     string       `json:"head"`
	Problems []LogProblem `json:"problems"`
}

// LogProblem is a broken entry of the log.
type LogProblem struct {
	Entry   int    `json:"entry" jsonschema:"counted from 1; 0 is the document"`
	RunID   string `json:"run_id,omitempty"`
	Message string `json:"message"`
}

// NewLogCheck describes a check of the log.
func NewLogCheck(problems []oplog.Problem, entries int, head string) LogCheck {
	doc := LogCheck{len(problems) == 0, entries, head, []LogProblem{}}
	for _, p := range problems {
		doc.Problems = append(doc.Problems, LogProblem{p.Index + 1, p.RunID, p.Message})
	}
	return doc
}

// Code is what memories name and the code no longer has, as --json prints it.
type Code struct {
	Dir     string            `json:"dir"`
	Gone    []repository.Gone `json:"gone"`
	Unasked int               `json:"unasked,omitempty" jsonschema:"symbols that nobody could say anything about in time"`
}

// Problems are the findings as those of a check, which are warnings.
func (d *Code) Problems(snap *memory.Snapshot) (all []memory.Problem) {
	for _, g := range d.Gone {
		p := memory.Problem{ID: g.MemoryID, Severity: memory.Warning, Hint: "correct it with \"memory edit\", or archive it"}
		if m := snap.Live(g.MemoryID); m != nil {
			p.File = m.File
		}
		p.Message = fmt.Sprintf("names the %s %s", g.Kind, g)
		all = append(all, p)
	}
	return all
}
