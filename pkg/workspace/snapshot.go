package workspace

import (
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
)

// Snapshot is an immutable view of the whole workspace at one reading of the
// clock. Its memories are in a fixed order: by file, then by position in it.
type Snapshot struct {
	At       time.Time // in UTC: months of the calendar are the same everywhere
	Indexes  []*Index
	Problems []Problem // what could not be read, and why

	Teams    map[string]string // agent -> team, from the agents' profiles
	TeamDirs []string          // names under teams/
	Agents   []string          // names under agents/
	Review   *ReviewQueue
	LastRun  time.Time            // the date of the log's last entry; zero for none
	Deferred []string             // ids that the last run put off, in its order
	Restored map[string]time.Time // id -> when it was last brought back from the archive

	access    accesslog.Log
	newest    time.Time                // the latest date in the log
	parted    map[[2]string]time.Time  // pairs whose common action was undone, and when
	sightings func() map[string]string // what the last run that saw them noted, by id
	findings  []byte                   // what an earlier plan kept, see Findings
	rows      []int32                  // of one that follows another, one more than Row; nil: the memories know

	live     *roster
	archived *roster
	named    [2]*roster       // those that have their ids: the same, unless it is supposed
	bare     *[2]*roster      // live and archived ones without the reads of the access log; nil: not of a store
	byID     func() idFinder  // among named
	files    iter.Seq[string] // every *.json file outside ops/
	taken    *taken
	arrays   map[string]bool // file#pointer of every array that holds, or could hold, memories
	scan     *scanner        // that has read it; nil for none
	rested   func()          // see [FileStore.Rested]

	examined *examined // what was found out on the way; nil: nothing was looked for
	scanned  []Problem // those that reading the files has met
	logHead  string

	// Of a snapshot that was made by Reload: base are the names of the loaded one, touched has
	// the memories of each id for which these don't hold any more.
	base    *Snapshot
	touched map[string][]*Memory
}

// Problem is something about the files that a person should know: where, what,
// and what to do.
type Problem struct {
	File     string `json:"file"`
	Place    string `json:"place,omitempty"`
	ID       string `json:"memory_id,omitempty"`
	Severity string `json:"severity"` // error, warning
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`

	unread bool // the disk did not give the file
}

// Severities of a problem.
const (
	Error   = "error"   // memoryd's promises don't hold here until it is mended
	Warning = "warning" // worth a look; nothing breaks
)

// Find returns the memories with an id, live ones first. More than one means
// that the id is not unique.
func (s *Snapshot) Find(id string) []*Memory {
	if s.base != nil {
		if found, ok := s.touched[id]; ok {
			return found
		}
		return s.base.Find(id)
	}
	var found []*Memory
	for _, i := range s.byID().find(id) {
		if n := s.named[0].len(); i >= n {
			found = append(found, s.named[1].at(i-n))
		} else {
			found = append(found, s.named[0].at(i))
		}
	}
	return found
}

// Memories are the live ones. It takes time for each memory at the first call: who looks
// at few of many asks for these by their places.
func (s *Snapshot) Memories() []*Memory { return s.live.all() }

// Archived are the memories in archive/.
func (s *Snapshot) Archived() []*Memory { return s.archived.all() }

// Len is how many live memories there are.
func (s *Snapshot) Len() int { return s.live.len() }

// Total is how many memories there are: live ones and, behind them, archived ones.
func (s *Snapshot) Total() int { return s.live.len() + s.archived.len() }

// within is the list that has the i-th of all memories, and its place there.
func (s *Snapshot) within(i int) (*roster, int) {
	if n := s.live.len(); i >= n {
		return s.archived, i - n
	}
	return s.live, i
}

// Memory is the i-th of all memories, of which the live ones come first: Memories()[i], or
// of Archived().
func (s *Snapshot) Memory(i int) *Memory {
	l, i := s.within(i)
	return l.at(i)
}

// Glance is Memory(i), to look at it once: it may be made in room, which the caller
// uses for the next one. Nothing of it but strings is to be kept.
func (s *Snapshot) Glance(i int, room *Room) *Memory {
	l, i := s.within(i)
	return l.glance(i, &room.m, &room.common)
}

// Room is what [Snapshot.Glance] makes memories in: one for each goroutine.
type Room struct {
	m      Memory
	common Common
}

// ID is that of Memory(i).
func (s *Snapshot) ID(i int) string {
	l, i := s.within(i)
	return l.id(i)
}

// TagCount is how many tags Memory(i) has.
func (s *Snapshot) TagCount(i int) int {
	l, i := s.within(i)
	return l.tags(i)
}

// Commons is below what all numbers of [Snapshot.CommonOf] are.
func (s *Snapshot) Commons() int { return s.live.commons() + s.archived.commons() }

// CommonOf is a number for what Memory(i) has in common with others: those of one number have
// the same. It is -1 where nobody has counted.
func (s *Snapshot) CommonOf(i int) int {
	l, at := s.within(i)
	n := l.commonOf(at)
	if n >= 0 && l == s.archived {
		n += s.live.commons()
	}
	return n
}

// Made is Memory(i) if somebody has asked for it; else nil.
func (s *Snapshot) Made(i int) *Memory {
	l, i := s.within(i)
	return l.made[i].Load()
}

// Live returns the one live memory with an id; nil when there is none or the id
// is not unique among the live ones.
func (s *Snapshot) Live(id string) *Memory {
	all := s.Find(id)
	if len(all) == 0 || all[0].Archived || len(all) > 1 && !all[1].Archived {
		return nil
	}
	return all[0]
}

// IDs returns every id, sorted.
func (s *Snapshot) IDs() []string {
	ids := make([]string, 0, s.named[0].len()+s.named[1].len())
	for _, l := range s.named {
		for i := range l.len() {
			ids = append(ids, l.id(i))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Parted reports whether somebody undid an action that had taken both memories,
// a merge that is, and neither says that it was updated since.
func (s *Snapshot) Parted(a, b *Memory) bool {
	if len(s.parted) == 0 {
		return false
	}
	at, ok := s.parted[review.Key(a.ID, b.ID)]
	return ok && !a.Newest().After(at) && !b.Newest().After(at)
}

// EditedSinceSeen reports whether the memory's text or tags differ from what the
// last run that saw it left. A memory that no run has seen is not edited.
func (s *Snapshot) EditedSinceSeen(m *Memory) bool {
	was, ok := s.sightings()[m.ID]
	return ok && editedSince(m, was)
}

// Rest tells that little of what was looked at is needed again soon: where the store is brief, it
// leaves the process's memory, into which it comes back at need. At the end, what is left to do
// needs less of it, and keeps nothing.
func (s *Snapshot) Rest(end bool) {
	durable.RestLent()
	if end && s.rested != nil {
		s.rested()
	}
}

// Sighted reports whether a run has noted what it saw: else nothing is edited since.
func (s *Snapshot) Sighted() bool { return len(s.sightings()) > 0 }

// Taken reports whether a file of that name stands in the workspace.
func (s *Snapshot) Taken(file string) bool { return s.taken.has(s, file) }

// HasArray reports whether the file and array that a place in a collection names
// are there.
func (s *Snapshot) HasArray(r Ref) bool { return s.arrays[r.File+"#"+pointer(r.Array)] }

// NewSnapshot builds a snapshot from memories that were read elsewhere; the
// stores use it, and tests of rules.
func NewSnapshot(at time.Time, live, archived []*Memory) *Snapshot {
	s := newSnapshot(at, rosterOf(live), rosterOf(archived))
	s.byID = namesByID(s.named[0], s.named[1])
	return s
}

func newSnapshot(at time.Time, live, archived *roster) *Snapshot {
	s := &Snapshot{
		At: at.UTC(), live: live, archived: archived, named: [2]*roster{live, archived},
		Teams: map[string]string{}, Review: &ReviewQueue{}, sightings: func() map[string]string { return nil }, files: slices.Values([]string(nil)), arrays: map[string]bool{}, taken: &taken{},
	}
	return s
}

// names is what a snapshot tells by ids and by names of files, and nothing else: what those
// that are made of it need for as long as they are.
func (s *Snapshot) names() *Snapshot {
	return &Snapshot{named: s.named, byID: s.byID, bare: s.bare, files: s.files, taken: s.taken}
}

// namesByID makes the table of all ids when it is asked for.
func namesByID(live, archived *roster) func() idFinder {
	return sync.OnceValue(func() idFinder {
		return newNames(live.len()+archived.len(), func(i int) string {
			if n := live.len(); i >= n {
				return archived.id(i - n)
			}
			return live.id(i)
		}, hashName, sameName)
	})
}

// ParseRecords reads the memories of one file's bytes as a snapshot would;
// tests of rules build their snapshots with it.
func ParseRecords(file string, data []byte) ([]*Memory, error) { return readRecords(file, data) }
