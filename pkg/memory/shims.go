package memory

import "slices"

// What follows is for callers that have not moved on yet.

// Room is ignored.
type Room struct{}

// Rows is empty.
type Rows struct{}

// Len is how many live memories there are.
func (s *Snapshot) Len() int { return len(s.live) }

// Total is how many memories there are.
func (s *Snapshot) Total() int { return len(s.live) + len(s.archived) }

// Memory is the i-th of all memories, of which the live ones come first.
func (s *Snapshot) Memory(i int) *Memory {
	if n := len(s.live); i >= n {
		return s.archived[i-n]
	}
	return s.live[i]
}

// Glance is Memory(i).
func (s *Snapshot) Glance(i int, _ *Room) *Memory { return s.Memory(i) }

// Made is Memory(i).
func (s *Snapshot) Made(i int) *Memory { return s.Memory(i) }

// ID is that of Memory(i).
func (s *Snapshot) ID(i int) string { return s.Memory(i).ID }

// TagCount is how many tags Memory(i) has.
func (s *Snapshot) TagCount(i int) int { return len(s.Memory(i).Tags) }

// Commons is zero.
func (s *Snapshot) Commons() int { return 0 }

// CommonOf is unknown.
func (s *Snapshot) CommonOf(int) int { return -1 }

// Row is unknown.
func (s *Snapshot) Row(int) int { return -1 }

// Rows is empty.
func (s *Snapshot) Rows() *Rows { return &Rows{} }

// Follow does nothing.
func (s *Snapshot) Follow(*Rows) {}

// Findings is nil.
func (s *Snapshot) Findings() []byte { return nil }

// Rest does nothing.
func (s *Snapshot) Rest(bool) {}

// Sighted reports whether a run may have noted what it saw.
func (s *Snapshot) Sighted() bool { return s.Seen != nil && len(s.Seen()) > 0 }

// Same reports whether another snapshot has the very same memories.
func (s *Snapshot) Same(other *Snapshot) bool {
	return other != nil && slices.Equal(s.live, other.live) && slices.Equal(s.archived, other.archived)
}

// Stayed tells of each memory where in an earlier snapshot the very same one is, -1 where it
// has come or changed since.
func (s *Snapshot) Stayed(was *Snapshot) []int32 {
	places := make(map[*Memory]int32, was.Total())
	for i := range was.Total() {
		places[was.Memory(i)] = int32(i)
	}
	at := make([]int32, s.Total())
	for i := range at {
		place, ok := places[s.Memory(i)]
		if at[i] = -1; ok {
			at[i] = place
		}
	}
	return at
}

// Repeats reports whether several memories have an id.
func (s *Snapshot) Repeats(id string) bool { return len(s.ids().more[id]) > 0 }

// Repeating reports whether several memories have one id.
func (s *Snapshot) Repeating() bool { return len(s.ids().more) > 0 }

// KnownFingerprint is that of Memory(i), if it has been computed; else zero.
func (s *Snapshot) KnownFingerprint(i int) uint64 { return s.Memory(i).KnownFingerprint() }

// KnowFingerprint sets it.
func (s *Snapshot) KnowFingerprint(i int, print uint64) { s.Memory(i).KnowFingerprint(print) }

// PassTexts gives the texts of live memories to f, by their numbers in places.
func (s *Snapshot) PassTexts(places []int32, f func(n int, text string)) {
	for n, place := range places {
		f(n, s.live[place].Text())
	}
}

// Texts are the texts of several memories.
func Texts(ms []*Memory) (texts []string, done func()) {
	for _, m := range ms {
		texts = append(texts, m.Text())
	}
	return texts, func() {}
}

// Summaries are the lines that stand for several memories, as [Memory.Summary] tells them.
func Summaries(ms []*Memory) []string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i], _ = m.Summary()
	}
	return lines
}

// Size is how many bytes the record of a memory in a collection has; zero for another one.
func (m *Memory) Size() int {
	if m.Whole() {
		return 0
	}
	return int(m.size)
}
