package memoryd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func text(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What go install takes from a tag needs nothing outside of the module.
func TestModuleCanBeInstalled(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Module           struct{ Path string }
		Replace, Exclude []any
	}
	if err := json.Unmarshal(out, &mod); err != nil || mod.Module.Path+"/" != module || len(mod.Replace)+len(mod.Exclude) > 0 {
		t.Errorf("%+v, %v: go install refuses a module with replacements", mod, err)
	}
}

// The two ways to make a release build the same platforms in the same way, and set variables that
// there are. packaging/goreleaser.sh checks the rest of the file.
func TestReleaseIsOfOneMind(t *testing.T) {
	release, build := text(t, ".goreleaser.yaml"), text(t, "packaging/build.sh")
	for _, want := range []string{
		"goos: [linux, darwin, windows]", "goarch: [amd64, arm64]", "formats: [deb, rpm]", "checksums.txt", "sboms:", "homebrew_casks:",
		"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "/usr/share/man/man1/", "/usr/share/bash-completion/completions/memory",
	} {
		if !strings.Contains(release, want) {
			t.Errorf(".goreleaser.yaml lacks %s", want)
		}
	}
	script := text(t, "packaging/release.sh")
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			if !strings.Contains(script, os+"/"+arch) {
				t.Errorf("release.sh makes nothing for %s/%s", os, arch)
			}
		}
	}
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "urfave_cli_no_docs", "-s -w -buildid="} {
		if !strings.Contains(build, want) || !strings.Contains(release, want) {
			t.Errorf("%s isn't in both", want)
		}
	}
	for _, file := range []string{release, build} {
		set := regexp.MustCompile(`-X \S+?\.(build\w+)=`).FindAllStringSubmatch(file, -1)
		if len(set) == 0 || len(set)%3 != 0 { // for each program
			t.Errorf("%v are set, not version, commit and date", set)
		}
		for _, v := range set {
			if !regexp.MustCompile(`(?m)^\t` + v[1] + `\s+string`).MatchString(text(t, "internal/cli/version.go")) {
				t.Errorf("there is no variable %s", v[1])
			}
		}
	}
	for _, image := range regexp.MustCompile(`src: (\S+)`).FindAllStringSubmatch(release, -1) {
		if file := image[1]; !strings.HasPrefix(file, "packaging/assets/") && file != "packaging/hub/*" {
			text(t, file)
		}
	}
}

// The npm packages are made, install without a network and a script, and start the program
// with its arguments, its exit code and its place among processes.
func TestNpm(t *testing.T) {
	for _, tool := range []string{"node", "npm", "sh"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS == "windows" {
			t.Skipf("SKIPPED: %s is not installed: the npm packages are not tried", tool)
		}
	}
	if testing.Short() {
		t.Skip("SKIPPED with -short: npm takes some seconds")
	}
	work := t.TempDir()
	for _, platform := range []string{runtime.GOOS + "-" + runtime.GOARCH, "windows-arm64"} {
		program := filepath.Join(work, "programs", platform, "memory")
		if strings.HasPrefix(platform, "windows") {
			program += ".exe"
		}
		if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
			t.Fatal(err)
		}
		// In its place, a program that says how it was started.
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$#:$1:$2:$((MEMORY_LAUNCHER == PPID))\"\nexit 4\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(work, "cache"), "npm_config_update_notifier=false")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("node", "packaging/npm/build.mjs", filepath.Join(work, "programs"), work, "1.2.3"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tarballs, err := filepath.Glob(filepath.Join(work, "*.tgz"))
	if err != nil || len(tarballs) != 3 {
		t.Fatalf("%v, %v: want one for each of two platforms, and the one that starts them", tarballs, err)
	}
	install := []string{"install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", filepath.Join(work, "there")}
	for _, tarball := range tarballs {
		if !strings.Contains(tarball, "win32") { // npm refuses it here
			install = append(install, tarball)
		}
	}
	if out, err := run("npm", install...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := run(filepath.Join(work, "there/node_modules/.bin/memory"), "recall", "two words")
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 4 || out != "2:recall:two words:1\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// What packaging/hub holds can be read by those it is for: the services of the compose file name one another and what they mount, and
// systemd takes the unit.
func TestHubPackages(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Image   string
			Command []string
			Volumes []string
			Depends map[string]any `yaml:"depends_on"`
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(text(t, "packaging/hub/compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	if len(compose.Services) != 3 {
		t.Errorf("%d services", len(compose.Services))
	}
	for name, s := range compose.Services {
		if s.Image == "" || name != "database" && (len(s.Command) < 2 || s.Command[0] != "/memory-hub") {
			t.Errorf("%s: %+v", name, s)
		}
		for other := range s.Depends {
			if _, ok := compose.Services[other]; !ok {
				t.Errorf("%s waits for %s, which there isn't", name, other)
			}
		}
		for _, mount := range s.Volumes {
			from, _, _ := strings.Cut(mount, ":")
			_, named := compose.Volumes[from]
			_, err := os.Stat(filepath.Join("packaging/hub", from))
			if !named && err != nil && from != "./memory-hub" { // the program, which is laid beside it
				t.Errorf("%s mounts %s: %v", name, from, err)
			}
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("SKIPPED: systemd-analyze is not installed")
	}
	there, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "memory-hub.service")
	if err := os.WriteFile(unit, []byte(strings.Replace(text(t, "packaging/hub/memory-hub.service"), "/usr/bin/memory-hub", there, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
