package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// benchAt is the moment as of which made-up memories are measured.
var benchAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// author makes up memories: those of agents, teams, projects and everybody over a
// year, about the parts of a large system. Of a hundred, six repeat an earlier one in
// these or nearly these words, three say that a value is another by now, and four are
// long episodes; a third were never read.
type author struct {
	*rand.Rand
	n       int
	earlier []told // some of those told so far, to come back to
}

// told is what a memory says, and where.
type told struct {
	dir, kind, by   string
	title           string
	tags, sentences []string
}

// makeWorkspace writes n memories, up to perFile of a directory to a file, the same ones
// for the same seed. It returns the files, and how many bytes they have.
func makeWorkspace(ctx context.Context, dir string, n, perFile int, seed uint64) (files []string, bytes int64, err error) {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 0x6d656d6f7279))}
	w := &benchFiles{dir: dir, perFile: perFile, last: map[string]*benchFile{}}
	for i := range n {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		in, r := a.memory(n)
		if err := w.add(in, r); err != nil {
			return nil, 0, err
		}
	}
	err = w.end()
	return w.names, w.bytes, err
}

// record is a memory as the file has it.
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
	Content      saying   `json:"content"`
}

type saying struct {
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Details string `json:"details"`
}

// memory makes up the next of all memories, and its directory.
func (a *author) memory(all int) (dir string, r record) {
	a.n++
	t := a.tell(all)
	born := benchAt.Add(-time.Duration(1+a.IntN(365*24*60)) * time.Minute)
	if len(a.earlier) == 0 || a.IntN(len(a.earlier)) < 64 {
		a.earlier = append(a.earlier, t)
	}
	r = record{
		ID: fmt.Sprintf("mem_%07d", a.n), Type: t.kind, CreatedBy: t.by,
		CreatedAt: born.Format(time.RFC3339), Priority: a.one("low", "medium", "medium", "high"),
		Confidence: float64(60+a.IntN(40)) / 100, Tags: t.tags,
		Content: saying{t.title, t.sentences[0], strings.Join(t.sentences[1:], " ")},
	}
	changed := born.Add(time.Duration(a.Int64N(int64(benchAt.Sub(born)))))
	r.UpdatedAt = changed.Format(time.RFC3339)
	if a.IntN(3) > 0 {
		read := changed.Add(time.Duration(a.Int64N(int64(benchAt.Sub(changed)) + 1))).Format(time.RFC3339)
		r.LastAccessed, r.AccessCount = &read, 1+a.IntN(20)
	}
	return t.dir, r
}

// tell makes up what a memory says, or comes back to something told before.
func (a *author) tell(all int) told {
	chance := a.IntN(100)
	if chance < 9 && len(a.earlier) > 0 {
		t := a.earlier[a.IntN(len(a.earlier))]
		t.sentences = append([]string(nil), t.sentences...)
		switch i := a.IntN(len(t.sentences)); {
		case chance < 3: // word by word
		case chance < 6:
			t.sentences[i] = strings.Replace(t.sentences[i], "the ", "that ", 1)
		default:
			t.sentences[i] = strings.Join(strings.Fields(t.sentences[i])[:3], " ") + fmt.Sprintf(" is set to %d by now.", 2+a.IntN(5000))
		}
		return t
	}
	thing := a.thing()
	agent := fmt.Sprintf("%s-%03d", a.one("DEV", "OPS", "QA", "RES"), 1+a.IntN(max(1, all/400)))
	t := told{
		kind: a.one(workspace.Factual, workspace.Factual, workspace.Procedural, workspace.Episodic, workspace.Semantic), by: agent,
		title: strings.ToUpper(thing[:1]) + thing[1:] + ": " + a.one(aspects...),
		tags:  []string{strings.ReplaceAll(thing, " ", "-"), a.one(aspects...), a.one("team", "prod", "staging", "howto", "incident")},
	}
	t.dir = a.one("agents/"+agent, "agents/"+agent, "agents/"+agent, fmt.Sprintf("projects/p%d", a.IntN(1+all/1000)), fmt.Sprintf("teams/t%d", a.IntN(1+all/2000)), "global")
	n := 3 + a.IntN(6)
	if chance >= 96 {
		t.kind, n = workspace.Episodic, 60
	}
	for range n {
		t.sentences = append(t.sentences, a.sentence(thing))
	}
	return t
}

func (a *author) one(of ...string) string { return of[a.IntN(len(of))] }

// thing names one of some ten thousand parts.
func (a *author) thing() string {
	return a.one(owners...) + " " + a.one(parts...) + fmt.Sprintf(" %c%d", 'a'+rune(a.IntN(4)), 1+a.IntN(8))
}

func (a *author) sentence(thing string) string {
	s := a.one(forms...)
	for _, fill := range [][2]string{
		{"THING", "the " + thing}, {"OTHER", "the " + a.thing()}, {"ASPECT", a.one(aspects...)}, {"WHO", a.one(people...)},
		{"N", fmt.Sprint(2 + a.IntN(5000))}, {"DAY", benchAt.AddDate(0, 0, -a.IntN(400)).Format("2 January 2006")},
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
