package workspace

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// keeper copies what memories keep of the bytes they are read from, so that those can be
// overwritten by the next file: in few large pieces, and what many say alike once. Nil
// copies nothing. It is for one goroutine.
type keeper struct {
	root    durable.FS
	room    *room                // for the bytes of records; others are read again when they are asked for
	derive  func(*Memory) []byte // see [FileStore.Derive]
	reading body                 // of the memory that is being read

	words   []string // said last, by their hashes
	commons []*Common

	// The pieces, of which the next ones are cut off.
	text     []byte
	lists    []string
	numbers  []float64
	memories []Memory
	shared   []Common
}

var wordSeed = maphash.MakeSeed()

// How many are remembered: of the words about as many as a workspace of a hundred thousand
// memories has tags.
const (
	knownWords   = 4096
	knownCommons = 1024
)

// maxWord is the length of the strings that are worth looking up.
const maxWord = 64

// word keeps a string that others may say too.
func (k *keeper) word(s string) string {
	if k == nil || s == "" {
		return s
	}
	if len(s) > maxWord {
		return strings.Clone(s)
	}
	if k.words == nil {
		k.words = make([]string, knownWords)
	}
	known := &k.words[maphash.String(wordSeed, s)%knownWords]
	if *known != s {
		*known = k.own(s)
	}
	return *known
}

// own keeps a string that no other says.
func (k *keeper) own(s string) string {
	if k == nil || s == "" {
		return s
	}
	k.text = piece(k.text, len(s), 16<<10)
	at := len(k.text)
	k.text = append(k.text, s...)
	return viewString(k.text[at:])
}

// path is the name of a file in a directory.
func (k *keeper) path(dir, name string) string {
	if dir == "" {
		return name
	}
	k.text = piece(k.text, len(dir)+1+len(name), 16<<10)
	at := len(k.text)
	k.text = append(append(append(k.text, dir...), '/'), name...)
	return viewString(k.text[at:])
}

// strings keeps a list of strings that are kept already.
func (k *keeper) strings(list []string) []string {
	switch {
	case len(list) == 0:
		return nil
	case k == nil:
		return slices.Clone(list)
	}
	k.lists = piece(k.lists, len(list), 512)
	at := len(k.lists)
	k.lists = append(k.lists, list...)
	return k.lists[at:len(k.lists):len(k.lists)]
}

func (k *keeper) float(n float64) *float64 {
	if k == nil {
		own := n
		return &own
	}
	k.numbers = append(piece(k.numbers, 1, 256), n)
	return &k.numbers[len(k.numbers)-1]
}

// memory is a new one.
func (k *keeper) memory() *Memory {
	if k == nil {
		return &Memory{}
	}
	k.memories = piece(k.memories, 1, 32)
	k.memories = k.memories[:len(k.memories)+1]
	return &k.memories[len(k.memories)-1]
}

// piece returns room for n more: behind what is there, or a new piece, of twice the size
// until that is most.
func piece[T any](in []T, n, most int) []T {
	if cap(in)-len(in) >= n {
		return in
	}
	return make([]T, 0, max(n, min(2*cap(in), most), 8))
}

// common lets a memory share with those read before what they say alike.
func (k *keeper) common(c Common) *Common {
	if k == nil {
		own := c
		return &own
	}
	if k.commons == nil {
		k.commons = make([]*Common, knownCommons)
	}
	known := &k.commons[c.hash()%knownCommons]
	if *known == nil || **known != c {
		k.shared = append(piece(k.shared, 1, 64), c)
		*known = &k.shared[len(k.shared)-1]
	}
	return *known
}

// hash is one by which most that differ do so, in this process.
func (c *Common) hash() uint64 {
	h := uint64(0)
	for _, s := range [...]string{c.Type, c.CreatedBy, c.Scope.ID, c.Priority} {
		h = h*0x9E3779B97F4A7C15 + maphash.String(wordSeed, s)
	}
	return h
}

// keep derives what is to be derived of a memory's bytes, and keeps these while there is
// room.
func (k *keeper) keep(m *Memory, b body) {
	if k == nil {
		own := b
		own.place = place{}
		m.body = &own
		return
	}
	if b.said = saysWord(viewBytes(b.content.Raw)); !b.said {
		b.each(func(_ string, v []byte) bool {
			b.said = saysWord(v)
			return !b.said
		})
	}
	if k.derive != nil {
		k.reading = b
		m.body = &k.reading
		m.derived = k.derive(m)
		m.body = nil
	}
	if k.room.spare(len(b.raw)) {
		own := body{raw: slices.Clone(b.raw), title: strings.Clone(b.title), said: b.said}
		if at := b.content.Index; b.content.Exists() {
			own.content = valueOf(own.raw[at : at+len(b.content.Raw)])
			own.content.Index = at
		}
		m.body = &own
	}
}

// saysWord reports whether a value is a string that begins with a character of ASCII:
// most texts do, and none of them is blank.
func saysWord(v []byte) bool {
	return len(v) > 2 && v[0] == '"' && v[1] > ' ' && v[1] != '\\' && v[1] < utf8.RuneSelf
}

// index gives the text of an index when somebody asks for it; what is gone by then is
// empty.
func (k *keeper) index(name string, data []byte) func() []byte {
	switch {
	case k == nil:
	case k.room.take(len(data)):
		data = slices.Clone(data)
	default:
		return readLater(k.root, name)
	}
	return func() []byte { return data }
}

// readLater reads a file when it is asked for; what is gone by then is empty.
func readLater(root durable.FS, name string) func() []byte {
	return func() []byte {
		data, _, _ := root.Read(name, jsonedit.MaxSize)
		return data
	}
}
