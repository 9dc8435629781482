package secrets

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/fixtures/datasets"
)

// What stands between « and » is a secret, all of it and nothing else.
func TestFind(t *testing.T) {
	for _, text := range []string{
		// Passwords as people tell them.
		"the wifi password is «hunter2»",
		"The password was «tango77», they changed it.",
		"password for the staging database is «Wonder!Land7»; ask Ann",
		"admin password: «Spring2024!»",
		"Passwort: «Gr8ndeVue»",
		"**Password:** «s3cr3tsauce»",
		"passcode: «482913»",
		"`DB_PASSWORD`: `«kd8Jq2xx»`",
		"DB_PASSWORD=«swordfish»",
		`password = "«correct-horse-battery»"`,
		`db.password := "«letmein!42»"`,
		"docker login -u bot -p «Xy7kk2mmQ» registry.corp.io",
		"redis-cli -h cache -a «Xy7kk2mmQ» ping",
		"postgres://app:«letmein»@db/x",
		"redis://:«Zx9qqt»@cache:6379",
		"https://user:«a%40b7cc»@host/path",
		"db.corp.io:5432:shop:app:«Mango991z»",
		`smtp_pass => '«abc 123»',`[:0] + `smtp_pass => '«abc123x»',`,
		`{\"password\": \"«Kestrel77»\"}`,
		"<property name=\"x\"><password>«Kestrel77»</password>",
		"- name: DB_PASSWORD\n  value: \"«Kestrel77»\"",
		// Tokens by their names.
		"api_key=«9f8a7c6b5d4e3f2a1b0c»",
		"X-API-Key: «k4Jd8sK2pQ9vB3nM»",
		"https://x.io/hook?token=«9f8a7c6b5d4e3f2a1b0c»&x=1",
		"https://x.io/a?X-Amz-Signature=«9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e»",
		"the API key for maps is «k4Jd8sK2pQ9vB3nM8xYz»",
		"Authorization: Bearer «k4Jd8sK2pQ9vB3nM8xYz»",
		"curl -H 'Authorization: token «9f8a7c6b5d4e3f2a1b0c9f8a»'",
		"aws: «AKIAQ3EGRIXJ7KZP2MNB» / «k4Jd8sK2pQ9vB3nM8xYz0k4Jd8sK2pQ9vB3nM8xY»",
		"STRIPE_KEY_LIVE=«k4Jd8sK2pQ9vB3nM8xYz»",
		`client_secret: "«8aC.Q~k4Jd8sK2pQ»"`,
		// More places.
		`setPassword("«Kestrel77»")`, `os.Setenv("API_KEY", "«9f8a7c6b5d4e3f2a1b0c»")`, `auth: { user: 'x', pass: '«Kestrel77»' }`, "user: admin / pass: «Kestrel77!»",
		`requests.get(url, auth=("bot", "«Kestrel77»"))`, "creds: admin / «Kestrel77!»", "log in as admin with «Kestrel!77»", "Password\t«Kestrel77»", "requirepass «Kestrel77!»",
		"the password «Sunflower!652» expires in May", `<add key="DbPassword" value="«Kestrel77»" />`, "jdbc:mysql://db/x?user=app&password=«Kestrel77»&ssl=1",
		`$p = ConvertTo-SecureString "«Kestrel77»" -AsPlainText`, "le mot de passe de la base est «Kestrel77»", "пароль: «Kestrel77»", "密码是«Kestrel77»",
		"seed phrase: «abandon ability able about above absent absorb abstract absurd abuse access accident»", "client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo=»",
		"VAULT_TOKEN=«s.7Kd9fJ2mQ4xZ8bN1vC5tR3wY»", "PRIVATE_KEY=«0x9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e3f2a1b0c9f8a»", "data:\n  password: «S2VzdHJlbDc3»",
		// Two on a line, and one after another.
		"token=«9f8a7c6b5d4e3f2a1b0c» password=«Kestrel77»",
	} {
		plain, want := "", []string{}
		for i, part := range strings.Split(text, "«") {
			if i == 0 {
				plain = part
				continue
			}
			secret, rest, _ := strings.Cut(part, "»")
			plain, want = plain+secret+rest, append(want, secret)
		}
		got := []string{}
		for _, f := range Default().Find(plain) {
			got = append(got, plain[f.Start:f.End])
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%q: found %q, want %q", plain, got, want)
		}
	}
}

// What only looks like a secret, or says where one is, is none.
func TestFindsNothing(t *testing.T) {
	for _, text := range []string{
		"", "password", "password:", "password = ", "The password must be at least 12 characters long.",
		"password: required", `"password": "string"`, "password=<your password>", "password: ********", "PASSWORD=${DB_PASSWORD}", "password: $DB_PASSWORD",
		"password = os.environ['DB_PASSWORD']", "password = getpass.getpass()", "password=%s", "password: {{ .Values.db.password }}", "password: changeme",
		"Password hashing moved to argon2id in v2.3.1.", "the password is hashed with bcrypt", "the password was rotated 2024-05-01", "password: 2024-05-01",
		"token: string", "max_tokens = 4096", "token_budget: 100000", "the token is refreshed every 15m", "tokens: 12,345 in, 3,210 out", "api_key = config.api_key",
		"apiKey: process.env.OPENAI_API_KEY", "secret: my-app-secret-name", "secretName: billing-tls-2024", "API_KEY=your-api-key-here", "API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
		"AKIAIOSFODNN7EXAMPLE", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "the prefix ghp_ marks a token", "postgres://user:password@localhost/db", "postgres://postgres:postgres@db",
		"https://github.com/user/repo/pull/12#issuecomment-123", "http://localhost:8080/@me", "git@github.com:acme/x.git", "ssh://git@host:22/x", "image: repo/app@sha256:9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e3f2a1b0c9f8a",
		"commit 9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e3f2a1b0c", "id: 550e8400-e29b-41d4-a716-446655440000", "cache_key = user:123:profile:v2", "primary_key: order_item_id", "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG0Z",
		"integrity sha512-bxveV4V8v5Yb4ncFTT3rPSgZBOpCkjfK0y4oVVVJwIuDVBRMDXrPyXRL988i5ap9m9bnyEEjWfm5WkBmtffLfA==",
		"Look for `-----BEGIN RSA PRIVATE KEY-----` in the files", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
		"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Basic dXNlcjpwYXNzd29yZA==", "curl -u user:password https://x.io", "mysql -u root -p",
		"privateKey = jwtTestRSAPrivateKey", "session token: see the vault, path secret/data/ci", "the author: pass the id", "Pass: 12, fail: 3", "pass: true", "passwords: 3 rotated",
		"secret: op://vault/item/field", "password: vault:secret/data/db#password", "auth: enabled, version 2.0.1", "keyboard: qwerty", "monkey: banana123 is a name",
	} {
		if found := Default().Find(text); len(found) > 0 {
			t.Errorf("%q: found %v", text, found)
		}
	}
}

// Nothing that is told of a secret lets it be read.
func TestFindingsTellNoSecret(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(9, 9))}
	for _, k := range kinds {
		for range 20 {
			text, start, end := k.in(m)
			secret := text[start:end]
			record, err := json.Marshal(map[string]any{"content": text, text: "the secret in a name", "list": []string{text}})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range append(Default().Find(text), Default().FindRecord(record)...) {
				told, err := json.Marshal(f)
				if err != nil {
					t.Fatal(err)
				}
				for _, told := range []string{string(told), f.String()} {
					for i := 0; i+8 <= len(secret); i++ {
						if piece := secret[i : i+8]; strings.Contains(told, piece) && !strings.Contains(f.What+f.Rule+f.Preview, piece) {
							t.Fatalf("%s: %s tells %q", k.name, told, piece)
						}
					}
				}
				if len(f.Preview) > len("…")+(f.End-f.Start)/3 {
					t.Fatalf("%s: %q of %d bytes is shown", k.name, f.Preview, f.End-f.Start)
				}
			}
		}
	}
}

// After redaction nothing is found, and nothing of what was is left.
func TestRedact(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(10, 10))}
	for _, k := range kinds {
		for range 40 {
			text, start, end := k.in(m)
			secret := text[start:end]
			clean, found := Default().Redact(text)
			if len(found) == 0 {
				continue // TestPlanted counts these
			}
			if strings.Contains(clean, secret) {
				t.Errorf("%s: %q stands in %q", k.name, secret, clean)
			}
			if again := Default().Find(clean); len(again) > 0 {
				t.Errorf("%s: %v in %q", k.name, again, clean)
			}
		}
	}
}

// Of 1,000 memories that real agents wrote, at most one is refused.
func TestRealMemories(t *testing.T) {
	n, alarms := 0, 0
	for line := range datasets.Lines(t, "dev/real_agent_memories.jsonl") {
		n++
		if found := Default().FindRecord(line); len(found) > 0 {
			alarms++
			t.Logf("line %d: %v", n, found)
		}
	}
	if n == 0 {
		t.Fatal("no memories")
	}
	t.Logf("%d alarms in %d memories", alarms, n)
	if alarms*1000 > n {
		t.Errorf("%d alarms in %d memories", alarms, n)
	}
}

// Spans lie in the text, in order and apart, lines are right, and what is redacted stays JSON.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	at := 0
	for _, f := range Default().Find(text) {
		if f.Start < at || f.Start >= f.End || f.End > len(text) || f.Line != 1+strings.Count(text[:f.Start], "\n") || f.Rule == "" || f.What == "" {
			t.Fatalf("%q: %+v behind %d", text, f, at)
		}
		at = f.End
	}
	record, err := json.Marshal(map[string]any{"password": text, "list": []string{text, "x"}, "content": map[string]any{"details": text}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	clean, found := Default().RedactRecord(record)
	if !json.Valid(clean) {
		t.Fatalf("%s became %s", record, clean)
	}
	if len(found) == 0 && string(clean) != string(record) {
		t.Fatalf("%s became %s for nothing", record, clean)
	}
}

func FuzzFind(f *testing.F) {
	m := maker{rand.New(rand.NewPCG(11, 11))}
	for _, k := range kinds {
		text, _, _ := k.in(m)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text)
		Default().FindRecord([]byte(text))
		Default().RedactRecord([]byte(text))
	})
}

func TestFindOnRandomTexts(t *testing.T) {
	part := rapid.OneOf(rapid.SampledFrom([]string{"password", "token", " is ", "=", ":", `"`, "'", "`", "\n", " ", "Bearer ", "AKIA", "ghp_", "eyJ", "://", "@", "-----BEGIN PRIVATE KEY-----", "-----END", "\\", "x7Kd9", "(", "value", "--"}), rapid.StringN(0, 6, -1))
	rapid.Check(t, func(t *rapid.T) { check(t, strings.Join(rapid.SliceOfN(part, 0, 30).Draw(t, "parts"), "")) })
}
