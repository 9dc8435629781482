package memoryd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dialect are words and phrases that no Go programmer greps for, or that aren't plain English, each in all its forms, with
// the number of uses that are left. A number may fall and never rise.
var dialect = []struct {
	forms   string // with commas between them
	most    int
	instead string
}{
	{"for want of", 0, "because there is no …"},
	{"what is told", 0, "what is reported"},
	{"gist,gists", 0, "entry, summary"},
	{"heed,heeds,heeded", 0, "read, use, follow"},
	{"takings", 0, "usage"},
	{"storey,storeys", 0, "layer"},
	{"shall", 4, "must, will"},
	{"kept apart", 3, "decided to keep both"},
	{"stand beside,stands beside", 6, "is next to, is given with"},
	{"is no,are no,was no,were no", 109, "is not a, are not"},
	{"told", 557, "reported, said, named, given"},
	{"asked", 800, "requested, called, needed"},
	{"kept", 693, "stored, saved, retained"},
	{"beside", 192, "next to, with, as well as"},
	{"anew", 93, "again"},
	{"whoever", 83, "a caller, a person, everybody who"},
	{"guest,guests", 49, "principal"},
	{"misfit,misfits", 177, "what has no place in the format"},
	{"parted", 16, "separated, split"},
	{"sight", 12, "view"},
	{"sketch", 25, "outline, signature"},
	{"board,boards", 36, "dashboard"},
	{"visit,visits", 72, "call, request"},
	{"gift,gifts", 11, "given"},
	{"stranger,strangers", 44, "outlier"},
	{"mend,mends,mended", 43, "fix"},
}

// plain are uses of these phrases that are plain English.
var plain = []string{"is no longer", "are no longer", "was no longer", "is no more", "are no more", "there is no", "there are no", "there was no", "there were no"}

// The old words don't come back: in identifiers, comments, messages and documents.
func TestWords(t *testing.T) {
	text := words(t)
	for _, d := range dialect {
		n := 0
		for form := range strings.SplitSeq(d.forms, ",") {
			n += strings.Count(text, apart(form))
			for _, p := range plain {
				if strings.Contains(p, form) {
					n -= strings.Count(text, apart(p))
				}
			}
		}
		if n > d.most {
			t.Errorf("%q is used %d times, want %d at most. Write %s, or the word that says it exactly. \"git diff main\" shows what is new", d.forms, n, d.most, d.instead)
		}
		if n < d.most {
			t.Logf("%q is used %d times: lower its number here from %d", d.forms, n, d.most)
		}
	}
}

// apart writes words as the text of [words] has them: with a blank around each.
func apart(phrase string) string { return " " + strings.ReplaceAll(phrase, " ", "  ") + " " }

// words are those of all sources and documents, in lower case. The parts of an identifier are words.
func words(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"fixtures", "node_modules", "testdata"}, d.Name()) || strings.HasPrefix(d.Name(), ".") && name != "."):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".html", ".md"}, filepath.Ext(name)) || name == "words_test.go":
			return nil
		}
		text, err := os.ReadFile(name)
		small := false // whether the letter before is one
		for _, c := range text {
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || c == '\''
			if !letter || small && c >= 'A' && c <= 'Z' {
				b.WriteByte(' ')
			}
			if letter {
				b.WriteByte(c)
			}
			small = c >= 'a' && c <= 'z'
		}
		b.WriteByte(' ')
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return " " + strings.Join(strings.Fields(strings.ToLower(b.String())), "  ") + " "
}
