package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"slices"
	"time"
)

// cache compares what the cache tells of the files with a reading that asks nobody. One
// that is damaged, or not of this workspace, is no problem: nobody would use it.
func (c *checker) cache() error {
	var fresh *scanner
	if c.examined != nil {
		fresh = c.examined.scan
	}
	for range 2 { // files may change between two readings
		known, err := c.reading(true)
		if err != nil || known == nil || !known.cached {
			return err
		}
		if fresh == nil {
			if fresh, err = c.reading(false); err != nil {
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

// reading reads the files, with the help of the cache or without.
func (c *checker) reading(cached bool) (*scanner, error) {
	store := newStore(c.store.root, c.store.dir)
	store.network, store.Racy, store.Derive, store.NoCache = c.store.network, c.store.Racy, c.store.Derive, !cached
	if cached {
		if _, err := store.root.Stat(CacheFile); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	l, err := store.scan()
	if err == nil {
		l.order()
	}
	return l, err
}

// difference names the first memory that two readings tell otherwise; "" for none.
func difference(fresh, known *scanner) string {
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
	if known.places != nil {
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
