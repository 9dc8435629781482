package saving

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// Verdict is what a check found out about the memory most worth mentioning.
type Verdict struct {
	TagOverlap, Content float64
	rules.SaveVerdict
}

// Index holds what the live memories of a workspace say, for checks by a process that goes on. It reads those of a kind at
// the first check of one of that kind, and from then on what has changed of them. It is safe for concurrent use.
type Index struct {
	mu     sync.Mutex
	near   *similarity.Index
	kinds  map[string]bool           // that are in it
	of     map[string]*memory.Memory // by place
	others map[string]int            // by place, how many variants are in it besides
	snap   *memory.Snapshot          // that it was last updated to
	put    map[string]*memory.Memory // what was saved since, by place
	Reader *rules.Reader             // nil: nothing that was read for a check is kept for the next one
}

// NewIndex returns an empty index for checks by these settings.
func NewIndex(settings config.Settings) *Index {
	return &Index{
		near: similarity.NewIndex(-1, similarAbove(settings)), kinds: map[string]bool{},
		of: map[string]*memory.Memory{}, others: map[string]int{}, put: map[string]*memory.Memory{},
	}
}

// similarAbove is the similarity below which memories are not compared.
func similarAbove(settings config.Settings) float64 {
	return math.Nextafter(min(settings.Remember.FlagSimilarity, settings.Remember.MergeSimilarity), -1)
}

// update brings the index along to a snapshot. Where that was made of the last one by
// [workspace.FileStore.Reload], it costs what has changed; else a comparison of digests
// besides.
func (x *Index) update(snap *memory.Snapshot) {
	if x.snap == snap {
		return
	}
	x.snap = snap
	if len(x.kinds) == 0 { // all that it will hold is of this snapshot
		clear(x.put)
		return
	}
	fresh := make(map[string]bool, len(x.of))
	for _, m := range snap.Memories() {
		if !x.kinds[rules.Kind(m)] {
			continue
		}
		key := m.Ref.String()
		fresh[key] = true
		switch was := x.of[key]; {
		case was == m:
		case was != nil && was.Checksum() == m.Checksum():
			x.of[key] = m
		default:
			x.add(key, m)
		}
	}
	for key := range x.of {
		if !fresh[key] {
			x.remove(key)
			delete(x.of, key)
		}
	}
	clear(x.put)
}

// hold makes sure that the memories of a kind are in the index.
func (x *Index) hold(kind string) {
	if x.kinds[kind] {
		return
	}
	x.kinds[kind] = true
	for _, m := range x.snap.Memories() {
		if rules.Kind(m) == kind {
			x.add(m.Ref.String(), m)
		}
	}
	for key, m := range x.put {
		if rules.Kind(m) == kind {
			x.add(key, m)
		}
	}
}

func (x *Index) add(key string, m *memory.Memory) {
	key = strings.Clone(key) // which may be a part of all that was read with the memory, and stays when that goes
	x.remove(key)
	x.of[key] = m
	if strings.TrimSpace(m.Text()) == "" {
		return
	}
	x.near.Add(key, recordText(m, m.Text()))
	for i, v := range memory.Variants(m) {
		x.near.Add(variantKey(key, i), recordText(m, v.Words()))
		x.others[key] = i + 1
	}
}

// remove takes out what a memory says.
func (x *Index) remove(key string) {
	x.near.Remove(key)
	for i := range x.others[key] {
		x.near.Remove(variantKey(key, i))
	}
	delete(x.others, key)
}

// variantKey is the key of a variant of the memory at a place, and placeOf the place of either.
func variantKey(key string, i int) string { return key + "\x00" + strconv.Itoa(i) }

func placeOf(key string) (place string, variant bool) {
	place, _, variant = strings.Cut(key, "\x00")
	return place, variant
}

// Saved adds a memory that was just saved beside those of a snapshot: it counts until the
// next one.
func (x *Index) Saved(snap *memory.Snapshot, m *memory.Memory) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.update(snap)
	key := m.Ref.String()
	x.put[key] = m
	if x.kinds[rules.Kind(m)] {
		x.add(key, m)
	}
}

// Pending are the memories that were saved since the snapshot of the last check.
func (x *Index) Pending() []*memory.Memory { return slices.Collect(maps.Values(x.put)) }

func recordText(m *memory.Memory, text string) similarity.Record {
	return similarity.Record{Block: rules.Kind(m), Tags: m.Tags, Text: similarity.Prepare(text)}
}

// judged bounds how many similar memories are looked at word by word.
const judged = 32

// match is a similar memory.
type match struct {
	*memory.Memory
	tags, content float64
	variant       bool // one of its variants is similar: only what it says already can be merged for that
}

// Check returns what would become of a memory that is not saved yet: the memory that it would be merged into or flagged
// with, nil for none, and why.
func (x *Index) Check(snap *memory.Snapshot, settings config.Settings, fresh *memory.Memory) (*memory.Memory, Verdict) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.update(snap)
	x.hold(rules.Kind(fresh))
	return decide(snap, settings, fresh, x)
}

// decide chooses among the memories that are similar to a new one: the one that it can be merged into, else the
// most similar one that it is flagged with: of several the one that says the same, then one that says more.
func decide(snap *memory.Snapshot, settings config.Settings, fresh *memory.Memory, x *Index) (into *memory.Memory, v Verdict) {
	if strings.TrimSpace(fresh.Text()) == "" {
		return nil, v
	}
	reader := &rules.Reader{} // the draft is read once
	if x != nil && x.Reader != nil {
		reader = x.Reader
	}
	n, best := 0, len(ranks)
	for other := range similarTo(snap, settings, fresh, x) {
		found := reader.Saving(snap, rules.Request{Settings: settings}, other.Memory, fresh, other.content, best < len(ranks))
		if other.variant && found.Saying != rules.SaysLess {
			continue
		}
		rank := slices.Index(ranks[:], found.Saying)
		if found.Reason != "" {
			rank = len(ranks) - 1
		}
		if flag := other.content >= settings.Remember.FlagSimilarity || found.Saying != rules.SaysOther; flag && rank < best {
			into, v, best = other.Memory, Verdict{other.tags, other.content, found}, rank
		}
		if n++; best == 0 || n == judged {
			break
		}
	}
	return into, v
}

// ranks are the relations in the order in which they are looked for.
var ranks = [...]rules.Saying{rules.SaysSame, rules.SaysLess, rules.SaysMore, rules.SaysOther}

// similarTo yields the memories that a new one is like, the most similar first.
func similarTo(snap *memory.Snapshot, settings config.Settings, fresh *memory.Memory, x *Index) iter.Seq[match] {
	if x == nil {
		return compared(snap, settings, fresh)
	}
	return func(yield func(match) bool) {
		for n := range x.near.Near(recordText(fresh, fresh.Text())) {
			place, variant := placeOf(n.Key)
			if m := x.of[place]; m != nil && !yield(match{m, n.TagOverlap, n.Content, variant}) {
				return
			}
		}
	}
}

// compared is similar without an index.
func compared(snap *memory.Snapshot, settings config.Settings, fresh *memory.Memory) iter.Seq[match] {
	var all []match
	mine, kind, over := recordText(fresh, fresh.Text()), rules.Kind(fresh), similarAbove(settings)
	for _, m := range snap.Memories() {
		if rules.Kind(m) != kind || strings.TrimSpace(m.Text()) == "" {
			continue
		}
		like := func(text string, variant bool) {
			if content := similarity.Content(mine.Text, similarity.Prepare(text)); content > over {
				all = append(all, match{m, similarity.Tags(fresh.Tags, m.Tags), content, variant})
			}
		}
		like(m.Text(), false)
		for _, v := range memory.Variants(m) {
			like(v.Words(), true)
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.content, a.content) })
	return slices.Values(all)
}
