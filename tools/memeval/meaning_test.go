package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// encoding serves vectors: texts with the word "car" or "automobile" are near each other.
func encoding(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		vectors := make([]string, len(asked.Input))
		for i, text := range asked.Input {
			vectors[i] = `{"embedding":[0,1]}`
			if strings.Contains(text, "car") || strings.Contains(text, "automobile") {
				vectors[i] = `{"embedding":[1,0.1]}`
			}
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(vectors, ","))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func memeval(t *testing.T, input string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append(args, "-"), strings.NewReader(input), &out, &errs); code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
	}
	return out.String()
}

// Meaning finds a pair in other words, and facts keep a trap out.
func TestCandidates(t *testing.T) {
	rows := `{"id":"1","a":"The car is being mended.","b":"Somebody repairs that automobile.","label":1,"kind":"paraphrase"}
{"id":"2","a":"The car has 4 doors.","b":"The car has 5 doors.","label":0,"kind":"number"}
{"id":"3","a":"The car is not red.","b":"The car is red.","label":0,"kind":"negation"}
{"id":"4","a":"Lunch is at noon.","b":"The car is red.","label":0}
{"id":"5","a":"Who knows?","b":"The car is red.","label":null}
`
	words := memeval(t, rows, "candidates")
	if !strings.Contains(words, "4 pairs, 1 the same, 2 traps") || !strings.Contains(words, "words ≥ 0.50             0.000     0.000   2/2") || !strings.Contains(words, "NOT MEASURED: meaning") {
		t.Error(words)
	}
	both := memeval(t, rows, "candidates", "--embed", encoding(t))
	if !strings.Contains(both, "cosine ≥ 0.85            1.000     0.333   2/2\n  and no distinct fact   1.000     1.000   0/2\n") {
		t.Error(both)
	}
}

func TestRecallScore(t *testing.T) {
	var rows strings.Builder
	rows.WriteString(`{"id":"car","text":"My car broke down in the rain."}` + "\n")
	for i := range 20 {
		fmt.Fprintf(&rows, `{"id":"m%d","text":"Invoice %d was sent."}`+"\n", i, i)
	}
	rows.WriteString(`{"id":"q","question":"automobile trouble","evidence":["car"]}` + "\n")
	if got := memeval(t, rows.String(), "recall", "--score"); !strings.Contains(got, "words              0.0000\nNOT MEASURED: meaning") {
		t.Error(got)
	}
	if got := memeval(t, rows.String(), "recall", "--score", "--embed", encoding(t)); !strings.Contains(got, "words              0.0000\nwords and meaning  1.0000\n") {
		t.Error(got)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"recall", "--embed", "http://127.0.0.1:9/v1", "-"}, strings.NewReader(""), &out, &errs); code != 2 || !strings.Contains(errs.String(), "--score") {
		t.Errorf("%d %s", code, errs.String())
	}
	if code := run([]string{"recall", "--score", "--embed", "http://127.0.0.1:9/v1", "-"}, strings.NewReader(rows.String()), &out, &errs); code != 1 || !strings.Contains(errs.String(), "no connection") {
		t.Errorf("%d %s", code, errs.String())
	}
}
