package ops

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// LogPart is one file of the log.
type LogPart struct {
	File            string
	Doc             []byte
	*oplog.Document // nil for one that is broken
}

// AllParts is more than a log has.
const AllParts = 10_000

// Log is the log of a workspace: ops/consolidation-log.json with its older parts, and the logs of other
// machines that share the workspace. A store gives it.
type Log struct{ root durable.FS }

// NewLog gives the log of the workspace in root.
func NewLog(root durable.FS) Log { return Log{root} }

// LogLines reads the saves that have not been moved into the log of this machine.
func LogLines(root durable.FS) (*oplog.Lines, error) {
	doc, _, err := root.Read(memory.SavesFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrLink) {
		err = nil // a link or a directory holds none: the next save moves it away
	}
	if err != nil {
		err = fmt.Errorf("read %s: %w", memory.SavesFile, err)
	}
	return oplog.ParseLines(doc), err
}

// Head is the hash of the last entry of this machine's log; "" where there is none, or the log can't be read.
func (l Log) Head() string {
	if lines, err := LogLines(l.root); err == nil && lines.Len() > 0 {
		return lines.Tail().Hash
	}
	parts, err := LogParts(l.root, 1)
	if err != nil || len(parts) == 0 || parts[0].Document == nil {
		return ""
	}
	return parts[0].Tail().Hash
}

// LogParts reads the log, the part that is written to first, then the older ones
// each names as what it follows. A part that is missing, or names one that was
// read already, ends the list; it has at most so many.
func LogParts(root durable.FS, most int) (parts []LogPart, err error) {
	return partsFrom(root, memory.LogFile, most)
}

// OthersLogs reads the logs of other machines that share the workspace, each as LogParts reads this one's.
func OthersLogs(root durable.FS, most int) (logs [][]LogPart, err error) {
	for _, name := range others(root, memory.LogFile) {
		parts, err := partsFrom(root, name, most)
		if err != nil {
			return logs, err
		}
		logs = append(logs, parts)
	}
	return logs, nil
}

func partsFrom(root durable.FS, name string, most int) (parts []LogPart, err error) {
	for name != "" && len(parts) < most {
		if slices.ContainsFunc(parts, func(p LogPart) bool { return p.File == name }) {
			return parts, nil
		}
		doc, _, err := root.Read(name, jsonedit.MaxSize)
		if errors.Is(err, fs.ErrNotExist) {
			return parts, nil
		}
		if err != nil {
			return parts, fmt.Errorf("read %s: %w", name, err)
		}
		parsed, err := oplog.Parse(doc)
		parts = append(parts, LogPart{name, doc, parsed})
		if err != nil {
			return parts, nil //nolint:nilerr // whoever needs the part says so
		}
		if name, _, _ = parsed.Follows(); indexfile.Resolve(".", name) != name {
			name = ""
		}
	}
	return parts, nil
}

// ReadOwn reads the whole log of this machine, with its older parts and the entries of its branches (ops/logs/NAME+HASH.json).
func (l Log) ReadOwn() (*oplog.Log, error) {
	lines, err := LogLines(l.root) // first: a run may be moving them into the log
	if err != nil {
		return nil, err
	}
	parts, err := LogParts(l.root, AllParts)
	if err != nil {
		return nil, err
	}
	whole := &oplog.Log{}
	for _, p := range slices.Backward(parts) {
		if err := addPart(whole, p, nil); err != nil {
			return nil, err
		}
	}
	if lines.Len() > 0 {
		known := map[string]bool{}
		for _, e := range whole.Entries {
			known[e.RunID] = true
		}
		for _, e := range lines.Entries() {
			if !known[e.RunID] {
				whole.Entries = append(whole.Entries, e)
			}
		}
	}
	machine, err := ReadMachine(l.root)
	if err != nil {
		return nil, err
	}
	own := cmp.Or(machine, strings.TrimSuffix(path.Base(memory.LogFile), ".json")) + "+"
	for _, name := range others(l.root, memory.LogFile) {
		if !strings.HasPrefix(path.Base(name), own) {
			continue
		}
		parts, err := partsFrom(l.root, name, AllParts)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if p.Document == nil {
				continue // "memory check" reports it
			}
			if err := addPart(whole, p, nil); err != nil {
				return nil, err
			}
		}
	}
	return whole, nil
}

// Read reads the whole log, and with it what other machines that share the workspace have logged, in the order of time.
func (l Log) Read() (*oplog.Log, error) {
	whole, err := l.ReadOwn()
	if err != nil {
		return nil, err
	}
	logs, err := OthersLogs(l.root, AllParts)
	if err != nil || len(logs) == 0 {
		return whole, err
	}
	known := map[string]bool{} // machines may have begun from one log
	for _, e := range whole.Entries {
		known[e.Hash] = true
	}
	for _, parts := range logs {
		for _, p := range slices.Backward(parts) {
			if p.Document == nil {
				continue // "memory check" reports it
			}
			if err := addPart(whole, p, known); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(whole.Entries, func(a, b oplog.Entry) int { return a.Timestamp.Compare(b.Timestamp) })
	whole.Undecoded = nil // their places are others now; each log by itself tells of them
	return whole, nil
}

// addPart adds a part to a log, but for entries that are known to stand there already.
func addPart(whole *oplog.Log, p LogPart, known map[string]bool) error {
	log, err := oplog.Read(p.Doc)
	if err != nil && p.File != memory.LogFile {
		err = fmt.Errorf("%s: %w", p.File, err)
	}
	if err != nil {
		return err
	}
	for _, u := range log.Undecoded {
		u.Index += len(whole.Entries)
		whole.Undecoded = append(whole.Undecoded, u)
	}
	whole.Version = log.Version
	for _, e := range log.Entries {
		if known != nil && e.Hash != "" {
			if known[e.Hash] {
				continue
			}
			known[e.Hash] = true
		}
		whole.Entries = append(whole.Entries, e)
	}
	return nil
}

// Verify checks the chain of the whole log through all its parts, and that the
// runs whose records are kept still end where they ended. It returns how many
// entries were ever written and the hash of the last.
func (l Log) Verify() (problems []oplog.Problem, count int, head string, err error) {
	lines, err := LogLines(l.root)
	if err != nil {
		return nil, 0, "", err
	}
	parts, err := LogParts(l.root, AllParts)
	if err != nil {
		return nil, 0, "", err
	}
	logs := make([]*oplog.Log, len(parts))
	for i, p := range parts {
		if p.Document != nil {
			logs[i] = p.Log()
		}
	}
	problems, count, head = VerifyParts(l.root, parts, logs, lines)
	moved, err := movedAside(l.root, logs)
	if err == nil {
		var theirs []oplog.Problem
		theirs, err = VerifyOthers(l.root)
		moved = append(moved, theirs...)
	}
	return append(problems, moved...), count, head, err
}

// VerifyOthers checks the chains of other machines that share the workspace, each by itself.
func VerifyOthers(root durable.FS) (problems []oplog.Problem, err error) {
	logs, err := OthersLogs(root, AllParts)
	if err != nil {
		return nil, err
	}
	for _, parts := range logs {
		said := make([]*oplog.Log, len(parts))
		for i, p := range parts {
			if p.Document != nil {
				said[i] = p.Log()
			}
		}
		found, _, _ := verifyChain(parts, said, map[int]string{})
		for _, p := range found {
			problems = append(problems, oplog.Problem{Index: -1, RunID: p.RunID, Message: parts[0].File + ": " + p.String()})
		}
	}
	return problems, nil
}

// movedAside reports logs that were moved to ops/conflicts because they were damaged or
// replaced, and hold what the chain doesn't: it is whole again, but entries are missing.
func movedAside(root durable.FS, logs []*oplog.Log) (problems []oplog.Problem, err error) {
	known := map[string]bool{}
	for _, log := range logs {
		if log == nil {
			continue // reported already
		}
		for _, e := range log.Entries {
			known[e.Hash] = true
		}
	}
	walked := durable.Walk(root, journal.ConflictsDir, func(name string, kind durable.Kind) bool {
		if kind == durable.Dir || !strings.HasSuffix(name, "/"+memory.LogFile) {
			return true
		}
		var doc []byte
		if doc, _, err = root.Read(name, jsonedit.MaxSize); err != nil {
			return false
		}
		log, bad := oplog.Read(doc)
		if bad == nil && !slices.ContainsFunc(log.Entries, func(e oplog.Entry) bool { return !known[e.Hash] }) {
			return true
		}
		problems = append(problems, oplog.Problem{Index: -1, Message: "entries are missing: a log that was damaged or replaced is kept in " + name +
			": restore the log from version control, or delete that file once you have what you need of it"})
		return true
	})
	if walked != nil && !errors.Is(walked, fs.ErrNotExist) {
		err = errors.Join(err, walked)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", journal.ConflictsDir, err)
	}
	return problems, nil
}

// VerifyParts is [Log.Verify] of parts that were read, and the lines behind them. logs is what they say, nil for a
// broken one.
func VerifyParts(root durable.FS, parts []LogPart, logs []*oplog.Log, lines *oplog.Lines) (problems []oplog.Problem, count int, head string) {
	links := map[int]string{}
	if problems, count, head = verifyChain(parts, logs, links); len(parts) > 0 && parts[0].Document == nil {
		return problems, count, head
	}
	problems = append(problems, lines.Verify(memory.SavesFile)...)
	if last := lines.Tail(); !last.Empty && last.Count > count { // else a run is moving them into the log, or a branch was changed
		if follows, hash := lines.Follows(); links[follows] != hash {
			problems = append(problems, oplog.Problem{Index: -1, Message: fmt.Sprintf("%s goes on behind entry %d with the hash %.12s…, which the log doesn't have: it was cut, replaced or rewritten", memory.SavesFile, follows, hash)})
		}
		count, head = last.Count, last.Hash
	}
	lines.Hashes(links)
	machine, _ := ReadMachine(root) // an unreadable name is for a check to report
	checkHeads(root, func(count int, hash string) bool { return links[count] == hash }, func(format string, args ...any) {
		problems = append(problems, oplog.Problem{Index: -1, Message: fmt.Sprintf(format, args...), Elsewhere: machine != ""})
	})
	return problems, count, head
}

// verifyChain checks one chain through its parts, and notes the link of each entry by its number.
func verifyChain(parts []LogPart, logs []*oplog.Log, links map[int]string) (problems []oplog.Problem, count int, head string) {
	report := func(format string, args ...any) {
		problems = append(problems, oplog.Problem{Index: -1, Message: fmt.Sprintf(format, args...)})
	}
	for i, p := range parts {
		for _, found := range oplog.Verify(p.Doc) {
			if i > 0 {
				found = oplog.Problem{Index: -1, RunID: found.RunID, Message: p.File + ": " + found.String()}
			}
			problems = append(problems, found)
		}
		switch { // Verify has reported a broken one
		case p.Document == nil && i == 0:
			return problems, 0, ""
		case p.Document == nil:
			continue // it is the last
		}
		tail, log := p.Tail(), logs[i]
		if i == 0 {
			count, head = tail.Count, tail.Hash
		} else if _, before, link := parts[i-1].Follows(); before != tail.Count || link != tail.Hash {
			report("%s isn't as it was when %s was begun after it: entries were removed, added or changed", p.File, parts[i-1].File)
		}
		first := tail.Count - len(log.Entries)
		for k, e := range log.Entries {
			links[first+k+1] = e.Hash
		}
		if file, _, _ := p.Follows(); file != "" && i == len(parts)-1 {
			report("%s follows %s, which is gone: restore it from version control", p.File, file)
		}
	}
	return problems, count, head
}

// othersHashes are those of the entries in the logs of other machines, whose runs have records here where a hub is shared.
func othersHashes(root durable.FS) map[string]bool {
	known := map[string]bool{}
	logs, err := OthersLogs(root, AllParts)
	if err != nil {
		return known // "memory check" reports it
	}
	for _, parts := range logs {
		for _, p := range parts {
			if p.Document == nil {
				continue
			}
			for _, e := range p.Log().Entries {
				known[e.Hash] = true
			}
		}
	}
	return known
}

// checkHeads compares the log with the ends of the chain that the records of runs
// have noted: a tail that was cut off shows there.
func checkHeads(root durable.FS, stands func(count int, hash string) bool, report func(string, ...any)) {
	others := sync.OnceValue(func() map[string]bool { return othersHashes(root) })
	names, _, err := journal.Runs(root)
	if err != nil {
		report("%s can't be read: %v", journal.RunsDir, err)
	}
	for _, name := range names {
		d := &journal.Done{}
		err := journal.Read(root, journal.Dir(name)+"/"+journal.DoneFile, d)
		if err != nil || d.Log.Count == 0 {
			continue // unfinished or damaged: reported by check
		}
		if !stands(d.Log.Count, d.Log.Hash) && !others()[d.Log.Hash] {
			report("after run %s the log had %d entries, the last with the hash %.12s…, and now has not: it was cut, replaced or rewritten", name, d.Log.Count, d.Log.Hash)
		}
	}
}
