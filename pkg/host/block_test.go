package host

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func blockOf(version, body string) string {
	return "<!-- memory-context begin version=" + version + " generated-at=2026-03-01T09:00:00Z -->\n" + body + "\n<!-- memory-context end -->\n"
}

// summed is a block as it stands in a file.
func summed(version, body string) string {
	return strings.Replace(strings.TrimSuffix(blockOf(version, body), "\n"), "version="+version, "version="+version+" sum="+blockSum(body), 1)
}

func TestPutBlock(t *testing.T) {
	a, b := summed("aa", "- one\n- two"), summed("bb", "- three")
	newBlock := blockOf("bb", "- three")
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	begin, end := strings.SplitN(a, "\n", 2)[0], "<!-- memory-context end -->"
	for _, tt := range []struct{ name, doc, block, want string }{
		{"no file", "", newBlock, b + "\n"},
		{"behind text", "# Rules\n", newBlock, "# Rules\n\n" + b + "\n"},
		{"behind an empty line", "# Rules\n\n", newBlock, "# Rules\n\n" + b + "\n"},
		{"no newline at the end", "# Rules", newBlock, "# Rules\n\n" + b + "\n"},
		{"Windows", "# Rules\r\ntext", newBlock, "# Rules\r\ntext\r\n\r\n" + crlf(b) + "\r\n"},
		{"byte order mark", "\ufeff", newBlock, "\ufeff" + b + "\n"},
		{"replaced in place", "top\n" + a + "\nbottom", newBlock, "top\n" + b + "\nbottom"},
		{"replaced at the very end", "top\n" + a, newBlock, "top\n" + b},
		{"replaced at the very start", "\ufeff" + a + "\n\n\n", newBlock, "\ufeff" + b + "\n\n\n"},
		{"replaced, Windows", crlf("top\n" + a + "\nbottom\n"), newBlock, crlf("top\n" + b + "\nbottom\n")},
		{"says the same", "top\n" + b + "\nbottom", newBlock, "top\n" + b + "\nbottom"},
		{"says the same, Windows", crlf("top\n" + b + "\nbottom"), newBlock, crlf("top\n" + b + "\nbottom")},
		{"made at another time", "top\n" + strings.Replace(b, "2026-03-01", "2026-02-01", 1), newBlock, "top\n" + strings.Replace(b, "2026-03-01", "2026-02-01", 1)},
		{"edited inside", "top\n" + strings.Replace(b, "three", "3", 1) + "\nbottom", newBlock, "top\n" + b + "\nbottom"},
		{"twice", "1\n" + a + "\n2\n" + a + "\n3", newBlock, "1\n" + b + "\n2\n3"},
		{"thrice, the same", b + "\n" + b + "\nx\n" + b + "\n", newBlock, b + "\nx\n"},
		{"begin only", "1\n" + begin + "\n- one\n2\n", newBlock, "1\n- one\n2\n\n" + b + "\n"},
		{"end only", "1\n- two\n" + end + "\n2", newBlock, "1\n- two\n2\n\n" + b + "\n"},
		{"a half before a whole", begin + "\n- mine\n" + a + "\n2\n" + end, newBlock, "- mine\n" + b + "\n2\n"},
		{"indented", "x\n  " + begin + "  \n- one\n\t" + end + "\ny", newBlock, "x\n" + b + "\ny"},
		{"not ours", "see <!-- memory-context end --> there\n<!-- memory-contexts begin -->\n", newBlock, "see <!-- memory-context end --> there\n<!-- memory-contexts begin -->\n\n" + b + "\n"},
		{"taken out", "1\n\n" + a + "\n2", "", "1\n\n2"},
		{"nothing to take out", "1\n2", "", "1\n2"},
		{"single bytes", "caf\xe9\n", newBlock, "caf\xe9\n\n" + b + "\n"},
	} {
		got, err := PutBlock([]byte(tt.doc), tt.block)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", tt.name, err, got, tt.want)
			continue
		}
		if again, err := PutBlock(got, tt.block); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s, again: %v\n%q", tt.name, err, again)
		}
	}
	for _, doc := range []string{"a\x00b", "\xff\xfe#\x00 \x00", strings.Repeat("x", maxText+1)} {
		if _, err := PutBlock([]byte(doc), newBlock); err == nil {
			t.Errorf("%.20q is taken for a text", doc)
		}
	}
}

// prose draws text of a person's, with any line ends, and without lines of ours.
func prose(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`[a-z #*<>-]{0,12}`),
		rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", "```\n", "<!-- note -->", "memory-context", "é", "\xe9", "\r", "\ufeff", " "}),
	), 0, 8).Draw(t, label), "")
}

// A thousand sequences of edits and updates: there is one block at any time, it is the
// last, and not one byte of a person's is lost, moved or added.
func TestBlockIsReplaced(t *testing.T) {
	sequences := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 { // with the 100 checks that rapid makes
			sequences++
			sequence(t)
		}
	})
	if sequences < 1000 && !testing.Short() {
		t.Errorf("%d sequences", sequences)
	}
}

func sequence(t *rapid.T) {
	before, after, block := prose(t, "text"), "", ""
	for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{"update", "update", "update", "before", "after", "inside", "double", "remove"}).Draw(t, "step") {
		case "before":
			before = edited(t, before)
			if block != "" && before != "" && !strings.HasSuffix(before, "\n") {
				before += "\n" // on one line with other text it is not a mark of ours
			}
		case "after":
			if after = edited(t, after); block == "" {
				before, after = before+after, ""
			} else if after != "" && !strings.HasPrefix(after, "\n") && !strings.HasPrefix(after, "\r\n") {
				after = "\n" + after
			}
		case "inside":
			if block != "" {
				block = strings.Replace(block, "\n- ", "\n- edited ", 1)
			}
		case "double":
			// Somebody copies the block: the copy goes, with its line end.
			if rest, ok := strings.CutPrefix(strings.TrimPrefix(after, "\r"), "\n"); ok && block != "" {
				got := put(t, before+block+"\n"+block+after, blockOf("dd", fmt.Sprintf("- double %d", step)))
				after = "\n" + rest
				block = cut(t, got, before, after)
			}
		case "remove":
			if got := put(t, before+block+after, ""); block != "" {
				if rest := strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n"); got != before+rest {
					t.Fatalf("removed: %q, want %q", got, before+rest)
				}
				before, after, block = got, "", ""
			}
		case "update":
			body := strings.Join(rapid.SliceOfN(rapid.StringMatching(`- [a-z ]{0,20}`), 1, 4).Draw(t, "body"), "\n")
			got := put(t, before+block+after, blockOf(fmt.Sprintf("%02x", step), body))
			if block == "" {
				if !strings.HasPrefix(got, before) {
					t.Fatalf("%q doesn't begin with %q", got, before)
				}
				at := strings.Index(got[len(before):], "<!-- memory-context begin") + len(before)
				if strings.Trim(got[len(before):at], "\r\n") != "" {
					t.Fatalf("between text and block: %q", got[len(before):at])
				}
				before = got[:at]
				end := strings.LastIndex(got, "end -->") + len("end -->")
				after = got[end:]
			}
			block = cut(t, got, before, after)
			if !strings.Contains(strings.ReplaceAll(block, "\r\n", "\n"), body+"\n") {
				t.Fatalf("%q doesn't say %q", block, body)
			}
		}
	}
}

func edited(t *rapid.T, text string) string {
	at := rapid.IntRange(0, len(text)).Draw(t, "at")
	to := rapid.IntRange(at, len(text)).Draw(t, "to")
	return text[:at] + prose(t, "insert") + text[to:]
}

func put(t *rapid.T, doc, block string) string {
	got, err := PutBlock([]byte(doc), block)
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	if block == "" {
		want = 0
	}
	if n := len(findMarks(got)); n != 2*want {
		t.Fatalf("%d lines of ours in %q", n, got)
	}
	return string(got)
}

// cut is the block between two texts.
func cut(t *rapid.T, doc, before, after string) string {
	block, ok := strings.CutPrefix(doc, before)
	block, too := strings.CutSuffix(block, after)
	if !ok || !too || !strings.HasPrefix(block, "<!-- memory-context begin") || !strings.HasSuffix(block, "end -->") {
		t.Fatalf("%q is not %q, a block, %q", doc, before, after)
	}
	return block
}

func FuzzPutBlock(f *testing.F) {
	f.Add([]byte("# Rules\r\n"+summed("aa", "- x")), "- y")
	f.Add([]byte("<!-- memory-context begin -->\n<!-- memory-context end -->"), "")
	f.Fuzz(func(t *testing.T, doc []byte, body string) {
		body = strings.NewReplacer("<", "", "\n", " ", "\r", "", "\x00", "").Replace(body)
		got, err := PutBlock(doc, blockOf("ab", body))
		if err != nil {
			return
		}
		if len(wholeBlocks(findMarks(got))) != 1 || len(findMarks(got)) != 2 {
			t.Fatalf("%q", got)
		}
		if again, err := PutBlock(got, blockOf("ab", body)); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("again: %q, %v", again, err)
		}
	})
}
