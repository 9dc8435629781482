package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// madeAt is the time that generated memories are measured at.
var madeAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// generator makes the memories of agents, teams and projects over a year, about the parts
// of a large system. Of a hundred memories, six repeat an earlier one in the same or nearly
// the same words, three give an earlier value again, and four are long episodes. A third was
// never read.
type generator struct {
	*rand.Rand
	n       int
	earlier []text // a sample of the texts so far, to be repeated
	layout  layout
}

// layout says in which scopes the memories of a workspace are.
type layout string

const (
	oneScope layout = "one"    // all in global, as where nobody names a scope
	spread   layout = "spread" // in those of many agents, projects and teams, and in global
)

// say names a layout in a heading.
func (l layout) say() string {
	if l == oneScope {
		return "all in one scope"
	}
	return "spread over scopes"
}

// saves is the scope that new memories are saved in.
func (l layout) saves() string {
	if l == oneScope {
		return "global"
	}
	return "project:p0"
}

func newGenerator(seed uint64, l layout) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 0x6d656d6f7279)), layout: l}
}

// text is what a memory says, and the directory that holds it.
type text struct {
	dir, kind, by   string
	title           string
	tags, sentences []string
}

// folder is a generated workspace on disk.
type folder struct {
	dir   string
	n     int
	files []string // absolute names, in the order in which they were made
	bytes int64    // of all files
}

// makeWorkspace writes n memories below dir, at most perFile of a directory to one file.
// A file of one memory holds the memory itself; a file of several is a collection. The same
// seed makes the same bytes.
func makeWorkspace(dir string, n, perFile int, seed uint64, l layout) (*folder, error) {
	g, w := newGenerator(seed, l), &folder{dir: dir, n: n}
	open := map[string][]record{} // collections that have room, by directory
	made := map[string]int{}      // collections so far, by directory
	flush := func(in string) error {
		made[in]++
		doc := map[string][]record{"memories": open[in]}
		delete(open, in)
		return w.write(filepath.Join(in, fmt.Sprintf("memories-%04d.json", made[in])), doc)
	}
	for range n {
		in, r := g.memory(n)
		if perFile == 1 {
			if err := w.write(filepath.Join(in, r.ID+".json"), r); err != nil {
				return nil, err
			}
			continue
		}
		if open[in] = append(open[in], r); len(open[in]) == perFile {
			if err := flush(in); err != nil {
				return nil, err
			}
		}
	}
	for _, in := range slices.Sorted(maps.Keys(open)) {
		if err := flush(in); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// write writes one file of a workspace, with its directory.
func (w *folder) write(name string, doc any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	name = filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	w.files = append(w.files, name)
	w.bytes += int64(b.Len())
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// record is a memory as it is written to a file.
type record struct {
	ID           string   `json:"id"`
	Type         string   `json:"type"`
	CreatedBy    string   `json:"created_by"`
	CreatedAt    string   `json:"created_at"`
	UpdatedAt    string   `json:"updated_at"`
	LastAccessed *string  `json:"last_accessed"`
	AccessCount  int      `json:"access_count"`
	Priority     string   `json:"priority"`
	Confidence   float64  `json:"confidence"`
	Tags         []string `json:"tags"`
	Content      content  `json:"content"`
}

type content struct {
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Details string `json:"details"`
}

// memory makes the next memory of a workspace of all memories, and names its directory.
func (g *generator) memory(all int) (dir string, r record) {
	g.n++
	t := g.text(all)
	born := madeAt.Add(-time.Duration(1+g.IntN(365*24*60)) * time.Minute)
	if len(g.earlier) == 0 || g.IntN(len(g.earlier)) < 64 {
		g.earlier = append(g.earlier, t)
	}
	r = record{
		ID: fmt.Sprintf("mem_%07d", g.n), Type: t.kind, CreatedBy: t.by,
		CreatedAt: born.Format(time.RFC3339), Priority: g.one("low", "medium", "medium", "high"),
		Confidence: float64(60+g.IntN(40)) / 100, Tags: t.tags,
		Content: content{t.title, t.sentences[0], strings.Join(t.sentences[1:], " ")},
	}
	changed := born.Add(time.Duration(g.Int64N(int64(madeAt.Sub(born)))))
	r.UpdatedAt = changed.Format(time.RFC3339)
	if g.IntN(3) > 0 {
		read := changed.Add(time.Duration(g.Int64N(int64(madeAt.Sub(changed)) + 1))).Format(time.RFC3339)
		r.LastAccessed, r.AccessCount = &read, 1+g.IntN(20)
	}
	if g.layout == oneScope {
		t.dir = "global"
	}
	return t.dir, r
}

// text makes the text of a memory: a new one, or an earlier one repeated or changed.
func (g *generator) text(all int) text {
	chance := g.IntN(100)
	if chance < 9 && len(g.earlier) > 0 {
		t := g.earlier[g.IntN(len(g.earlier))]
		t.sentences = append([]string(nil), t.sentences...)
		switch i := g.IntN(len(t.sentences)); {
		case chance < 3: // word for word
		case chance < 6:
			t.sentences[i] = strings.Replace(t.sentences[i], "the ", "that ", 1)
		default:
			t.sentences[i] = strings.Join(strings.Fields(t.sentences[i])[:3], " ") + fmt.Sprintf(" is set to %d by now.", 2+g.IntN(5000))
		}
		return t
	}
	thing := g.thing()
	agent := fmt.Sprintf("%s-%03d", g.one("DEV", "OPS", "QA", "RES"), 1+g.IntN(max(1, all/400)))
	t := text{
		kind: g.one("factual", "factual", "procedural", "episodic", "semantic"), by: agent,
		title: strings.ToUpper(thing[:1]) + thing[1:] + ": " + g.one(aspects...),
		tags:  []string{strings.ReplaceAll(thing, " ", "-"), g.one(aspects...), g.one("team", "prod", "staging", "howto", "incident")},
	}
	t.dir = g.one("agents/"+agent, "agents/"+agent, "agents/"+agent, fmt.Sprintf("projects/p%d", g.IntN(1+all/1000)), fmt.Sprintf("teams/t%d", g.IntN(1+all/2000)), "global")
	n := 3 + g.IntN(6)
	if chance >= 96 {
		t.kind, n = "episodic", 60
	}
	for range n {
		t.sentences = append(t.sentences, g.sentence(thing))
	}
	return t
}

func (g *generator) one(of ...string) string { return of[g.IntN(len(of))] }

// thing names one of about 8,000 parts of the system.
func (g *generator) thing() string {
	return g.one(owners...) + " " + g.one(parts...) + fmt.Sprintf(" %c%d", 'a'+rune(g.IntN(4)), 1+g.IntN(8))
}

func (g *generator) sentence(thing string) string {
	s := g.one(forms...)
	for _, fill := range [][2]string{
		{"THING", "the " + thing}, {"OTHER", "the " + g.thing()}, {"ASPECT", g.one(aspects...)}, {"WHO", g.one(people...)},
		{"N", fmt.Sprint(2 + g.IntN(5000))}, {"DAY", madeAt.AddDate(0, 0, -g.IntN(400)).Format("2 January 2006")},
	} {
		s = strings.ReplaceAll(s, fill[0], fill[1])
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

var (
	owners = []string{"billing", "search", "checkout", "catalogue", "shipping", "login", "mail", "report", "export", "audit", "inventory", "pricing", "review", "media", "session", "backup"}
	parts  = []string{"queue", "cache", "gateway", "worker", "index", "scheduler", "database", "proxy", "bucket", "topic", "dashboard", "pipeline", "client", "webhook", "token", "registry"}
	people = []string{"Ines", "Tomás", "Aiko", "Ravi", "Marta", "Olu", "Petra", "Sven", "Noor", "Luca", "Hana", "Emil"}

	aspects = []string{"timeout", "retries", "memory", "latency", "limit", "rotation", "failover", "schema", "backlog", "capacity", "alert", "owner", "rollout", "cost"}

	forms = []string{
		"THING keeps its ASPECT at N because OTHER gives up earlier.",
		"WHO raised the ASPECT of THING to N on DAY, and nobody has complained since.",
		"when the ASPECT of OTHER grows beyond N, look at THING first.",
		"THING writes N rows an hour, most of them for OTHER.",
		"the alert on ASPECT fires after N seconds, which is too late for THING.",
		"before a release, stop THING, wait until OTHER is empty, then start both.",
		"WHO found that OTHER loses events whenever THING restarts in the middle of a batch.",
		"on DAY the ASPECT of THING fell to N and customers saw errors for twenty minutes.",
		"we decided to leave the ASPECT as it is until WHO has measured OTHER under load.",
		"THING reads its settings once, so a change of the ASPECT needs a restart.",
		"ask WHO before touching the ASPECT of OTHER.",
		"tests of THING take N milliseconds when OTHER runs beside them.",
		"the fix was to give OTHER a ASPECT of its own instead of sharing that of THING.",
		"as a rule the ASPECT is N per worker, and THING has four of them.",
	}
)
