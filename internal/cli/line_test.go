package cli

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseLine(t *testing.T) {
	for _, test := range []struct {
		line string
		want string // argv behind the program's name, or the error
	}{
		{"list", "list --"},
		{"show a b --json", "show --json -- a b"},
		{"--json show a", "show --json -- a"},
		{"-json show a", "show --json -- a"},
		{"-w dir -q list", "list --workspace=dir --quiet --"},
		{"list --workspace=a=b", "list --workspace=a=b --"},
		{"tag a --add x b --add y", "tag --add=x --add=y -- a b"},
		{"tag a -- --json -- b", "tag -- a --json -- b"},
		{"add - --type x", "add --type=x -- -"},
		{"add --text -", "add --text=- --"},
		{"add --text -x", "add --text=-x --"},
		{"add --text= --type x", "--text needs a value: this one is empty"},
		{"list --quiet=false", "list --quiet=false --"},
		{"list --limit", "--limit needs a value"},
		{"list --tag --json", "--tag needs a value"},
		{"list --tag -- a", "--tag needs a value"},
		{"list --tagg x", "unknown option --tagg"},
		{"list ---tag x", "unknown option ---tag"},
		{"list -x", "unknown option -x"},
		{"--tag x list", "unknown option --tag before the command"},
		{"nosuch", `unknown command "nosuch"`},
		{"--", `unknown option -- before the command`},
		{"--version", "version --"},
	} {
		l, err := parseLine(strings.Fields(test.line), memoryProgram())
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(l.argv()[1:], " ")
		}
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

func TestHelpIsAskedFor(t *testing.T) {
	for line, want := range map[string]string{"": "", "--help": "", "-h": "", "list --help": "list", "list a -h --type x": "list", "--help list": "list"} {
		l, err := parseLine(strings.Fields(line), memoryProgram())
		name := ""
		if l.command != nil {
			name = l.command.name
		}
		if err != nil || !l.help || name != want {
			t.Errorf("%q: help %v for %q, %v", line, l.help, name, err)
		}
	}
}

// Wherever flags stand among the arguments, the line means the same.
func TestFlagsStandAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,5}`), 0, 4).Draw(t, "args")
		flags := rapid.SliceOfN(rapid.SampledFrom([]string{"--json", "--quiet", "--add=x", "--remove=y z", "--workspace=w"}), 0, 4).Draw(t, "flags")
		want := line{command: commands().find("tag"), flags: flags, args: args}
		words := []string{}
		a, f, named := args, flags, false
		for len(a)+len(f) > 0 || !named {
			switch pick := rapid.IntRange(0, 1).Draw(t, "next"); {
			case !named && (len(f) == 0 || !slices.Contains([]string{"--json", "--quiet", "--workspace=w"}, f[0]) || pick == 0):
				words, named = append(words, "tag"), true
			case len(f) > 0 && (len(a) == 0 || !named || pick == 0):
				words, f = append(words, f[0]), f[1:]
			default:
				words, a = append(words, a[0]), a[1:]
			}
		}
		got, err := parseLine(words, memoryProgram())
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		if !slices.Equal(got.argv(), want.argv()) {
			t.Fatalf("%q: %q, want %q", words, got.argv(), want.argv())
		}
	})
}

func FuzzParseLine(f *testing.F) {
	f.Add("show a --json")
	f.Add("--workspace")
	f.Add("list --tag -- --")
	all := memoryProgram()
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseLine(strings.Split(text, " "), all)
		if err == nil && l.command == nil && !l.help {
			t.Fatal("neither a command nor help nor an error")
		}
	})
}
