package gitsync

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
)

// settle merges one file by package merge. What one side removed and the other changed stays, and says so; what one side has moved, as to
// the archive, and the other changed so much that git doesn't see it is one memory still, at its new place.
func (s *sync) settle(ctx context.Context, name string, u *unmerged) error {
	var docs [3][]byte
	for i, id := range u.stages {
		if id == "" {
			continue
		}
		text, err := s.Repo.run(ctx, nil, "cat-file", "blob", id)
		if err != nil {
			return err
		}
		docs[i] = append([]byte{}, text...)
	}
	to, err := s.moved(ctx, name, &docs)
	if err != nil {
		return err
	}
	result, err := merge.Documents(name, docs[0], docs[1], docs[2])
	if err != nil {
		return err
	}
	if result.Doc == nil || to != name {
		if _, err := s.Repo.run(ctx, nil, "rm", "--quiet", "--force", "--ignore-unmatch", "--", ":(literal)"+name); err != nil || result.Doc == nil {
			return err
		}
	}
	if err := PutBeside(s.path, result.Beside); err != nil {
		return err
	}
	file := s.path(to)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, result.Doc, 0o644); err != nil {
		return err
	}
	_, err = s.Repo.run(ctx, nil, "add", "--force", "--", ":(literal)"+to)
	return err
}

// path is where a file of the workspace is.
func (s *sync) path(name string) string { return filepath.Join(s.Dir, filepath.FromSlash(name)) }

// PutBeside writes the documents of [merge.Result.Beside], each merged with the file of that name. at gives the path of a name.
func PutBeside(at func(name string) string, docs map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		file := at(name)
		have, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		result := merge.Result{Doc: docs[name]}
		if err == nil {
			if result, err = merge.Documents(name, nil, have, docs[name]); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := PutBeside(at, result.Beside); err != nil {
			return err
		}
		if err := replaceFile(file, result.Doc); err != nil {
			return err
		}
	}
	return nil
}

// moved finds where the side that no longer has a file has its memory, and gives that side the text of that file.
func (s *sync) moved(ctx context.Context, name string, docs *[3][]byte) (to string, err error) {
	side := slices.IndexFunc(docs[1:], func(doc []byte) bool { return doc == nil }) + 1
	if side == 0 || docs[0] == nil || docs[3-side] == nil {
		return name, nil
	}
	id := memory.SoleID(name, docs[0])
	if id == "" || memory.SoleID(name, docs[3-side]) != id {
		return name, nil
	}
	files, err := s.names(ctx, "ls-files", "-z", "--cached", "--", ":(glob)**/"+path.Base(name))
	if err != nil {
		return name, err
	}
	for _, file := range append(files, memory.ArchiveDir+"/"+memory.FileName(id)+".json") {
		text, err := s.Repo.run(ctx, nil, "cat-file", "blob", ":0:"+s.Prefix+file)
		if err == nil && file != name && memory.SoleID(file, text) == id {
			docs[side] = text
			return file, nil
		}
	}
	return name, nil
}
