package workspace

import (
	"hash/maphash"
	"unicode/utf8"
)

// names finds strings among many: where they stand in a list that is kept elsewhere. It
// is a hash table with open addressing, which costs little to make.
type names struct {
	at    func(i int) string
	equal func(a, b string) bool
	hash  func(string) uint64
	slots []int32 // one more than the first place of a string; 0: free
	next  []int32 // one more than the next place of the same string

	several bool // some string stands in several places
}

func newNames(n int, at func(i int) string, hash func(string) uint64, equal func(a, b string) bool) *names {
	size := 16
	for size < 2*n {
		size *= 2
	}
	t := &names{at: at, hash: hash, equal: equal, slots: make([]int32, size), next: make([]int32, n)}
	for i := n - 1; i >= 0; i-- { // so that the first comes first
		slot := t.slot(at(i))
		t.next[i] = t.slots[slot]
		t.several = t.several || t.next[i] != 0
		t.slots[slot] = int32(i + 1)
	}
	return t
}

// slot is where the chain of a string begins, or would.
func (t *names) slot(s string) int {
	mask := len(t.slots) - 1
	for slot := int(t.hash(s)) & mask; ; slot = (slot + 1) & mask {
		if first := t.slots[slot]; first == 0 || t.equal(t.at(int(first-1)), s) {
			return slot
		}
	}
}

// first is the first place of a string; -1 for none.
func (t *names) first(s string) int { return int(t.slots[t.slot(s)]) - 1 }

// after is the next place of the string that stands at i; -1 for none.
func (t *names) after(i int) int { return int(t.next[i]) - 1 }

var seed = maphash.MakeSeed()

func hashName(s string) uint64 { return maphash.String(seed, s) }

// hashFolded is the same for names that differ only as [fold] doesn't tell.
func hashFolded(s string) uint64 {
	var buf [256]byte
	if len(s) > len(buf) {
		return hashName(fold(s))
	}
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return hashName(fold(s))
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	return maphash.Bytes(seed, buf[:len(s)])
}

func sameFolded(a, b string) bool { return a == b || fold(a) == fold(b) }

func sameName(a, b string) bool { return a == b }
