package foreign

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// What a line of a note may be: "- [category] text #tag (context)", and "- relation [[Target]] (context)", the relation in quotes if it
// has blanks.
var noteLines = sync.OnceValue(func() (x struct{ observation, relation, link *regexp.Regexp }) {
	x.observation = regexp.MustCompile(`^\s*[-*+]\s+\[([^\[\]()]+)\]\s+\S`)
	x.relation = regexp.MustCompile(`^\s*[-*+]\s+(?:"([^"]+)"|'([^']+)'|([^\s\[\]]+))\s+\[\[([^\[\]]+)\]\]\s*(?:\([^()]*\))?\s*$`)
	x.link = regexp.MustCompile(`\[\[([^\[\]]+)\]\]`)
	return x
})

// isBasic reports whether a file is a note of basic-memory: it has a permalink in its front matter, or both an observation and a relation.
func isBasic(f File) bool {
	text := string(withoutMark(f.Text))
	front := readFront(text)
	if front.value("permalink") != "" {
		return true
	}
	var observation, relation bool
	for line := range noteText(text[front.length:]) {
		observation = observation || isObservation(line)
		relation = relation || noteLines().relation.MatchString(line)
	}
	return observation && relation
}

// isObservation leaves out what only looks like one: tasks, and the clock in front of the lines of a transcript.
func isObservation(line string) bool {
	m := noteLines().observation.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	category := strings.TrimSpace(m[1])
	return category != "" && category != "x" && category != "X" && (len(category) > 1 || isLetter(category[0])) && strings.Trim(category, "0123456789:., -") != ""
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// noteText yields the lines of a text that are not code.
func noteText(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		fence := ""
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			trimmed := strings.TrimSpace(line)
			mark := ""
			if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
				mark = trimmed[:3]
			}
			switch {
			case fence != "":
				if mark == fence {
					fence = ""
				}
			case mark != "":
				fence = mark
			case !yield(line):
				return
			}
		}
	}
}

// note reads what the text of a note says of itself: tags and links, and for basic-memory its project. In other Markdown, tags are
// read in lines of nothing else, and links only of what is there.
func (p *part) note(format Format, front frontMatter, file, text string) {
	p.names = noteNames(file, front.value("title", "name"), strings.Join(front.values["permalink"], ""))
	add := func(tags []string) {
		for _, t := range tags {
			if !slices.Contains(p.Tags, t) {
				p.Tags = append(p.Tags, t)
			}
		}
	}
	for line := range noteText(text) {
		switch {
		case format == Basic:
			add(inlineTags(line))
		case hashed(afterTags(line)):
			add(splitTags(afterTags(line)))
		}
		p.links = append(p.links, linksOf(line, format == Basic)...)
	}
	if format == Basic {
		if project := front.value("project"); project != "" {
			p.Scope = memory.Scope{Kind: "project", ID: project}
		}
	}
}

// afterTags is a line without the word "Tags:" in front.
func afterTags(line string) string {
	line = strings.TrimSpace(line)
	if word, rest, ok := strings.Cut(line, ":"); ok && (strings.EqualFold(word, "tags") || strings.EqualFold(word, "tag")) {
		return rest
	}
	return line
}

// inlineTags are the words of a line that begin with #; numbers are none, they are those of issues.
func inlineTags(line string) (tags []string) {
	for _, word := range strings.Fields(line) {
		if !strings.HasPrefix(word, "#") || strings.HasPrefix(word, "##") {
			continue
		}
		for tag := range strings.SplitSeq(word[1:], "#") {
			if tag = strings.TrimRight(tag, ".,;:!?)"); strings.Trim(tag, "0123456789") != "" {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// linksOf are the links of a line to other notes.
func linksOf(line string, told bool) (links []relation) {
	if !strings.Contains(line, "[[") {
		return nil
	}
	if m := noteLines().relation.FindStringSubmatch(line); m != nil {
		return []relation{{or(m[1], m[2], m[3]), target(m[4]), told}}
	}
	for _, m := range noteLines().link.FindAllStringSubmatch(line, -1) {
		links = append(links, relation{"links_to", target(m[1]), told})
	}
	return links
}

// target is the note that a link names: what follows | is shown instead of its name.
func target(name string) string {
	name, _, _ = strings.Cut(name, "|")
	return strings.TrimSpace(name)
}

// relation is a link of a record to another one, by a name of that.
type relation struct {
	how, name string
	told      bool // that nothing has this name is worth telling
}

// Relations that have members of their own in a memory.
const (
	supersedes   = "supersedes"
	supersededBy = "superseded_by"
)

// link turns the links of records into references to the ids that they have here. A name that no record has stays as it is, and is reported.
func link(all []part) (misfits []Misfit) {
	ids := map[string]string{}
	for i := range all {
		for _, name := range all[i].names {
			if name = nameKey(name); name != "" && ids[name] == "" {
				ids[name] = all[i].ID
			}
		}
	}
	for i := range all {
		p := &all[i]
		var references []json.RawMessage
		own := map[string][]string{}
		done := map[relation]bool{}
		for _, l := range p.links {
			id, known := ids[nameKey(l.name)]
			if !known && l.told {
				misfits = append(misfits, Misfit{p.Place(), fmt.Sprintf("%s %q, which no record here has as its name: kept as a name", l.how, l.name), false})
			}
			if done[l] || id == p.ID || !known && !l.told {
				continue
			}
			done[l] = true
			if known {
				p.Linked = append(p.Linked, Link{l.how, l.name, id})
			}
			if known && (l.how == supersedes || l.how == supersededBy) {
				own[l.how] = append(own[l.how], id)
				continue
			}
			references = append(references, json.RawMessage(`{"id":`+string(jsonedit.Quote(or(id, l.name)))+`,"relationship":`+string(jsonedit.Quote(l.how))+`}`))
		}
		if references != nil {
			p.refer(references)
		}
		for _, how := range []string{supersedes, supersededBy} {
			if ids := own[how]; ids != nil {
				p.Fields = append(p.Fields, Field{how, jsonedit.Strings(slices.Compact(ids))})
			}
		}
	}
	return misfits
}

// refer adds references to those that the record has.
func (p *part) refer(more []json.RawMessage) {
	at := slices.IndexFunc(p.Fields, func(f Field) bool { return f.Key == "references" })
	if at < 0 {
		p.Fields = append(p.Fields, Field{"references", encode(more)})
		return
	}
	var all []json.RawMessage
	for _, r := range gjson.ParseBytes(p.Fields[at].Value).Array() {
		all = append(all, json.RawMessage(r.Raw))
	}
	p.Fields[at].Value = encode(append(all, more...))
}

// nameKey makes the spellings of a name one: notes are linked by title, by path and by permalink.
func nameKey(name string) string {
	name, _, _ = strings.Cut(name, "#")
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.TrimPrefix(strings.TrimSuffix(name, ".md"), "./")
}

// notesNames are the names under which other notes know one.
func noteNames(file, title, permalink string) []string {
	file = strings.TrimSuffix(file, path.Ext(file))
	return []string{title, permalink, file, path.Base(file)}
}
