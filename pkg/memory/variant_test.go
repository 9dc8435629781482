package memory_test

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
)

func TestVariantLine(t *testing.T) {
	for _, c := range []struct {
		v    memory.Variant
		want string
	}{
		{memory.Variant{Text: "The port is 8443."}, "The port is 8443."},
		{memory.Variant{Path: "/content/port", Value: "8443"}, "port: 8443"},
		{memory.Variant{Path: "/content/db/a~1b", Value: `"x"`}, "db.a/b: x"},
		{memory.Variant{Path: "/content", Value: `{"port":8443}`}, "port: 8443"},
		{memory.Variant{Path: "/content/db", Value: `{"port":8443}`}, "db:\nport: 8443"},
		{memory.Variant{Path: "/title", Value: `"Ports"`}, "title: Ports"},
	} {
		if got := c.v.Line(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.v, got, c.want)
		}
	}
}
