package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"
	"time"
)

// cache compares what the cache tells of the files with a reading that asks nobody. One
// that is damaged, or not of this workspace, is no problem: nobody would use it.
func (c *checker) cache() error {
	var fresh *survey
	if c.examined != nil {
		fresh = c.examined.survey
	}
	for range 2 { // files may change between two readings
		known, err := c.survey(true)
		if err != nil || known == nil || !known.cached {
			return err
		}
		if fresh == nil {
			if fresh, err = c.survey(false); err != nil {
				return err
			}
		}
		differs := difference(fresh, known)
		if differs == "" {
			return nil
		}
		if c.cacheDiffers == differs {
			c.add(Error, CacheFile, "", "", "disagrees with the files: "+differs, "delete "+CacheFile+", or run \"memory check --fix\": it is made again from the files")
			return nil
		}
		c.cacheDiffers, fresh = differs, nil
	}
	return nil
}

// survey is what reading all files once has found.
type survey struct {
	*scanner
	besides []string // memories, in words
}

// survey reads the files, with the help of the cache or without.
func (c *checker) survey(cached bool) (*survey, error) {
	store := newStore(c.store.root, c.store.dir)
	store.network, store.Racy, store.Derive, store.NoCache = c.store.network, c.store.Racy, c.store.Derive, !cached
	if cached {
		if _, err := store.root.Stat(CacheFile); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	l, err := store.scan()
	if err != nil {
		return nil, err
	}
	l.order()
	return &survey{l, besides(l.finds, l.teamDirs, l.agents)}, nil
}

// besides tells in words, sorted, what reading files has found besides memories.
func besides(f finds, teamDirs, agents []string) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, x := range f.indexes {
		if x.Foreign {
			add("the index %s, which lists no memories,", x.File)
		} else {
			add("the index %s", x.File)
		}
	}
	for _, p := range f.problems {
		add("%s %s (%s %s)", p.File, p.Place, p.Severity, p.Message)
	}
	for _, a := range f.arrays {
		add("the list %s", a)
	}
	for agent, team := range f.teams {
		add("the team %s of the agent %s", team, agent)
	}
	for _, dir := range teamDirs {
		add("the directory teams/%s", dir)
	}
	for _, dir := range agents {
		add("the directory agents/%s", dir)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inOne names the first of two lists in one order that isn't in both; "" for none.
func inOne(fresh, known iter.Seq[string]) string {
	next, stop := iter.Pull(known)
	defer stop()
	other, more := next()
	for name := range fresh {
		if !more || other != name {
			return name + " is missing"
		}
		other, more = next()
	}
	if more {
		return other + " is there no more"
	}
	return ""
}

// difference names the first thing that two readings tell otherwise; "" for none.
func difference(fresh, known *survey) string {
	if differs := cmp.Or(inOne(fresh.files, known.files), inOne(slices.Values(fresh.besides), slices.Values(known.besides))); differs != "" {
		return differs
	}
	for i := range fresh.ordered {
		group, other := fresh.ordered[i].all(), known.ordered[i].all()
		for k, m := range group {
			if k >= len(other) {
				return m.Ref.String() + " is missing"
			}
			if other := other[k]; m.Ref.String() != other.Ref.String() || !sameRow(m, other) {
				return m.Ref.String()
			}
		}
		if more := other[len(group):]; len(more) > 0 {
			return more[0].Ref.String() + " is there no more"
		}
	}
	if known.known == nil {
		return ""
	}
	place := 0
	ids := idFinder(imageIDs{known.known})
	if known.changed {
		ids = known.knownIDs()
	}
	shared := map[string][]int{} // where several may have one id, all of each
	for _, group := range fresh.ordered {
		for i := range group.len() {
			if id := group.id(i); ids.repeated() {
				shared[id] = append(shared[id], place)
			} else if !slices.Equal(ids.find(id), []int{place}) {
				return group.at(i).Ref.String() + " is not found by its id"
			}
			place++
		}
	}
	for id, places := range shared {
		if !slices.Equal(ids.find(id), places) {
			return "what has the id " + id + " is not found by it"
		}
	}
	return ""
}

// sameRow reports whether the cache would keep the same of two memories.
func sameRow(a, b *Memory) bool {
	for i, list := range a.Links.all() {
		if !slices.Equal(*list, *b.Links.all()[i]) {
			return false
		}
	}
	sameNumber := func(p, q *float64) bool {
		return p == nil && q == nil || p != nil && q != nil && math.Float64bits(*p) == math.Float64bits(*q)
	}
	sameTime := func(t, u time.Time) bool {
		_, east := t.Zone()
		_, other := u.Zone()
		return t.Equal(u) && east == other
	}
	return a.ID == b.ID && a.from == b.from && a.size == b.size && *a.Common == *b.Common && slices.Equal(a.Tags, b.Tags) && a.AccessCount == b.AccessCount && a.checksum == b.checksum &&
		bytes.Equal(a.derived, b.derived) && sameNumber(a.Confidence, b.Confidence) && sameNumber(a.Importance, b.Importance) &&
		sameTime(a.CreatedAt, b.CreatedAt) && sameTime(a.UpdatedAt, b.UpdatedAt) && sameTime(a.LastAccessed, b.LastAccessed)
}

// fixCache deletes a cache that disagrees with the files, and reports whether it did.
func (s *FileStore) fixCache() (bool, error) {
	c := &checker{store: s}
	if err := c.cache(); err != nil || len(c.problems) == 0 {
		return false, err
	}
	return true, s.RemoveCache()
}
