package gitsync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

// laterDir is where the merge driver stores documents that git did not request, until the merge is finished: in git's own directory, since an
// untracked file in the work tree would keep a rebase from going on or being called off.
const laterDir = "memory/merged"

// laterAge is how long such a document is stored if its merge was called off.
const laterAge = 90 * 24 * time.Hour

// later is a document that a merge produced next to the one that git requested.
type later struct {
	File string `json:"file"` // from the top of the work tree
	Doc  []byte `json:"doc"`
	From string `json:"from"` // the path of the document that was merged
	Side string `json:"side"` // the blob that is part of the history once the merge is finished
}

// KeepLater stores the further documents of a merge until the merge at which git calls the driver is finished: [Repo.TakeLater]. From is the path
// of the merged document from the top of the work tree.
func (r *Repo) KeepLater(ctx context.Context, from string, ours, theirs []byte, docs map[string][]byte) error {
	// After a merge, theirs is in the history. After a rebase or a cherry-pick only ours is: theirs was rewritten.
	side := ours
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GITHEAD_") { // git merge names its heads so
			side = theirs
		}
	}
	blob, err := r.run(ctx, side, "hash-object", "--stdin")
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, filepath.FromSlash(laterDir))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, doc := range docs {
		text, err := json.Marshal(later{File: name, Doc: doc, From: from, Side: strings.TrimSpace(string(blob))})
		if err != nil {
			return err
		}
		digest := memory.DigestOf(append([]byte(name+"\x00"), doc...))
		if err := replaceFile(filepath.Join(dir, string(digest[:16])+".json"), text); err != nil {
			return err
		}
	}
	return nil
}

// TakeLater writes the documents that belong to merges which are finished, and returns their names. What belongs to a merge that was called off is
// dropped after a while.
func (r *Repo) TakeLater(ctx context.Context, now time.Time) (taken []string, err error) {
	return r.eachLater(ctx, func(file string, l *later, finished bool) error {
		switch info, err := os.Stat(file); {
		case err != nil:
			return err
		case !finished && now.Sub(info.ModTime()) > laterAge:
			return os.Remove(file)
		case !finished:
			return nil
		}
		top, err := r.line(ctx, "rev-parse", "--show-toplevel")
		if err != nil {
			return err
		}
		at := func(name string) string { return filepath.Join(filepath.FromSlash(top), filepath.FromSlash(name)) }
		if err := PutOthers(at, map[string][]byte{l.File: l.Doc}); err != nil {
			return fmt.Errorf("write %s: %w", l.File, err)
		}
		return os.Remove(file)
	})
}

// Waiting names the documents that [Repo.TakeLater] would write.
func (r *Repo) Waiting(ctx context.Context) ([]string, error) {
	return r.eachLater(ctx, func(string, *later, bool) error { return nil })
}

// eachLater calls do for the stored documents, and returns the names of those whose merge is finished.
func (r *Repo) eachLater(ctx context.Context, do func(file string, l *later, finished bool) error) (finished []string, err error) {
	dir := filepath.Join(r.dir, filepath.FromSlash(laterDir))
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(file)
		if err != nil {
			return finished, err
		}
		var l later
		if json.Unmarshal(text, &l) != nil || l.File == "" { // of a driver that was killed
			continue
		}
		inside, own := strings.CutPrefix(l.File, r.Prefix)
		if !own || !filepath.IsLocal(filepath.FromSlash(l.File)) {
			continue // of another workspace in this repository
		}
		history, err := r.run(ctx, nil, "rev-list", "--objects", "--full-history", "HEAD", "--", ":(top,literal)"+l.From)
		if err != nil {
			return finished, err
		}
		done := strings.Contains("\n"+string(history), "\n"+l.Side+" ")
		if err := do(file, &l, done); err != nil {
			return finished, err
		}
		if done {
			finished = append(finished, inside)
		}
	}
	return finished, nil
}

// TakeMerged writes the documents that git's merges in a workspace left for later ([Repo.TakeLater]), and names them: none where the
// workspace is not shared through git.
func TakeMerged(ctx context.Context, dir string, now time.Time) ([]string, error) {
	if !Expects(dir) {
		return nil, nil
	}
	repo, err := Open(ctx, dir, "")
	if errors.Is(err, ErrNoGit) || errors.Is(err, ErrNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return repo.TakeLater(ctx, now)
}
