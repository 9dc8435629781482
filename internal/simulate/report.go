package simulate

import (
	"maps"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Report is what a simulation came to.
type Report struct {
	From            time.Time `json:"from"`
	To              time.Time `json:"to"`
	Days            int       `json:"days"`
	Accesses        int       `json:"accesses"`
	AccessesIgnored int       `json:"accesses_ignored"` // of unknown memories, or of before
	Months          []Tally   `json:"months"`           // the start, the turn of each month, the end
	Runs            Counts    `json:"totals"`
	Survivors       []string  `json:"survivors"` // ids that were live at the start and are at the end
	Archived        []string  `json:"archived"`  // ids that were live at the start and aren't at the end
	Created         []string  `json:"created"`   // ids of copies that promotions made and that are live
	Waiting         int       `json:"waiting"`   // pairs that wait for a person at the end

	since  Counts
	before map[string]bool
}

// Tally is how a workspace stands at a moment, and what was done since the one before.
type Tally struct {
	At       time.Time      `json:"at"`
	Live     int            `json:"live"`
	Archived int            `json:"archived"`
	Bytes    int64          `json:"bytes"` // of the files with live memories
	Tiers    map[string]int `json:"tiers"`
	Indexes  map[string]int `json:"indexes"` // entries, by the index's file
	Done     Counts         `json:"done"`
}

// Counts adds up runs that did something.
type Counts struct {
	Runs       int `json:"runs"`
	Merged     int `json:"merged"` // memories merged away
	Promoted   int `json:"promoted"`
	Summarised int `json:"summarised"`
	Archived   int `json:"archived"`
	Flagged    int `json:"flagged"` // for review
}

func (c *Counts) add(o Counts) {
	c.Runs += o.Runs
	c.Merged += o.Merged
	c.Promoted += o.Promoted
	c.Summarised += o.Summarised
	c.Archived += o.Archived
	c.Flagged += o.Flagged
}

// add counts a run.
func (r *Report) add(result *workspace.Result) {
	if result.Entry == nil {
		return
	}
	s := result.Entry.Stats
	c := Counts{1, s.MemoriesMerged, s.MemoriesPromoted, s.MemoriesSummarized, s.MemoriesArchived, s.MemoriesFlagged}
	r.since.add(c)
	r.Runs.add(c)
}

// begin notes how the workspace stands at the start.
func (s *Simulation) begin() error {
	snap, err := s.snapshot()
	if err != nil {
		return err
	}
	s.report.before = map[string]bool{}
	for _, m := range snap.Memories() {
		s.report.before[m.ID] = true
	}
	return s.tally(s.now)
}

// tally notes how the workspace stands at a moment.
func (s *Simulation) tally(at time.Time) error {
	snap, err := s.snapshot()
	if err != nil {
		return err
	}
	t := Tally{At: at, Live: len(snap.Memories()), Archived: len(snap.Archived()), Tiers: map[string]int{}, Indexes: map[string]int{}, Done: s.report.since}
	if t.Bytes, err = bytesOf(s.Store.Documents(), snap); err != nil {
		return err
	}
	for _, m := range snap.Memories() {
		t.Tiers[retention.Of(m, at, s.Settings).Tier.String()]++
	}
	for _, x := range snap.Indexes {
		t.Indexes[x.File] = x.Count()
		if path.Dir(x.File) == memory.ArchiveDir {
			t.Indexes[x.File] = len(snap.Archived())
		}
	}
	s.report.since = Counts{}
	s.report.Months = append(s.report.Months, t)
	return nil
}

// finish notes how the workspace stands at the end, and what became of what it held.
func (s *Simulation) finish() error {
	if err := s.tally(s.now); err != nil {
		return err
	}
	r := s.report
	r.Survivors, r.Archived, r.Created = []string{}, []string{}, []string{}
	r.Waiting = len(s.snap.Open())
	left := map[string]bool{}
	for _, m := range s.snap.Memories() {
		left[m.ID] = true
		if !r.before[m.ID] {
			r.Created = append(r.Created, m.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.before)) {
		if left[id] {
			r.Survivors = append(r.Survivors, id)
		} else {
			r.Archived = append(r.Archived, id)
		}
	}
	slices.Sort(r.Created)
	return nil
}
