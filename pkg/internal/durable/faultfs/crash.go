package faultfs

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/durable/memfs"
)

// Model says what a loss of power may leave of changes that were not synced.
type Model string

// The models, from kind to cruel.
const (
	// Ordered: changes of names become durable in their order, and any sync makes
	// all earlier ones durable (ext4, XFS, btrfs).
	Ordered Model = "ordered"
	// Weak: each change of names survives or not, whatever the others do, until its
	// directory is synced; a rename or exchange as a whole.
	Weak Model = "weak"
	// Torn: also the halves of a rename or exchange survive by themselves (file
	// systems without a journal).
	Torn Model = "torn"
)

// Models lists them.
var Models = []Model{Ordered, Weak, Torn}

// Loss says how much of what was not synced is lost.
type Loss string

// The losses.
const (
	Nothing    Loss = "nothing"    // the process was killed: all is there
	Everything Loss = "everything" // nothing that was not synced is there
	Some       Loss = "some"       // a part, by chance
)

// Crash returns what a loss of power, or a kill, would leave.
func (m *Mem) Crash(model Model, loss Loss, seed uint64) *Mem {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	lucky := func() bool { return loss == Nothing || loss == Some && r.IntN(2) == 0 }
	c := clones{loss: loss, r: r}
	out := m.empty()
	// Names as they were when everything was durable, then those changes that survive.
	out.Root = c.of(m.Root)
	for _, s := range m.undone() {
		c.set(s)
	}
	keep := 0 // Ordered: events before it survive
	for i, e := range m.Events {
		if e.Synced != nil {
			keep = i
		}
	}
	switch loss {
	case Nothing:
		keep = len(m.Events)
	case Some:
		keep += r.IntN(len(m.Events) - keep + 1)
	}
	for i, e := range m.Events {
		if e.Synced != nil {
			continue
		}
		whole := model == Ordered && i < keep || model == Weak && (m.syncedLater(i, e.Sets) || lucky())
		for j := range e.Sets {
			if whole || model == Torn && (m.syncedLater(i, e.Sets[j:j+1]) || lucky()) {
				c.set(e.Sets[j])
			}
		}
	}
	out.Settle()
	return out
}

// syncedLater reports whether one of the directories was synced after event i.
func (m *Mem) syncedLater(i int, sets []memfs.Set) bool {
	for _, e := range m.Events[i+1:] {
		for _, s := range sets {
			if e.Synced == s.Dir {
				return true
			}
		}
	}
	return false
}

// undone lists the sets that bring the names back to when all was durable.
func (m *Mem) undone() (sets []memfs.Set) {
	for _, e := range m.Events {
		for _, s := range e.Sets {
			sets = append(sets, memfs.Set{Dir: s.Dir, Name: s.Name, To: before(s.Dir, s.Name)})
		}
	}
	return sets
}

// before is what a name stood for when all was durable; nil also in a directory
// that is newer.
func before(dir *memfs.Node, name string) *memfs.Node {
	return dir.Origin[name]
}

// Clone returns an independent copy, with what is and what isn't durable.
func (m *Mem) Clone() *Mem {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	c := clones{exact: true}
	out := m.empty()
	out.Root = c.of(m.Root)
	for _, e := range m.Events {
		copied := memfs.Event{Sets: slices.Clone(e.Sets)}
		if e.Synced != nil {
			copied.Synced = c.of(e.Synced)
		}
		for i, s := range copied.Sets {
			copied.Sets[i].Dir = c.of(s.Dir)
			if s.To != nil {
				copied.Sets[i].To = c.of(s.To)
			}
		}
		out.Events = append(out.Events, copied)
	}
	return out
}

// empty is a disk with the properties of m.
func (m *Mem) empty() *Mem {
	out := New()
	out.NoExchange, out.NoLink, out.LastID = m.NoExchange, m.NoLink, m.LastID
	return out
}

// Settle makes everything durable.
func (m *Mem) Settle() {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	m.Events = nil
	var walk func(*memfs.Node)
	walk = func(node *memfs.Node) {
		node.Synced, node.Clean = node.Data, true
		if node.Entries != nil {
			node.Origin = maps.Clone(node.Entries)
		}
		for _, e := range node.Entries {
			walk(e)
		}
	}
	walk(m.Root)
}

// clones copies inodes, each once.
type clones struct {
	made  map[*memfs.Node]*memfs.Node
	exact bool
	loss  Loss
	r     *rand.Rand
}

func (c *clones) of(node *memfs.Node) *memfs.Node {
	if c.made == nil {
		c.made = map[*memfs.Node]*memfs.Node{}
	}
	if done := c.made[node]; done != nil {
		return done
	}
	out := &memfs.Node{ID: node.ID, Mode: node.Mode, Data: node.Data, Linked: node.Linked, Synced: node.Synced, Clean: node.Clean}
	c.made[node] = out
	if !c.exact {
		out.Data = c.survives(node)
		out.Synced, out.Clean = out.Data, true
	}
	if node.Entries != nil {
		out.Entries = make(map[string]*memfs.Node, len(node.Entries))
		for _, name := range slices.Sorted(maps.Keys(node.Entries)) {
			out.Entries[name] = c.of(node.Entries[name])
		}
		if c.exact && node.Origin != nil {
			out.Origin = make(map[string]*memfs.Node, len(node.Origin))
			for name, e := range node.Origin {
				out.Origin[name] = c.of(e)
			}
		}
	}
	return out
}

func (c *clones) set(s memfs.Set) {
	dir := c.of(s.Dir)
	if s.To == nil {
		delete(dir.Entries, s.Name)
	} else {
		dir.Entries[s.Name] = c.of(s.To)
	}
}

// survives is what a crash leaves of a file's bytes.
func (c *clones) survives(node *memfs.Node) []byte {
	if node.Entries != nil || node.Clean || c.loss == Nothing {
		return node.Data
	}
	if c.loss == Everything {
		return node.Synced
	}
	kept := 0 // of what was appended to, the part that was durable stays as it is
	if bytes.HasPrefix(node.Data, node.Synced) {
		kept = len(node.Synced)
	}
	switch c.r.IntN(4) {
	case 0:
		return node.Data
	case 1: // the length got there, the bytes did not
		return append(slices.Clone(node.Data[:kept]), make([]byte, len(node.Data)-kept)...)
	case 2:
		return node.Data[:kept+c.r.IntN(len(node.Data)-kept+1)]
	}
	return node.Synced
}
