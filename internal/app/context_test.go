package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func opened(t *testing.T, files map[string]string) *workspace.FileStore {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func record(id, text string) string {
	doc, _ := json.Marshal(map[string]string{"id": id, "type": "semantic", "created_at": "2026-02-28T00:00:00Z", "content": text}) // strings always marshal
	return string(doc)
}

// anew makes the index of words of a snapshot.
func anew(snap *memory.Snapshot) (*recall.Searcher, error) {
	return recall.Open(nil, snap, 0)
}

// relevance is relevant among the candidates themselves: all memories of a snapshot.
func relevance(snap *memory.Snapshot, query string) ([]briefing.Candidate, error) {
	words, err := anew(snap)
	if err != nil {
		return nil, err
	}
	found, _, err := relevanceOf(len(snap.Memories()), nil, words, at, query)
	var all []briefing.Candidate
	for _, m := range snap.Memories() {
		c := briefing.NewCandidate(m, retention.Of(m, at, config.Default()))
		c.Relevance = found[m]
		all = append(all, c)
	}
	return all, err
}

// Who asks decides what is seen.
func TestSight(t *testing.T) {
	store := opened(t, map[string]string{
		"memory.toml":                   "",
		"global/all.json":               record("all", "for everybody"),
		"teams/development/team.json":   record("team", "for developers"),
		"teams/security/other.json":     record("other", "for security"),
		"agents/DEV-001/own.json":       record("own", "of DEV-001"),
		"agents/DEV-002/colleague.json": record("colleague", "of DEV-002"),
		"projects/shop/shop.json":       record("shop", "of the shop"),
		"projects/till/till.json":       record("till", "of the till"),
		"sessions/s1/note.json":         record("note", "of the session"),
	})
	snap, err := store.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		who  Asker
		want string
	}{
		{Asker{}, "all other team"}, // whose agents' notes these are, nobody can tell
		{Asker{Agent: "dev-001"}, "all own team"},
		{Asker{Agent: "Somebody"}, "all other team"},
		{Asker{Project: "/home/u/Shop"}, "all other shop team"},
		{Asker{Project: "elsewhere", Session: "s1"}, "all note other team"},
	} {
		b, _, err := MakeBlock(snap, anew, config.Default(), tt.who, briefing.Request{Format: briefing.XML, Tokens: 4000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range b.Given {
			got = append(got, g.ID)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%+v sees %v, want %s", tt.who, got, tt.want)
		}
	}
}

// A session is given a memory once, until its context is emptied; and nothing when it is
// too late, not wanted, or there is nothing to say.
func TestGive(t *testing.T) {
	store := opened(t, map[string]string{"memory.toml": "", "global/sweep.json": record("sweep", "The sweep of stock holds runs twice on Fridays")})
	inTime := func() bool { return false }
	settings := config.Default()
	give := func(s BlockSession) string {
		t.Helper()
		if s.Late == nil {
			s.Late = inTime
		}
		text, err := GiveBlock(store, settings, at, s)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	prompt := "When does the sweep of stock run?"
	for i, step := range []struct {
		session BlockSession
		given   bool
	}{
		{BlockSession{ID: "a", Prompt: "ok"}, false},
		{BlockSession{ID: "a", Prompt: "Is the weather nice today?"}, false},
		{BlockSession{ID: "a", Prompt: prompt, Late: func() bool { return true }}, false},
		{BlockSession{ID: "a", Prompt: prompt}, true},
		{BlockSession{ID: "a", Prompt: prompt}, false},
		{BlockSession{ID: "b", Prompt: prompt}, true},
		{BlockSession{ID: "a", Starts: true}, true}, // its context was compacted
		{BlockSession{ID: "a", Prompt: prompt}, false},
		{BlockSession{ID: "a", Resumes: true}, false},
		{BlockSession{ID: "c", Resumes: true}, true},
		{BlockSession{ID: "d", Starts: true, Prompt: "ok"}, true}, // a host that takes the block beside the first prompt only
		{BlockSession{Prompt: prompt}, true},                      // nobody knows which session
	} {
		if text := give(step.session); (text != "") != step.given {
			t.Errorf("step %d: %q", i, text)
		}
	}
	receipts, err := Receipts(store)
	if err != nil || len(receipts) != 6 {
		t.Errorf("%d receipts, %v", len(receipts), err)
	}
	settings.Context.Inject = false
	if text := give(BlockSession{ID: "new", Starts: true}); text != "" {
		t.Errorf("not wanted: %q", text)
	}
}

// Any question is taken.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", " ", "a", "\xff\xfe", strings.Repeat("word ", 1000), "\"(*:AND -", "日本語", "last week"} {
		f.Add(q)
	}
	ms, err := memory.ParseRecords("g.json", []byte("["+record("a", "The sweep runs twice")+","+record("b", "日本語のメモ")+"]"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		all, err := relevance(memory.NewSnapshot(at, ms, nil), query)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if !(c.Relevance >= 0 && c.Relevance <= 1) {
				t.Fatalf("%q: relevance %v", query, c.Relevance)
			}
		}
	})
}

// On questions about long conversations the floor gives what answers now and then, and
// hardly anything where a question is about something else.
func TestFloorOnRealQuestions(t *testing.T) {
	const every = 24
	by := map[string][]*memory.Memory{}
	type turn struct{ ID, Corpus, Text string }
	for r := range datasets.Rows[turn](t, "dev/recall_locomo_memories.jsonl") {
		ms, err := memory.ParseRecords("g.json", []byte(record(r.ID, r.Text)))
		if err != nil {
			t.Fatal(err)
		}
		by[r.Corpus] = append(by[r.Corpus], ms[0])
	}
	var corpora []string
	for c := range by {
		corpora = append(corpora, c)
	}
	slices.Sort(corpora)
	set := config.Default().Context
	n, asked, found, wrong := 0, 0.0, 0.0, 0.0
	type question struct {
		Corpus, Question string
		Evidence         []string
	}
	for q := range datasets.Rows[question](t, "dev/recall_locomo_questions.jsonl") {
		if n++; n%every != 0 || len(q.Evidence) == 0 {
			continue
		}
		give := func(corpus string) briefing.Block {
			snap := memory.NewSnapshot(at, by[corpus], nil)
			all, err := relevance(snap, q.Question)
			if err != nil {
				t.Fatal(err)
			}
			return briefing.Pick(all, briefing.Request{Format: briefing.XML, At: at, Tokens: set.PromptTokens, OnlyRelevant: true, Asked: true, MinRelevance: set.MinRelevance})
		}
		asked++
		if slices.ContainsFunc(give(q.Corpus).Given, func(g briefing.Given) bool { return slices.Contains(q.Evidence, g.ID) }) {
			found++
		}
		other := corpora[(slices.Index(corpora, q.Corpus)+1+n/every%(len(corpora)-1))%len(corpora)]
		if len(give(other).Given) > 0 {
			wrong++
		}
	}
	t.Logf("%.0f questions: an answering turn given to %.0f %%, something else's to %.0f %%", asked, 100*found/asked, 100*wrong/asked)
	if found/asked < 0.2 || wrong/asked > 0.2 {
		t.Error("the floor is not where it was measured to be")
	}
}

// In a workspace of a few memories a prompt that names the subject of one is given it, and one that names none nothing.
func TestPromptsNameSubjects(t *testing.T) {
	var rows []string
	for id, content := range map[string]string{
		"kilns": "Kilns are fired at 1240 degrees", "glaze": "The glaze recipes stand in the blue folder", "clay": "Clay is ordered from Brückner every second Monday",
		"wages": "Wages are paid by the office in Lund", "shop": "The shop takes no cash since March", "dns": "DNS entries are kept in Terraform", "ci": "CI runs on two machines in the cellar",
		"courses": "Courses have ten places, and a waiting list", "photos": "Photos of new pieces are written to the share Atelier", "urlaub": "Urlaub wird im Kalender der Werkstatt eingetragen",
		"schluessel": "Die Schlüssel hängen hinter der Tür", "ja": "請求書は毎月一日に送る",
	} {
		rows = append(rows, record(id, content))
	}
	ms, err := memory.ParseRecords("g.json", []byte("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	snap, settings := memory.NewSnapshot(at.AddDate(1, 0, 0), ms, nil), config.Default() // a year on they are cold
	for prompt, want := range map[string]string{
		"How hot are the kilns?": "kilns", "Where do glaze recipes go?": "glaze", "What about clay?": "clay", "fix the CI": "ci", "why is dns broken": "dns",
		"Is there cash in the shop?": "shop", "tell me about the courses": "courses", "Wo sind die Schlüssel?": "schluessel", "Wer trägt den Urlaub ein?": "urlaub", "請求書?": "ja",
		"run the tests": "", "yes, go on": "", "ok": "", "Write a poem": "", "Danke, das ist gut so": "", "Wie ist das Wetter?": "", "What is in the box?": "", "": "",
	} {
		got := ""
		if topicOf(prompt).asks() {
			block, _, err := MakeBlock(snap, anew, settings, Asker{Query: prompt}, briefing.Request{Format: briefing.XML, Tokens: 600, OnlyRelevant: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got = strings.Join(block.IDs(), " ")
		}
		if got != want {
			t.Errorf("%q is given %q, want %q", prompt, got, want)
		}
	}
}

// Among many memories the few that fit are found as among few.
func TestAmongMany(t *testing.T) {
	var rows []string
	for i := range 2100 {
		rows = append(rows, record(fmt.Sprintf("m%d", i), fmt.Sprintf("Shelf %d holds lanterns of kind %d", i, i%7)))
	}
	rows = append(rows, record("sweep", "The sweep of stock holds runs twice on Fridays"), record("auf-deutsch", "Der Übergabeprüfung fehlt das Lösungswort"))
	ms, err := memory.ParseRecords("g.json", []byte("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"Why are there two sweeps of the stock on Friday?": "sweep",
		"Was ist das Lösungswort der Übergabeprüfung?":     "auf-deutsch",
		"Where can bicycles be rented cheaply?":            "",
	} {
		snap := memory.NewSnapshot(at, ms, nil)
		all, err := relevance(snap, query)
		if err != nil {
			t.Fatal(err)
		}
		best, found := briefing.Candidate{}, ""
		for _, c := range all {
			if c.Relevance > best.Relevance {
				best, found = c, c.Memory.ID
			}
		}
		if found != want || want != "" && best.Relevance < config.Default().Context.MinRelevance {
			t.Errorf("%s: %q, %.2f", query, found, best.Relevance)
		}
	}
}

// A block beside a prompt is that of picking among all candidates, and every memory is counted.
func TestPromptPicksAmongAll(t *testing.T) {
	var ms []*memory.Memory
	for i := range 9000 {
		day := at.AddDate(0, 0, -i%200).Format(time.RFC3339)
		on := "gateway"
		if i%500 == 7 {
			on = "cache of the shop"
		}
		text := fmt.Sprintf(`{"id":"m%04d","type":"semantic","created_at":%q,"content":"Note %d on the %s."}`, i, day, i, on)
		read, err := memory.ParseRecords(fmt.Sprintf("global/m%04d.json", i), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		ms = append(ms, read...)
	}
	snap, settings := memory.NewSnapshot(at, ms, nil), config.Default()
	who := Asker{Query: "the cache of the shop"}
	got, request, err := MakeBlock(snap, anew, settings, who, briefing.Request{Format: briefing.XML, Tokens: 600, OnlyRelevant: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []briefing.Candidate
	tiers := map[retention.Tier]int{}
	for _, m := range snap.Memories() {
		score := retention.Of(m, at, settings)
		if tiers[score.Tier]++; score.Tier <= retention.Cold {
			all = append(all, briefing.NewCandidate(m, score))
		}
	}
	if diff := cmp.Diff(tiers, request.Status.Tiers); diff != "" || request.Status.Total != len(ms) {
		t.Errorf("%d counted: %s", request.Status.Total, diff)
	}
	words, err := anew(snap)
	if err != nil {
		t.Fatal(err)
	}
	found, newer, err := relevanceOf(len(all), func(m *memory.Memory) bool { return retention.Of(m, at, settings).Tier <= retention.Cold }, words, at, who.Query)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].Relevance, all[i].Newer = found[all[i].Memory], newer[all[i].Memory]
	}
	want := briefing.Pick(all, request)
	if len(want.Given) == 0 || want.Text != got.Text {
		t.Errorf("%s\nwant\n%s", got.Text, want.Text)
	}
}

// With context.adaptive a block takes more tokens where many memories matter, and more characters where no host truncates it.
func TestBlockGrowsWithTheMemories(t *testing.T) {
	settings := config.Default()
	settings.Context.Adaptive, settings.Context.TokenBudget, settings.Context.MaxChars, settings.Context.MaxPerGroup = true, 4000, 9500, 1000
	size := func(memories int, grows bool) int {
		files := map[string]string{}
		for i := range memories {
			id := fmt.Sprintf("m%d", i)
			files["global/"+id+".json"] = record(id, strings.Repeat(fmt.Sprintf("Note %d tells of the harbour. ", i), 8))
		}
		snap, err := opened(t, files).Load(at)
		if err != nil {
			t.Fatal(err)
		}
		request := briefing.Request{Format: briefing.XML, Tokens: settings.Context.TokenBudget, Chars: settings.Context.MaxChars, Grows: grows}
		block, _, err := MakeBlock(snap, nil, settings, Asker{}, request, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(block.Text)
	}
	for _, x := range []struct {
		memories    int
		grows       bool
		least, most int
	}{{49, true, 8000, 9500}, {50, true, 9501, 14250}, {50, false, 8000, 9500}, {250, true, 14251, 19000}} {
		if n := size(x.memories, x.grows); n < x.least || n > x.most {
			t.Errorf("%d memories, grows %v: %d characters, want %d to %d", x.memories, x.grows, n, x.least, x.most)
		}
	}
}
