package recall

import (
	"encoding/binary"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// none stands for no document, no session, no symbol.
const none = ^uint32(0)

// Index holds documents for searching. Searching it from several goroutines is safe; changing
// it meanwhile is not. [New] makes one.
//
// Documents have numbers, in the order in which they were added. A removed document keeps its
// number, and its postings, until the index is encoded.
type Index struct {
	docs    []doc
	lengths []lengths         // by document: apart, since a search reads them for each posting
	byID    map[string]uint32 // the numbers of documents that were not removed

	terms    names
	postings []postings // by term
	symbols  names      // types, scopes, agents and tags, in lower case
	sessions names
	members  [][]uint32 // by session, its documents in order
	words    []uint32   // by session, in all its documents

	edges      map[string][]edge // by the id of the older memory
	superseded set               // documents that an edge starts at

	dead   set // documents that were removed
	gone   int // how many
	totals totals

	analyzer *analyzer
	counting counter
	spare    sync.Pool // of *matches
}

// lengths are how many words a document has in each field.
type lengths [fieldCount]uint16

// doc is what the index knows of a document besides its words and their number.
type doc struct {
	session    uint32 // none; likewise kind, subtype, scope and agent
	prev, next uint32 // the documents before and behind it in its session
	kind       uint32
	subtype    uint32
	scope      uint32
	agent      uint32
	reads      uint32
	priority   uint8
	archived   bool
	created    int64 // seconds since 1970; likewise updated
	updated    int64
	tags       []uint32
	id         string
	version    version // of the memory; see [Searcher]
}

// totals are sums over the documents that were not removed.
type totals struct {
	docs   uint32
	words  [fieldCount]uint64
	having [fieldCount]uint32 // documents that have the field

	sessions   uint32 // those with words
	inSessions uint64 // words in them
}

// New returns an empty index.
func New() *Index {
	return &Index{byID: map[string]uint32{}, edges: map[string][]edge{}, analyzer: newAnalyzer()}
}

// Len is how many documents the index holds.
func (ix *Index) Len() int { return int(ix.totals.docs) }

// Has reports whether the index holds a document.
func (ix *Index) Has(id string) bool { return ix.find(id) != none }

// find returns the number of the document with an id; none when it isn't there.
func (ix *Index) find(id string) uint32 {
	if d, ok := ix.byID[id]; ok {
		return d
	}
	return none
}

// Add puts documents into the index: they are found at once. One whose ID is there
// already replaces the older one. It takes time linear in the texts, which are not kept.
func (ix *Index) Add(docs ...Document) {
	for i := range docs {
		ix.remove(docs[i].ID)
		ix.add(&docs[i])
	}
	ix.linkEdges()
}

// Remove takes documents out of the index. IDs that aren't there are ignored.
func (ix *Index) Remove(ids ...string) {
	for _, id := range ids {
		ix.remove(id)
	}
	ix.linkEdges()
}

func (ix *Index) add(in *Document) {
	d := uint32(len(ix.docs))
	new := doc{
		id: strings.Clone(in.ID), session: none, prev: none, next: none,
		kind: ix.symbol(in.Type), subtype: ix.symbol(in.Subtype), scope: ix.symbol(in.Scope), agent: ix.symbol(in.Agent),
		reads: readsOf(in.Reads), priority: priorityOf(in.Priority), archived: in.Archived, created: seconds(in.Created), updated: seconds(in.Updated),
	}
	if in.Session != "" {
		new.session = ix.sessions.add(in.Session)
		if int(new.session) == len(ix.members) {
			ix.members, ix.words = append(ix.members, nil), append(ix.words, 0)
		}
	}
	for _, t := range in.Tags {
		if s := ix.symbol(t); s != none {
			new.tags = append(new.tags, s)
		}
	}
	ix.docs, ix.lengths = append(ix.docs, new), append(ix.lengths, ix.post(in, d))
	ix.byID[new.id] = d
	ix.dead = ix.dead.grown(len(ix.docs))
	ix.join(d)
	for _, older := range in.Supersedes {
		ix.supersede(older, in.ID, d)
	}
	for _, newer := range in.SupersededBy {
		ix.supersede(in.ID, newer, d)
	}
	ix.tally(d, false)
}

func (ix *Index) remove(id string) {
	d := ix.find(id)
	if d == none {
		return
	}
	ix.leave(d)
	ix.tally(d, true)
	ix.dead.add(d)
	ix.gone++
	delete(ix.byID, id)
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
	for f, length := range ix.lengths[d] {
		n := uint64(length)
		sum += n
		if n > 0 {
			t.words[f] += sign(n)
			t.having[f] += uint32(sign(1))
		}
	}
	if s := ix.docs[d].session; s != none && sum > 0 {
		was := ix.words[s]
		ix.words[s] = was + uint32(sign(sum))
		t.inSessions += sign(sum)
		switch {
		case was == 0:
			t.sessions++
		case ix.words[s] == 0:
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

func fold(name string) string { return text.FoldName(strings.Trim(name, " \t\r\n\x00")) }

// counter counts the terms of one document.
type counter struct {
	counts []counts // by term; zero between documents
	met    []uint32
	length lengths
	field  int
}

// post adds a document to the postings of its terms and returns the lengths of its fields.
func (ix *Index) post(in *Document, d uint32) lengths {
	c := &ix.counting
	c.length = lengths{}
	read := func(text string, field int) {
		c.field = field
		ix.analyzer.terms(text, ix.count)
	}
	read(in.Content, content)
	read(in.Summary, summary)
	read(in.Title, title)
	for _, t := range in.Tags {
		read(t, tags)
	}
	read(in.Wording, wording)
	read(in.Aliases, aliases)
	c.field = content
	for _, name := range in.People {
		ix.analyzer.people(name, func(key string) { ix.countTerm(ix.terms.add(key)) })
	}
	for _, t := range c.met {
		ix.postings[t].add(posting{d, c.counts[t]})
		c.counts[t] = 0
	}
	c.met = c.met[:0]
	return c.length
}

// count counts a term of the document at hand.
func (ix *Index) count(t token) {
	c := &ix.counting
	if !t.whole && c.length[c.field] < 0xffff {
		c.length[c.field]++
	}
	if t.word == nil {
		ix.countTerm(ix.terms.add(t.term))
		return
	}
	if t.word.number == none {
		t.word.number = ix.terms.add(t.term)
	}
	ix.countTerm(t.word.number)
}

func (ix *Index) countTerm(t uint32) {
	c := &ix.counting
	for len(c.counts) < len(ix.terms.list) {
		c.counts = append(c.counts, 0)
	}
	for len(ix.postings) < len(ix.terms.list) {
		ix.postings = append(ix.postings, postings{})
	}
	if c.counts[t] == 0 {
		c.met = append(c.met, t)
	}
	c.counts[t] = c.counts[t].plus(c.field)
}

// version identifies what a document was made of: the first half of the checksum of the
// memory's bytes, and a hash of the rest that a document tells, its scope, what replaces it and whether it is
// archived. It is zero where the memory could not be read.
type version [24]byte

func versionOf(m *memory.Memory) (v version) {
	sum := m.Checksum()
	copy(v[:16], sum[:])
	const offset, prime = 0xcbf29ce484222325, 0x100000001b3 // FNV-1a
	hash := uint64(offset)
	add := func(s string) {
		for i := range len(s) {
			hash = (hash ^ uint64(s[i])) * prime
		}
		hash = (hash ^ 0xff) * prime // no UTF-8 has that byte
	}
	add(m.Scope.Kind)
	add(m.Scope.ID)
	for _, links := range [...][]string{m.Supersedes, m.SupersededBy} { // a snapshot takes those of circles away
		for _, id := range links {
			add(id)
		}
	}
	if m.Archived {
		hash = (hash ^ 1) * prime
	}
	binary.LittleEndian.PutUint64(v[16:], hash)
	return v
}
