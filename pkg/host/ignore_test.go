package host

import (
	"strings"
	"testing"
)

func TestIgnore(t *testing.T) {
	for _, doc := range []string{"", "node_modules/\n", "# mine\r\n*.log\r\n", "\n\n"} {
		got := AddIgnore([]byte(doc), "/memory/")
		if !strings.HasPrefix(string(got), doc) || !strings.Contains("\n"+strings.ReplaceAll(string(got), "\r", ""), "\n/memory/\n") {
			t.Errorf("%q: %q", doc, got)
		}
		if again := AddIgnore(got, "/memory/"); string(again) != string(got) {
			t.Errorf("twice: %q", again)
		}
		if left, bare := RemoveIgnore(got); string(left) != doc || bare != (strings.TrimSpace(doc) == "") {
			t.Errorf("%q: left %q, %v", doc, left, bare)
		}
	}
	if got := AddIgnore([]byte("x"), "/m/"); string(got) != "x\n"+ignoreNote+"\n/m/\n" {
		t.Errorf("%q", got)
	}
	for _, doc := range []string{"memory\n", "/memory/", "memory/\r\n"} { // says it already
		if got := AddIgnore([]byte(doc), "/memory/"); string(got) != doc {
			t.Errorf("%q: %q", doc, got)
		}
		if left, _ := RemoveIgnore([]byte(doc)); string(left) != doc {
			t.Errorf("%q: left %q", doc, left)
		}
	}
}
