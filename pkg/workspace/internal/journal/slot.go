package journal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Slot is what the name of a slot tells: whose it is, and which contents it may hold.
type Slot struct {
	Label      string
	Path       string // the live file it belongs to
	Base, Next string // digests
}

// Labels of the slots of files that are patched, not replaced as a whole. Other
// labels are the numbers of changed files.
const (
	LabelLog     = "log"
	LabelSeen    = "seen"
	LabelReview  = "review"
	LabelAccess  = "access"
	LabelSaves   = "saves"
	LabelIndex   = "i" // and the number of the index
	LabelEdges   = "e" // and the number of the file of edges
	LabelText    = "t" // and the number of the text of a host
	LabelOverlay = "overlay"
	LabelRotate  = "old" // nothing is ever displaced into it: it belongs to no file
)

// IndexLabel is the label of the slots of an index.
func IndexLabel(k int) string { return LabelIndex + strconv.Itoa(k) }

// EdgesLabel is the label of the slots of a file of edges.
func EdgesLabel(k int) string { return LabelEdges + strconv.Itoa(k) }

// TextLabel is the label of the slots of a text of a host.
func TextLabel(k int) string { return LabelText + strconv.Itoa(k) }

// absent stands for an absent file in the name of a slot.
const absent = "-"

// Name is the name of the slot.
func (s Slot) Name() string { return s.Label + "." + inName(s.Base) + "." + inName(s.Next) }

func inName(digest string) string {
	if digest == durable.Absent {
		return absent
	}
	return digest
}

// ParseSlot reads the name of a slot of the run; ours are the patched files by their
// labels, but for indexes and files of edges. ok is false for any other name.
func (j *Run) ParseSlot(name string, ours map[string]string) (s Slot, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 {
		return s, false
	}
	s.Label, s.Base, s.Next = parts[0], parts[1], parts[2]
	if s.Base == absent {
		s.Base = durable.Absent
	}
	if s.Next == absent {
		s.Next = durable.Absent
	}
	if s.Path, ok = ours[s.Label]; ok {
		return s, true
	}
	kind, number := "", s.Label
	if number != "" && (number[0] < '0' || number[0] > '9') {
		kind, number = number[:1], number[1:]
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || number[0] == '+' {
		return s, false
	}
	var files []Patched
	switch kind {
	case LabelEdges:
		files = j.EdgeFiles
	case LabelText:
		files = j.Texts
	case LabelIndex:
		if n < len(j.Indexes) {
			s.Path = j.Indexes[n].Path
		}
		return s, n < len(j.Indexes)
	case "":
		if n < len(j.Files) {
			s.Path = j.Files[n].Path
		}
		return s, n < len(j.Files)
	}
	if n >= len(files) {
		return s, false
	}
	s.Path = files[n].Path
	return s, true
}

// Patched reports whether the slot belongs to a file that is patched.
func (s Slot) Patched() bool {
	_, err := strconv.Atoi(s.Label)
	return err != nil
}

// Displaced is the name under which the slot of a patched file is put by when the run is
// over.
type Displaced struct {
	At   time.Time // to the second
	Run  string
	Slot string // its name; what it means is the run's affair
}

// Name is the name of the file.
func (d Displaced) Name() string { return fmt.Sprintf("%d~%s~%s", d.At.Unix(), d.Run, d.Slot) }

// ParseDisplaced reads such a name; ok is false for any other name.
func ParseDisplaced(name string) (d Displaced, ok bool) {
	parts := strings.SplitN(name, "~", 3)
	at, err := strconv.ParseInt(parts[0], 10, 64)
	if len(parts) != 3 || err != nil {
		return d, false
	}
	return Displaced{time.Unix(at, 0), parts[1], parts[2]}, true
}
