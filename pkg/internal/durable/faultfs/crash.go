package faultfs

import (
	"maps"
	"math/rand/v2"
	"slices"
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
	m.mu.Lock()
	defer m.mu.Unlock()
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	lucky := func() bool { return loss == Nothing || loss == Some && r.IntN(2) == 0 }
	c := clones{loss: loss, r: r}
	out := &Mem{NoExchange: m.NoExchange, NoLink: m.NoLink, last: m.last}
	// Names as they were when everything was durable, then those changes that survive.
	out.root = c.of(m.root)
	for _, s := range m.undone() {
		c.set(s)
	}
	keep := 0 // Ordered: events before it survive
	for i, e := range m.events {
		if e.synced != nil {
			keep = i
		}
	}
	switch loss {
	case Nothing:
		keep = len(m.events)
	case Some:
		keep += r.IntN(len(m.events) - keep + 1)
	}
	for i, e := range m.events {
		if e.synced != nil {
			continue
		}
		whole := model == Ordered && i < keep || model == Weak && (m.syncedLater(i, e.sets) || lucky())
		for j := range e.sets {
			if whole || model == Torn && (m.syncedLater(i, e.sets[j:j+1]) || lucky()) {
				c.set(e.sets[j])
			}
		}
	}
	out.Settle()
	return out
}

// syncedLater reports whether one of the directories was synced after event i.
func (m *Mem) syncedLater(i int, sets []set) bool {
	for _, e := range m.events[i+1:] {
		for _, s := range sets {
			if e.synced == s.dir {
				return true
			}
		}
	}
	return false
}

// undone lists the sets that bring the names back to when all was durable.
func (m *Mem) undone() (sets []set) {
	for _, e := range m.events {
		for _, s := range e.sets {
			sets = append(sets, set{s.dir, s.name, before(s.dir, s.name)})
		}
	}
	return sets
}

// before is what a name stood for when all was durable; nil also in a directory
// that is newer.
func before(dir *inode, name string) *inode {
	return dir.origin[name]
}

// Clone returns an independent copy, with what is and what isn't durable.
func (m *Mem) Clone() *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := clones{exact: true}
	out := &Mem{NoExchange: m.NoExchange, NoLink: m.NoLink, last: m.last, root: c.of(m.root)}
	for _, e := range m.events {
		copied := event{sets: slices.Clone(e.sets)}
		if e.synced != nil {
			copied.synced = c.of(e.synced)
		}
		for i, s := range copied.sets {
			copied.sets[i].dir = c.of(s.dir)
			if s.to != nil {
				copied.sets[i].to = c.of(s.to)
			}
		}
		out.events = append(out.events, copied)
	}
	return out
}

// Settle makes everything durable.
func (m *Mem) Settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = nil
	var walk func(*inode)
	walk = func(node *inode) {
		node.synced, node.clean = node.data, true
		if node.entries != nil {
			node.origin = maps.Clone(node.entries)
		}
		for _, e := range node.entries {
			walk(e)
		}
	}
	walk(m.root)
}

// clones copies inodes, each once.
type clones struct {
	made  map[*inode]*inode
	exact bool
	loss  Loss
	r     *rand.Rand
}

func (c *clones) of(node *inode) *inode {
	if c.made == nil {
		c.made = map[*inode]*inode{}
	}
	if done := c.made[node]; done != nil {
		return done
	}
	out := &inode{id: node.id, mode: node.mode, data: node.data, synced: node.synced, clean: node.clean}
	c.made[node] = out
	if !c.exact {
		out.data = c.survives(node)
		out.synced, out.clean = out.data, true
	}
	if node.entries != nil {
		out.entries = make(map[string]*inode, len(node.entries))
		for _, name := range slices.Sorted(maps.Keys(node.entries)) {
			out.entries[name] = c.of(node.entries[name])
		}
		if c.exact && node.origin != nil {
			out.origin = make(map[string]*inode, len(node.origin))
			for name, e := range node.origin {
				out.origin[name] = c.of(e)
			}
		}
	}
	return out
}

func (c *clones) set(s set) {
	dir := c.of(s.dir)
	if s.to == nil {
		delete(dir.entries, s.name)
	} else {
		dir.entries[s.name] = c.of(s.to)
	}
}

// survives is what a crash leaves of a file's bytes.
func (c *clones) survives(node *inode) []byte {
	if node.entries != nil || node.clean || c.loss == Nothing {
		return node.data
	}
	if c.loss == Everything {
		return node.synced
	}
	switch c.r.IntN(4) {
	case 0:
		return node.data
	case 1: // the length got there, the bytes did not
		return make([]byte, len(node.data))
	case 2:
		return node.data[:c.r.IntN(len(node.data)+1)]
	}
	return node.synced
}
