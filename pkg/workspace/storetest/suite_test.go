package storetest_test

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

func TestDisks(t *testing.T) {
	with := func(change func(*faultfs.Mem)) func(t *testing.T) workspace.Disk {
		return func(t *testing.T) workspace.Disk {
			m := faultfs.New()
			change(m)
			return m
		}
	}
	for name, open := range map[string]func(t *testing.T) workspace.Disk{
		"directory": func(t *testing.T) workspace.Disk {
			d, _, err := durable.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d
		},
		"memory":             func(t *testing.T) workspace.Disk { return memdisk.New() },
		"faults":             with(func(*faultfs.Mem) {}),
		"without exchange":   with(func(m *faultfs.Mem) { m.NoExchange = true }),
		"without hard links": with(func(m *faultfs.Mem) { m.NoExchange, m.NoLink = true, true }),
	} {
		t.Run(name, func(t *testing.T) { storetest.Run(t, open) })
	}
}
