package cli

import (
	"runtime/debug"
)

func versionCommand() *command {
	return &command{
		name: "version", group: groupOther,
		purpose: "print the version",
		example: "memory version --json",
		run:     runVersion,
	}
}

// build is what is known of how the program was built.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

func thisBuild() build {
	v := build{"unknown", "unknown", "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version, v.Go = info.Main.Version, info.GoVersion
		dirty := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				v.Commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+edited"
			}
		}
		if v.Commit != "unknown" {
			v.Commit += dirty
		}
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "development"
	}
	return v
}

func runVersion(c *call) error {
	v := thisBuild()
	if c.json {
		return c.printJSON(v)
	}
	c.printf("memory %s (commit %s, %s)\n", v.Version, v.Commit, v.Go)
	return nil
}
