package check

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/schemas"
)

// checker collects everything that is off in a workspace.
type checker struct {
	root     durable.FS
	snap     *memory.Snapshot
	notes    *FileFindings
	problems []memory.Problem

	behind map[string]bool           // ids that an index need not list yet
	firsts map[string]*memory.Memory // of ids that several have, so that those are listed once
}

// first is the first of the memories with an id; nil for none.
func (c *checker) first(id string) *memory.Memory {
	if m, ok := c.firsts[id]; ok {
		return m
	}
	all := c.snap.Find(id)
	switch len(all) {
	case 0:
		return nil
	case 1:
	default:
		if c.firsts == nil {
			c.firsts = map[string]*memory.Memory{}
		}
		c.firsts[id] = all[0]
	}
	return all[0]
}

// Run compares a workspace with its invariants: every file parses and validates, ids are
// unique, links resolve, indexes agree with the files, the log chain holds, what was archived
// or shortened is still there in full. snap and notes come from one reading of all files;
// findings are about the workspace's own schemas. behind are the ids of what was saved a moment ago: an index may say
// nothing of them, or what was true before. The error is of reading, not of what was found.
func Run(root durable.FS, snap *memory.Snapshot, notes *FileFindings, findings []schemas.Finding, behind map[string]bool) ([]memory.Problem, error) {
	c := &checker{root: root, snap: snap, notes: notes, behind: behind}
	for _, f := range findings {
		c.add(string(f.Severity), f.Path, "", "", f.Message, "")
	}
	c.problems = append(c.problems, snap.Problems...)
	for _, group := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range group {
			c.memory(m)
		}
	}
	c.circles()
	c.copies()
	c.twins()
	c.indexes()
	c.edges()
	if err := c.checkLog(); err != nil {
		return nil, err
	}
	if err := c.checkRuns(); err != nil {
		return nil, err
	}
	c.uses()
	if err := c.strays(); err != nil {
		return nil, err
	}
	sort.SliceStable(c.problems, func(i, j int) bool { return c.problems[i].File < c.problems[j].File })
	return c.problems, nil
}

func (c *checker) add(severity, file, place, id, message, hint string) {
	c.problems = append(c.problems, memory.Problem{File: file, Place: place, ID: id, Severity: severity, Message: message, Hint: hint})
}

// circles names the memories that supersede one another in a circle.
func (c *checker) circles() {
	for _, circle := range c.snap.Circles {
		if m := c.first(circle[0]); m != nil {
			c.add(memory.Warning, m.File, m.Pointer(), m.ID, fmt.Sprintf("%s supersede one another in a circle: none of them counts as superseded", strings.Join(circle, ", ")),
				"from the one that holds remove superseded_by (\"memory edit ID --unset superseded_by\"), or the link (\"memory unlink ID SUPERSEDES ID\")")
		}
	}
}

// memory checks one record by itself and in its relations.
func (c *checker) memory(m *memory.Memory) {
	add := func(severity, message, hint string) { c.add(severity, m.File, m.Pointer(), m.ID, message, hint) }
	noted, ok := c.notes.of(m)
	if !ok { // it was changed while the files were read
		noted.findings = c.notes.schemas.ValidateMemory(m.Raw())
	}
	for _, f := range noted.findings {
		place := f.Path
		if p := m.Pointer(); p != "" {
			place = strings.TrimSpace(p + " " + f.Path)
		}
		c.add(string(f.Severity), m.File, place, m.ID, f.Message, "")
	}
	if m.Locked != "" && strings.Contains(m.Locked, memory.OnTheWay) { // others the schema has named
		add(memory.Error, m.Locked+": which one counts can't be known, so the record is never changed", "remove one of them")
	}
	if m.Conflicted && !m.Archived {
		add(memory.Warning, "two machines changed it, each in its own way: "+memory.DifferingIn(m.ConflictDifferences())+"; no rule touches it",
			fmt.Sprintf("see both and decide: \"memory review %s\"", m.ID))
	}
	if first := c.first(m.ID); first != nil && first != m {
		add(memory.Error, fmt.Sprintf("the id %s is that of %s too", m.ID, first.Ref), "change \"id\" in one of the files in an editor, or remove one of them, then run \"memory reindex\"; until then no rule touches either")
	}
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"created_at", m.CreatedAt}, {"updated_at", m.UpdatedAt}, {"last_accessed", m.LastAccessed}, {"origin.at", m.Arrived}} {
		if t.at.After(c.snap.At.Add(24 * time.Hour)) {
			add(memory.Warning, fmt.Sprintf("%s is in the future: %s", t.name, timestamp.Format(t.at)), "check the clock of whoever wrote it")
		}
	}
	for _, l := range []struct {
		name string
		ids  []string
	}{{"supersedes", m.Supersedes}, {"superseded_by", m.SupersededBy}, {"promoted_to", m.PromotedTo}, {"promoted_from", m.PromotedFrom}} {
		for _, id := range l.ids {
			if c.first(id) == nil {
				add(memory.Warning, fmt.Sprintf("%s names %s, which doesn't exist", l.name, id), "correct the id, or remove it")
			}
		}
	}
}

// indexes compares every index with what the files say.
func (c *checker) indexes() {
	found := make([][]memory.Problem, len(c.snap.Indexes))
	parallel.Tasks(len(found), func(i int) {
		if x := c.snap.Indexes[i]; !x.Foreign {
			part := &checker{root: c.root, snap: c.snap, notes: c.notes, behind: c.behind}
			part.index(x)
			x.Forget()
			found[i] = part.problems
		}
	})
	c.problems = slices.Concat(append([][]memory.Problem{c.problems}, found...)...)
	if slices.ContainsFunc(c.snap.Problems, func(p memory.Problem) bool { return p.Unread }) {
		// A memory in a file that can't be read is not gone: the file is a problem by itself.
		c.problems = slices.DeleteFunc(c.problems, func(p memory.Problem) bool {
			if !p.Gone {
				return false
			}
			_, closed := c.snap.Unread(p.ID)
			return closed
		})
	}
	have := map[string]bool{}
	for _, x := range c.snap.Indexes {
		have[path.Dir(x.File)] = true
	}
	missing := map[string]int{}
	for _, group := range [][]*memory.Memory{c.snap.Memories(), c.snap.Archived()} {
		for _, m := range group {
			if dir := memory.ScopeDir(m.File); dir != "" && !have[dir] {
				missing[dir]++
			}
		}
	}
	for dir, n := range missing {
		of := fmt.Sprintf("the %d memories", n)
		if n == 1 {
			of = "the memory"
		}
		c.add(memory.Warning, dir+"/"+memory.IndexFile, "", "", fmt.Sprintf("no index for %s below %s", of, dir), "run \"memory reindex\"")
	}
}

// index compares an index with what the files say.
func (c *checker) index(x *memory.Index) {
	for _, f := range schemas.ValidateIndex(x.Text().Doc()) {
		c.add(string(f.Severity), x.File, f.Path, "", f.Message, "run \"memory reindex\"")
	}
	for _, e := range x.Entries() {
		if e.FilePath != "" && e.File == "" {
			c.add(memory.Error, x.File, "", e.ID, fmt.Sprintf("file_path %q leads out of the directory and is ignored", e.FilePath), "run \"memory reindex\"")
		}
	}
	lines, err := c.notes.Lines(x.Owned())
	var next indexfile.Updated
	if err == nil {
		next, err = x.Text().Update(indexfile.Want{Lines: lines}, c.snap.At)
	}
	if err != nil {
		hint := "mend it, or move it away and run \"memory reindex\""
		if errors.Is(err, index.ErrReading) {
			hint = "run \"memory check\" again"
		}
		c.add(memory.Error, x.File, "", "", "can't be compared with the files: "+err.Error(), hint)
	}
	for _, d := range next.Drifts {
		if d.ID != "" && c.behind[d.ID] {
			continue
		}
		c.add(memory.Error, x.File, "", d.ID, d.Message, "run \"memory reindex\"")
		c.problems[len(c.problems)-1].Gone = d.Message == indexfile.Gone
	}
}

// uses looks through the files that tell how memories are used.
func (c *checker) uses() {
	for _, name := range []string{ops.AccessFile, ops.GivenFile} {
		log, err := ops.ReadUses(c.root, name)
		if err != nil {
			continue // the snapshot says so
		}
		if n := len(log.Bad); n > 0 {
			c.add(memory.Warning, name, "", fmt.Sprintf("line %d", log.Bad[0]), fmt.Sprintf("%d of its lines can't be read and count nothing", n),
				"delete them, or let them be: they go when the file is next compacted")
		}
		for _, id := range slices.Sorted(maps.Keys(log.ByID)) {
			if at := log.ByID[id].At; at.After(c.snap.At.Add(24 * time.Hour)) {
				c.add(memory.Warning, name, "", id, "a use is in the future: "+timestamp.Format(at), "check the clock of whoever wrote it; until then the memory counts as used")
			}
		}
	}
}

// strays finds what an interrupted writer left.
func (c *checker) strays() error {
	return durable.Walk(c.root, ".", func(name string, kind durable.Kind) bool {
		if name == journal.ConflictsDir {
			return false // what is kept there has been reported
		}
		if kind != durable.Dir && strings.HasPrefix(path.Base(name), durable.TempPrefix) {
			c.add(memory.Warning, name, "", "", "left behind by an interrupted writer", "delete it when no memoryd is running")
		}
		return name != ".git" && name != cacheDir
	})
}

// edges looks through the files of judged edges: whether they can be read, and whether both ends of each edge exist. What is not JSON the
// snapshot tells.
func (c *checker) edges() {
	for _, name := range c.snap.Files {
		if path.Base(name) != memory.EdgesFile {
			continue
		}
		doc, _, err := c.root.Read(name, durable.MaxSize)
		if err != nil {
			continue // the snapshot says so
		}
		edges, err := edgefile.Parse(doc)
		if err != nil {
			c.add(memory.Error, name, "", "", "holds no edges: "+err.Error(), "mend it, or move it away: its edges count for nothing until then")
		}
		for _, e := range edges {
			for _, id := range []string{e.From, e.To} {
				if c.first(id) == nil {
					c.add(memory.Warning, name, "", id, fmt.Sprintf("the edge %s names %s, which doesn't exist", e.Name, id), fmt.Sprintf("remove it with \"memory unlink %s %s %s\"", e.From, e.Type, e.To))
				}
			}
		}
	}
}

// copies reports conflict copies, and files that are only named like one.
func (c *checker) copies() {
	for _, copied := range c.snap.Copies {
		by := ""
		if maker := copied.Maker(); maker != "" {
			by = ", named as " + maker + " names copies"
		}
		pair, hint := copied.Pair(), "move the one away that doesn't hold"
		if !copied.Archived {
			hint = fmt.Sprintf("see both and decide: \"memory review %s\"", pair.ID())
		}
		c.add(memory.Error, copied.Memory.File, copied.Pointer(), copied.ID, fmt.Sprintf("a conflict copy of %s%s: %s; it is set aside, and no rule touches either",
			copied.Of.Ref, by, memory.DifferingIn(pair.Differences)), hint)
	}
	named := map[string]bool{}
	for _, m := range c.snap.Memories() {
		if name, maker := memory.StandsFor(m.File); maker != "" && !named[m.File] {
			named[m.File] = true
			c.add(memory.Warning, m.File, "", "", "named like a conflict copy of "+maker+", but no file beside it has the id "+m.ID+": read as a memory of its own", "\"memory check --fix\" renames it to "+name+" where that is free, unless you remove it")
		}
	}
}

// twins reports directories of scopes that are one to people, and where the file system folds names.
func (c *checker) twins() {
	first := map[string]string{}
	for _, dir := range c.snap.Dirs {
		key := memory.FoldName(dir)
		if other, ok := first[key]; ok {
			c.add(memory.Warning, dir, "", "", fmt.Sprintf("the same name as %s, in another case or Unicode form: one scope to memoryd, and one directory on other file systems", other),
				"move the files of one into the other")
			continue
		}
		first[key] = dir
	}
}

// Schemas compiles what a workspace demands of its memories besides our schema: the files in
// schemas/ that extend it. One that can't be compiled is a finding.
func Schemas(root durable.FS) (*schemas.Extension, []schemas.Finding, error) {
	entries, err := root.ReadDir(memory.SchemasDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read schemas: %w", err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if e.Kind != durable.Regular || !strings.HasSuffix(e.Name, ".json") {
			continue
		}
		name := path.Join(memory.SchemasDir, e.Name)
		if files[name], _, err = root.Read(name, jsonedit.MaxSize); err != nil {
			return nil, nil, fmt.Errorf("read schema %s: %w", name, err)
		}
	}
	extension, findings := schemas.Extend(files)
	return extension, findings, nil
}
