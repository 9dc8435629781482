package similarity

import (
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	for _, c := range []struct{ a, b, kind, inA, inB string }{
		// Numbers and units.
		{"listens on port 8080 by default", "listens on port 9090 by default", "number", "port 8080", "port 9090"},
		{"up to 1,000 rows", "up to 1,500 rows", "number", "1,000", "1,500"},
		{"with two replicas", "with 3 replicas", "number", "two", "3"},
		{"twenty-five users", "twenty-six users", "number", "twenty-five", "twenty-six"},
		{"costs $5 million", "costs $5 billion", "number", "$5 million", "$5 billion"},
		{"costs $90", "costs £90", "unit", "$90", "£90"},
		{"grew by 5% there", "grew by 5 there", "unit", "5%", "5"},
		{"two hundred twenty-five users", "two hundred twenty-six users", "number", "two hundred twenty-five", "two hundred twenty-six"},
		{"waits 5 ms", "waits 5 s", "unit", "5 ms", "5 s"},
		{"waits 5ms", "waits 7ms", "number", "5ms", "7ms"},
		{"uses 10 MB", "uses 10 GiB", "unit", "10 MB", "10 GiB"},
		{"at 10°C outside", "at 10°F outside", "unit", "10°C", "10°F"},
		{"the first attempt", "the second attempt", "number", "first", "second"},
		{"an offset of -5 here", "an offset of 5 here", "number", "-5", "5"},
		{"see issue #1808, please", "see issue #1811, please", "number", "#1808", "#1811"},
		{"3. set the state", "8. set the state", "number", "3", "8"},
		{"from 5 to 7 items", "from 7 to 5 items", "number", "5", "7"},
		{"from 5 to 7 items", "from 7 to 5 or 9 items", "number", "5", "7"},
		// Versions.
		{"needs v1.2.3 now", "needs v1.2.4 now", "version", "v1.2.3", "v1.2.4"},
		{"Python 3.1 is used", "Python 3.10 is used", "number", "3.1", "3.10"},
		{"in 2.3.x only", "in 2.6.x only", "version", "2.3.x", "2.6.x"},
		{"upgrade from v1.32 to v1.33 first", "upgrade from v1.33 to v1.34 first", "version", "v1.32", "v1.34"},
		{"Python 2.4's development", "Python 2.10's development", "number", "2.4", "2.10"},
		// Dates.
		{"due 2026-03-01 at last", "due 2026-03-11 at last", "date", "2026-03-01", "2026-03-11"},
		{"due March 5, 2026", "due April 5, 2026", "date", "March 5, 2026", "April 5, 2026"},
		{"due 5 March", "due 2026-03-07", "date", "5 March", "2026-03-07"},
		{"every Monday at noon", "every Friday at noon", "date", "Monday", "Friday"},
		{"at 10:30 am sharp", "at 10:30 pm sharp", "date", "10:30 am", "10:30 pm"},
		{"done yesterday", "done today", "date", "yesterday", "today"},
		{"at 10:30 am sharp", "at 22:30 sharp", "date", "10:30 am", "22:30"},
		{"at 5 pm sharp", "at 5am sharp", "date", "5 pm", "5am"},
		{"backed up daily there", "backed up weekly there", "date", "daily", "weekly"},
		{"on January 26, 2018", "on January 32, 2018", "date", "January 26, 2018", "January 32, 2018"},
		// What is no valid date or time is a number, and stands for the part of the date that is missing.
		{"met on 15 November 2025 there", "met on 6516 November 2025 there", "date", "15 November 2025", "6516"},
		{"met on 15 November 2025 there", "met on 00 November 2025 there", "date", "15 November 2025", "00"},
		{"met on 15 November 2025 there", "met on 15 November 0015 there", "date", "15 November 2025", "0015"},
		{"met on November 15, 2025 there", "met on November 6516, 2025 there", "date", "November 15, 2025", "6516"},
		{"met on November 15, 2025 there", "met on November 15, 82025 there", "date", "November 15, 2025", "82025"},
		{"met on November 15, 2025 there", "met on November 1900, 2025 there", "date", "November 15, 2025", "November 1900"},
		{"met on 15 November 2025 there", "met on 2025 November 2025 there", "date", "15 November 2025", "2025"},
		{"met on 15 November there", "met on 6516 November there", "date", "15 November", "6516"},
		{"met on 2025-11-15 there", "met on 2025-11-6516 there", "date", "2025-11-15", "6516"},
		{"met on 2025-11-15 there", "met on 2025-9911-15 there", "date", "2025-11-15", "9911"},
		{"met on 2025-11-15 there", "met on 92025-11-15 there", "date", "2025-11-15", "92025"},
		{"met on 5/11/2025 there", "met on 6516/11/2025 there", "date", "5/11/2025", "6516/11/2025"},
		{"met on 15.11.2025 there", "met on 15.6511.2025 there", "date", "15.11.2025", "15.6511.2025"},
		{"met in March 5 there", "met in March 2005 there", "date", "March 5", "March 2005"},
		{"met at 10:30:15.25 there", "met at 10:30:15.75 there", "date", "10:30:15.25", "10:30:15.75"},
		{"met at 10:30 there", "met at 10:300 there", "date", "10:30", "10"},
		{"wait 12345678901 ms there", "wait 12345678902 ms there", "number", "12345678901", "12345678902"},
		{"the 15 2nd runs there", "the 15 3rd runs there", "number", "2nd", "3rd"},
		// Identifiers, paths, URLs.
		{"call read_all() then", "call read_some() then", "identifier", "read_all()", "read_some()"},
		{"set maxRetries there", "set maxDelay there", "identifier", "maxRetries", "maxDelay"},
		{"fixed in a1b2c3d4", "fixed in a1b2c3d5", "identifier", "a1b2c3d4", "a1b2c3d5"},
		{"closes PROJ-12 today", "closes PROJ-13 today", "identifier", "PROJ-12", "PROJ-13"},
		{"run with --force here", "run with --dry-run here", "identifier", "--force", "--dry-run"},
		{"set `alpha` there", "set `beta` there", "identifier", "`alpha", "`beta"},
		{"mail ann@example.org please", "mail bob@example.org please", "identifier", "ann@example.org", "bob@example.org"},
		{"written in C++ mostly", "written in C# mostly", "identifier", "C++", "C#"},
		{"edit /etc/hosts first", "edit /etc/passwd first", "path", "/etc/hosts", "/etc/passwd"},
		{"edit cmd/a.go first", "edit cmd/b.go first", "path", "cmd/a.go", "cmd/b.go"},
		{"see https://example.org/a?x=1.", "see https://example.org/a?x=2.", "url", "https://example.org/a?x=1", "https://example.org/a?x=2"},
		// Names.
		{"reviewed by Alice in spring", "reviewed by Bob in spring", "name", "Alice", "Bob"},
		{"we chose Redis over files", "we chose PostgreSQL over files", "identifier", "Redis", "PostgreSQL"},
		{"Alice owns the pipeline", "Bob owns the pipeline", "name", "Alice", "Bob"},
		{"Who won the cup? France.", "Who won the cup? Spain.", "name", "France", "Spain"},
		{"stored as JSON there", "stored as YAML there", "name", "JSON", "YAML"},
		{"Alice reports to Bob", "Bob reports to Alice", "name", "Alice", "Bob"},
		// Order and places.
		{"the dog bites the man there", "the man bites the dog there", "order", "the dog bites the man", "the man bites the dog"},
		{"cp `a_1` `b_1` there", "cp `b_1` `a_1` there", "order", "`a_1` `b_1", "`b_1` `a_1"},
		{"run tests before deploy there", "run deploy before tests there", "order", "tests before deploy", "deploy before tests"},
		{"needs 5 GB of memory", "needs memory of 7 GB", "number", "5 GB", "7 GB"},
		{"at University of Oslo now", "at Charles University now", "name", "Oslo", "Charles"},
		{"the no_cache mode there", "the cache mode there", "negation", "no_cache", "cache"},
		{"the db-a host there", "the db-b host there", "identifier", "db-a", "db-b"},
		{"the auth-service host there", "the billing-service host there", "identifier", "auth", "billing"},
		{"room 12B there", "room 12C there", "identifier", "12B", "12C"},
		{"said Dr. Smith there", "said Dr. Jones there", "name", "Smith", "Jones"},
		{"then 4. Do this. 5. Do that.", "then 4. Do this. 9. Do that.", "number", "5", "9"},
		{"pinned to ^1.2.3 there", "pinned to ~1.2.3 there", "version", "^1.2.3", "~1.2.3"},
		{"the smart-http option there", "the range-diff option there", "identifier", "smart-http", "range-diff"},
		{"treat it as DNS there, though dns is meant", "treat it as IBM there, though dns is meant", "name", "DNS", "IBM"},
		{"the next Read call there may read it", "the next Write call there may read it", "negation", "Read", "Write"},
		{"the next Read call there may read it", "the next Peek call there may read it", "name", "Read", "Peek"},
		{"the first one is used", "the last one is used", "negation", "first", "last"},
		// Negations and opposites.
		{"They say the cache is safe", "They say there is no evidence whatsoever from testing that the cache is safe", "negation", "", "no evidence"},
		{"They support it there", "They do not, as far as anybody there knows today, support it there", "negation", "", "not"},
		{"it is stateful there", "it is stateless there", "negation", "stateful", "stateless"},
		{"it fails to start there", "it can start there", "negation", "fails to", ""},
		{"it hardly changes there", "it changes there", "negation", "hardly", ""},
		{"it does not prevent it there", "it does prevent it there", "negation", "not", ""},
		{"The cache is safe.", "The cache is not safe.", "negation", "", "not safe"},
		{"it can be used", "it can't be used", "negation", "", "can't"},
		{"it is just used", "it is not just used", "negation", "", "not"},
		{"it no longer works", "it works", "negation", "no", ""},
		{"run it with sudo", "run it without sudo", "negation", "", "without"},
		{"always retry there", "never retry there", "negation", "", "never"},
		{"caching is enabled", "caching is disabled", "negation", "enabled", "disabled"},
		{"the flag is true", "the flag is false", "negation", "true", "false"},
		{"we deny it", "we allow it", "negation", "deny", "allow"},
		{"this is safe there", "this is unsafe there", "negation", "safe", "unsafe"},
		{"a valid key", "an invalid key", "negation", "valid", "invalid"},
		{"the non-blocking call", "the blocking call", "negation", "non", ""},
		{"if x >= y then", "if x <= y then", "negation", ">=", "<="},
		{"it was enabled and public", "it was disabled and private", "negation", "enabled", "disabled"},
		{"use red, not blue", "use not red, blue", "negation", "", "not red"},
		{"用户喜欢深色模式", "用户不喜欢深色模式", "negation", "", "不"},
		{"Das ist gut so", "Das ist nicht gut so", "negation", "", "nicht"},
	} {
		got := Differences(c.a, c.b)
		if len(got) == 0 || got[0].Kind != c.kind || !strings.Contains(got[0].A, c.inA) || !strings.Contains(got[0].B, c.inB) ||
			(c.inA == "") != (got[0].A == "") || (c.inB == "") != (got[0].B == "") {
			t.Errorf("%q\n%q\n got %q, want first %s %q, %q", c.a, c.b, got, c.kind, c.inA, c.inB)
		}
	}
}

func TestNoDifferences(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"", "It is not 5."},
		// Cosmetics.
		{"The \"cache\" is cold.", "the cache  is cold!"},
		{"We don't know; it isn't.", "we do not know, it is not"},
		{"We cannot. We dont.", "We can not. We don't."},
		{"1,000 rows, 5ms, 50%", "1000 rows, 5 ms, 50 %"},
		{"2.0 or 007", "2 or 7"},
		{"Users' data", "users data"},
		{"École", "École"},
		{"the `cache` is cold", "the cache is cold"},
		{"as _noted_ before", "as *noted* before"},
		{"1. one\n2. two\n- [ ] three", "2. one\n3. two\n- [x] three"}, // the first number differs as text does
		// The same in other words.
		{"due on March 5, 2026", "due on 2026-03-05"},
		{"due on 5 March 2026", "due in March 2026"},
		{"waits 5000 ms", "waits 5 s"},
		{"waits 1 hour", "waits 60 minutes"},
		{"five users", "5 users"},
		{"two hundred and forty-one users", "two hundred and forty one users"},
		{"two hundred forty-one users", "241 users"},
		{"at 10:30 pm sharp", "at 22:30 sharp"},
		{"at 12:05 am sharp", "at 0:05 sharp"},
		{"at 5 pm sharp", "at 17:00 sharp"},
		{"at 10:30 sharp", "at 10:30pm sharp"},
		{"$5 million", "5,000,000 dollars"},
		{"it is not enabled", "it is disabled"},
		{"it is not valid", "it is invalid"},
		{"by Chrétien himself", "by Chretien himself"},
		{"it was never done", "it was not done"},
		{"it is not sufficient to ensure it", "it is insufficient to ensure it"},
		{"the index does not contain it there", "the index lacks it there"},
		{"set the `RetryPolicy` there", "set the `TaskRetryPolicy` there"},
		{"see config.yaml there", "see etc/app/config.yaml there"},
		{"call `base_function` there", "call `basefunction` or base-function there"},
		{"said Sen. Smith there", "said Senator Smith there"},
		{"Then 1. Do this 2. Do that 3. Wait", "Then 4. Do this 5. Do that 6. Wait"},
		{"4. Do this. 5. Do that.", "3. Do this. 4. Do that."},
		{"on Monday in Paris", "in Paris on Monday"},
		{"serve 9 people in 5 cities there", "in 5 cities there serve 9 people"},
		{"we use Go and Rust there", "we use Rust and Go there"},
		{"said Ann, chief of the board", "said the chief of the Board"},
		{"the [`\"alpha\"`][] field is read before the [`\"beta\"`][] field", "the [`\"alpha\"`][] field is used before the [`\"beta\"`][] field"},
		// Details that one side has more.
		{"it takes 5 days", "it takes days"},
		{"we use Postgres", "we use Postgres, not MySQL"},
		{"We test.", "We test. We never guess."},
		{"it works with a cable, and is used there", "it works with a cable (which does not mean that wireless links work well), and is used there"},
		{"released by Alice", "released"},
		{"it takes 5 days", "it takes several days"},
		{"version 2.3 of it", "version of it"},
		// Moved by a word or two.
		{"it is currently not safe", "it is not currently safe"},
		{"five of them are here", "of them five are here"},
		// Words for words.
		{"the quick fix works", "the clever fix works"},
		{"Users can log in", "Clients can sign in"},
		{"Use tabs here", "Prefer tabs here"},
		{"The cache is cold", "A cache is cold"},
		{"you MUST do it", "you SHOULD do it"},
		{"put it there", "input it there"},
		// What negates nothing.
		{"tell me whether it works", "tell me whether or not it works"},
		{"it is fast", "it is not only fast"},
		{"No, it works", "it works"},
		{"Amendment No 7 passed", "Amendment 7 passed"},
		// Headlines.
		{"Big Storm Hits Western Coast And Closes Roads, Leaving Towns Without Light Until Help Comes From Inland Cities",
			"Big Storm Hits Western Shore And Closes Roads, Leaving Towns Without Light Until Help Comes From Inland Cities"},
	} {
		rest := "\nThe rest of this note is the same in both, and makes it long enough for a word to matter little."
		if strings.HasPrefix(c[0], "Big") {
			rest = ""
		}
		if c[0][:min(2, len(c[0]))] == "1." {
			c[0], c[1] = "x\n"+c[0], "x\n"+c[1]
		}
		if got := Differences(c[0]+rest, c[1]+rest); got != nil {
			t.Errorf("%q\n%q\n got %q", c[0], c[1], got)
		}
	}
}

// A line that repeats how the rest begins may be cut off anywhere.
func TestDifferencesOfALead(t *testing.T) {
	a := "It was released in 2024 and used in many places."
	b := "It was then released in 2024 and used in many places."
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

func TestEachPlaceIsReportedOnce(t *testing.T) {
	for _, c := range [][2]string{
		{"the next Read call there may read it", "the next Write call there may read it"},
		{"the dog bites the man there", "the man bites the dog there"},
		{"listens on port 8080 there", "listens on port 9090 there"},
	} {
		if got := Differences(c[0], c[1]); len(got) != 1 {
			t.Errorf("%q, %q: %q", c[0], c[1], got)
		}
	}
}

func TestExcerptsAreShort(t *testing.T) {
	a, b := "see https://example.org/"+strings.Repeat("é", 200), "see https://example.org/"+strings.Repeat("è", 200)
	got := Differences(a, b)
	if len(got) != 1 || len(got[0].A) > maxExcerpt+len("…") || !strings.HasSuffix(got[0].A, "é…") {
		t.Errorf("got %q", got)
	}
}
