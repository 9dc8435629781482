package secrets_test

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/secrets"
)

// harmless are things that are drawn by lot or talk of secrets, and are none: § is one of those that follow.
var harmless = []struct {
	draw  func(l lot) string
	write []string
}{
	{func(l lot) string { return l.s(hx, 40) }, []string{"fixed in §", "commit: §", "git checkout §", "HEAD is now at §", "the parent of § broke the build", "revision §", "sha: §", "\"gitHead\": \"§\"", "https://github.com/acme/x/commit/§", "cherry picked from commit §"}},
	{func(l lot) string { return l.s(hx, 7) }, []string{"see §", "§ fix the token refresh", "reverted in §"}},
	{func(l lot) string { return l.s(hx, 64) }, []string{"sha256:§", "image: ghcr.io/acme/api@sha256:§", "checksum: §", "digest §", "§  memory_linux_amd64.tar.gz", "container §", "\"hash\": \"§\"", "etag: \"§\""}},
	{func(l lot) string { return l.uuid() }, []string{"request §", "id: §", "trace_id=§", "user §", "\"session_id\": \"§\"", "correlation id §", "run § failed", "tenant: §", "key: user:§:profile"}},
	{func(l lot) string { return "sha512-" + l.b64(64) }, []string{"\"integrity\": \"§\"", "integrity §", "  resolved \"https://registry.npmjs.org/x/-/x-1.0.0.tgz\"\n  integrity §"}},
	{func(l lot) string { return "h1:" + l.b64(32) }, []string{"github.com/acme/x v1.2.3 §", "github.com/acme/x v1.2.3/go.mod §"}},
	{func(l lot) string { return l.b64(300) }, []string{"![logo](data:image/png;base64,§)", "<img src=\"data:image/gif;base64,§\">", "background: url(data:font/woff2;base64,§)"}},
	{func(l lot) string {
		return "-----BEGIN CERTIFICATE-----\n" + l.b64(240) + "\n-----END CERTIFICATE-----"
	}, []string{"§", "ca.crt: |\n  §", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n§"}},
	{func(l lot) string { return "AAAAC3NzaC1lZDI1NTE5AAAAI" + strings.TrimRight(l.b64(32), "=") }, []string{"ssh-ed25519 § jo@laptop", "authorized_keys: ssh-ed25519 §", "github.com ssh-ed25519 §"}},
	{func(l lot) string { return "SHA256:" + strings.TrimRight(l.b64(32), "=") }, []string{"the fingerprint of the host key is §", "ED25519 key fingerprint is §."}},
	{func(l lot) string {
		return l.one("<your-token>", "<token>", "\"{password}\"", "YOUR_API_KEY", "your-api-key-here", "xxxx", "xxxxxxxxxxxxxxxx", "********", "changeme", "change-me", "$TOKEN", "${TOKEN}", "$(cat token)", "${{ secrets.DEPLOY_TOKEN }}", "{{ vault_password }}",
			"{{ .Values.auth.password }}", "%TOKEN%", "<REDACTED>", "[redacted]", "[redacted: github-token]", "…", "...", "sk-...", "ghp_...", "process.env.TOKEN", "os.environ[\"TOKEN\"]", "os.Getenv(\"TOKEN\")", "env.TOKEN", "op://prod/db/password", "vault:secret/db#password",
			"!vault", "ENC[AES256_GCM,data:x]", "null", "None", "\"\"", "''", "TBD", "example", "EXAMPLE_KEY", "password", "secret", "string", "placeholder", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "$2")
	}, []string{"password: §", "PASSWORD=§", "api_key = §", "\"token\": \"§\"", "Authorization: Bearer §", "curl -u admin:§ https://x.acme.dev", "postgres://app:§@db/x", "export GITHUB_TOKEN=§", "the password is §", "client_secret: §", "--password §", "- name: DB_PASSWORD\n  value: §", "token=§&x=1", "PGPASSWORD=§ psql", "//registry.npmjs.org/:_authToken=§", "echo § | docker login --password-stdin", "ENV DB_PASSWORD §", "machine x login jo password §"}},
	{func(l lot) string {
		return l.one("rotated on 2026-03-01", "stored in the vault under db/prod", "longer than 16 characters", "hashed with argon2id", "kept in 1Password", "never logged", "shared with ops only", "at least 12 characters", "set in CI", "reset by mail", "the same on all three hosts", "case-sensitive", "required since v2.3.1", "not needed for read-only access", "expired after 90 days", "read from /run/secrets/db_password", "in secrets/db-prod-2024.yaml", "managed by external-secrets v0.9.13")
	}, []string{"The password is §.", "The API key is §.", "token: §", "password: §", "Our secret is §.", "The root password was §", "credentials are §", "the passphrase is § now", "Password\n§"}},
	{func(l lot) string { return l.s(d10, 6+l.IntN(8)) }, []string{"max_tokens = §", "tokens: §", "token count §", "used § tokens", "key: §", "seed = §", "\"port\": §", "offset §", "ts=§", "password attempts: §"}},
	{func(l lot) string {
		return l.one("user", "order", "session", "memory") + "_" + l.one("id", "hash", "index") + "_" + l.s(d10, 2)
	}, []string{"primary_key: §", "cache_key = §", "sort key §", "foreign key §", "the partition key is §", "secretName: §", "tokenizer: §", "password_field = §", "api_key_name = §", "keyFile: §"}},
	{func(l lot) string { return l.one("v", "") + l.s("123", 1) + "." + l.s(d10, 1) + "." + l.s(d10, 2) }, []string{"jsonwebtoken: §", "password-hash §", "golang-jwt §", "upgrade passport to §", "oauth2-proxy §", "\"secrets-manager\": \"^§\""}},
	{func(l lot) string {
		return l.s("23456789", 4) + ":" + l.s(hx, 4) + ":" + l.s(hx, 4) + ":" + l.s(hx, 4) + ":" + l.s(hx, 4) + ":" + l.s(hx, 4) + ":" + l.s(hx, 4) + ":" + l.s(hx, 4)
	}, []string{"listens on §", "§", "\"address\": \"§\"", "AAAA §"}},
	{func(l lot) string { return hex.EncodeToString(l.raw(6))[:2] + ":" + l.s(hx, 2) + ":3e:" + l.s(hx, 2) }, []string{"mac 00:16:§:aa", "at 12:30:45 §", "10:20:§"}},
	{func(l lot) string {
		return l.one("getUserPasswordFromEnv2", "parseJWTTokenV2", "HTTP2TLS13Config", "testEd25519PrivateKey", "resetPasswordToken", "newAPIKeyStore", "pkcs8PrivateKey", "base64EncodeToken", "oauth2TokenSource", "userRepo.hashPassword", "cfg.DB.Password", "self._token", "args.api_key")
	}, []string{"password = §", "token := §(ctx)", "PrivateKey: §,", "apiKey=§", "we renamed § last week", "`§`", "secret = §"}},
	{func(l lot) string {
		return base64.StdEncoding.EncodeToString([]byte(l.one("hello world, this is text", "{\"page\":2,\"limit\":50}", "user:password")))
	}, []string{"cursor=§", "next: §", "basic §"}},
}

// Of 20,000 memories with such things none is refused.
func TestHarmless(t *testing.T) {
	l := lot{rand.New(rand.NewPCG(2026, 12))}
	rules := secrets.Default()
	const all = 20_000
	alarms := 0
	for range all {
		h := harmless[l.IntN(len(harmless))]
		text := strings.Replace(h.write[l.IntN(len(h.write))], "§", h.draw(l), 1)
		record, err := l.memory(text)
		if err != nil {
			t.Fatal(err)
		}
		if found := rules.FindRecord(record); len(found) > 0 {
			alarms++
			t.Errorf("%.200q: %v", text, found[0])
		}
	}
	t.Logf("%d alarms in %d memories", alarms, all)
}
