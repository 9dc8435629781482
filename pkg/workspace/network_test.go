package workspace

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// On a network file system nothing is written before somebody allows it, and
// everything can be read.
func TestNetworkIsRefused(t *testing.T) {
	disk := faultfs.New()
	s := newStore(disk, "mem")
	s.network = "nfs"
	if _, err := s.Load(time.Now()); err != nil {
		t.Error(err)
	}
	_, err := s.lock(context.Background(), "test")
	if !errors.Is(err, ErrNetwork) || !strings.Contains(err.Error(), "nfs") {
		t.Errorf("got %v", err)
	}
	if err := s.Ops().NoteRead(ops.Use{At: time.Now()}, "a"); !errors.Is(err, ErrNetwork) {
		t.Errorf("a read was noted: %v", err)
	}
	if files := disk.Files(); len(files) != 0 {
		t.Errorf("wrote %v", files)
	}
	s.AllowNetwork = true
	release, err := s.lock(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
