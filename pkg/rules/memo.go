package rules

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"
)

// memoVersion changes when comparing the same memories comes to something else, or a memo is
// written otherwise.
const memoVersion = 6

// Memo keeps what comparing the memories of a block came to, which names they cite, and what summaries came to, so that the next plan compares
// only blocks in which something has changed. A plan is the same with a memo as without, and
// as with one that is damaged: what can't be read is compared again. It is safe for concurrent
// use by one plan. A nil memo knows nothing and keeps nothing.
type Memo struct {
	mu         sync.Mutex
	known, now map[memoKey][]byte
	asked      map[byte]bool // kinds of searches that this plan has made
	changed    bool
}

// memoKey is the kind of a search and a hash over its thresholds and the checksums of the
// memories.
type memoKey [16]byte

// ReadMemo reads what [Memo.Bytes] gave; of anything else nothing is known.
func ReadMemo(data []byte) *Memo {
	m := &Memo{known: map[memoKey][]byte{}, now: map[memoKey][]byte{}, asked: map[byte]bool{}}
	if len(data) < sha256.Size+1 {
		return m
	}
	sum, rest := data[:sha256.Size], data[sha256.Size:]
	if is := sha256.Sum256(rest); !bytes.Equal(sum, is[:]) || rest[0] != memoVersion {
		return m
	}
	r := memoReader{rest: rest[1:]}
	for len(r.rest) > 0 {
		key, value := r.take(len(memoKey{})), r.take(r.count())
		if r.broken {
			break
		}
		m.known[memoKey(key)] = value
	}
	return m
}

// Bytes are what the next plan wants to know; nil if that is what was read. Blocks that are no
// more are left out.
func (m *Memo) Bytes() []byte {
	for key, value := range m.known {
		if _, ok := m.now[key]; ok {
			continue
		}
		if m.asked[key[0]] {
			m.changed = true
		} else { // a search that this plan did without
			m.now[key] = value
		}
	}
	if !m.changed {
		return nil
	}
	out := append(make([]byte, sha256.Size), memoVersion)
	for key, value := range m.now {
		out = binary.AppendUvarint(append(out, key[:]...), uint64(len(value)))
		out = append(out, value...)
	}
	sum := sha256.Sum256(out[sha256.Size:])
	copy(out, sum[:])
	return out
}

// comparison is what comparing a block came to: the similar pairs, by the places of their
// memories from the freshest to the oldest.
type comparison struct {
	pairs [][]*pair // by the fresher one, the other ones in their order
	count int
	full  bool // there are too many pairs to be kept
}

// pair is two similar memories, and what judging their texts came to.
type pair struct {
	other         int // the older one
	tags, content float64
	judged        bool
	verdict       []string
}

// judge returns the verdict on a pair, at once if an earlier plan knew it.
func (c *pair) judge(judge func() []string) []string {
	if !c.judged {
		c.judged, c.verdict = true, judge()
	}
	return c.verdict
}

// maxKeptPairs is how many pairs of a block are kept for each of its memories, on average. A
// block with more is compared each time.
const maxKeptPairs = 16

// lookUp returns what is known of a block; nil for nothing.
func (m *Memo) lookUp(key memoKey, size int) *comparison {
	value, ok := m.get(key)
	if !ok {
		return nil
	}
	c := &comparison{pairs: make([][]*pair, size)}
	for r := (memoReader{rest: value}); len(r.rest) > 0; {
		fresher, p := r.count(), &pair{}
		p.other, p.tags, p.content = r.count(), r.float(), r.float()
		if n := r.count(); n > 0 {
			p.judged = true
			for range n - 1 {
				p.verdict = append(p.verdict, string(r.take(r.count())))
			}
		}
		if r.broken || fresher >= p.other || p.other >= size {
			return nil
		}
		c.pairs[fresher] = append(c.pairs[fresher], p)
	}
	return c
}

// keep notes what a block came to, for the next plan.
func (m *Memo) keep(key memoKey, c *comparison) {
	var out []byte
	for fresher, pairs := range c.pairs {
		for _, p := range pairs {
			out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(fresher)), uint64(p.other))
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p.tags))
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p.content))
			if !p.judged {
				out = append(out, 0)
				continue
			}
			out = binary.AppendUvarint(out, uint64(len(p.verdict)+1))
			for _, text := range p.verdict {
				out = append(binary.AppendUvarint(out, uint64(len(text))), text...)
			}
		}
	}
	m.put(key, out)
}

// get returns what is known under a key.
func (m *Memo) get(key memoKey) (value []byte, ok bool) {
	if m == nil {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[key[0]] = true
	if value, ok = m.known[key]; !ok {
		value, ok = m.now[key] // of an earlier plan of this forecast
	}
	return value, ok
}

// put keeps something under a key for the next plan.
func (m *Memo) put(key memoKey, value []byte) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if was, ok := m.known[key]; !ok || !bytes.Equal(was, value) {
		m.changed = true
	}
	m.now[key] = value
}

// memoReader reads a memo from the front. At its end it is broken and gives nothing.
type memoReader struct {
	rest   []byte
	broken bool
}

func (r *memoReader) take(n int) []byte {
	if r.broken || n < 0 || n > len(r.rest) {
		r.rest, r.broken = nil, true
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *memoReader) count() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > math.MaxInt32 {
		r.rest, r.broken = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *memoReader) float() float64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}
