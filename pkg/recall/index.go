package recall

import (
	"strings"
	"sync"
	"sync/atomic"
)

// none stands for no document, no session, no symbol.
const none = ^uint32(0)

// Index holds documents for searching: a base, which lies in flat bytes as [Open]
// got them, and a delta of what was added and removed since. Searching it from
// several goroutines is safe; changing it meanwhile is not. [New] and [Open] make
// one.
type Index struct {
	base flat // what has no view below

	ids      ids
	terms    names
	symbols  names // types, scopes, agents, tags; behind a NUL, ids that edges name
	sessions names

	session, prev, next  column // the session, and the neighbours in it
	lengths, moreLengths column // words in content and summary, in title and tags: 16 bits each
	kind, scope, agent   column
	reads, flags         column
	created, updated     clock
	tagged               [][]uint32 // tags of documents in the delta

	dead     []uint64 // bits of documents that were removed
	gone     int      // how many
	totals   totals
	words    column              // of each session
	postings []growing           // of the delta, by term
	members  map[uint32][]uint32 // documents of sessions that the delta touches, in order
	edges    map[uint32][]edge   // of the delta, by the symbol of the older
	older    atomic.Pointer[set] // see superseded; nil after a change

	analyzer *analyzer
	counting counter
	scratch  sync.Pool
}

// totals are sums over the documents that are there.
type totals struct {
	docs   uint32
	words  [fieldCount]uint64
	having [fieldCount]uint32 // documents that have the field

	sessions   uint32 // those with words
	inSessions uint64 // words in them
}

// edge says that a memory is replaced by another, as a document tells.
type edge struct {
	newer uint32 // symbol of its id
	owner uint32 // the document
}

const (
	maskPriority = 3
	flagArchived = 4
)

// New returns an empty index.
func New() *Index {
	ix := &Index{analyzer: newAnalyzer(), members: map[uint32][]uint32{}, edges: map[uint32][]edge{}}
	ix.analyzer.files = true
	return ix
}

// Len is how many documents the index holds.
func (ix *Index) Len() int { return int(ix.totals.docs) }

// Has reports whether the index holds a document.
func (ix *Index) Has(id string) bool { return ix.find(id) != none }

// Changes is how many documents the delta holds and how many of all were removed
// or replaced. These slow searches down a little and take up room: where there are
// many, one in twenty say, write the index and open it anew.
func (ix *Index) Changes() int { return len(ix.tagged) + ix.gone }

// size is one above the highest number of a document.
func (ix *Index) size() uint32 { return ix.session.n + uint32(len(ix.session.tail)) }

func (ix *Index) isDead(d uint32) bool {
	return int(d/64) < len(ix.dead) && ix.dead[d/64]>>(d%64)&1 != 0
}

func (ix *Index) archived(d uint32) bool { return ix.flags.at(d)&flagArchived != 0 }

// length is how many words a document has in a field.
func (ix *Index) length(d uint32, field int) uint32 {
	switch field {
	case content:
		return ix.lengths.at(d) & 0xffff
	case summary:
		return ix.lengths.at(d) >> 16
	case title:
		return ix.moreLengths.at(d) & 0xffff
	}
	return ix.moreLengths.at(d) >> 16
}

// Add puts documents into the index: they are found at once. One whose ID is there
// already takes the place of the older. It takes time linear in the texts, which
// aren't kept.
func (ix *Index) Add(docs ...Document) {
	ix.older.Store(nil)
	fresh := pending{}
	for i := range docs {
		ix.remove(docs[i].ID, fresh)
		ix.add(&docs[i], fresh)
	}
	ix.settle(fresh)
}

// Remove takes documents out of the index. IDs that aren't there are ignored.
func (ix *Index) Remove(ids ...string) {
	ix.older.Store(nil)
	fresh := pending{}
	for _, id := range ids {
		ix.remove(id, fresh)
	}
}

func (ix *Index) add(doc *Document, fresh pending) {
	d := ix.size()
	ix.ids.add(doc.ID, d)
	length := ix.post(doc, d)
	session := none
	if doc.Session != "" {
		session = ix.sessions.add(doc.Session)
		for ix.words.n+uint32(len(ix.words.tail)) <= session {
			ix.words.tail = append(ix.words.tail, 0)
		}
		fresh[session] = append(fresh[session], d)
	}
	push := func(c *column, v uint32) { c.tail = append(c.tail, v) }
	push(&ix.session, session)
	push(&ix.prev, none)
	push(&ix.next, none)
	push(&ix.lengths, length[content]|length[summary]<<16)
	push(&ix.moreLengths, length[title]|length[tags]<<16)
	push(&ix.kind, ix.symbol(doc.Type))
	push(&ix.scope, ix.symbol(doc.Scope))
	push(&ix.agent, ix.symbol(doc.Agent))
	push(&ix.reads, readsOf(doc.Reads))
	flags := priorityOf(doc.Priority)
	if doc.Archived {
		flags |= flagArchived
	}
	push(&ix.flags, flags)
	ix.created.tail = append(ix.created.tail, seconds(doc.Created))
	ix.updated.tail = append(ix.updated.tail, seconds(doc.Updated))
	var tagged []uint32
	for _, t := range doc.Tags {
		if s := ix.symbol(t); s != none {
			tagged = append(tagged, s)
		}
	}
	ix.tagged = append(ix.tagged, tagged)
	for _, older := range doc.Supersedes {
		ix.supersede(older, doc.ID, d)
	}
	for _, newer := range doc.SupersededBy {
		ix.supersede(doc.ID, newer, d)
	}
	ix.tally(d, false)
}

func (ix *Index) remove(id string, fresh pending) {
	d := ix.find(id)
	if d == none {
		return
	}
	for int(d/64) >= len(ix.dead) {
		ix.dead = append(ix.dead, 0)
	}
	ix.leave(d, fresh)
	ix.tally(d, true)
	ix.dead[d/64] |= 1 << (d % 64)
	ix.gone++
	delete(ix.ids.extra, id)
}

// tally counts a document in or out of the totals.
func (ix *Index) tally(d uint32, out bool) {
	t, sum := &ix.totals, uint64(0)
	sign := func(n uint64) uint64 {
		if out {
			return -n
		}
		return n
	}
	t.docs += uint32(sign(1))
	for f := range fieldCount {
		n := uint64(ix.length(d, f))
		sum += n
		if n > 0 {
			t.words[f] += sign(n)
			t.having[f] += uint32(sign(1))
		}
	}
	if s := ix.session.at(d); s != none && sum > 0 {
		was := ix.words.at(s)
		now := was + uint32(sign(sum))
		ix.words.set(s, now)
		t.inSessions += sign(sum)
		switch {
		case was == 0:
			t.sessions++
		case now == 0:
			t.sessions--
		}
	}
}

func readsOf(n int64) uint32 { return uint32(min(max(n, 0), 1<<32-1)) }

// symbol numbers a word that documents are chosen by; none for no word.
func (ix *Index) symbol(text string) uint32 {
	if text = fold(text); text == "" {
		return none
	}
	return ix.symbols.add(text)
}

func fold(text string) string { return strings.ToLower(strings.Trim(text, " \t\r\n\x00")) }

// counter counts the terms of one document.
type counter struct {
	counts []counts // by term; zero between documents
	met    []uint32
	length [fieldCount]uint32
	field  int
	ix     *Index
}

// post files a document under its terms and returns its lengths.
func (ix *Index) post(doc *Document, d uint32) [fieldCount]uint32 {
	c := &ix.counting
	c.ix, c.length = ix, [fieldCount]uint32{}
	read := func(text string, field int) {
		c.field = field
		ix.analyzer.terms(text, c.token)
	}
	read(doc.Content, content)
	read(doc.Summary, summary)
	read(doc.Title, title)
	for _, t := range doc.Tags {
		read(t, tags)
	}
	c.field = content
	for _, name := range doc.People {
		ix.analyzer.people(name, c.count)
	}
	for len(ix.postings) < len(c.counts) {
		ix.postings = append(ix.postings, growing{})
	}
	for _, t := range c.met {
		ix.postings[t].add(posting{d, c.counts[t]})
		c.counts[t] = 0
	}
	c.met = c.met[:0]
	return c.length
}

func (c *counter) token(t token) {
	if !t.whole && c.length[c.field] < 0xffff {
		c.length[c.field]++
	}
	if t.number == nil {
		c.count(t.term)
		return
	}
	if *t.number == none {
		*t.number = c.ix.terms.add(t.term)
	}
	c.counted(*t.number)
}

func (c *counter) count(term string) {
	t, ok := c.ix.terms.find(term)
	if !ok {
		t = c.ix.terms.add(term)
	}
	c.counted(t)
}

func (c *counter) counted(t uint32) {
	if uint32(len(c.counts)) <= t {
		c.counts = append(c.counts, make([]counts, c.ix.terms.len()-uint32(len(c.counts)))...)
	}
	if c.counts[t] == 0 {
		c.met = append(c.met, t)
	}
	c.counts[t] = c.counts[t].plus(c.field)
}
