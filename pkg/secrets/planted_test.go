package secrets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The planted secrets are made up by lot, in the forms that those who issue them document. Nothing here is taken from the
// rules: a form is written down once more, so that a mistake in a rule shows.

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnum  = lower + upper + digits
	hexes  = "0123456789abcdef"
	b64    = alnum + "+/"
	b64url = alnum + "-_"
)

type maker struct{ *rand.Rand }

func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

func (m maker) pick(words ...string) string { return words[m.IntN(len(words))] }

// password is one as people make them up.
func (m maker) password() string {
	word := m.pick("Sunflower", "dragon", "Winter", "monkey", "Tr0ub4dor", "correcthorse", "Falcon", "blue.Whale", "Kestrel", "mango")
	switch m.IntN(3) {
	case 0:
		return word + m.pick("!", "#", "@", "$", "&") + m.of(digits, 2+m.IntN(3))
	case 1:
		return m.of(alnum, 5) + m.pick("!", "%", "*", "^") + m.of(alnum, 6) + m.of(digits, 1)
	}
	return word + m.of(digits, 3) + m.of(lower, 2)
}

func (m maker) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.Uint32())
	}
	return b
}

func (m maker) jwt() string {
	enc := base64.RawURLEncoding
	return enc.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
		enc.EncodeToString([]byte(fmt.Sprintf(`{"sub":"%s","iat":%s}`, m.of(digits, 8), m.of(digits, 10)))) + "." + m.of(b64url, 43)
}

func (m maker) pem(kind string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "-----\n")
	text := base64.StdEncoding.EncodeToString(m.bytes(300))
	for len(text) > 64 {
		b.WriteString(text[:64] + "\n")
		text = text[64:]
	}
	b.WriteString(text + "\n-----END " + kind + "-----")
	return b.String()
}

// secretKind makes secrets of one kind. Those that only their place gives away stand in it; the others stand anywhere.
type secretKind struct {
	name  string
	make  func(m maker) string
	place func(m maker, secret string) string // nil: see places
}

func plainly(format string) func(maker, string) string {
	return func(_ maker, s string) string { return fmt.Sprintf(format, s) }
}

// anyOf is one of a few places.
func anyOf(formats ...string) func(maker, string) string {
	return func(m maker, s string) string { return strings.ReplaceAll(m.pick(formats...), "%s", s) }
}

var kinds = []secretKind{
	{"AWS access key id", func(m maker) string { return m.pick("AKIA", "ASIA") + m.of(upper+"234567", 16) }, nil},
	{"AWS secret key", func(m maker) string { return m.of(b64, 40) }, anyOf("aws_secret_access_key = %s", "AWS_SECRET_ACCESS_KEY=%s", `"SecretAccessKey": "%s"`, "secretAccessKey: '%s',")},
	{"GitHub token", func(m maker) string { return m.pick("ghp_", "gho_", "ghs_", "ghu_") + m.of(alnum, 36) }, nil},
	{"GitHub fine-grained token", func(m maker) string { return "github_pat_" + m.of(alnum, 22) + "_" + m.of(alnum, 59) }, nil},
	{"GitLab token", func(m maker) string { return m.pick("glpat-", "gldt-", "glrt-") + m.of(b64url, 20) }, nil},
	{"Slack token", func(m maker) string {
		return m.pick("xoxb-", "xoxp-") + m.of(digits, 12) + "-" + m.of(digits, 12) + "-" + m.of(alnum, 24)
	}, nil},
	{"Slack webhook", func(m maker) string {
		return "T" + m.of(upper+digits, 8) + "/B" + m.of(upper+digits, 10) + "/" + m.of(alnum, 24)
	}, anyOf("https://hooks.slack.com/services/%s", "SLACK_URL=\"https://hooks.slack.com/services/%s\"", "post to https://hooks.slack.com/services/%s.")},
	{"Discord webhook", func(m maker) string {
		return m.of(digits, 18) + "/" + m.of(b64url, 68)
	}, anyOf("https://discord.com/api/webhooks/%s", "curl -d @x 'https://discordapp.com/api/webhooks/%s'")},
	{"Stripe key", func(m maker) string { return m.pick("sk_live_", "rk_live_", "sk_test_") + m.of(alnum, 24) }, nil},
	{"OpenAI key", func(m maker) string { return m.pick("sk-proj-"+m.of(b64url, 74), "sk-"+m.of(alnum, 48)) }, nil},
	{"Anthropic key", func(m maker) string { return "sk-ant-api03-" + m.of(b64url, 93) + "AA" }, nil},
	{"Google API key", func(m maker) string { return "AIza" + m.of(b64url, 35) }, nil},
	{"Google OAuth secret", func(m maker) string { return "GOCSPX-" + m.of(b64url, 28) }, nil},
	{"Hugging Face token", func(m maker) string { return "hf_" + m.of(lower+upper, 34) }, nil},
	{"npm token", func(m maker) string { return "npm_" + m.of(alnum, 36) }, nil},
	{"PyPI token", func(m maker) string { return "pypi-AgEIcHlwaS5vcmc" + m.of(b64url, 130) }, nil},
	{"SendGrid key", func(m maker) string { return "SG." + m.of(b64url, 22) + "." + m.of(b64url, 43) }, nil},
	{"Twilio key", func(m maker) string { return "SK" + m.of(hexes, 32) }, nil},
	{"Mailchimp key", func(m maker) string { return m.of(hexes, 32) + "-us" + m.of("123456789", 1) }, nil},
	{"Telegram token", func(m maker) string { return m.of("123456789", 10) + ":AA" + m.of(b64url, 33) }, nil},
	{"Shopify token", func(m maker) string { return "shpat_" + m.of(hexes, 32) }, nil},
	{"DigitalOcean token", func(m maker) string { return "dop_v1_" + m.of(hexes, 64) }, nil},
	{"Databricks token", func(m maker) string { return "dapi" + m.of(hexes, 32) }, nil},
	{"Vault token", func(m maker) string { return "hvs." + m.of(b64url, 24) }, nil},
	{"Terraform token", func(m maker) string { return m.of(alnum, 14) + ".atlasv1." + m.of(b64url, 67) }, nil},
	{"Docker token", func(m maker) string { return "dckr_pat_" + m.of(b64url, 27) }, nil},
	{"Grafana token", func(m maker) string { return "glsa_" + m.of(alnum, 32) + "_" + m.of(hexes, 8) }, nil},
	{"New Relic key", func(m maker) string { return "NRAK-" + m.of(upper+digits, 27) }, nil},
	{"Linear key", func(m maker) string { return "lin_api_" + m.of(alnum, 40) }, nil},
	{"Notion token", func(m maker) string { return "ntn_" + m.of(digits, 11) + m.of(alnum, 35) }, nil},
	{"Postman key", func(m maker) string { return "PMAK-" + m.of(hexes, 24) + "-" + m.of(hexes, 34) }, nil},
	{"age key", func(m maker) string { return "AGE-SECRET-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58) }, nil},
	{"Azure storage key", func(m maker) string { return base64.StdEncoding.EncodeToString(m.bytes(64)) },
		anyOf("DefaultEndpointsProtocol=https;AccountName=logs;AccountKey=%s;EndpointSuffix=core.windows.net", "AZURE_STORAGE_KEY=%s")},
	{"Azure SAS signature", func(m maker) string { return m.of(alnum, 40) + "%3D" },
		anyOf("https://acme.blob.core.windows.net/c/f?sv=2023-01-03&se=2026-01-01T00%3A00Z&sr=b&sp=r&sig=%s")},
	{"JWT", func(m maker) string { return m.jwt() }, nil},
	{"private key", func(m maker) string {
		return m.pem(m.pick("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY"))
	}, anyOf("%s", "The deploy key:\n\n%s\n\nThat is all.")},
	{"private key in JSON", func(m maker) string { return strings.ReplaceAll(m.pem("PRIVATE KEY"), "\n", `\n`) },
		anyOf(`{"type": "service_account", "private_key": "%s\n", "client_email": "x@y.iam"}`)},
	{"database URL", func(m maker) string { return m.password() }, func(m maker, s string) string {
		s = strings.NewReplacer("%", "%25", "#", "%23", "@", "%40", "^", "%5E", "&", "%26").Replace(s)
		return m.pick("postgres", "postgresql", "mysql", "mongodb+srv", "amqp", "redis") + "://" + m.pick("app", "svc_billing", "") + ":" + s + "@" +
			m.pick("db.internal:5432/shop", "10.0.3.7/0", "cluster0.ab1cd.mongodb.net/app?retryWrites=true")
	}},
	{"git URL", func(m maker) string { return m.of(alnum, 30) }, anyOf("https://oauth2:%s@git.corp.io/team/repo.git", "git clone https://ci-bot:%s@git.corp.io/x.git")},
	{"connection string", func(m maker) string { return m.password() },
		anyOf("Server=tcp:db.corp.io,1433;Database=shop;User ID=app;Password=%s;Encrypt=True", "Data Source=db;Initial Catalog=x;User Id=sa;Pwd=%s;")},
	{"password", func(m maker) string { return m.password() }, anyOf(
		"password: %s", "DB_PASSWORD=%s", `"password": "%s"`, "PGPASSWORD='%s' psql -h db", "spring.datasource.password=%s", "    passwd: \"%s\"",
		"--password %s", "export MYSQL_PWD=%s", `const dbPassword = "%s";`, `password := "%s"`, `smtp_pass => '%s',`, "<password>%s</password>",
		"**Password:** `%s`", "| admin password | %s |", "Password (staging): %s")},
	{"password in a sentence", func(m maker) string {
		return m.pick("Sunflower", "Kestrel", "Falcon") + m.pick("!", "#") + m.of(digits, 3)
	}, anyOf(
		"The password for the staging database is %s, please don't share it.", "The admin password is now %s.", "We set the root password to %s yesterday.",
		"Log in as bot, the password is `%s`.", "password of the wiki: %s")},
	{"token", func(m maker) string { return m.pick(m.of(alnum, 32), m.of(hexes, 40), m.of(b64url, 43)) }, anyOf(
		"API_KEY=%s", "api_key: %s", `"apiKey": "%s"`, "X-Api-Key: %s", "token = '%s'", `"client_secret": "%s"`, "SECRET_KEY_BASE=%s", "auth_token: \"%s\"",
		"//registry.npmjs.org/:_authToken=%s", "webhook_secret = %s", `ACCESS_TOKEN: str = "%s"`, "curl https://api.x.io/v1/me?access_token=%s&limit=5",
		"The API key for the mailer is %s.", "secret: %s", "ENCRYPTION_KEY=%s", "<apiKey>%s</apiKey>", "- name: SIGNING_SECRET\n  value: %s", "api key: `%s`")},
	{"bearer token", func(m maker) string { return m.of(b64url, 40) }, anyOf("Authorization: Bearer %s", `-H "Authorization: Bearer %s"`, `headers={"Authorization": "Bearer %s"}`)},
	{"basic auth", func(m maker) string {
		return base64.StdEncoding.EncodeToString([]byte("deploy:" + m.password()))
	}, anyOf("Authorization: Basic %s", `"Authorization": "Basic %s"`, `"auth": "%s"`)},
	{"curl login", func(m maker) string { return m.password() }, anyOf("curl -u admin:%s https://x.io/api", "curl -s --user 'ci:%s' https://x.io")},
	{"mysql login", func(m maker) string { return m.password() }, anyOf("mysql -h db -u root -p%s shop < dump.sql", "sshpass -p '%s' ssh root@10.0.0.4")},
	{"netrc", func(m maker) string { return m.password() }, plainly("machine git.corp.io login bot password %s")},
	{"password hash", func(m maker) string { return "$2b$12$" + m.of(alnum+"./", 53) }, nil},
	{"session cookie key", func(m maker) string { return m.of(hexes, 64) }, anyOf("SESSION_SECRET=%s", "app.secret_key = '%s'", "JWT_SECRET=\"%s\"")},
	{"WireGuard key", func(m maker) string { return base64.StdEncoding.EncodeToString(m.bytes(32)) }, anyOf("PrivateKey = %s", "PresharedKey = %s")},
	{"UUID key", func(m maker) string {
		return m.of(hexes, 8) + "-" + m.of(hexes, 4) + "-4" + m.of(hexes, 3) + "-a" + m.of(hexes, 3) + "-" + m.of(hexes, 12)
	}, anyOf("POSTMARK_API_TOKEN=%s", `"api_key": "%s"`, "heroku api key: %s")},
}

// places are where a secret stands that is known by itself.
var places = anyOf(
	"%s", "The key is %s, it is valid until March.", "Use `%s` for the staging account.", "export SOME_THING=%s", "export SOME_THING=\"%s\"",
	`{"a": 1, "thing": "%s"}`, "thing: %s\nother: x", "const x = '%s'; // from the console", "curl -H 'X-Thing: %s' https://api.x.io", "https://api.x.io/v1?x=%s&y=2",
	"| name | %s |", "first line\n\n    %s\n", "(%s)", "<a>%s</a>", "found it:%s.", "a, b, %s, c",
)

// in is a secret in the text around it, and where.
func (k secretKind) in(m maker) (text string, start, end int) {
	secret := k.make(m)
	place := k.place
	if place == nil {
		place = places
	}
	text = place(m, secret)
	if !strings.Contains(text, secret) { // encoded in an address
		start = strings.Index(text, "://") + 3
		start += strings.IndexByte(text[start:], ':') + 1
		end = strings.LastIndexByte(text, '@')
	} else {
		start = strings.LastIndex(text, secret)
		end = start + len(secret)
	}
	if m.IntN(2) == 0 {
		before := m.pick("Notes of the call on Tuesday: the rollout went fine.\n", "Remember this for next time. ", "## Setup\n\n- step one\n- ", "```sh\n")
		text, start, end = before+text, start+len(before), end+len(before)
	}
	if m.IntN(2) == 0 {
		text += m.pick("\nNothing else changed.", "\n```\n", "\n- and then restart")
	}
	return text, start, end
}

// covered reports whether findings cover all of a secret.
func covered(found []Finding, start, end int) bool {
	for _, f := range found {
		if f.Start <= start && f.End >= end {
			return true
		}
	}
	return false
}

// Of the secrets that are planted in 50 kinds, at least 95 % are found whole, and of each kind at least 80 %.
func TestPlanted(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(7, 7))}
	const each = 200
	found, all := 0, 0
	for _, k := range kinds {
		n, missed := 0, []string{}
		for range each {
			text, start, end := k.in(m)
			if covered(Default().Find(text), start, end) {
				n++
			} else if len(missed) < 3 {
				missed = append(missed, text)
			}
		}
		found, all = found+n, all+each
		if n < each*80/100 {
			t.Errorf("%s: found %d of %d; not %q", k.name, n, each, missed)
		} else if n < each {
			t.Logf("%s: found %d of %d; not %q", k.name, n, each, missed)
		}
	}
	t.Logf("%d of %d found, %d kinds", found, all, len(kinds))
	if found*100 < all*95 {
		t.Errorf("found %d of %d: less than 95 %%", found, all)
	}
}

// The same in the fields of a record.
func TestPlantedInRecords(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(8, 8))}
	found, all := 0, 0
	for _, k := range kinds {
		for range 50 {
			text, start, end := k.in(m)
			record, err := json.Marshal(map[string]any{
				"id": "mem_1", "type": "semantic", "tags": []string{"a", "b"},
				"content": map[string]any{"summary": "notes", "details": text, "steps": []string{"one", "two"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			all++
			got := Default().FindRecord(record)
			if covered(got, start, end) {
				found++
				if got[0].Field != "content.details" {
					t.Errorf("found in %s", got[0].Field)
				}
			}
		}
	}
	if found*100 < all*95 {
		t.Errorf("found %d of %d: less than 95 %%", found, all)
	}
}
