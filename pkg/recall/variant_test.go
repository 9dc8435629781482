package recall

import (
	"testing"

	"pgregory.net/rapid"
)

// Words are found that are another form of what is asked for, a part of it, around it, or misspelled, and marked as such.
func TestVariants(t *testing.T) {
	for _, tt := range []struct{ name, content, query string }{
		{"Korean particle", "배송은 창고에서 시작한다", "창고"},
		{"Russian case", "Резервные копии серверов лежат отдельно", "сервер"},
		{"Polish case", "Kopie zapasowe leżą w magazynie", "magazyn"},
		{"Finnish compound", "Varmuuskopioiden salausavain vaihdetaan keväällä", "salaus"},
		{"German compound", "Der Rechnungsversand läuft nachts", "rechnung"},
		{"Hungarian ending", "A mentéseket hétvégén ellenőrizzük", "mentések"},
		{"Hindi ending", "बैकअप सर्वरों पर रखा जाता है", "सर्वर"},
		{"identifier", "Set paymentRetryLimit to three", "retrylimit"},
		{"part of a joined name", "The mallrepo has the templates", "repo"},
		{"hyphen left out", "The auto-scaling group is small", "autoscaling"},
		{"a letter left out", "The certificate expires in June", "certifcate"},
		{"two letters swapped", "The certificate expires in June", "certifciate"},
		{"beginning of a hash", "Broken since 4be1a09d77c3", "4be1a09d"},
		{"German sharp s", "Die Straßenreinigung kommt montags", "strassenreinigung"},
		{"Polish l", "Łukasz prowadzi wdrożenie", "lukasz"},
		{"soft hyphen", "The ware\u00adhouse opens at nine", "warehouse"},
		{"emoji", "\U0001F6D1 means that nobody deploys", "\U0001F6D1"},
		{"half-width kana", "サーバーを停止する", "ｻｰﾊﾞｰ"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ix := New()
			ix.Add(Document{ID: "it", Content: tt.content}, Document{ID: "other", Content: "The weather was nice when we walked along the river"})
			result, err := ix.Search(Query{Text: tt.query})
			if err != nil || len(result.Hits) == 0 || result.Hits[0].ID != "it" {
				t.Fatalf("%+v, %v", result.Hits, err)
			}
			if hit := result.Hits[0]; len(hit.Words)+len(hit.Like) == 0 {
				t.Errorf("nothing is said of why: %+v", hit)
			}
		})
	}
}

// Words that only look alike are other words.
func TestNoVariants(t *testing.T) {
	for _, tt := range []struct{ content, query string }{
		{"Port 8443 is open", "8444"},
		{"We met Anna", "Hanna"},
		{"The contract is signed", "where is the control of the valves kept"},
		{"the cat sat", "car"},
		{"a river", "b"},
	} {
		ix := New()
		ix.Add(Document{ID: "it", Content: tt.content})
		if result, _ := ix.Search(Query{Text: tt.query}); len(result.Hits) > 0 {
			t.Errorf("%q finds %q: %+v", tt.query, tt.content, result.Hits)
		}
	}
}

// What has a word as it is comes before what has one like it.
func TestExactBeforeLoose(t *testing.T) {
	ix := New()
	ix.Add(Document{ID: "loose", Content: "Die Serverräume sind kühl"}, Document{ID: "exact", Content: "Der Server ist kühl"}, Document{ID: "none", Content: "Nichts davon"})
	result, _ := ix.Search(Query{Text: "räume"})
	if len(result.Hits) == 0 || result.Hits[0].ID != "loose" || !result.Hits[0].Loose() {
		t.Errorf("%+v", result.Hits)
	}
	result, _ = ix.Search(Query{Text: "kühl server"})
	if len(result.Hits) < 2 || result.Hits[0].ID != "exact" || result.Hits[0].Loose() {
		t.Errorf("%+v", result.Hits)
	}
}

func TestEditedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := []rune(rapid.StringMatching(`[a-zа-я]{1,12}`).Draw(t, "word"))
		i := rapid.IntRange(0, len(a)-1).Draw(t, "at")
		b := append([]rune{}, a...)
		switch rapid.IntRange(0, 2).Draw(t, "edit") {
		case 0:
			b[i] = 'ж'
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = append(b[:i], append([]rune{'q'}, b[i:]...)...)
		}
		x, y := string(a), string(b)
		n := commonBeginning(x, y)
		if got := editedOnce(x[n:], y[n:]); got == (x == y) || got != editedOnce(y[n:], x[n:]) {
			t.Errorf("%s, %s: %t", x, y, got)
		}
	})
}
