package workspace

import (
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// Folder is the folder of Markdown notes that a workspace was made for; "" for a workspace that is none.
func Folder(s *FileStore) string {
	if s.notes == nil {
		return ""
	}
	base, _ := durable.Parent(s.dir)
	return base
}

// Roots are the directories that the names of a workspace's files are relative to: its own, and the folder of notes that it was made for.
func Roots(s *FileStore) []string {
	if base := Folder(s); base != "" {
		return []string{s.dir, base}
	}
	return []string{s.dir}
}

// MayHold reports whether a file of the workspace may hold memories, by its name.
func MayHold(s *FileStore, name string) bool { return catalog.Holds(name, s.notes != nil) }
