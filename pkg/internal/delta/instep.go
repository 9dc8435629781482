package delta

import (
	"bytes"
	"encoding/binary"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

const (
	probe  = 64       // bytes that are looked for where two texts are out of step
	sure   = 256      // as many have to agree for them to be in step again
	window = 64 << 10 // how far ahead that is looked for
	tries  = 16       // places of a probe that are tried
	effort = 32       // how often each byte is looked at for it, on average
)

// inStep is what text has in common with from, going through both at once, as parts of text
// that stand in from. Where they are out of step, the next bytes of the one are looked for in the
// next ones of the other. It ends early where it has become dear, or finds nothing near: it
// suits texts of which one is an edit of the other.
func inStep(from, text []byte) (kept []jsonedit.Kept) {
	left := effort * (len(from) + len(text))
	i, j := 0, 0
	for {
		if n := common(from[i:], text[j:]); n > 0 {
			kept = append(kept, jsonedit.Kept{Old: j, New: i, Len: n})
			i, j = i+n, j+n
		}
		a, b, ok := resume(from[i:], text[j:], &left)
		if !ok {
			return kept
		}
		i, j = i+a, j+b
	}
}

// resume finds where two texts that begin differently are in step again. left is how many bytes
// may be looked at for it.
func resume(from, text []byte, left *int) (inFrom, inText int, ok bool) {
	from, text = from[:min(len(from), window+sure)], text[:min(len(text), window+sure)]
	for size := window >> 4; ; size <<= 2 {
		near := from[:min(len(from), size)]
		for at := 0; at+probe <= min(len(text), size); at += probe {
			for pos, tried := 0, 0; tried < tries; pos, tried = pos+1, tried+1 {
				if *left -= len(near) - pos; *left < 0 {
					return 0, 0, false
				}
				k := bytes.Index(near[pos:], text[at:at+probe])
				if k < 0 {
					break
				}
				if pos += k; common(from[pos:], text[at:]) < min(sure, len(from)-pos, len(text)-at) {
					continue
				}
				for pos > 0 && at > 0 && from[pos-1] == text[at-1] {
					pos, at = pos-1, at-1
				}
				return pos, at, true
			}
		}
		if size >= window {
			return 0, 0, false
		}
	}
}

// common is how many bytes two texts begin with alike.
func common(a, b []byte) (n int) {
	for n+8 <= len(a) && n+8 <= len(b) && binary.NativeEndian.Uint64(a[n:]) == binary.NativeEndian.Uint64(b[n:]) {
		n += 8
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
