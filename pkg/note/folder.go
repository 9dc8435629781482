package note

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ArchiveExt is the ending of an archived note's file: hosts list all that ends in .md.
const ArchiveExt = ".note"

// Folder is what is known of an adopted folder apart from the bytes of its notes.
type Folder struct {
	Layout layout.Layout
	// Scope and ScopeID are the scope of its notes.
	Scope, ScopeID string
	byPath         map[string]Line
	byID           map[string]Line
	bySum          map[string][]Line
}

// NewFolder is a folder with the lines of its overlay.
func NewFolder(l layout.Layout, scope, scopeID string, lines []Line) *Folder {
	f := &Folder{Layout: l, Scope: scope, ScopeID: scopeID, byPath: map[string]Line{}, byID: map[string]Line{}, bySum: map[string][]Line{}}
	for _, line := range lines {
		f.byID[line.ID] = line
		if !line.Archived {
			f.byPath[line.Path] = line
			f.bySum[line.Sum] = append(f.bySum[line.Sum], line)
		}
	}
	return f
}

// Is reports whether a file of a workspace is a note, live or archived.
func Is(name string) bool {
	return strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "archive/") && strings.HasSuffix(name, ArchiveExt)
}

// Archived reports whether a file is an archived note.
func Archived(name string) bool { return strings.HasSuffix(name, ArchiveExt) }

// Line is what the overlay says of a note, or would say of one that it doesn't know yet: modified is when its file was last written, and
// the zero time where that tells nothing. A note whose bytes another path had is that note under a new name, if there tells that the
// other one is gone.
func (f *Folder) Line(name string, data []byte, modified time.Time, there func(path string) bool) Line {
	sum := Sum(data)
	if Archived(name) {
		stem := strings.TrimSuffix(path.Base(name), ArchiveExt)
		if line, ok := f.byID[stem]; ok {
			return line
		}
		return Line{ID: stem, Path: stem + ".md", Sum: sum, Archived: true}
	}
	at := ""
	if !modified.IsZero() {
		at = timestamp.Format(modified)
	}
	if line, ok := f.byPath[name]; ok {
		if line.Sum != sum {
			line.Sum, line.Updated = sum, cmp.Or(at, line.Updated)
		}
		return line
	}
	for _, line := range f.bySum[sum] {
		if there != nil && !there(line.Path) {
			line.Path = name
			return line
		}
	}
	id := f.newID(name, data)
	return Line{ID: id, Path: name, Sum: sum, Created: at, Updated: at}
}

// newID is the id of a note that the overlay doesn't know: what its front matter says, or one made of its path.
func (f *Folder) newID(name string, data []byte) string {
	front := mdedit.FrontOf(data)
	for _, key := range []string{"id", "permalink"} {
		if id := front.Value(key); plainID(id) {
			if _, taken := f.byID[id]; !taken {
				return id
			}
		}
	}
	for n := 0; ; n++ {
		id := madeID(name, n)
		if _, taken := f.byID[id]; !taken {
			return id
		}
	}
}

// plainID reports whether an id can be the name of a file as it is.
func plainID(id string) bool {
	if id == "" || len(id) > 100 || strings.ContainsRune("._-", rune(id[0])) || id[len(id)-1] == '.' {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

func madeID(name string, n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d", name, n))
	id := []byte("md_")
	for _, b := range sum[:12] {
		id = append(id, letters[int(b)%len(letters)])
	}
	return string(id)
}

// Sum is the SHA-256 of bytes in hex.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Known is the line of an id, if the overlay has it.
func (f *Folder) Known(id string) (Line, bool) {
	line, ok := f.byID[id]
	return line, ok
}
