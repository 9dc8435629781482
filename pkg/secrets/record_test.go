package secrets

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindRecord(t *testing.T) {
	for _, c := range []struct{ record, want string }{
		{`{"content":{"db":{"password":"Kestrel77"}}}`, "content.db.password:1 assigned-password"},
		{`{"content":{"details":"one\ntwo\nthe password is Kestrel!77"}}`, "content.details:3 assigned-password"},
		{`{"content":{"dbPassword":{"value":"Kestrel77"}}}`, "content.dbPassword.value:1 assigned-password"},
		{`{"env":[{"name":"DB_PASSWORD","value":"Kestrel77"},{"value":"Kestrel77","name":"X"}]}`, "env[0].value:1 assigned-password"},
		{`{"env":[{"value":"Kestrel77","name":"DB_PASSWORD"}]}`, "env[0].value:1 assigned-password"},
		{`{"api_keys":["9f8a7c6b5d4e3f2a1b0c","none"]}`, "api_keys[0]:1 assigned-token"},
		{`{"steps":["log in with","password: Kestrel77","and go"]}`, "steps[1]:1 assigned-password"},
		{`{"steps":["-----BEGIN PRIVATE KEY-----","MIIEpAIBAAKCAQEAx4fm7dngEmOULNmA","-----END PRIVATE KEY-----"]}`, "steps[0]:1 private-key"},
		{`{"tags":["x","ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"]}`, "tags[1]:1 github-token"},
		{`{"ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5":{"password":"Kestrel77"}}`, "name of a field:1 github-token, [redacted: github-token].password:1 assigned-password"},
		{`{"p\u0061ssword":"Kestr\u0065l77"}`, "password:1 assigned-password"},
		{`{"password":"Kestrel77","other":"fine","n":[1,2,{"token":null}],"token":true}`, "password:1 assigned-password"},
		{`"password: Kestrel77"`, ":1 assigned-password"},
		{`{"password":"","secret":"see the vault","note":"rotate the token every 30 days"}`, ""},
		{``, ""}, {`{`, ""}, {`"`, ""}, {`]}],{"a"`, ""}, {`{"a":}`, ""},
	} {
		var got []string
		for _, f := range Default().FindRecord([]byte(c.record)) {
			got = append(got, fmt.Sprintf("%s:%d %s", f.Field, f.Line, f.Rule))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.record, diff)
		}
	}
}

// What is redacted stands nowhere in the record any more, in one string or in several, and every other byte stays.
func TestRedactRecord(t *testing.T) {
	for _, c := range []struct{ record, want string }{
		{`{ "a" : 1e400, "password":"Kestrel77" , "b":"\u00e9"}`, `{ "a" : 1e400, "password":"[redacted: assigned-password]" , "b":"\u00e9"}`},
		{`{"d":"<the> password is Kestrel!77 & so"}`, `{"d":"<the> password is [redacted: assigned-password] & so"}`},
		{`{"s":["-----BEGIN PRIVATE KEY-----","MIIEpAIBAAKCAQEAx4fm7dngEmOULNmA","-----END PRIVATE KEY-----","end"]}`, `{"s":["[redacted: private-key]","[redacted: private-key]","[redacted: private-key]","end"]}`},
		{`{"ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5":1}`, `{"[redacted: github-token]":1}`},
		{`{"a":"fine"}`, `{"a":"fine"}`},
	} {
		clean, found := Default().RedactRecord([]byte(c.record))
		if string(clean) != c.want {
			t.Errorf("%s became %s, want %s", c.record, clean, c.want)
		}
		if again := Default().FindRecord(clean); len(again) > 0 {
			t.Errorf("%s: still %v", clean, again)
		}
		if (len(found) == 0) != (c.record == c.want) {
			t.Errorf("%s: found %v", c.record, found)
		}
	}
	m := maker{rand.New(rand.NewPCG(13, 13))}
	for _, k := range kinds {
		for range 20 {
			text, start, end := k.in(m)
			record, err := json.Marshal(map[string]any{"content": map[string]any{"details": text, "steps": strings.Split(text, "\n")}})
			if err != nil {
				t.Fatal(err)
			}
			clean, found := Default().RedactRecord(record)
			for _, line := range strings.Split(text[start:end], "\n") {
				if len(found) > 0 && len(line) > 12 && strings.Contains(string(clean), line) && !strings.Contains(line, "-----") {
					t.Errorf("%s: %q stands in %s", k.name, line, clean)
				}
			}
			if !json.Valid(clean) {
				t.Errorf("%s is no JSON", clean)
			}
		}
	}
}

func TestIntroduced(t *testing.T) {
	old := `{"content":"password: Kestrel77"}`
	for _, c := range []struct {
		record string
		want   int
	}{
		{`{"content":"password: Kestrel77","priority":"high"}`, 0},
		{`{"content":"moved here: password = Kestrel77"}`, 0},
		{`{"content":"password: Kestrel78"}`, 1},
		{`{"content":"password: Kestrel77 and token=9f8a7c6b5d4e3f2a1b0c"}`, 1},
		{`{"content":"none"}`, 0},
	} {
		if got := Default().Introduced([]byte(old), []byte(c.record)); len(got) != c.want {
			t.Errorf("%s: %v, want %d", c.record, got, c.want)
		}
	}
}
