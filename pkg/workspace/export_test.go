package workspace

import (
	"context"
)

// LockForTest takes the writer's lock as another process would.
func LockForTest(s *FileStore) (func() error, error) { return s.lock(context.Background(), "test") }
