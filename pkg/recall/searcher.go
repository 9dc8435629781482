package recall

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// Searcher finds memories of a snapshot, archived ones too. Searching from several goroutines
// at once is safe, but not while it is updated.
//
// Several memories with one id are known to the index by different names: the first by the
// id, the others by the id and their place.
type Searcher struct {
	ix       *Index
	snap     *memory.Snapshot // that it was last updated to
	memories []*memory.Memory // by document; nil for removed ones
	cache    Cache
	saved    bool // the index was read from the cache, or written to it
	changed  int  // documents added or removed since then
	unread   int  // documents of memories whose files couldn't be read
}

// Cache keeps an index from one process to the next; a workspace.Cache does. Its errors
// are [errors.ErrUnsupported] where nothing is ever kept.
type Cache interface {
	Read(name string) ([]byte, error)
	Write(name string, data []byte) error
}

// CacheName is the name of the index in a [Cache].
const CacheName = "recall"

// ErrTooMuch says that more has changed than the caller has time for.
var ErrTooMuch = errors.New("the index of words must be made first")

// Open returns a searcher of a snapshot's memories: with the index from the cache, updated by
// what has changed since, or with a new one where there is none that can be used. That
// reads the texts of the memories that are new to it, of which there may be at most limit,
// 0 for any number, where an index can be kept at all; more are [ErrTooMuch], the only error.
// Nothing is written before [Searcher.Save]. With a nil cache the index is always new.
//
// Both find the same.
func Open(cache Cache, snap *memory.Snapshot, limit int) (*Searcher, error) {
	s := &Searcher{ix: New(), cache: cache}
	if cache != nil {
		data, err := cache.Read(CacheName)
		if errors.Is(err, errors.ErrUnsupported) {
			limit = 0
		}
		if err == nil {
			if ix, err := decode(data); err == nil {
				s.ix, s.saved = ix, true
			}
		}
	}
	return s, s.update(snap, limit)
}

// Update makes it a searcher of another snapshot. It reads the texts of memories that say
// something else than before.
func (s *Searcher) Update(snap *memory.Snapshot) { _ = s.update(snap, 0) } // without a limit it can't fail

// fresh is a memory that isn't in the index as it is.
type fresh struct {
	*memory.Memory
	name string
}

func (s *Searcher) update(snap *memory.Snapshot, limit int) error {
	ix := s.ix
	memories := make([]*memory.Memory, len(ix.docs))
	var added []fresh
	taken := map[string]bool{} // names of those added
	for _, list := range [...][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range list {
			name := m.ID
			d := ix.find(name)
			used := func() bool { return d != none && memories[d] != nil || taken[name] }
			if used() {
				name += " (" + m.Ref.String() + ")"
				if d = ix.find(name); used() {
					continue // the same place once more
				}
			}
			if d != none && s.knows(d, m) {
				memories[d] = m
				continue
			}
			added = append(added, fresh{m, name})
			taken[name] = true
		}
	}
	if limit > 0 && len(added) > limit {
		return fmt.Errorf("%w: %d memories are new to it", ErrTooMuch, len(added))
	}
	var removed []string
	for d, m := range memories {
		switch {
		case m != nil:
			ix.docs[d].reads = readsOf(m.AccessCount)
		case !ix.dead.has(uint32(d)):
			removed = append(removed, ix.docs[d].id)
			if ix.docs[d].version == (version{}) {
				s.unread--
			}
		}
	}
	s.memories, s.snap = memories, snap
	s.changed += len(removed) + len(added)
	if len(removed) > 0 {
		ix.Remove(removed...)
	}
	for part := range slices.Chunk(added, 4096) {
		s.add(part)
	}
	if ix.gone > 1000+ix.Len()/4 {
		s.compact()
	}
	return nil
}

// knows reports whether a document is of a memory as it is, but for reads.
func (s *Searcher) knows(d uint32, m *memory.Memory) bool {
	is := s.ix.docs[d].version
	if is == (version{}) {
		return false
	}
	return int(d) < len(s.memories) && s.memories[d] == m || is == versionOf(m)
}

// add reads memories, on all cores, and adds them to the index.
func (s *Searcher) add(list []fresh) {
	docs, versions := make([]Document, len(list)), make([]version, len(list))
	parallel.For(len(list), func(i int) {
		docs[i] = Of(list[i].Memory)
		docs[i].ID = list[i].name
		if list[i].Raw() != nil {
			versions[i] = versionOf(list[i].Memory)
		}
	})
	first := len(s.ix.docs)
	s.ix.Add(docs...)
	for i := range list {
		s.ix.docs[first+i].version = versions[i]
		s.memories = append(s.memories, list[i].Memory)
		if versions[i] == (version{}) {
			s.unread++
		}
	}
}

// compact drops removed documents.
func (s *Searcher) compact() {
	ix, err := decode(s.ix.encode())
	if err != nil {
		return // it goes on as it was
	}
	memories := make([]*memory.Memory, len(ix.docs))
	for d := range ix.docs {
		memories[d] = s.memories[s.ix.find(ix.docs[d].id)]
	}
	s.ix, s.memories = ix, memories
}

// Changed is how many documents were added and removed since the index was saved.
func (s *Searcher) Changed() int { return s.changed }

// Unread reports whether any memory's file could not be read: the next update tries again.
func (s *Searcher) Unread() bool { return s.unread > 0 }

// Found is a hit and its memory.
type Found struct {
	Hit
	Memory *memory.Memory
}

// Request is a query that is asked of memories themselves: Retention and Note of the query
// don't count.
type Request struct {
	Query
	Score func(*memory.Memory) float64 // as Retention; nil: all matter alike
	Allow func(*memory.Memory) bool    // which may be found; nil: all. Asked about few
	Texts bool                         // whether the texts of the best hits are read, as with Note

	// Snapshot says what people have decided of the memories, which must be those of the last update; nil: the one of that update.
	Snapshot *memory.Snapshot
	// Elsewhere reports whether a memory is of another project than that of the query; nil: none is. Such memories follow those
	// that are not, as [Hit.Elsewhere].
	Elsewhere func(*memory.Memory) bool

	// Few: where the mode finds fewer than this, the colder and archived memories that fit follow, within the limit, as [Hit.Beyond]. What
	// fits by its neighbours, its session or its time alone is not among them, nor is one next to the live memory that has replaced it. Without a text nothing follows.
	Few int
}

// Few is how many hits are few, where people and agents search.
const Few = 3

// Search is [Index.Search], with copies that promotion has made once. Summaries of clusters that are outdated are not found but in the mode
// Exhaustive. It returns besides how many memories that fit the mode leaves out,
// and that are not among the hits. A query in several phrasings finds a list by each; the score of a hit is then that of its ranks.
func (s *Searcher) Search(r Request) (hits []Found, leftOut int, err error) {
	if texts := r.phrasings(); len(texts) > 1 {
		return s.fuse(r, texts)
	} else if len(texts) == 1 {
		r.Text = texts[0]
	}
	return s.ask(r)
}

// ask searches by the text alone.
func (s *Searcher) ask(r Request) (hits []Found, leftOut int, err error) {
	wanted := r.Limit
	if wanted <= 0 {
		wanted = defaultLimit
	}
	if hits, leftOut, err = s.byPlace(r, wanted); err != nil || len(hits) >= min(r.Few, wanted) || r.Mode == Exhaustive || strings.TrimSpace(r.Text) == "" {
		return hits, leftOut, err
	}
	r.Mode, r.Texts = Exhaustive, false // which of them seems to update another is left open: that would read many
	r.Limit = 2*wanted + len(hits)      // some are replaced by others
	all, _, err := s.search(r)
	if err != nil {
		return hits, leftOut, err
	}
	shown := map[*memory.Memory]bool{}
	for _, h := range slices.Concat(hits, all) {
		shown[h.Memory] = !h.Memory.Archived
	}
	first := len(hits)
	for _, h := range all {
		p := &h.Parts
		switch {
		case len(hits) == wanted:
			return hits, leftOut, nil
		case slices.ContainsFunc(hits[:first], func(f Found) bool { return f.Memory == h.Memory }):
		case p.Words+p.Title+p.People+p.Meaning <= 0:
		case s.replaced(h.Memory, shown), s.snapshot(&r).Outdated(h.Memory):
		default:
			if h.Beyond = true; !h.Memory.Archived {
				leftOut = max(leftOut-1, 0)
			}
			h.Elsewhere = r.Elsewhere != nil && r.Elsewhere(h.Memory)
			hits = append(hits, h)
		}
	}
	return hits, 0, nil
}

// byPlace searches, with the memories of other projects behind the rest.
func (s *Searcher) byPlace(r Request, wanted int) (hits []Found, leftOut int, err error) {
	if r.Elsewhere == nil {
		return s.search(r)
	}
	allow := r.Allow
	r.Limit, r.Allow = wanted, func(m *memory.Memory) bool { return !r.Elsewhere(m) && (allow == nil || allow(m)) }
	if hits, leftOut, err = s.search(r); err != nil || len(hits) >= wanted {
		return hits, leftOut, err
	}
	r.Limit, r.Allow = wanted-len(hits), func(m *memory.Memory) bool { return r.Elsewhere(m) && (allow == nil || allow(m)) }
	others, more, err := s.search(r)
	for _, h := range others {
		h.Elsewhere = true
		hits = append(hits, h)
	}
	return hits, leftOut + more, err
}

func (s *Searcher) snapshot(r *Request) *memory.Snapshot {
	if r.Snapshot != nil {
		return r.Snapshot
	}
	return s.snap
}

// decisions lets a query ask what people have decided, and what waits for it.
func (s *Searcher) decisions(q *Query, snap *memory.Snapshot) {
	documents := func(ids []string) (list []uint32) {
		for _, id := range ids {
			if d := s.ix.find(id); d != none {
				list = append(list, d)
			}
		}
		return list
	}
	q.waiting = func(d uint32) []uint32 {
		return documents(rules.Newer(snap, s.memories[d]))
	}
	q.rejected = func(d uint32) []uint32 {
		r, ok := rules.Rejected(snap, s.memories[d])
		if !ok {
			return nil
		}
		return documents([]string{r.Holds.ID})
	}
	q.partly = func(d uint32) []uint32 {
		_, part := memory.ReplacedBy(s.memories[d])
		return documents(part)
	}
	q.apart = func(a, b uint32) bool { return snap.Review.DecidedKeepBoth(s.memories[a], s.memories[b]) }
}

// replaced reports whether what has replaced a memory, at the end of all steps, is among some live memories.
func (s *Searcher) replaced(m *memory.Memory, live map[*memory.Memory]bool) bool {
	met := map[string]bool{m.ID: true}
	for next := m.SupersededBy; len(next) > 0; next = next[1:] {
		id := next[0]
		d := s.ix.find(id)
		if met[id] || d == none || s.memories[d] == nil {
			continue
		}
		if met[id] = true; live[s.memories[d]] {
			return true
		}
		next = append(slices.Clip(next), s.memories[d].SupersededBy...)
	}
	return false
}

func (s *Searcher) search(r Request) (hits []Found, leftOut int, err error) {
	q := r.Query
	q.Retention, q.Note = nil, nil
	if r.Score != nil {
		q.retention = func(d uint32) float64 { return r.Score(s.memories[d]) }
	}
	snap := s.snapshot(&r)
	s.decisions(&q, snap)
	q.allow = func(d uint32) bool {
		m := s.memories[d]
		return (r.Allow == nil || r.Allow(m)) && (q.Mode == Exhaustive || !snap.Outdated(m))
	}
	memoryOf := func(id string) *memory.Memory { return s.memories[s.ix.find(id)] }
	if r.Texts {
		q.Note = func(id string) (supersession.Note, bool) { return NoteOf(memoryOf(id)), true }
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	filter := s.ix.filter(&q)
	for wanted := q.Limit; ; q.Limit *= 2 {
		found, err := s.ix.Search(q)
		hits = s.once(found.Hits, filter)
		if err != nil || len(hits) >= wanted || len(found.Hits) < q.Limit {
			return hits[:min(len(hits), wanted)], found.LeftOut, err
		}
	}
}

// once are the hits with each memory that was promoted once: the copy in the widest scope that
// may be found stands for the others.
func (s *Searcher) once(found []Hit, filter filter) []Found {
	hits := make([]Found, 0, len(found))
	document := func(id string) *memory.Memory {
		if d := s.ix.find(id); d != none {
			return s.memories[d]
		}
		return nil
	}
	shown := map[*memory.Memory]bool{}
	for _, h := range found {
		m := document(h.ID)
		copies := memory.Copies(m, document, func(other *memory.Memory) bool { return filter.fits(s.ix.find(other.ID)) })
		if len(copies) > 1 && slices.ContainsFunc(copies, func(other *memory.Memory) bool { return shown[other] }) {
			continue
		}
		for _, other := range copies[1:] {
			h.Copies = append(h.Copies, other.ID)
		}
		if shown[copies[0]] = true; copies[0] != m {
			h.ID = copies[0].ID
		}
		hits = append(hits, Found{h, copies[0]})
	}
	return hits
}

// Worthwhile is from how many memories on an index is saved: fewer are indexed in no time.
const Worthwhile = 200

// Save writes the index for the processes to come, if it is worth that: there is none yet,
// or so much has changed since that to write it costs less than to read the changed texts
// some thirty times. It may fail without harm.
func (s *Searcher) Save() error {
	n := s.ix.Len()
	if s.cache == nil || s.unread > 0 || n < Worthwhile || s.saved && s.changed <= 64+n/100 {
		return nil
	}
	return s.save()
}

func (s *Searcher) save() error {
	if err := s.cache.Write(CacheName, s.ix.encode()); err != nil {
		return fmt.Errorf("save the index of words: %w", err)
	}
	s.saved, s.changed = true, 0
	return nil
}

// Differs reports whether the index in the cache would make anything else found than a new
// one of the same snapshot: never, unless it is forged or memoryd has a mistake.
func Differs(cache Cache, snap *memory.Snapshot) (bool, error) {
	saved, err := Open(cache, snap, 0)
	if err != nil || !saved.saved {
		return false, err // there is none that anybody would use
	}
	anew, err := Open(nil, snap, 0)
	if err != nil || saved.unread+anew.unread > 0 {
		return false, err // somebody is writing: the next time tells
	}
	return !saved.ix.equal(anew.ix), nil
}
