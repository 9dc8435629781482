package workspace

import (
	"context"
	"time"
)

// LockForTest takes the writer's lock as another process would.
func LockForTest(s *FileStore) (func() error, error) { return s.lock(context.Background(), "test") }

// now is any time, for indexes under test.
func (x *Index) now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
