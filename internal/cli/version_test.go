package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestBuildOf(t *testing.T) {
	on := runtime.GOOS + "/" + runtime.GOARCH
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-03-01T09:00:00Z"}, {Key: "vcs.modified", Value: "true"}}
	for name, tt := range map[string]struct {
		info debug.BuildInfo
		set  build
		want build
	}{
		"nothing is known":    {want: build{Version: "development", Commit: "unknown", Date: "unknown"}},
		"go build":            {info: debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs}, want: build{Version: "development", Commit: "abc+edited", Date: "2026-03-01T09:00:00Z"}},
		"go install @version": {info: debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}}, want: build{Version: "v0.1.0", Commit: "unknown", Date: "unknown"}},
		"a release":           {info: debug.BuildInfo{Settings: vcs}, set: build{Version: "v0.2.0", Commit: "def", Date: "2026-03-02T09:00:00Z"}, want: build{Version: "v0.2.0", Commit: "def", Date: "2026-03-02T09:00:00Z"}},
	} {
		tt.want.Go, tt.want.Platform = runtime.Version(), on
		if got := buildOf(&tt.info, tt.set); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
