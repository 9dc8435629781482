package workspace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/zeebo/xxh3"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// Inventory is what a process that stays keeps in mind of a workspace, so that
// bringing the indexes into line costs what has changed: of every file its
// identity, a digest and the ids in it, of every index whether it agreed. No text
// is kept. It serves one goroutine at a time.
//
// After a comparison or an update without an error the indexes are, byte for byte,
// as [FileStore.Reindex] leaves them, but for those that what can't be read
// concerns: these stand still, where Reindex would write none at all. What an
// update can't be sure of it reads again, if need be the whole workspace.
//
// A file holds what it held when it is the same file with the same size and the
// same times of its last write and change, and these were old enough to tell when
// it was read. On a network file system a comparison reads everything again.
type Inventory struct {
	// Patience is how long after its last write a file that doesn't parse may be half
	// written: until then what it held before counts.
	Patience time.Duration

	store    *FileStore
	files    map[string]*holding       // memory files
	indexes  map[string]*listing       // by their directories
	hidden   map[string]memory.Problem // directories that can't be read
	unread   map[string]bool           // those of indexes that the disk has never given
	complete bool                      // all of the workspace has been looked at
	together int                       // how many files are read before their indexes are brought along
}

// holding is what is known of a memory file.
type holding struct {
	mark     fileMark
	sum      digest
	memories []heldMemory
	owner    string // the directory of the index that they belong to; "" for none
	unsure   bool   // that is of before: what it holds now can't be told
	problem  *memory.Problem
}

// heldMemory is what is known of a memory in a file.
type heldMemory struct {
	id   string
	kind unique.Handle[kind]
}

// kind is what many memories share.
type kind struct {
	typ, scope string // of scope the kind
	archived   bool
}

// working is how many live working memories a file holds.
func (h *holding) working() (n int) {
	for _, m := range h.memories {
		if k := m.kind.Value(); k.typ == memory.Working && !k.archived {
			n++
		}
	}
	return n
}

// listing is what is known of an index.
type listing struct {
	mark    fileMark
	kind    indexKind
	sum     string // of the bytes that agreed with the files; "" for none
	doubt   bool   // to be compared as a whole
	unsure  bool   // as in holding
	problem *memory.Problem
	slot    string // where its displaced content is kept
}

type indexKind int

const (
	missing indexKind = iota // none is there; one is made when there are memories for it
	damaged                  // no JSON, which is as good as none
	proper                   // lists memories
	foreign                  // lists something else
	unread                   // the disk has never given it
)

// there reports whether an index of this kind keeps another from being made.
func (k indexKind) there() bool { return k >= proper }

// owns reports whether memories belong to it.
func (k indexKind) owns() bool { return k == proper || k == unread }

// Refreshed is what a comparison or an update did.
type Refreshed struct {
	Written []Reindexed
	// Later are files to be looked at again in a moment: they seem to be half
	// written, or somebody wrote them just now.
	Later []string
	// Standing is what can't be read or written, and which indexes stand still for
	// it. Nil for nothing; else it is worth looking again.
	Standing error
}

// Inventory returns one that knows nothing yet.
func (s *FileStore) Inventory() *Inventory {
	return &Inventory{store: s, Patience: halfSaved, together: 4096}
}

// Compare looks at every file and brings all indexes into line. An error is of the
// workspace as a whole, or of the context; after it the next look is as the first.
func (v *Inventory) Compare(ctx context.Context, now time.Time) (*Refreshed, error) {
	return v.refresh(ctx, now, nil, true)
}

// Update looks at the named files and directories, slash-separated and relative to
// the workspace, whatever became of them, and brings the indexes concerned into
// line. The first one is a comparison. Otherwise it is as [Inventory.Compare].
func (v *Inventory) Update(ctx context.Context, now time.Time, names []string) (*Refreshed, error) {
	return v.refresh(ctx, now, names, false)
}

func (v *Inventory) refresh(ctx context.Context, now time.Time, names []string, all bool) (out *Refreshed, err error) {
	release, err := v.store.lock(ctx, "reindex")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, release()); err != nil {
			*v, out = Inventory{store: v.store, Patience: v.Patience, together: v.together}, nil
		}
	}()
	if v.files == nil {
		if err := v.store.writer().DropIndexTemps(); err != nil {
			return nil, err
		}
		v.files, v.indexes, v.hidden = map[string]*holding{}, map[string]*listing{}, map[string]memory.Problem{}
	}
	l := &look{Inventory: v, ctx: ctx, now: now, out: &Refreshed{}, done: map[string]bool{}, changed: map[string]bool{}, touched: map[string]map[string]bool{}, read: map[string][]indexfile.Line{}, wanted: map[string]bool{}}
	if all = all || !v.complete; !all {
		all, err = l.some(append(slices.Clone(names), v.unsettled()...))
	}
	if err == nil && all {
		err = l.everything()
	}
	if err == nil {
		err = l.bring()
	}
	if err != nil {
		return nil, fmt.Errorf("bring the indexes into line: %w", err)
	}
	if v.complete = true; all {
		v.pack()
	}
	return l.out, nil
}

// pack puts what is known of files together. It was learnt file by file, between what is
// forgotten by now, and would keep the holes that this has left from being given back.
func (v *Inventory) pack() {
	text, memories := 0, 0
	for name, h := range v.files {
		text, memories = text+len(name), memories+len(h.memories)
		for _, m := range h.memories {
			text += len(m.id)
		}
	}
	var told strings.Builder
	told.Grow(text)
	put := func(s string) string { // no longer than there is room for, so that it stays where it is
		told.WriteString(s)
		return told.String()[told.Len()-len(s):]
	}
	owners, files := map[string]string{}, make(map[string]*holding, len(v.files))
	holdings, held := make([]holding, 0, len(v.files)), make([]heldMemory, 0, memories)
	for name, h := range v.files {
		name = put(name)
		first := len(held)
		for _, m := range h.memories {
			if at := strings.LastIndex(name, m.id); at >= 0 {
				m.id = name[at:][:len(m.id)]
			} else {
				m.id = put(m.id)
			}
			held = append(held, m)
		}
		if _, ok := owners[h.owner]; !ok {
			owners[h.owner] = strings.Clone(h.owner)
		}
		packed := *h
		packed.memories, packed.owner = slices.Clip(held[first:]), owners[h.owner]
		holdings = append(holdings, packed)
		files[name] = &holdings[len(holdings)-1]
	}
	v.files = files
}

// unsettled names what is looked at again whenever anything is.
func (v *Inventory) unsettled() (names []string) {
	for name, h := range v.files {
		if h.unsure {
			names = append(names, name)
		}
	}
	for dir, x := range v.indexes {
		if x.unsure {
			names = append(names, path.Join(dir, memory.IndexFile))
		}
	}
	return slices.AppendSeq(names, maps.Keys(v.hidden))
}

// Problems lists what can't be read, by file.
func (v *Inventory) Problems() (all []memory.Problem) {
	for _, p := range v.hidden {
		all = append(all, p)
	}
	for _, h := range v.files {
		if h.problem != nil {
			all = append(all, *h.problem)
		}
	}
	for _, x := range v.indexes {
		if x.problem != nil {
			all = append(all, *x.problem)
		}
	}
	slices.SortFunc(all, func(a, b memory.Problem) int { return strings.Compare(a.File, b.File) })
	return all
}

// Counts tells how many memories belong to each index, by its file, and how many
// live working memories there are.
func (v *Inventory) Counts() (indexes map[string]int, working int) {
	owned := make(map[string]int, len(v.indexes))
	for dir, x := range v.indexes {
		if x.kind.there() {
			owned[dir] = 0
		}
	}
	for _, h := range v.files {
		working += h.working()
		if h.owner != "" && len(h.memories) > 0 {
			owned[h.owner] += len(h.memories)
		}
	}
	indexes = make(map[string]int, len(owned))
	for dir, n := range owned {
		indexes[path.Join(dir, memory.IndexFile)] = n
	}
	return indexes, working
}

// Kinds counts the live memories by type and kind of scope.
func (v *Inventory) Kinds() map[[2]string]int {
	n := map[[2]string]int{}
	for _, h := range v.files {
		for _, m := range h.memories {
			if k := m.kind.Value(); !k.archived {
				n[[2]string{k.typ, k.scope}]++
			}
		}
	}
	return n
}

// Working reads the live working memories, and returns them as a snapshot in which
// there is nothing else but the agents and what can't be read.
func (v *Inventory) Working(at time.Time) *memory.Snapshot {
	var live []*memory.Memory
	agents := map[string]bool{}
	for name, h := range v.files {
		if in, ok := strings.CutPrefix(name, "agents/"); ok {
			if agent, _, ok := strings.Cut(in, "/"); ok {
				agents[agent] = true
			}
		}
		if h.working() > 0 {
			data, info, err := v.store.root.Read(name, jsonedit.MaxSize)
			if f := catalog.ReadFile(name, data, info, err); f != nil {
				for _, m := range f.Memories {
					if m.Type == memory.Working {
						live = append(live, m)
					}
				}
			}
		}
	}
	slices.SortStableFunc(live, func(a, b *memory.Memory) int { return strings.Compare(a.File, b.File) })
	snap := memory.NewSnapshot(at, live, nil)
	snap.Agents, snap.Problems = slices.Sorted(maps.Keys(agents)), v.Problems()
	return snap
}

// ownerOf is the directory of the index that the memories of a file belong to: the
// nearest one, or the one to be made in the file's scope directory; "" for none.
func (v *Inventory) ownerOf(file string) string {
	scope := memory.ScopeDir(file)
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		x := v.indexes[dir]
		switch there := x != nil && x.kind.there(); {
		case there && x.kind.owns(), !there && dir == scope:
			return dir
		case dir == ".":
			return ""
		}
	}
}

// identity tells a file from what may have become of it; the zero one never does.
type identity struct {
	id              durable.FileID
	size            int64
	written, change int64
}

// identify returns the identity of a file that was read when everything until
// settled had left its mark: a later change might leave the same times.
func identify(info durable.Info, settled time.Time) identity {
	if info.ChangeTime.IsZero() || !info.ChangeTime.Before(settled) || !info.ModTime.Before(settled) {
		return identity{}
	}
	return identityOf(info)
}

// fileMark tells a file from what may have become of it as its identity does, in less than half the
// room: it is a hash of that, which holds against chance. The zero one never does.
type fileMark [16]byte

func (i identity) mark() fileMark {
	if i == (identity{}) {
		return fileMark{}
	}
	return xxh3.Hash128(appendIdentity(nil, i)).Bytes()
}

// is reports whether a file is the one that had the mark, unchanged.
func (m fileMark) is(info durable.Info) bool {
	return m != fileMark{} && info.Kind == durable.Regular && m == identityOf(info).mark()
}

func identityOf(info durable.Info) identity {
	return identity{info.ID, info.Size, info.ModTime.UnixNano(), info.ChangeTime.UnixNano()}
}

func appendIdentity(to []byte, is identity) []byte {
	for _, v := range [...]uint64{is.id.Device, is.id.Number, uint64(is.size), uint64(is.written), uint64(is.change)} {
		to = binary.LittleEndian.AppendUint64(to, v)
	}
	return to
}
