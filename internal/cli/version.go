package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Set by -ldflags -X in a release, where they override what Go notes itself. A build of a
// checkout has the commit and its date without them, a build of a downloaded module has neither.
var (
	buildVersion string
	buildCommit  string
	buildDate    string // of the commit, RFC 3339
)

func versionCommand() *command {
	return &command{
		purpose: "print the version, the commit that it was built from and the platform",
		example: "memory version --json",
		text:    true, run: runVersion,
	}
}

// build is what is known of how the program was built.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`   // "unknown" if it isn't; "+edited" behind it where files differed from it
	Date     string `json:"date"`     // of the commit, RFC 3339; "unknown" likewise
	Go       string `json:"go"`       // go1.26.8
	Platform string `json:"platform"` // linux/amd64
}

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info, build{Version: buildVersion, Commit: buildCommit, Date: buildDate})
}

// buildOf puts together what Go noted and what was set at the build.
func buildOf(info *debug.BuildInfo, set build) build {
	noted := map[string]string{}
	for _, s := range info.Settings {
		noted[s.Key] = s.Value
	}
	commit := noted["vcs.revision"]
	if commit != "" && noted["vcs.modified"] == "true" {
		commit += "+edited"
	}
	version := info.Main.Version
	if version == "(devel)" {
		version = ""
	}
	return build{
		Version:  cmp.Or(set.Version, version, "development"),
		Commit:   cmp.Or(set.Commit, commit, "unknown"),
		Date:     cmp.Or(set.Date, noted["vcs.time"], "unknown"),
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

func runVersion(c *call) error {
	v := thisBuild()
	if c.JSON {
		return c.PrintJSON(v)
	}
	c.Printf("%s %s\n", c.program.name, v.Version)
	t := c.Facts()
	t.Row("commit", v.Commit)
	t.Row("date", v.Date)
	t.Row("go", v.Go)
	t.Row("platform", v.Platform)
	c.Printf("%s", t.Format("  ", c.Style))
	return nil
}
