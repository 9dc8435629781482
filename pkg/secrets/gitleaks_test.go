package secrets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const house = `
title = "rules of the house"
minVersion = "v8.25.0"
[extend]
useDefault = true
disabledRules = ["jwt"]

[[rules]]
id = "badge"
description = "badge of the house"
regex = '''badge[ :=]+([A-Z]{2}\d{6})'''
keywords = ["BADGE"]
tags = ["door"]

[[rules]]
id = "door"
regex = '''(door|gate) code (\w+)'''
secretGroup = 2
entropy = 2.5
  [[rules.allowlists]]
  description = "of the old building"
  regexes = ['''^old''']
  [[rules.allowlists]]
  condition = "AND"
  regexTarget = "line"
  regexes = ['''in the manual''']
  stopwords = ["SAMPLE"]
  [[rules.allowlists]]
  paths = ['''docs/''']
  commits = ["0123"]

[[rules]]
id = "only-files"
path = '''\.p12$'''

[[allowlists]]
description = "printed on the wall"
targetRules = ["badge"]
regexes = ['''^ZZ''']

[allowlist]
stopwords = ["everywhere99"]
`

func TestHouseRules(t *testing.T) {
	rules, err := Default().Parse("house.toml", []byte(house))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"badge: AB123456", "badge AB123456"},
		{"Badge: AB123456", ""}, // keywords in any case, the pattern as it is
		{"badge: ZZ123456", ""},
		{"the gate code 9x8y7z6w5v is new", "door 9x8y7z6w5v"},
		{"the gate code aaaaaaaa is new", ""},    // too little entropy
		{"the gate code old8y7z6w5v is new", ""}, // allowed
		{"gate code 9sample7z6w5v, as in the manual", ""},
		{"gate code 9sample7z6w5v, as on the wall", "door 9sample7z6w5v"}, // one of two conditions
		{"gate code 9x8y7z6w5v, as in the manual", "door 9x8y7z6w5v"},
		{"gate code everywhere99", ""},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", ""}, // switched off
		{"password: Kestrel77", "assigned-password Kestrel77"},
		{"password: everywhere99", ""},
	} {
		got := ""
		for _, f := range rules.Find(c.text) {
			got += f.Rule + " " + c.text[f.Start:f.End]
		}
		if got != c.want {
			t.Errorf("%q: found %q, want %q", c.text, got, c.want)
		}
	}
	// A file on top of it replaces rules of the same id, and keeps the others.
	again, err := rules.Parse("more.toml", []byte("[[rules]]\nid = \"door\"\nregex = 'key under (\\w+)'\n"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"key under stone": 1, "gate code 9x8y7z6w5v": 0, "badge: AB123456": 1} {
		if n := len(again.Find(text)); n != want {
			t.Errorf("%q: %d findings, want %d", text, n, want)
		}
	}
}

func TestHouseRulesErrors(t *testing.T) {
	_, err := Default().Parse("house.toml", []byte(`
[[rules]]
id = "a"
regex = "("
[[rules]]
regex = "x"
[[rules]]
id = "b"
regex = "x"
secretGroup = 1
[[rules]]
id = "b"
regex = "x"
entropy = 9
[[rules]]
id = "c"
[[rules]]
id = "d"
regex = "x"
colour = "red"
[[rules.allowlists]]
regexTarget = "file"
[[rules]]
id = "e"
regex = "x"
[[rules.allowlists]]
condition = "XOR"
[[allowlists]]
regexes = ["["]
[extend]
path = "other.toml"
`))
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`house.toml:20: rules.colour is unknown here`,
		`house.toml: extend: only disabledRules is read: put the rules of the other file here`,
		"house.toml: rule \"a\": regex: error parsing regexp: missing closing ): `(`",
		`house.toml: rule 2 has no id`,
		`house.toml: rule "b": secretGroup is 1, and regex has 0 groups`,
		`house.toml: rule "b" stands twice`,
		`house.toml: rule "b": entropy is 9: write bits per character, from 0 to 8`,
		`house.toml: rule "c": has no regex`,
		`house.toml: rule "d": allowlist 1: regexTarget is "file": write secret, match or line`,
		`house.toml: rule "e": allowlist 1: condition is "XOR": write OR or AND`,
		"house.toml: allowlist 1: regex: error parsing regexp: missing closing ]: `[`",
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := Default().Parse("house.toml", []byte("[[rules]\n")); err == nil || !strings.HasPrefix(err.Error(), "house.toml:1:8: not valid TOML: ") {
		t.Errorf("error %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(house)
	f.Add("[[rules]]\nid=\"a\"\nregex=\"(a*)*b\"\nsecretGroup=1\n[[rules.allowlists]]\nregexes=[\"\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		if rules, err := Default().Parse("f", []byte(text)); err == nil {
			rules.Find("badge: AB123456 and password: Kestrel77 aab")
		}
	})
}
