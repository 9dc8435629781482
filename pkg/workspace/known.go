package workspace

import (
	"path"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// known is what files held when they were last read. A file holds it still when it
// is the same file with the same size and the same times of its last write and
// change; the latter no program can set. What is written is never decided by it, but
// by the digests of what stands in the file at that moment.
type known map[string]content

// content is what one file held.
type content struct {
	id              durable.FileID
	size            int64
	written, change time.Time
	finds           *finds
}

// racy is how young a change may be that the clock of the file system doesn't tell
// from a later one (the rule of git for its index, with the granularity of FAT).
const racy = 2 * time.Second

// note keeps what was found in a file, unless it changed after settled: another
// change might leave the same times.
func (k known) note(name string, settled time.Time, info durable.Info, one *finds) {
	if info.ChangeTime.IsZero() || !info.ChangeTime.Before(settled) || !info.ModTime.Before(settled) {
		return
	}
	k[name] = content{info.ID, info.Size, info.ModTime, info.ChangeTime, one}
}

// reuse returns what tells, of the files of a batch, whether they hold what is
// known, and takes that in; nil where nothing is.
func (f *finds) reuse(b batch, known known) func(i int, info durable.Info) bool {
	if len(known) == 0 {
		return nil
	}
	return func(i int, info durable.Info) bool {
		name := path.Join(b.dir, b.names[i])
		c, ok := known[name]
		if !ok || info.Kind != durable.Regular || c.id != info.ID || c.size != info.Size ||
			!c.written.Equal(info.ModTime) || !c.change.Equal(info.ChangeTime) {
			return false
		}
		f.learned[name] = c
		f.add(c.finds)
		return true
	}
}
