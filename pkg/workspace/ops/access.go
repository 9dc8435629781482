package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
)

// Files that tell how memories are used, one JSON object a line.
const (
	// AccessFile is the access log: reads of memories that their records don't count yet.
	// Reading a memory appends to it and writes no memory file; a plan to fold brings the
	// counts into the records.
	AccessFile = accesslog.File
	// GivenFile tells which memories agents were given unasked.
	GivenFile = accesslog.Given
)

// Use says how memories were used.
type Use struct {
	At      time.Time
	Session string // "": none; then a memory counts once a day (UTC), else once in the session
	From    string // through what: a command, a tool, a prompt
	N       int64  // above 0: so many count, whatever else was noted
}

// once is what a use counts for.
func (u Use) once() string {
	switch {
	case u.N > 0:
		return ""
	case u.Session == "":
		return u.At.UTC().Format(time.DateOnly)
	case len(u.Session) > 128:
		return durable.Sum([]byte(u.Session))
	}
	return u.Session
}

// NoteRead notes that memories were read. It takes no lock and waits for nobody, but when
// the file has to be compacted.
func (o *Ops) NoteRead(u Use, ids ...string) error {
	if err := o.noteUse(AccessFile, u, ids, func(doc []byte) []byte {
		return accesslog.Left(doc, func(string) bool { return false })
	}); err != nil {
		return fmt.Errorf("count reads: %w", err)
	}
	return nil
}

// NoteGiven notes that memories were given to an agent unasked, likewise.
func (o *Ops) NoteGiven(u Use, ids ...string) error {
	if err := o.noteUse(GivenFile, u, ids, accesslog.Merged); err != nil {
		return fmt.Errorf("note what was given: %w", err)
	}
	return nil
}

// compactFrom is from how many bytes on a file is compacted where that halves it.
const compactFrom = 128 << 10

// noteTries is how often a line is appended to a file that is compacted at this very moment.
const noteTries = 3

// noteUse appends a line for each memory of which the file doesn't tell as much already. A line
// that went into a file which was replaced at this moment is appended again: it counts once.
func (o *Ops) noteUse(name string, u Use, ids []string, compacted func([]byte) []byte) error {
	if len(ids) == 0 {
		return nil
	}
	if err := o.mayWrite(); err != nil {
		return err
	}
	for try := 1; ; try++ {
		doc, _, err := o.root.Read(name, jsonedit.MaxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(doc) > compactFrom && len(compacted(doc)) <= len(doc)/2 {
			// Whoever writes at the moment leaves it for the next time.
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			err := o.swap(ctx, name, "compact", compacted)
			cancel()
			if err == nil {
				continue
			}
		}
		log := accesslog.Parse(doc)
		text := []byte("\n") // ends a line that an interrupted writer left
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			if l := (accesslog.Line{ID: id, At: u.At.UTC(), N: u.N, From: u.From, Once: u.once()}); !log.Known(l) {
				text = accesslog.Append(text, l)
			}
		}
		if len(text) == 1 {
			return nil
		}
		err = o.root.Append(name, text)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err = durable.MkdirAll(o.root, memory.OpsDir); err == nil {
				err = o.root.Append(name, text)
			}
		}
		if err != nil {
			return err
		}
		info, err := o.root.Stat(name)
		if u.N > 0 || try == noteTries || err == nil && info.Size >= int64(len(doc)+len(text)) {
			return nil
		}
	}
}

// ReadUses reads [AccessFile] or [GivenFile]; nothing where there is none.
func ReadUses(root durable.FS, name string) (accesslog.Log, error) {
	doc, _, err := root.Read(name, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return accesslog.Log{}, nil
	}
	return accesslog.Parse(doc), err
}
