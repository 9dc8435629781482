package oplog

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The hashes below were computed with sha256sum(1).
const (
	firstHash   = "95280909482316f527514f2519fb9e71e10d8edbf83ba06ecdf52d8b2b0cd319" // of the run as the first entry
	foreignHash = "61054998b18199d324db95befa1d6ec209833b16ac8b6b99accb843219943aab" // of {"trigger":"weekly","by":"another tool"}
	afterHash   = "1d2c232433477fa69d989ded795147e726b8575fc3f8c5b543d7fd6089f65bbd" // of the run after that one
)

const prettyEntry = `    {
      "run_id": "run_k3v9x2",
      "timestamp": "2026-03-01T09:00:00Z",
      "trigger": "manual",
      "scope": "all",
      "actions": [
        {
          "type": "archive",
          "memory_id": "mem_a",
          "reason": "stale"
        }
      ],
      "stats": {
        "memories_merged": 0,
        "memories_summarized": 0,
        "memories_promoted": 0,
        "memories_archived": 1,
        "memories_skipped": 0,
        "memories_deferred": 0,
        "memories_flagged": 0
      },
      "duration_ms": 12,
      "status": "done",
      "prev_hash": "PREV",
      "hash": "HASH"
    }`

const compactEntry = `{"run_id":"run_k3v9x2","timestamp":"2026-03-01T09:00:00Z","trigger":"manual","scope":"all",` +
	`"actions":[{"type":"archive","memory_id":"mem_a","reason":"stale"}],` +
	`"stats":{"memories_merged":0,"memories_summarized":0,"memories_promoted":0,"memories_archived":1,` +
	`"memories_skipped":0,"memories_deferred":0,"memories_flagged":0},` +
	`"duration_ms":12,"status":"done","prev_hash":"PREV","hash":"HASH"}`

// The bytes of an appended entry in every shape and style of document.
func TestAppendGolden(t *testing.T) {
	first := strings.NewReplacer("PREV", "", "HASH", firstHash)
	after := strings.NewReplacer("PREV", foreignHash, "HASH", afterHash)
	crlf := strings.NewReplacer("\n", "\r\n")
	spaced := strings.NewReplacer(`":`, `": `, `,"`, `, "`)
	const weekly = `{"trigger":"weekly","by":"another tool"}`
	const prettyWeekly = "    {\n      \"trigger\": \"weekly\",\n      \"by\": \"another tool\"\n    }"
	for _, test := range []struct{ name, doc, want string }{
		{
			"none", "",
			"{\n  \"version\": \"1.0.0\",\n  \"entries\": [\n" + first.Replace(prettyEntry) + "\n  ]\n}\n",
		},
		{
			"pretty, empty", "{\n  \"version\": \"1.0.0\",\n  \"entries\": []\n}",
			"{\n  \"version\": \"1.0.0\",\n  \"entries\": [\n" + first.Replace(prettyEntry) + "\n  ]\n}",
		},
		{
			"pretty, CRLF", crlf.Replace("{\n  \"version\": \"1.0.0\",\n  \"entries\": []\n}\n"),
			crlf.Replace("{\n  \"version\": \"1.0.0\",\n  \"entries\": [\n" + first.Replace(prettyEntry) + "\n  ]\n}\n"),
		},
		{
			"pretty, after another entry, unknown members", "{\n  \"entries\": [\n" + prettyWeekly + "\n  ],\n  \"keep\": 0.10\n}\n",
			"{\n  \"entries\": [\n" + prettyWeekly + ",\n" + after.Replace(prettyEntry) + "\n  ],\n  \"keep\": 0.10\n}\n",
		},
		{
			"pretty, after another entry, byte order mark, CRLF, tabs",
			"\ufeff" + tabs(crlf.Replace("{\n  \"log\": [\n"+prettyWeekly+"\n  ]\n}")),
			"\ufeff" + tabs(crlf.Replace("{\n  \"log\": [\n"+prettyWeekly+",\n"+after.Replace(prettyEntry)+"\n  ]\n}")),
		},
		{"compact entries", `{"entries":[]}`, `{"entries":[` + first.Replace(compactEntry) + `]}`},
		{"compact log", `{"log":[]}` + "\n", `{"log":[` + first.Replace(compactEntry) + `]}` + "\n"},
		{
			"compact, version", `{"version":"0.9","entries":[],"n":1e400}`,
			`{"version":"0.9","entries":[` + first.Replace(compactEntry) + `],"n":1e400}`,
		},
		{
			"compact, after another entry", `{"log":[` + weekly + `]}`,
			`{"log":[` + weekly + `,` + after.Replace(compactEntry) + `]}`,
		},
		{
			"one line, spaced", `{"log": [` + spaced.Replace(weekly) + `]}`,
			`{"log": [` + spaced.Replace(weekly) + `, ` + spaced.Replace(after.Replace(compactEntry)) + `]}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &Entry{
				RunID: "run_k3v9x2", Trigger: "manual", Scope: "all", DurationMS: 12, Status: Done,
				Timestamp: time.Date(2026, 3, 1, 10, 0, 0, 999_999_999, time.FixedZone("CET", 3600)),
				Actions:   []Action{{Type: Archive, MemoryID: "mem_a", Reason: "stale"}},
			}
			e.Stats = Count(e.Actions, 0)
			got, err := Append([]byte(test.doc), e)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(test.want, `"`+e.Hash+`"`) || !strings.Contains(test.want, `"`+e.PrevHash+`"`) || e.Timestamp != day(1) {
				t.Errorf("Append left hash %q, prev_hash %q, time %v in the entry", e.Hash, e.PrevHash, e.Timestamp)
			}
		})
	}
}

// tabs replaces the two spaces of each level.
func tabs(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		lines[i] = strings.Repeat("\t", (len(line)-len(text))/2) + text
	}
	return strings.Join(lines, "\n")
}

func TestAppendWithoutActions(t *testing.T) {
	doc, err := Append([]byte(`{"entries":[]}`), &Entry{RunID: "run_a", Timestamp: day(1), PrevHash: "kept?", Hash: "kept?"})
	if err != nil || !strings.Contains(string(doc), `"actions":[],`) || strings.Contains(string(doc), "kept?") || len(Verify(doc)) > 0 {
		t.Errorf("Append = %s, %v", doc, err)
	}
}

// An entry that can't be written is refused whole, and not blamed on the file.
func TestAppendBadEntry(t *testing.T) {
	for _, test := range []struct {
		entry Entry
		want  string
	}{
		{Entry{Timestamp: day(1)}, "the entry has no run id"},
		{Entry{RunID: "run_a"}, "the entry has no time"},
		{Entry{RunID: "run_a", Timestamp: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "year outside of range"},
		{Entry{RunID: "run_a", Timestamp: time.Unix(1, 1), Actions: []Action{{TagOverlap: score(math.NaN())}}}, "NaN"},
	} {
		e := test.entry
		doc, err := Append(nil, &e)
		if doc != nil || err == nil || errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Append(%+v) = %q, %v; want an error with %q", test.entry, doc, err, test.want)
		}
		if e.Hash != "" || !e.Timestamp.Equal(test.entry.Timestamp) {
			t.Errorf("Append changed the entry it refused: %+v", e)
		}
	}
}

// Appending to a log that was tampered with neither fails nor covers it up: once
// the value is back, the chain is whole; sealing the forgery breaks it for good.
func TestAppendAfterTampering(t *testing.T) {
	replace := func(doc []byte, old, new string) []byte {
		t.Helper()
		if !strings.Contains(string(doc), old) {
			t.Fatalf("no %s in %s", old, doc)
		}
		return []byte(strings.Replace(string(doc), old, new, 1))
	}
	doc := replace(soundLog(t, 2), `"mem_b"`, `"mem_x"`)
	doc, err := Append(doc, &Entry{RunID: "run_z", Timestamp: day(9)})
	if err != nil {
		t.Fatal(err)
	}
	if got := Verify(doc); len(got) != 1 || got[0].Index != 1 || got[0].RunID != "run_b" {
		t.Errorf("Verify = %v, want one problem at run_b", got)
	}
	if got := Verify(replace(doc, `"mem_x"`, `"mem_b"`)); len(got) > 0 {
		t.Errorf("Verify with the value put back = %v", got)
	}
	entry := rawEntries(t, doc)[1]
	sealed := replace(doc, `"hash": "`+hashIn(t, entry)+`"`, `"hash": "`+Hash(entry)+`"`)
	if got := Verify(sealed); len(got) != 1 || got[0].Index != 2 {
		t.Errorf("Verify with the forgery sealed = %v, want one problem at the entry after it", got)
	}
}
