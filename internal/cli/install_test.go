package cli

import (
	"regexp"
	"testing"

	"github.com/memoryd/memoryd/internal/op/installing"
)

func TestCommandFileNamesCommands(t *testing.T) {
	uses := regexp.MustCompile("`memory ([a-z]+)").FindAllStringSubmatch(string(installing.CommandFile()), -1)
	if len(uses) < 4 {
		t.Errorf("only %d commands", len(uses))
	}
	for _, use := range uses {
		if commands().find(use[1]) == nil {
			t.Errorf("there is no command %q", use[1])
		}
	}
}

func TestIsYes(t *testing.T) {
	for answer, want := range map[string]bool{"\n": true, "y\n": true, "YES\r\n": true, "n\n": false, "no": false, "maybe\n": false} {
		if isYes(answer) != want {
			t.Errorf("%q is %v", answer, !want)
		}
	}
}
