package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// FileStore is the workspace as a directory of files.
type FileStore struct {
	// Wait is how long Commit waits for another writer.
	Wait time.Duration
	root *durable.Root
}

var _ Store = (*FileStore)(nil)

// Open opens the workspace in dir, which must be a directory. Opening writes
// nothing.
func Open(dir string) (*FileStore, error) {
	root, err := durable.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", dir, err)
	}
	return &FileStore{root: root, Wait: 10 * time.Second}, nil
}

// Dir is the absolute path of the workspace.
func (s *FileStore) Dir() string { return s.root.Dir() }

// Load implements [Store].
func (s *FileStore) Load(at time.Time) (*Snapshot, error) { return load(s.root, at) }

// Close implements [Store].
func (s *FileStore) Close() error { return s.root.Close() }

// Read returns a file of the workspace: the log, the settings, a kept original.
// An absent file is fs.ErrNotExist.
func (s *FileStore) Read(name string) ([]byte, error) {
	data, _, err := s.root.Read(name, jsonedit.MaxSize)
	return data, err
}

// LogHead is the hash of the log's last entry, "" for none.
func (s *FileStore) LogHead() string {
	doc, err := s.Read(LogFile)
	if err != nil {
		return ""
	}
	_, hash, err := oplog.Head(doc)
	if err != nil {
		return ""
	}
	return hash
}

// lock makes ops/ and takes the writer's lock.
func (s *FileStore) lock(ctx context.Context, what string) (release func() error, err error) {
	dirs, err := s.root.MkdirAll(OpsDir)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", OpsDir, err)
	}
	if err := s.root.SyncDirs(dirs...); err != nil {
		return nil, err
	}
	holder := fmt.Sprintf("pid %d, %s, since %s", os.Getpid(), what, FormatTime(time.Now()))
	release, err = s.root.Lock(ctx, LockFile, holder, s.Wait)
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("%w after waiting %s: %s", ErrLocked, s.Wait, strings.TrimPrefix(err.Error(), LockFile+": "))
	}
	return release, err
}

// WriteNew writes a file that must not exist yet (settings of a new workspace).
func (s *FileStore) WriteNew(name string, data []byte) error {
	staged, err := s.root.Stage(name, data, 0o644)
	if err != nil {
		return err
	}
	if err := staged.Create(); err != nil {
		return errors.Join(fmt.Errorf("create %s: %w", name, err), staged.Discard())
	}
	return s.root.SyncDirs(".")
}
