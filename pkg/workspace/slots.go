package workspace

import (
	"path"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// slotName is what the name of a slot says.
type slotName struct {
	label      string
	path       string // the live file it belongs to
	base, next string
}

// Labels of the slots of files that are patched, not replaced as a whole. Other
// labels are the numbers of changed files.
const (
	labelLog    = "log"
	labelSeen   = "seen"
	labelReview = "review"
	labelAccess = "access"
	labelIndex  = "i" // and the number of the index
	labelRotate = "old"
)

// indexLabel is the label of the slots of an index.
func indexLabel(k int) string { return labelIndex + strconv.Itoa(k) }

// parseSlot reads the name of a slot; not ok for what is none.
func (r *run) parseSlot(name string) (s slotName, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 {
		return s, false
	}
	s.label, s.base, s.next = parts[0], parts[1], parts[2]
	if s.base == absentInName {
		s.base = durable.Absent
	}
	if s.next == absentInName {
		s.next = durable.Absent
	}
	switch s.label {
	case labelLog:
		s.path = LogFile
	case labelSeen:
		s.path = SeenFile
	case labelReview:
		s.path = ReviewFile
	case labelAccess:
		s.path = AccessFile
	case labelRotate:
		return s, false // nothing is ever displaced into it
	default:
		number, index := strings.CutPrefix(s.label, labelIndex)
		n, err := strconv.Atoi(number)
		switch {
		case err != nil || n < 0:
			return s, false
		case index && n < len(r.j.Indexes):
			s.path = r.j.Indexes[n].Path
		case !index && n < len(r.j.Files):
			s.path = r.j.Files[n].Path
		default:
			return s, false
		}
	}
	return s, true
}

// patched reports whether the slot belongs to a file that is patched.
func (s slotName) patched() bool {
	_, err := strconv.Atoi(s.label)
	return err != nil
}

// sweep looks through the slots of a run for what was written into a file after it
// had been displaced, by an editor that still had it open, and keeps that in
// ops/conflicts. It returns the paths concerned.
func (r *run) sweep() (late []string, err error) {
	dir := r.dir + "/" + slotsDir
	entries, err := r.root.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		s, ok := r.parseSlot(e.Name)
		if !ok {
			continue
		}
		in, err := durable.Hash(r.root, dir+"/"+e.Name)
		if err != nil {
			return late, err
		}
		if in == s.base || in == s.next || in == durable.Absent {
			continue
		}
		if given, err := r.appended(dir+"/"+e.Name, s); err != nil {
			return late, err
		} else if given {
			continue
		}
		if err := r.aside(dir+"/"+e.Name, s.path); err != nil {
			return late, err
		}
		r.touched[path.Dir(dir)] = true
		late = append(late, s.path)
	}
	return late, nil
}
