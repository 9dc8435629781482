package similarity

import (
	"strings"
	"testing"
)

func TestShortTexts(t *testing.T) {
	for _, c := range []struct{ a, b, inA, inB string }{
		{"the user prefers tabs in this project", "the user prefers spaces in this project", "tabs", "spaces"},
		{"Deploys run from the main branch only", "Deploys run from the release branch only", "main", "release"},
		{"Note\nOwner: platform\nEach change of the build is announced there a day before it is made, so ask first.",
			"Note\nOwner: search\nEach change of the build is announced there a day before it is made, so ask first.", "platform", "search"},
		{"The build host is a virtual machine in the old lab", "The build host is a virtual appliance in the old lab", "machine", "appliance"},
		{"Each change of the build is announced there a day before it is made, so ask\nOwner: platform team",
			"Each change of the build is announced there a day before it is made, so ask\nOwner: search team", "platform", "search"},
	} {
		got := Differences(c.a, c.b)
		if len(got) != 1 || got[0].Kind != kindReplaced.String() || !strings.Contains(got[0].A, c.inA) || !strings.Contains(got[0].B, c.inB) {
			t.Errorf("%q\n%q\n got %q", c.a, c.b, got)
		}
	}
	for _, c := range [][2]string{
		{"the user prefers tabs in this project", "the user prefers tabs in this small project"}, // a detail
		{"the user prefers tabs in this project", "a user preferred tabs in that project"},       // endings, function words
		{"they recieve mail in the evening", "they receive mail in the evening"},                 // a slip
		{"it is not enabled for this team", "it is disabled for this team"},
		{"written by Ann in one long night", "written by someone in one long night"}, // a name got lost
		{"the user prefers tabs in this project, since the editor shows them as wide as one likes",
			"the user chooses tabs in this project, since the editor shows them as wide as one likes"}, // no short text
	} {
		if got := Differences(c[0], c[1]); got != nil {
			t.Errorf("%q\n%q\n got %q", c[0], c[1], got)
		}
	}
}
