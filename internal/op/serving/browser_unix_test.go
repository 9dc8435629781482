//go:build unix

package serving

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The link lets in, and everybody on the machine can read the arguments of a browser: it is given a file that only this user can read, which
// goes when the server ends.
func TestBrowserIsGivenNoKey(t *testing.T) {
	dir := t.TempDir()
	told := filepath.Join(dir, "told")
	if err := unix.Mkfifo(told, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho \"$*\" >'"+told+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("BROWSER", "")
	const link = "http://127.0.0.1:7420/?key=0123456789abcdef&a=<b>"
	note := Note(filepath.Join(dir, "cache", "memoryd", "serve-x.json"))
	for range 2 { // a second link takes the place of the first
		if err := note.Open(link); err != nil {
			t.Fatal(err)
		}
		args, err := os.ReadFile(told) // once the browser has written it
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(args)); got != note.page() {
			t.Errorf("the browser is called with %q", got)
		}
	}
	for name, want := range map[string]os.FileMode{note.page(): 0o600, filepath.Dir(note.page()): 0o700} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
	text, err := os.ReadFile(note.page())
	if err != nil {
		t.Fatal(err)
	}
	leads := regexp.MustCompile(`http-equiv="refresh" content="0; url=([^"]*)"`).FindSubmatch(text)
	if leads == nil || html.UnescapeString(string(leads[1])) != link {
		t.Errorf("the page leads elsewhere:\n%s", text)
	}
	if err := note.Write("http://127.0.0.1:7420", "secret"); err != nil {
		t.Fatal(err)
	}
	if err := note.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(note.page())); err != nil || len(left) > 0 {
		t.Errorf("%v stays, %v", left, err)
	}
}
