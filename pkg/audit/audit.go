package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// Report is what there is to say about a store.
type Report struct {
	Files          int      `json:"files"`
	Notes          int      `json:"notes"`
	Bytes          int      `json:"bytes"`
	Duplicates     []Pair   `json:"duplicates"`
	Contradictions []Pair   `json:"contradictions"`
	Stale          []Stale  `json:"stale"`
	Secrets        []Secret `json:"secrets"`
	Sizes          []Size   `json:"sizes"`      // files beyond what their host reads
	DeadLinks      []Link   `json:"dead_links"` // to files, notes and records that are not there
	Orphans        []Link   `json:"orphans"`    // lines of an index without their file, and files without a line
	Repeats        []Repeat `json:"repeats"`    // lines of an index
	Invisible      []Hidden `json:"invisible"`  // characters
	Unread         []string `json:"unread"`     // why files, or parts of them, could not be
}

// Pair is a note and the earlier one that it is like.
type Pair struct {
	Place             string   `json:"place"`
	Earlier           string   `json:"earlier"`
	ContentSimilarity float64  `json:"content_similarity"`
	Differences       []string `json:"differences,omitempty"`
}

// Stale is a note that nobody has touched for long.
type Stale struct {
	Place string    `json:"place"`
	At    time.Time `json:"at"`
	Days  int       `json:"days"`
}

// Secret is a secret and the note that holds it.
type Secret struct {
	Place string `json:"place"`
	secrets.Finding
}

// Size is a file that its host does not read to the end.
type Size struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
	Lines int    `json:"lines"`
	Limit string `json:"limit"`
}

// limits are what hosts read of files of these names: bytes, lines; 0 for none.
var limits = map[string]struct {
	bytes, lines int
	what         string
}{
	"memory.md": {25_000, 200, "Claude Code loads the first 200 lines or 25 KB"},
	"claude.md": {0, 200, "200 lines are advised for Claude Code"},
	"agents.md": {32 << 10, 0, "Codex reads 32 KiB"},
}

// fewest is how many words a note has that is compared with others.
const fewest = 4

// Clean reports whether there is nothing to say.
func (r *Report) Clean() bool {
	return len(r.Duplicates)+len(r.Contradictions)+len(r.Stale)+len(r.Secrets)+len(r.Sizes)+len(r.DeadLinks)+len(r.Orphans)+len(r.Repeats)+len(r.Invisible)+len(r.Unread) == 0
}

// Audit reports on the files of a store, in their order, as of now. A link may lead to a file that is none of them: exists, if it is not nil, says
// whether there is one of that name, which is relative as theirs are.
func Audit(files []File, settings config.Settings, rules *secrets.Rules, now time.Time, exists func(name string) bool) Report {
	r := Report{Files: len(files), Duplicates: []Pair{}, Contradictions: []Pair{}, Stale: []Stale{}, Secrets: []Secret{}, Sizes: []Size{}, DeadLinks: []Link{},
		Orphans: []Link{}, Repeats: []Repeat{}, Invisible: []Hidden{}, Unread: []string{}}
	r.linked(files, exists)
	found := make([][]Secret, len(files))
	parallel.Tasks(len(files), func(i int) { found[i] = secretsOf(files[i], rules) })
	index := similarity.NewIndex(-1, settings.Merge.ContentSimilarity)
	texts := map[string]*similarity.Features{}
	idle := settings.Archive.IdleAfter.Before(now)
	for i, f := range files {
		r.Bytes += len(f.Text)
		f.Text = withoutMark(f.Text)
		r.size(f)
		r.hidden(f)
		r.Secrets = append(r.Secrets, found[i]...)
		all, err := notes(f)
		if err != nil {
			r.Unread = append(r.Unread, err.Error())
		}
		for _, n := range all {
			r.Notes++
			if !n.At.IsZero() && n.At.Before(idle) {
				r.Stale = append(r.Stale, Stale{n.Place, n.At, int(now.Sub(n.At).Hours() / 24)})
			}
			if len(strings.Fields(n.Text)) < fewest {
				continue
			}
			text := similarity.Prepare(n.Text)
			record := similarity.Record{Text: text}
			for near := range index.Near(record) {
				r.pair(n.Place, near, texts[near.Key], text, settings.Merge.ContentSimilarity)
				break
			}
			index.Add(n.Place, record)
			texts[n.Place] = text
		}
	}
	slices.SortStableFunc(r.Stale, func(a, b Stale) int { return cmp.Compare(b.Days, a.Days) })
	return r
}

// pair judges a note and the one that it is like.
func (r *Report) pair(place string, near similarity.Neighbour, earlier, text *similarity.Features, threshold float64) {
	p := Pair{Place: place, Earlier: near.Key, ContentSimilarity: near.Content}
	for _, d := range similarity.Judge(earlier, text, threshold).Differences {
		p.Differences = append(p.Differences, d.Kind+": "+side(d.A)+" against "+side(d.B))
	}
	if p.Differences == nil {
		r.Duplicates = append(r.Duplicates, p)
	} else {
		r.Contradictions = append(r.Contradictions, p)
	}
}

func side(text string) string {
	if text == "" {
		return "nothing"
	}
	return strconv.Quote(text)
}

// withoutMark is a text without the mark of its byte order, which nobody reads as a part of it.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// secretsOf searches a file: JSON field by field, other text line by line.
func secretsOf(f File, rules *secrets.Rules) (all []Secret) {
	f.Text = withoutMark(f.Text)
	add := func(place string, found []secrets.Finding) {
		for _, x := range found {
			all = append(all, Secret{place, x})
		}
	}
	switch kindOf(f.Name) {
	case jsonFile:
		add(f.Name, rules.FindRecord(f.Text))
	case jsonLines:
		n := 0
		for line := range bytes.Lines(f.Text) {
			n++
			add(fmt.Sprintf("%s:%d", f.Name, n), rules.FindRecord(line))
		}
	default:
		for _, x := range rules.Find(string(f.Text)) {
			add(fmt.Sprintf("%s:%d", f.Name, x.Line), []secrets.Finding{x})
		}
	}
	return all
}

// size reports a file that is longer than its host reads.
func (r *Report) size(f File) {
	l, ok := limits[strings.ToLower(path.Base(f.Name))]
	n := bytes.Count(f.Text, []byte("\n"))
	if len(f.Text) > 0 && f.Text[len(f.Text)-1] != '\n' {
		n++
	}
	if ok && (l.bytes > 0 && len(f.Text) > l.bytes || l.lines > 0 && n > l.lines) {
		r.Sizes = append(r.Sizes, Size{f.Name, len(f.Text), n, l.what})
	}
}
