package recall

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/supersession"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"The caches were Running, and John's ran", "cach run john run"},
		{"don't can’t won't", ""},
		{"api_key getUserName v1.2.3 COVID-19 long-term", "api key api_key get user name getusername v1 2 3 v1.2.3 covid 19 covid-19 long term"},
		{"École ÉCOLE ﬁne ＡＢＣ", "ecol ecol fine abc"},
		{"日本語 no日 語", "日本 本語 日 語"},
		{"12 8080 3.5", "12 8080 3 5 3.5"},
		{"(\"*\" AND ~:^)", ""},
		{strings.Repeat("x", 100), strings.Repeat("x", 64)},
		{"May the March", "may march"},
		{"Bought chosen INDICES children's sent oversaw", "buy choos index child send overse"},
	} {
		var got []string
		newAnalyzer().terms(c.text, func(x token) { got = append(got, x.term) })
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %q, want %q", c.text, s, c.want)
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	list := []string{"a10", "a9", "a", "b1", "a09", "a9b", "a010", ""}
	slices.SortFunc(list, natural)
	if got := fmt.Sprint(list); got != "[ a a09 a9 a9b a010 a10 b1]" {
		t.Error(got)
	}
}

var noon = time.Date(2026, 3, 11, 12, 0, 0, 0, time.UTC)

func order(r Result) string {
	var list []string
	for _, h := range r.Hits {
		list = append(list, h.ID)
	}
	return strings.Join(list, " ")
}

func indexOf(docs ...Document) *Index {
	ix := New()
	ix.Add(docs...)
	return ix
}

func ask(t *testing.T, ix *Index, q Query) Result {
	t.Helper()
	r, err := ix.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFieldsWeighMore(t *testing.T) {
	fill := "one two three four five six"
	ix := indexOf(Document{ID: "content", Content: fill + " kafka"}, Document{ID: "title", Title: "kafka", Content: fill}, Document{ID: "summary", Summary: "kafka", Content: fill},
		Document{ID: "other", Content: fill})
	if got := order(ask(t, ix, Query{Text: "Kafka?"})); got != "title summary content" {
		t.Error(got)
	}
}

func TestNeighboursAnswer(t *testing.T) {
	turn := func(n int, who, text string) Document {
		return Document{ID: fmt.Sprint("t", n), Session: "s", People: []string{who}, Content: text, Created: noon}
	}
	ix := indexOf(turn(10, "Ana", "Bye."), turn(2, "Ben", "Lisbon, in a tiny flat."), turn(1, "Ana", "Where did you spend your holidays?"), turn(3, "Ana", "Nice!"),
		Document{ID: "else", Content: "Something else."})
	r := ask(t, ix, Query{Text: "where did Ben spend holidays"})
	if got := order(r); !strings.HasPrefix(got, "t2 t1 ") && !strings.HasPrefix(got, "t1 t2 ") || strings.Contains(got, "else") {
		t.Error(got)
	}
	for _, h := range r.Hits {
		if h.ID == "t2" && (h.Parts.Neighbours <= 0 || h.Parts.Session <= 0 || h.Parts.People <= 0 || h.Parts.Words != 0) {
			t.Errorf("%+v", h.Parts)
		}
	}
}

func TestTimeNamed(t *testing.T) {
	var docs []Document
	for day := range 60 {
		docs = append(docs, Document{ID: fmt.Sprint("d", day), Content: "We decided on a cache.", Created: noon.AddDate(0, 0, -day)})
	}
	ix := indexOf(docs...)
	for _, c := range []struct{ text, want string }{
		{"what did we decide yesterday", "d1 "}, {"what did we decide last week", "d3 d4 d5 d6 d7 d8 d9 "}, {"yesterday", "d1"}, {"on 2026-02-27", "d12"},
	} {
		if got := order(ask(t, ix, Query{Text: c.text, At: noon})); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", c.text, got)
		}
	}
}

func TestModes(t *testing.T) {
	ix := indexOf(Document{ID: "9", Content: "tea"}, Document{ID: "5", Content: "tea"}, Document{ID: "2", Content: "tea"}, Document{ID: "0", Content: "tea"}, Document{ID: "8", Content: "tea", Archived: true})
	retention := func(id string) float64 { return float64(id[0]-'0') / 10 }
	for _, c := range []struct {
		mode    Mode
		want    string
		leftOut int
	}{{Reflexive, "9", 3}, {Standard, "9 5", 2}, {Deep, "9 5 2", 1}, {Exhaustive, "9 8 5 2 0", 0}} {
		r := ask(t, ix, Query{Text: "tea", Mode: c.mode, Retention: retention})
		if order(r) != c.want || r.LeftOut != c.leftOut {
			t.Errorf("%s: %s, %d left out", c.mode, order(r), r.LeftOut)
		}
		if mode, err := ParseMode(c.mode.String()); mode != c.mode || err != nil {
			t.Error(mode, err)
		}
	}
	if _, err := ParseMode("quick"); err == nil {
		t.Error("there is no such mode")
	}
}

func TestStandingBreaksTies(t *testing.T) {
	for _, c := range []struct {
		name string
		doc  Document
	}{
		{"recency", Document{Created: noon}}, {"priority", Document{Priority: "high"}}, {"reads", Document{Reads: 3}},
	} {
		c.doc.ID, c.doc.Content = "b", "tea"
		if got := order(ask(t, indexOf(Document{ID: "a", Content: "tea"}, c.doc), Query{Text: "tea", At: noon})); got != "b a" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestSuccessorsInherit(t *testing.T) {
	ix := indexOf(Document{ID: "old", Content: "port of the gateway", SupersededBy: []string{"mid"}}, Document{ID: "mid", Content: "moved"}, Document{ID: "new", Content: "9090", Supersedes: []string{"mid"}},
		Document{ID: "else", Content: "gateway drug"})
	r := ask(t, ix, Query{Text: "port of the gateway"})
	if got := order(r); got != "new mid else old" {
		t.Error(got)
	}
	if h := r.Hits[0]; h.Parts.Inherited != h.Score || h.Score <= 0 {
		t.Errorf("%+v", h)
	}
	if h := r.Hits[3]; h.Parts.Superseded >= 0 || !slices.Equal(h.SupersededBy, []string{"mid"}) {
		t.Errorf("%+v", h)
	}
	// In a circle the links that close it don't count.
	ix = indexOf(Document{ID: "a", Content: "tea", SupersededBy: []string{"b"}}, Document{ID: "b", Content: "tea", SupersededBy: []string{"a"}})
	if got := len(ask(t, ix, Query{Text: "tea"}).Hits); got != 2 {
		t.Error(got)
	}
}

func TestTextsTellUpdates(t *testing.T) {
	texts := map[string]string{"old": "The retry budget is 3 attempts.", "new": "The retry budget is 5 attempts.", "long": "The retry budget is 9 attempts. " + strings.Repeat("And so on. ", 200)}
	ix := New()
	ix.Add(Document{ID: "old", Content: texts["old"], Created: noon}, Document{ID: "new", Content: texts["new"], Created: noon.Add(time.Hour)}, Document{ID: "long", Content: texts["long"], Created: noon.Add(2 * time.Hour)})
	asked := 0
	note := func(id string) (supersession.Note, bool) {
		asked++
		return supersession.Note{Text: texts[id]}, true
	}
	for _, h := range ask(t, ix, Query{Text: "retry budget", Note: note}).Hits {
		if (len(h.Newer) == 1 && h.Newer[0].String() == "newer: new, "+noon.Format(time.DateOnly)+" (undecided)") != (h.ID == "old") || len(h.SupersededBy) > 0 || h.Parts.Superseded != 0 {
			t.Errorf("%s: %+v", h.ID, h)
		}
	}
	if asked == 0 {
		t.Error("no text was asked for")
	}
}

type meaning map[string]float64

func (m meaning) Near(string) (map[string]float64, error) {
	if m == nil {
		return nil, errors.New("no provider")
	}
	return m, nil
}

func TestMeaning(t *testing.T) {
	docs := []Document{{ID: "car", Content: "car"}, {ID: "auto", Content: "automobile", Session: "s"}, {ID: "beside", Content: "garage", Session: "s"}}
	near := meaning{"car": .8, "auto": .9, "gone": 1, "beside": .1, "nan": math.NaN()}
	for i := range 12 {
		id := fmt.Sprintf("tree%d", i)
		docs, near[id] = append(docs, Document{ID: id, Content: "tree"}), .1
	}
	ix := indexOf(docs...)
	if got := order(ask(t, ix, Query{Text: "car", Meaning: near, MeaningWeight: 1})); got != "car auto beside" {
		t.Error(got)
	}
	for name, q := range map[string]Query{
		"without weight": {Text: "car", Meaning: near}, "too few to tell": {Text: "car", Meaning: meaning{"auto": 1, "tree1": 0}, MeaningWeight: 1},
		"all alike": {Text: "car", Meaning: meaning{"tree1": 1, "tree2": 1, "tree3": 1, "tree4": 1, "tree5": 1, "tree6": 1, "tree7": 1, "tree8": 1, "tree9": 1}, MeaningWeight: 1},
	} {
		if got := order(ask(t, ix, q)); got != "car" {
			t.Errorf("%s: %s", name, got)
		}
	}
	r, err := ix.Search(Query{Text: "car", Meaning: meaning(nil), MeaningWeight: 1})
	if err == nil || order(r) != "car" {
		t.Error(order(r), err)
	}
}

// Words of the best hits tell which of two memories with the same words is on the subject; they let in none that has no word of the query.
func TestWordsOfTheBestHits(t *testing.T) {
	long := func(words string) string { return strings.Repeat("we talked for long about "+words+" ", 60) }
	texts := map[string]string{"a": long("movie netflix comedy"), "b": long("netflix comedy"), "c": long("garden roses"), "d": "a movie with netflix comedy", "e": "a movie with tea and cake"}
	ix := New()
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		ix.Add(Document{ID: id, Content: texts[id]})
	}
	q := Query{Text: "a movie"}
	if got := order(ask(t, ix, q)); len(strings.Fields(got)) != 3 {
		t.Error(got)
	}
	q.Note = func(id string) (supersession.Note, bool) { return supersession.Note{Text: texts[id]}, true }
	got := ask(t, ix, q)
	if len(got.Hits) != 3 || strings.Index(order(got), "d") > strings.Index(order(got), "e") || got.Hits[0].Parts.Related <= 0 {
		t.Error(order(got))
	}
}

func TestDecodeRefuses(t *testing.T) {
	data := indexOf(someDocuments()...).encode()
	for name, bad := range map[string][]byte{
		"nothing": nil, "torn": data[:len(data)-1], "longer": signed(append(bytes.Clone(data), 0)), "version": append([]byte("recall 3"), data[len(magic):]...),
		"a bit": append(append(bytes.Clone(data[:200]), data[200]^1), data[201:]...),
	} {
		if _, err := decode(bad); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAddAndRemove(t *testing.T) {
	ix := recoded(t, indexOf(someDocuments()...))
	ix.Add(Document{ID: "a"}, Document{ID: "e"})
	ix.Remove("b", "nobody")
	if ix.Len() != 4 || ix.Has("b") || !ix.Has("e") || ix.gone != 2 {
		t.Errorf("%d documents, %d removed", ix.Len(), ix.gone)
	}
}

func TestOf(t *testing.T) {
	ms, err := memory.ParseRecords("sessions/s1/a.json", []byte(`{"id":"a","type":"episodic","created_by":"USER","created_at":"2026-03-01T00:00:00Z","title":"T",
		"tags":["x"],"priority":"high","access_count":2,"supersedes":["b"],
		"content":{"summary":"S","participants":["Ana","Ben"],"owner":{"id":1},"port":8080,"details":{"text":"D","deep":[true,null,"E"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	d := Of(ms[0])
	got := fmt.Sprintf("%s|%s|%s|%q|%s|%s|%s|%v", d.ID, d.Title, d.Summary, d.Content, d.Session, d.People, d.Scope, d.Supersedes)
	if want := `a|T|S|"owner: id: 1\nport: 8080\nD\ndeep: true\nE\n"|s1|[Ana Ben]|session:s1|[b]`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// What the mode holds back for being cold is superseded all the same: whoever asks in
// its words gets what holds instead, and not itself.
func TestColdOnesLeadToTheirSuccessors(t *testing.T) {
	docs := []Document{
		{ID: "cold", Content: "port of the gateway", SupersededBy: []string{"mid"}}, {ID: "mid", Content: "moved"}, {ID: "new", Content: "9090", Supersedes: []string{"mid"}},
		{ID: "else", Content: "a gateway of some kind, and much else besides"}, {ID: "lone", Content: "port of the gateway"}, {ID: "chilly", Content: "frost", Archived: true},
		{ID: "frost", Content: "frost", SupersededBy: []string{"chilly"}},
	}
	for name, ix := range map[string]*Index{"built": indexOf(docs...), "decoded": recoded(t, indexOf(docs...))} {
		kept := map[string]float64{"mid": .9, "new": .9, "else": .9, "frost": .9}
		q := Query{Text: "port of the gateway", Retention: func(id string) float64 { return kept[id] }}
		r := ask(t, ix, q)
		if got := order(r); got != "new mid else" || r.LeftOut != 2 {
			t.Errorf("%s: %s, %d left out", name, got, r.LeftOut)
		}
		if h := r.Hits[0]; h.Parts.Inherited != h.Score || h.Score <= 0 || h.Parts.Superseded != 0 {
			t.Errorf("%s: %+v", name, h)
		}
		if h := r.Hits[1]; h.Parts.Superseded >= 0 || !slices.Equal(h.SupersededBy, []string{"new"}) {
			t.Errorf("%s: %+v", name, h)
		}
		// Where what holds is left out too, nothing leads to it; what it was taken for stays.
		q.Text = "frost"
		if r = ask(t, ix, q); order(r) != "frost" || !slices.Equal(r.Hits[0].SupersededBy, []string{"chilly"}) {
			t.Errorf("%s: %s %+v", name, order(r), r.Hits)
		}
		kept["new"], q.Text = 0, "port of the gateway"
		if r = ask(t, ix, q); order(r) != "mid else" {
			t.Errorf("%s: without what holds: %s", name, order(r))
		}
	}
}

// A word that no memory has any more is not a word of the query, though the decoded index knew it.
func TestWordsThatHaveGone(t *testing.T) {
	text := strings.Repeat("we talked for long about roses ", 60)
	docs := []Document{{ID: "a", Content: text, Created: noon.AddDate(0, 0, -1)}, {ID: "b", Content: text, Created: noon.AddDate(0, 0, -40)}}
	ix := recoded(t, indexOf(append([]Document{{ID: "gone", Content: "zebra", People: []string{"Zoe"}}}, docs...)...))
	ix.Remove("gone")
	for _, words := range []string{"zebra ", "Zoe ", ""} {
		q := Query{Text: words + "yesterday", At: noon, Note: func(string) (supersession.Note, bool) { return supersession.Note{Text: text}, true }}
		if diff := cmp.Diff(ask(t, indexOf(docs...), q), ask(t, ix, q), cmp.AllowUnexported(Hit{}, sought{})); diff != "" {
			t.Errorf("%s: %s", q.Text, diff)
		}
	}
}

// A query whose own function panics costs itself: those after it find what they should.
func TestPanicIsForgotten(t *testing.T) {
	ix := indexOf(manyDocuments(100)...)
	q := Query{Text: ix.terms.list[0] + " " + ix.terms.list[9], At: benchTime}
	want := ask(t, ix, q)
	if len(want.Hits) == 0 {
		t.Fatal("nothing was found: that proves nothing")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		bad := q
		bad.Retention = func(string) float64 { panic("a mistake") }
		_, _ = ix.Search(bad)
	}()
	if diff := cmp.Diff(want, ask(t, ix, q), cmp.AllowUnexported(Hit{}, sought{})); diff != "" {
		t.Error(diff)
	}
}

// A memory is found by the wording that merges kept, which counts less than its content.
func TestFoundByVariant(t *testing.T) {
	record := func(text string) memory.Memory {
		return *memory.ParseRecord([]byte(text), memory.Ref{})
	}
	varied := record(`{"id":"varied","content":"The gateway restarts nightly.","variants":[{"text":"The proxy reboots at three.","from":"old"},{"path":"/content","value":{"port":8443},"from":"older"}]}`)
	plain := record(`{"id":"plain","content":"A proxy reboots at three."}`)
	ix := indexOf(Of(&varied), Of(&plain))
	if got := order(ask(t, ix, Query{Text: "proxy reboots"})); got != "plain varied" {
		t.Errorf("found %s", got)
	}
	if got := order(ask(t, ix, Query{Text: "8443"})); got != "varied" {
		t.Errorf("found %s", got)
	}
}
