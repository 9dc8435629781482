package rules

import (
	"encoding/binary"
	"math"
)

// reader reads what was appended, in place. What is cut short or runs over is broken,
// and reads as zero.
type reader struct {
	rest   []byte
	broken bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest, r.broken = nil, true
		return nil
	}
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) float() float64 { return math.Float64frombits(r.u64()) }

// count reads how many things of at least size bytes follow.
func (r *reader) count(size int) int {
	n := int(r.u32())
	if n < 0 || n > len(r.rest)/size {
		r.rest, r.broken = nil, true
		return 0
	}
	return n
}

func (r *reader) bytes() []byte { return r.take(int(r.u32())) }

func (r *reader) string() string { return string(r.bytes()) }

func appendU32(out []byte, n int32) []byte { return binary.LittleEndian.AppendUint32(out, uint32(n)) }

func appendFloat(out []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(f))
}

func appendString[T string | []byte](out []byte, s T) []byte {
	return append(appendU32(out, int32(len(s))), s...)
}

// carver gives slices that are pieces of a few large ones.
type carver[T any] struct{ rest []T }

func (c *carver[T]) carve(n int) []T {
	if n > len(c.rest) {
		c.rest = make([]T, max(n, 1024))
	}
	out := c.rest[:n:n]
	c.rest = c.rest[n:]
	return out
}
