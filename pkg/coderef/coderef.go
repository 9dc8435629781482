// Package coderef finds what a text names of a code repository: paths of files, symbols and commits.
//
// # Concept
//
// A reference is a word that is surely meant so by its form and its place: a path has a slash and a file extension, or is a file's name in code
// marks; a symbol stands in code marks and has the form of an identifier of several words, of a call or of a member (parseConfig, parse_config,
// Parse(), config.Parse); a commit is a hash of 7 to 40 hexadecimal digits behind a word such as commit. Whether the repository
// has it, others say.
//
// # Guarantees
//
// Pure and linear in the text; nothing panics on any bytes. Each reference is found once.
//
// # Limits
//
// It errs on the side of silence: addresses, absolute paths, patterns, placeholders, options, environment variables and words in capitals are no
// references, nor is anything in a block of code, which is mostly an example. A path with a blank in it is not found.
package coderef

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// Kind is what a reference names.
type Kind string

// The kinds of references.
const (
	Path   Kind = "path"
	Symbol Kind = "symbol"
	Commit Kind = "commit"
)

// Reference is something that a text names.
type Reference struct {
	Kind Kind
	Text string // a path with slashes, without "./"; a symbol without "()"; a hash in small letters
	// Of is what a symbol is said to be a member of: config of config.Parse; "" if it stands alone.
	Of string
	// Call: a symbol was written with "()".
	Call bool
	At   int // where the text has it first, in bytes
}

var (
	fencePattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```.*?(```|$)") })
	markedPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`\n]{2,200})`") })
	addressPart   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\w+://\S+|\S+@\S+`) })
	pathPattern   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[\s("'` + "`" + `\[,;:=])((?:\./)?(?:[\w.@+-]+/)+[\w.@+-]*\w)(?::\d+(?:[:-]\d+)?)?`)
	})
	filePattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w+-][\w.+-]*\.[a-z][a-z0-9]{0,4}(?::\d+)?$`) })
	symbolPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)(?:\.|::|#))?([A-Za-z_]\w*)(\(\))?$`)
	})
	commitPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)\\b(?:commits?|revision|rev|sha|cherry-pick(?:ed)?|reverts?|reverted|bisected to)[ :]+`?([0-9a-f]{7,40})\\b")
	})
)

// Find lists the references of a text, the paths first.
func Find(body string) []Reference {
	f := finder{seen: map[Reference]bool{}}
	body = fencePattern().ReplaceAllStringFunc(body, blank)
	plain := addressPart().ReplaceAllStringFunc(body, blank)
	for _, m := range pathPattern().FindAllStringSubmatchIndex(plain, -1) {
		f.at = m[2]
		f.path(plain[m[2]:m[3]])
	}
	for _, m := range markedPattern().FindAllStringSubmatchIndex(body, -1) {
		f.at = m[2]
		f.marked(body[m[2]:m[3]])
	}
	for _, m := range commitPattern().FindAllStringSubmatchIndex(plain, -1) {
		f.at = m[2]
		if hash := strings.ToLower(plain[m[2]:m[3]]); strings.ContainsAny(hash, "0123456789") && strings.ContainsAny(hash, "abcdef") {
			f.add(Reference{Kind: Commit, Text: hash})
		}
	}
	return f.found
}

// blank is as many bytes of white space as a text has, in its lines.
func blank(text string) string {
	b := bytes.Repeat([]byte{' '}, len(text))
	for i := range text {
		if text[i] == '\n' {
			b[i] = '\n'
		}
	}
	return string(b)
}

type finder struct {
	found []Reference
	seen  map[Reference]bool
	at    int // of what is being read
}

func (f *finder) add(r Reference) {
	if !f.seen[r] {
		f.seen[r] = true
		r.At = f.at
		f.found = append(f.found, r)
	}
}

// path adds what has a slash and a file extension.
func (f *finder) path(name string) {
	name = strings.TrimPrefix(name, "./")
	ext := path.Ext(name)
	if len(ext) < 2 || len(ext) > 6 || path.Clean(name) != name || strings.HasPrefix(name, "../") || !strings.ContainsAny(ext[1:2], letters) || isHost(name) {
		return
	}
	f.add(Reference{Kind: Path, Text: name})
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// isHost reports whether the first part of a name is that of a server: example.com/a/b.html.
func isHost(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.Contains(strings.TrimPrefix(first, "."), ".")
}

// marked adds the text between code marks.
func (f *finder) marked(word string) {
	if filePattern().MatchString(word) && !symbolCall(word) {
		name, _, _ := strings.Cut(word, ":")
		if isFileName(name) {
			f.add(Reference{Kind: Path, Text: name})
			return
		}
	}
	m := symbolPattern().FindStringSubmatch(word)
	if m == nil {
		return
	}
	of, name, call := m[1], m[2], m[3] != ""
	if len(name) < 4 || name == strings.ToUpper(name) || !call && of == "" && !isCompound(name) {
		return // one word, or a constant: anybody's
	}
	if i := strings.LastIndexAny(of, ".:"); i >= 0 {
		of = of[i+1:]
	}
	f.add(Reference{Kind: Symbol, Text: name, Of: of, Call: call})
}

func symbolCall(word string) bool { return strings.HasSuffix(word, "()") }

// isFileName tells config.go from config.Parse by its extension, which is one of files that repositories keep.
func isFileName(name string) bool { return extensions().Has(strings.TrimPrefix(path.Ext(name), ".")) }

var extensions = sync.OnceValue(func() *text.Set {
	set := text.NewSet("c cc cpp cs css dart ex exs go gradle h hpp hs html ini java jl js json jsx kt lua m md mjs ml php pl proto ps1 py r rb rs rst scala sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig")
	return &set
})

// isCompound reports whether an identifier is made of several words: parseConfig, parse_config.
func isCompound(name string) bool {
	inner := strings.Trim(name, "_")
	if strings.Contains(inner, "_") {
		return true
	}
	small := false
	for _, c := range inner {
		if small && 'A' <= c && c <= 'Z' {
			return true
		}
		small = small || 'a' <= c && c <= 'z'
	}
	return false
}
