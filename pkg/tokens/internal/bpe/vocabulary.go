package bpe

import (
	"errors"
	"fmt"
	"math/bits"
)

const (
	header    = 1 // byte: how long the longest token is
	slotSize  = 5 // bytes: the hash above, the rank below
	perBucket = 4
	rankBits  = 18
	maxRank   = 1<<rankBits - 1 // of a slot that is free
	free      = 1<<(8*slotSize) - 1
	none      = ^uint32(0)
)

// Vocabulary tells which byte strings are tokens. It reads the bytes that Build made.
type Vocabulary string

// Has reports whether a text is one token.
func (v Vocabulary) Has(text string) bool { return v.rank(text) != none }

// rank is the place of a token in the order of merges; none for what is no token.
func (v Vocabulary) rank(token string) uint32 {
	if len(token) > int(v[0]) {
		return none
	}
	buckets := uint64(len(v)-header) / (slotSize * perBucket)
	h := hash(token)
	print := h >> (64 - 8*slotSize + rankBits)
	for _, b := range both(h, buckets) {
		at := header + int(b)*slotSize*perBucket
		for s := v[at : at+slotSize*perBucket]; len(s) > 0; s = s[slotSize:] {
			if slot := read(s); slot>>rankBits == print && slot&maxRank != maxRank {
				return uint32(slot & maxRank)
			}
		}
	}
	return none
}

func read(s Vocabulary) uint64 {
	_ = s[4]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32
}

// hash is FNV-1a (Fowler, Noll and Vo), stirred so that every bit depends on all.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// both are the two buckets in which a hash may be.
func both(h, buckets uint64) [2]uint64 {
	b, _ := bits.Mul64(h<<32, buckets)
	c, _ := bits.Mul64(h*0x9e3779b97f4a7c15, buckets)
	return [2]uint64{b, c}
}

// Build makes the bytes of a vocabulary from its tokens in the order of their ranks.
// Empty ones are left out. It fails if a token is longer than 255 bytes, or there are
// more than 262,142.
func Build(tokens []string) (Vocabulary, error) {
	if len(tokens) >= maxRank {
		return "", fmt.Errorf("%d tokens are too many: at most %d have room", len(tokens), maxRank-1)
	}
	longest := 0
	hashes := make([]uint64, len(tokens)) // by rank
	for rank, token := range tokens {
		longest = max(longest, len(token))
		hashes[rank] = hash(token)
	}
	if longest > 255 {
		return "", fmt.Errorf("a token of %d bytes is too long: at most 255", longest)
	}
	buckets := uint64(len(tokens))*100/(95*perBucket) + 2
	slots := table(tokens, hashes, buckets)
	for more := uint64(1); slots == nil; more *= 2 { // of few buckets both of a token may be full, and of its neighbours
		if more > 1<<12 {
			return "", errors.New("the table is too full: some token stands there many times")
		}
		slots = table(tokens, hashes, buckets+more)
	}
	out := []byte{byte(longest)}
	for _, slot := range slots {
		for i := range slotSize {
			out = append(out, byte(slot>>(8*i)))
		}
	}
	return Vocabulary(out), nil
}

// table has the tokens in so many buckets; nil if they don't go into them.
func table(tokens []string, hashes []uint64, buckets uint64) []uint64 {
	slots := make([]uint64, buckets*perBucket)
	for i := range slots {
		slots[i] = free
	}
	for rank, token := range tokens {
		if token != "" && !insert(slots, hashes, buckets, uint32(rank)) {
			return nil
		}
	}
	return slots
}

// insert puts a token into one of its buckets; where both are full another one has to
// move.
func insert(slots, hashes []uint64, buckets uint64, rank uint32) bool {
	for move := range uint64(10_000) {
		h := hashes[rank]
		slot := h>>(64-8*slotSize+rankBits)<<rankBits | uint64(rank)
		two := both(h, buckets)
		for _, b := range two {
			for i := range uint64(perBucket) {
				if slots[b*perBucket+i] == free {
					slots[b*perBucket+i] = slot
					return true
				}
			}
		}
		// Which one moves is as good as chance, and the same each time.
		turn := (move + 1) * 0x9e3779b97f4a7c15 >> 60
		at := two[turn&1]*perBucket + turn>>1&(perBucket-1)
		slots[at], rank = slot, uint32(slots[at]&maxRank)
	}
	return false
}
