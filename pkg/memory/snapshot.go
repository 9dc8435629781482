package memory

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Snapshot is an immutable view of the whole workspace at one reading of the
// clock. Its memories are in a fixed order: by file, then by position in it.
//
// [NewSnapshot] makes one of memories alone; a store fills in the exported fields before
// anybody else sees it.
type Snapshot struct {
	At       time.Time // in UTC: months of the calendar are the same everywhere
	Indexes  []*Index  // set by SetIndexes
	Problems []Problem // what could not be read, and why

	Files  []string          // every *.json file outside ops/, sorted by directory and name
	Arrays map[string]bool   // file#pointer of every array that holds, or could hold, memories
	Teams  map[string]string // agent -> team, from the agents' profiles
	Dirs   []string          // directories of scopes: teams/x, agents/y, …
	Review *ReviewQueue
	Copies []ConflictCopy // set aside, by place

	// From the log:
	LogHash   string                  // the hash of its last entry
	LastRun   time.Time               // the date of the last run of the rules; zero for none
	LatestRun time.Time               // the latest date in it
	Deferred  []string                // ids that the last run put off, in its order
	Restored  map[string]time.Time    // id -> when it was last brought back from the archive
	Undone    map[[2]string]time.Time // pairs whose merge was undone, and when

	// Opened is when memoryd came to a folder that has no settings and in which nobody had counted reads: memories that were
	// written before arrived then. At, while the log is empty; zero in any other folder.
	Opened time.Time

	// AccessLog is ops/access.jsonl, and Reads what it counts, by id. The reads are in the
	// memories' AccessCount already.
	AccessLog []byte
	Reads     map[string]Usage

	// Given is what ops/given.jsonl says by id: how often a memory was in a block that an
	// agent was given unasked. See LastGiven.
	Given map[string]Usage

	// UsesUnknown says why reads or gifts are missing from the counts above, because a file that
	// notes them can't be read. "" when none are.
	UsesUnknown string

	// Folder is set in an adopted folder of Markdown notes.
	Folder *Folder

	// Seen gives what the last runs noted of the memories they saw, by id. Nil: nothing.
	Seen func() map[string]string

	// Edges reads the judged edges of all files _edges.json, those too that hold no more. Nil: there are none.
	Edges func() []edgefile.Edge

	// Links are judged edges that were read for those by which a person says that one memory supersedes another.
	Links []edgefile.Edge

	// Circles are the circles of supersession: in them nobody counts as superseded by another one of the same circle.
	Circles []Circle

	live     []*Memory
	archived []*Memory
	named    [2][]*Memory    // those that have their ids: live and archived, unless it is supposed
	ids      func() *idTable // of these
	owned    func() map[*Index][]*Memory
	taken    *takenNames
	homes    *scopeHomes
}

// Problem is something about the files that a person should know: where, what,
// and what to do.
type Problem struct {
	File     string `json:"file"`
	Place    string `json:"place,omitempty"`
	ID       string `json:"id,omitempty"`
	Severity string `json:"severity" jsonschema:"error, warning"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`

	Unread bool `json:"-"` // the disk did not give the file

	// Gone: an index lists the memory, and no file has it.
	Gone bool `json:"-"`

	// Interrupted: a run is not finished. Whatever else is found may be half of it.
	Interrupted bool `json:"-"`
}

// Severities of a problem.
const (
	Error   = "error"   // memoryd's promises don't hold here until it is fixed
	Warning = "warning" // worth a look; nothing breaks
)

// NewSnapshot builds a snapshot from memories that were read elsewhere, in their order. Links are judged edges; those that [edgefile.Edge.Settles]
// count as what records say.
func NewSnapshot(at time.Time, live, archived []*Memory, links ...edgefile.Edge) *Snapshot {
	live, circles := succession(live, archived, links)
	s := &Snapshot{
		Circles: circles, Links: links,
		At: at.UTC(), live: live, archived: archived, named: [2][]*Memory{live, archived},
		Teams: map[string]string{}, Review: &ReviewQueue{}, Arrays: map[string]bool{}, taken: &takenNames{}, homes: &scopeHomes{},
	}
	s.ids = sync.OnceValue(func() *idTable { return newIDTable(live, archived) })
	s.SetIndexes(nil)
	return s
}

// SetIndexes sets the indexes, among which the memories of the snapshot are divided.
func (s *Snapshot) SetIndexes(all []*Index) {
	s.Indexes = all
	s.owned = sync.OnceValue(func() map[*Index][]*Memory { return ownedBy(s) })
	for _, x := range all {
		x.of = s
	}
}

// Memories are the live ones.
func (s *Snapshot) Memories() []*Memory { return s.live }

// Archived are the memories in archive/.
func (s *Snapshot) Archived() []*Memory { return s.archived }

// idTable finds memories by their ids.
type idTable struct {
	first map[string]*Memory
	more  map[string][]*Memory // further ones, of ids that are not unique
}

func newIDTable(live, archived []*Memory) *idTable {
	t := &idTable{first: make(map[string]*Memory, len(live)+len(archived)), more: map[string][]*Memory{}}
	for _, list := range [][]*Memory{live, archived} {
		for _, m := range list {
			if _, known := t.first[m.ID]; known {
				t.more[m.ID] = append(t.more[m.ID], m)
			} else {
				t.first[m.ID] = m
			}
		}
	}
	return t
}

// Find returns the memories with an id, live ones first. More than one means
// that the id is not unique.
func (s *Snapshot) Find(id string) []*Memory {
	ids, id := s.ids(), text.Composed(id)
	first, ok := ids.first[id]
	if !ok {
		return nil
	}
	return append([]*Memory{first}, ids.more[id]...)
}

// Live returns the one live memory with an id; nil when there is none or the id
// is not unique among the live ones. The sides of a pair in the review queue need not be memories of
// their own: [Snapshot.Sides] finds them.
func (s *Snapshot) Live(id string) *Memory {
	all := s.Find(id)
	if len(all) == 0 || all[0].Archived || len(all) > 1 && !all[1].Archived {
		return nil
	}
	return all[0]
}

// Outdated reports whether a memory is the summary of a cluster of which a member has changed, was replaced or is gone since: it may say what
// nobody says any more, until it is made again.
func (s *Snapshot) Outdated(m *Memory) bool {
	if !IsClusterSummary(m) {
		return false
	}
	for _, member := range ClusterOf(m).Members {
		if now := s.Live(member.ID); now == nil || len(now.SupersededBy) > 0 || member.Digest != "" && now.ContentDigest() != member.Digest {
			return true
		}
	}
	return false
}

// Errors of [Snapshot.One], to be told apart with errors.Is.
var (
	// ErrNotFound: no memory has the id.
	ErrNotFound = errors.New("no such memory")
	// ErrAmbiguous: several memories have the id.
	ErrAmbiguous = errors.New("id is not unique")
)

// One is the memory with an id: the live one, else the only archived one. [ErrNotFound]: there is none; [ErrAmbiguous]: there are
// several, of which none is the only live one.
func (s *Snapshot) One(id string) (*Memory, error) {
	if live := s.Live(id); live != nil {
		return live, nil
	}
	return Only(id, s.Find(id))
}

// Only is the one memory of those that were found for an id. The errors are those of [Snapshot.One].
func Only(id string, found []*Memory) (*Memory, error) {
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%s: %w: it stands in %s and %s", id, ErrAmbiguous, found[0].Ref, found[1].Ref)
}

// IDs returns every id, sorted.
func (s *Snapshot) IDs() []string {
	ids := make([]string, 0, len(s.named[0])+len(s.named[1]))
	for _, l := range s.named {
		for _, m := range l {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// MergeUndone reports whether somebody undid a merge that had taken both memories,
// and neither says that it was updated since.
func (s *Snapshot) MergeUndone(a, b *Memory) bool {
	if len(s.Undone) == 0 {
		return false
	}
	at, ok := s.Undone[review.Key(a.ID, b.ID)]
	return ok && !a.Newest().After(at) && !b.Newest().After(at)
}

// In lists the names of the directories in one of teams, agents, projects and sessions.
func (s *Snapshot) In(dir string) (names []string) {
	for _, d := range s.Dirs {
		if name, ok := strings.CutPrefix(d, dir+"/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Dir is the directory of a scope: the one that is there, whatever its Unicode form and its case, or in which memories of the scope
// lie; else the one that will be.
func (s *Snapshot) Dir(of Scope) string {
	s.homes.mu.Lock()
	defer s.homes.mu.Unlock()
	dir, known := s.homes.dirs[of]
	if !known {
		if s.homes.dirs == nil {
			s.homes.dirs = map[Scope]string{}
		}
		dir = s.findDir(of)
		s.homes.dirs[of] = dir
	}
	return dir
}

// scopeHomes are the directories of scopes that were asked for: a plan promotes many memories into few scopes.
type scopeHomes struct {
	mu   sync.Mutex
	dirs map[Scope]string
}

func (s *Snapshot) findDir(of Scope) string {
	want := of.Dir()
	if of.ID == "" || slices.Contains(s.Dirs, want) {
		return want
	}
	found := ""
	for _, d := range s.Dirs {
		if text.Composed(d) == want {
			return d
		}
		if found == "" && text.SameName(d, want) {
			found = d
		}
	}
	if found != "" {
		return found
	}
	for _, m := range s.named[0] {
		if !m.Scope.Is(of) {
			continue
		}
		if dir := ScopeDir(m.File); path.Dir(dir) == path.Dir(want) {
			return dir
		}
	}
	return want
}

// With is the workspace as it would be if these live memories were there, in place of those with the same ids. It is for asking
// what the rules would do.
func (s *Snapshot) With(put []*Memory) *Snapshot {
	replaced := make(map[string]bool, len(put))
	for _, m := range put {
		replaced[m.ID] = true
	}
	live := slices.Clone(put)
	for _, m := range s.live {
		if !replaced[m.ID] {
			live = append(live, m)
		}
	}
	slices.SortFunc(live, func(a, b *Memory) int {
		return cmp.Or(strings.Compare(a.File, b.File), slices.Compare(a.Array, b.Array), cmp.Compare(a.Index, b.Index))
	})
	with := *s
	fresh := NewSnapshot(s.At, live, s.archived, s.Links...)
	with.live, with.named, with.ids, with.taken, with.homes = fresh.live, fresh.named, fresh.ids, fresh.taken, fresh.homes
	with.Indexes, with.owned, with.Circles = fresh.Indexes, fresh.owned, fresh.Circles
	return &with
}

// Suppose is the workspace as it would be at another time if nothing but these of
// its memories were there, and if the pairs had been put to a person long before. Of the review
// queue it has what is about them. Everything else, the ids that are taken among it, stays as it is.
//
// It is for asking what the rules would do; no transaction may be made of the answer.
func (s *Snapshot) Suppose(at time.Time, live, archived []*Memory, asked []review.Pair) *Snapshot {
	supposed := *s
	if s.Opened.Equal(s.At) { // not opened yet
		supposed.Opened = at.UTC()
	}
	supposed.At, supposed.live, supposed.archived = at.UTC(), live, archived
	if len(s.Review.Pairs)+len(asked) > 0 {
		supposed.Review = s.Review.among(live, asked)
	}
	return &supposed
}

// Origin is what the archive knows about where a memory came from.
type Origin struct {
	Ref        Ref
	ArchivedAt time.Time
	Reason     string
	RunID      string
}

// OriginOf reads where an archived memory came from, off the archive's index. Those of other
// directories are not even read: together they tell of every memory.
func OriginOf(m *Memory, indexes []*Index) (Origin, bool) {
	if !m.Archived {
		return Origin{}, false
	}
	for _, x := range indexes {
		if dir := path.Dir(x.File); dir != "." && !strings.HasPrefix(m.File, dir+"/") {
			continue
		}
		if e, ok := x.text().Find(m.ID, m.File); ok {
			v := gjson.Parse(e.Raw)
			ref, ok := ParseRef(v.Get("archived_from").Str)
			return Origin{ref, timestamp.Parse(v.Get("archived_at").Str), v.Get("archive_reason").Str, v.Get("run_id").Str}, ok
		}
	}
	return Origin{}, false
}
