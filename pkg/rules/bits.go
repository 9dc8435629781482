package rules

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits        { return make(bits, (n+63)/64) }
func (b bits) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bits) add(i int32)      { b[i>>6] |= 1 << (i & 63) }
