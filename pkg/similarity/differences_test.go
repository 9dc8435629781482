package similarity

import (
	"os"
	"strings"
	"testing"
)

// pairsOf reads the pairs of a file: {one|other}, by section.
func pairsOf(t testing.TB, name string) map[string][][2]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	out, section := map[string][][2]string{}, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			out[section] = append(out[section], [2]string{choose(line, 0), choose(line, 1)})
		}
	}
	return out
}

// choose takes one side of each {one|other}.
func choose(line string, side int) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "{")
		out.WriteString(before)
		if !ok {
			return strings.ReplaceAll(out.String(), "¦", "|")
		}
		choice, after, _ := strings.Cut(rest, "}")
		out.WriteString(strings.Split(choice, "|")[side])
		line = after
	}
}

// Texts that differ in a fact are never taken for the same, in whatever language.
func TestFactsDiffer(t *testing.T) {
	for section, pairs := range pairsOf(t, "facts.txt") {
		for _, c := range pairs {
			if got := Differences(c[0], c[1]); len(got) == 0 {
				t.Errorf("%s: no difference\n%q\n%q", section, c[0], c[1])
			}
		}
	}
}

// Texts that differ in form are the same.
func TestFormIsHarmless(t *testing.T) {
	for section, pairs := range pairsOf(t, "harmless.txt") {
		for _, c := range pairs {
			if got := Differences(c[0], c[1]); got != nil {
				t.Errorf("%s: %q\n%q\n%q", section, got, c[0], c[1])
			}
		}
	}
}

func TestDifferences(t *testing.T) {
	const rest = " Whoever is on duty looks at the queue each morning and tells the others what waits there."
	for _, c := range []struct{ a, b, kind, inA, inB string }{
		{"It listens on port 8080 there.", "It listens on port 9090 there.", "number", "port 8080", "port 9090"},
		{"It waits 5 ms there.", "It waits 5 s there.", "unit", "5 ms", "5 s"},
		{"It ends on 2026-03-05 there.", "It ends on 2026-03-06 there.", "date", "on 2026-03-05", "on 2026-03-06"},
		{"Use v1.2.3 there.", "Use v1.2.4 there.", "version", "Use v1.2.3", "Use v1.2.4"},
		{"Set `max_rows` there.", "Set `min_rows` there.", "identifier", "Set `max_rows", "Set `min_rows"},
		{"Read /etc/a.conf there.", "Read /etc/b.conf there.", "path", "Read /etc/a.conf", "Read /etc/b.conf"},
		{"See https://a.org/x there.", "See https://a.org/y there.", "url", "See https://a.org/x", "See https://a.org/y"},
		{"We ask Alice there.", "We ask Bob there.", "name", "ask Alice", "ask Bob"},
		{"It is open there.", "It is not open there.", "negation", "", "is not open"},
		{"Use && there.", "Use || there.", "sign", "Use &&", "Use ||"},
		{"We drink coffee there.", "We drink tea there.", "word", "drink coffee", "drink tea"},
	} {
		got := Differences(c.a+rest, c.b+rest)
		if len(got) != 1 || got[0] != (Difference{c.kind, c.inA, c.inB}) {
			t.Errorf("%q, %q: %q, want %s %q, %q", c.a, c.b, got, c.kind, c.inA, c.inB)
		}
	}
}

// A detail that one text adds is not a contradiction, in a language that is known and without a word that turns the sense.
func TestDetails(t *testing.T) {
	const text = "The importer of the branch reads the tables of the agency at night, and the operator sees the result in the morning."
	for addition, harmless := range map[string]bool{
		"fresh ": true, "with a short report ": true, "not ": false, "only ": false, "perhaps ": false, "5 ": false, "twice ": false, "if possible ": false,
		"-f ": false, "❌ ": false, "v2.1 ": false,
	} {
		got := Differences(text, strings.Replace(text, "at night", addition+"at night", 1))
		if (got == nil) != harmless {
			t.Errorf("%q added: %q", addition, got)
		}
	}
}

// A text that was revised in several places is still the same note; one that is the same but for a word is another one.
func TestRevisions(t *testing.T) {
	const text = "The importer of the branch reads the tables of the agency at night, and the operator sees the result in the morning. " +
		"Whoever is on duty looks at the queue and tells the people what waits there."
	swap := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	for _, c := range []struct {
		text     string
		harmless bool
	}{
		{swap("looks at", "checks", "tells the people", "quickly tells the colleagues"), true},
		{swap("looks at the queue", "looks at the ledger"), false},
		{swap("branch", "factory", "agency", "museum"), false},
		{swap("in the morning", "in the evening", "tells the people", "quickly tells the colleagues"), false},
		{swap("The operator", "Alice", "tells the people", "quickly tells Bob"), false},
	} {
		if got := Differences(text, c.text); (got == nil) != c.harmless {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// A line that repeats how the rest begins may be cut off anywhere.
func TestDifferencesOfALead(t *testing.T) {
	a := "It was released in 2024 and used in many places."
	b := "It was widely released in 2024 and used in many places."
	for n := 1; n < len(a); n++ {
		if got := Differences(a[:n]+"\n"+a, b[:n]+"…\n"+b); got != nil {
			t.Errorf("cut at %d: %q", n, got)
		}
	}
	if got := Differences("5. Plain\n5. Plain text", "12. Plain\n12. Plain text"); len(got) != 1 {
		t.Errorf("number that begins the lead and the rest: %q", got)
	}
	if got := Differences("port 80\nport 80 is used", "port 80\nport 90 is used"); len(got) != 1 {
		t.Errorf("lead that contradicts the rest: %q", got)
	}
}

func TestExcerptsAreShort(t *testing.T) {
	a, b := "see https://example.org/"+strings.Repeat("é", 200), "see https://example.org/"+strings.Repeat("è", 200)
	got := Differences(a, b)
	if len(got) != 1 || len(got[0].A) > maxExcerpt+len("…") || !strings.HasSuffix(got[0].A, "é…") {
		t.Errorf("got %q", got)
	}
}
