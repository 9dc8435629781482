package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// Link is a link or a line of an index that leads nowhere, or a file to which none leads.
type Link struct {
	Place  string `json:"place"`
	Target string `json:"target,omitempty"` // as it is written; none for a file
	What   string `json:"what"`
}

// Repeat is a line of an index and the earlier one that it repeats.
type Repeat struct {
	Place   string `json:"place"`
	Earlier string `json:"earlier"`
	What    string `json:"what"`
}

// links says what the files of a store link to, and what there is.
type links struct {
	exists func(name string) bool // of files that are not in the report; may be nil
	files  map[string]bool
	names  map[string]bool // of notes, in small letters: their titles and permalinks, their paths with and without the last part
	ids    map[string]bool // of records
	kinds  map[string]bool // what ids begin with, up to a mark
	report *Report
}

// linked looks for links that lead nowhere.
func (r *Report) linked(files []File, exists func(name string) bool) {
	l := links{exists, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, r}
	for _, f := range files {
		l.know(f)
	}
	for _, f := range files {
		f.Text = withoutMark(f.Text)
		switch kindOf(f.Name) {
		case jsonFile:
			l.record(f.Name, gjson.ParseBytes(f.Text), 0)
		case jsonLines:
			n := 0
			for line := range bytes.Lines(f.Text) {
				n++
				l.record(fmt.Sprintf("%s:%d", f.Name, n), gjson.ParseBytes(line), 0)
			}
		case markdown:
			l.note(f)
		}
	}
	l.unnamed(files)
}

// know notes what a file may be called in a link.
func (l *links) know(f File) {
	l.files[f.Name] = true
	switch kindOf(f.Name) {
	case markdown:
		name := strings.ToLower(strings.TrimSuffix(f.Name, path.Ext(f.Name)))
		for ; name != "." && name != ""; _, name, _ = strings.Cut(name, "/") {
			l.names[name] = true
		}
		for _, key := range []string{"title", "permalink", "name"} {
			if v := frontValue(string(withoutMark(f.Text)), key); v != "" {
				l.names[strings.ToLower(v)] = true
			}
		}
	case jsonFile, jsonLines:
		for line := range bytes.Lines(f.Text) {
			for _, m := range idPattern().FindAllSubmatch(line, -1) {
				id := string(m[2])
				l.ids[id] = true
				if i := strings.IndexAny(id, "-_"); i > 0 {
					l.kinds[id[:i+1]] = true
				}
			}
		}
	}
}

var (
	idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(id|name)"\s*:\s*"([^"\\]{1,200})"`) })
	// linkPattern is a link of Markdown, [text](target) or [text](<target>), its definition, [text]: target, or [[a name]].
	linkPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\]\(<([^<>\n]+)>|\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)?)(?:\s+["'(][^\n]*?)?\)|^\s{0,3}\[[^\]]+\]:\s+(\S+)|\[\[([^\[\]\n]+)\]\]`)
	})
	codePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`+[^`\n]*`+") })
)

// note looks at the links of a note.
func (l *links) note(f File) {
	index := isIndex(f.Name)
	seen := map[string]string{} // what lines of an index say, and where
	for n, line := range proseLines(string(f.Text)) {
		place := fmt.Sprintf("%s:%d", f.Name, n)
		line = codePattern().ReplaceAllString(line, "")
		first := ""
		for _, m := range linkPattern().FindAllStringSubmatch(line, -1) {
			target := m[1] + m[2] + m[3]
			if first == "" {
				first = target + m[4]
			}
			switch {
			case m[4] != "":
				l.wiki(f.Name, place, m[4])
			case !l.reaches(f.Name, target):
				l.dead(index, Link{place, target, "no such file"})
			}
		}
		if index {
			l.repeated(seen, place, line, first)
		}
	}
}

// dead reports a link: that of an index is a line without its file.
func (l *links) dead(index bool, x Link) {
	if index {
		l.report.Orphans = append(l.report.Orphans, x)
		return
	}
	l.report.DeadLinks = append(l.report.DeadLinks, x)
}

// reaches reports whether the target of a link is there, as far as that can be known: other hosts and programs are not asked, and one bare word
// may be anything, as in f[x](y).
func (l *links) reaches(file, target string) bool {
	target, _, _ = strings.Cut(target, "#")
	target, _, _ = strings.Cut(target, "?")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	if scheme, _, ok := strings.Cut(target, ":"); target == "" || strings.HasPrefix(target, "//") || ok && len(scheme) > 1 && !strings.Contains(scheme, "/") || strings.ContainsAny(target, "{}<>$*") || !strings.ContainsAny(target, "./") {
		return true
	}
	name := path.Join(path.Dir(file), target)
	if strings.HasPrefix(target, "/") { // from the root of the store, wherever that is, or of the disk
		name = target
		if slices.ContainsFunc(parents(file), func(dir string) bool { return l.there(path.Join(dir, target)) }) {
			return true
		}
	}
	return l.there(name)
}

func (l *links) there(name string) bool {
	return l.files[name] || l.names[strings.ToLower(name)] || l.exists != nil && l.exists(name)
}

// parents are the directories that a file is in, from its own up.
func parents(file string) (all []string) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		all = append(all, dir)
		if dir == "." || dir == "/" {
			return all
		}
	}
}

// wiki looks for the note that [[name]] means: by its title, permalink or path. What only looks like it, a test of a shell, is none.
func (l *links) wiki(file, place, text string) {
	name, _, _ := strings.Cut(text, "|")
	name, _, _ = strings.Cut(name, "#")
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsAny(name, `$"=&<>`) || strings.HasPrefix(name, "-") || strings.Contains(name, "://") {
		return
	}
	bare := strings.ToLower(strings.TrimSuffix(name, ".md"))
	if l.names[bare] || l.names[strings.TrimPrefix(bare, "/")] || l.there(path.Join(path.Dir(file), name)) || l.there(path.Join(path.Dir(file), name+".md")) {
		return
	}
	l.dead(isIndex(file), Link{place, "[[" + text + "]]", "no note has this name"})
}

// repeated looks for the line of an index that says what an earlier one does: it names the same file, or is the same.
func (l *links) repeated(seen map[string]string, place, line, target string) {
	text := strings.Join(strings.Fields(strings.ToLower(strings.TrimLeft(line, " \t-*+0123456789.)"))), " ")
	if text == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
		return
	}
	keys := []string{"line\x00" + text}
	if target != "" && strings.HasPrefix(strings.TrimSpace(line), "-") {
		keys = []string{"file\x00" + strings.TrimPrefix(target, "./")}
	}
	for _, key := range keys {
		kind, _, _ := strings.Cut(key, "\x00")
		if earlier, ok := seen[key]; ok {
			l.report.Repeats = append(l.report.Repeats, Repeat{place, earlier, "the same " + kind})
			continue
		}
		seen[key] = place
	}
}

// unnamed looks for the notes that no line of the nearest index, next to or above them, names.
func (l *links) unnamed(files []File) {
	indexes := map[string]*index{} // by their directories
	for _, f := range files {
		if isIndex(f.Name) {
			indexes[path.Dir(f.Name)] = indexOf(f)
		}
	}
	if len(indexes) == 0 {
		return
	}
	for _, f := range files {
		if kindOf(f.Name) != markdown || slices.Contains(guides, strings.ToLower(path.Base(f.Name))) {
			continue
		}
		for _, dir := range parents(f.Name) {
			if x := indexes[dir]; x != nil {
				if !x.names(strings.TrimPrefix(f.Name, dir+"/")) {
					l.report.Orphans = append(l.report.Orphans, Link{Place: f.Name, What: "no line of " + x.file + " names it"})
				}
				break
			}
		}
	}
}

// guides are files that a host reads by itself: no index has to name them.
var guides = []string{"memory.md", "claude.md", "agents.md", "gemini.md", "readme.md", "index.md"}

// index is what an index names.
type index struct {
	file, text string
	words      map[string]bool
}

func indexOf(f File) *index {
	x := &index{f.Name, strings.ToLower(string(f.Text)), map[string]bool{}}
	for word := range strings.FieldsFuncSeq(x.text, func(r rune) bool { return strings.ContainsRune(" \t\r\n()[]<>`\"'|,;@#", r) }) {
		if plain, err := url.PathUnescape(word); err == nil {
			word = plain
		}
		x.words[strings.TrimPrefix(strings.TrimRight(word, ".:"), "./")] = true
	}
	return x
}

// names reports whether an index names a file: by its path from there, or as a note by its name.
func (x *index) names(rel string) bool {
	rel = strings.ToLower(rel)
	bare := strings.TrimSuffix(rel, path.Ext(rel))
	for _, name := range []string{rel, bare, path.Base(bare)} {
		if name == rel && x.words[name] || strings.Contains(x.text, "[["+name+"]]") || strings.Contains(x.text, "[["+name+"|") {
			return true
		}
	}
	return strings.ContainsAny(rel, " (),'") && (strings.Contains(x.text, rel) || strings.Contains(x.text, strings.ToLower((&url.URL{Path: rel}).EscapedPath())))
}

// isIndex reports whether a file is the index of the notes next to it.
func isIndex(name string) bool { return strings.EqualFold(path.Base(name), "memory.md") }

// record looks at what a record of JSON refers to by id: members that always hold ids, and references that have the form of the ids here.
func (l *links) record(place string, v gjson.Result, depth int) {
	if depth > 100 {
		return
	}
	if !v.IsObject() {
		if v.IsArray() {
			i := 0
			v.ForEach(func(_, e gjson.Result) bool {
				l.record(elementPlace(place, i), e, depth+1)
				i++
				return true
			})
		}
		return
	}
	if from, to := v.Get("from").Str, v.Get("to").Str; v.Get("type").Str == "relation" && from != "" {
		l.id(place, "from", from, true)
		l.id(place, "to", to, true)
	}
	v.ForEach(func(key, value gjson.Result) bool {
		switch k := key.Str; {
		case slices.Contains(idMembers, k):
			for _, id := range value.Array() {
				l.id(place, k, id.String(), true)
			}
		case k == "references":
			for _, r := range value.Array() {
				l.id(place, k, cmp.Or(r.Get("id").String(), r.Str), false)
			}
		case value.IsArray() && value.Get("0").IsObject():
			l.record(place+"#/"+k, value, depth+1)
		}
		return true
	})
}

// idMembers hold ids of other records, one or a list.
var idMembers = []string{"supersedes", "superseded_by", "promoted_to", "promoted_from", "depends_on_id"}

// id reports an id that no record has.
func (l *links) id(place, member, id string, always bool) {
	kind := id[:max(0, strings.IndexAny(id, "-_")+1)]
	if id == "" || l.ids[id] || !always && (kind == "" || !l.kinds[kind]) {
		return
	}
	l.report.DeadLinks = append(l.report.DeadLinks, Link{place, id, member + ": no record has this id"})
}
