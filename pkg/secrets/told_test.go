package secrets_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/secrets"
)

// How secrets get into notes that are not settings: told in a sentence of any language, next to who logs in, in a table, in a
// call, on a command line, in what a tool printed. § is where the secret stands.

// wif is a private key as wallets export it.
func wif(l lot) string {
	body := append([]byte{0x80}, l.raw(32)...)
	first := sha256.Sum256(body)
	second := sha256.Sum256(first[:])
	n := new(big.Int).SetBytes(append(body, second[:4]...))
	out := ""
	for n.Sign() > 0 {
		digit := new(big.Int)
		n.DivMod(n, big.NewInt(58), digit)
		out = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit.Int64():][:1] + out
	}
	return out
}

func seedPhrase(l lot) string {
	words := make([]string, 12)
	for i := range words {
		words[i] = l.s(az, 4+l.IntN(4))
	}
	return strings.Join(words, " ")
}

func three(l lot) string {
	w := []string{"falcon", "violet", "copper", "meadow", "lantern", "juniper", "saffron", "harbour"}
	join := l.one("-", "_", ".")
	return w[l.IntN(8)] + join + w[l.IntN(8)] + join + w[l.IntN(8)]
}

var told = []documented{
	{"password in a sentence", pw, []string{
		"Das Passwort der Datenbank lautet „§“.", "Le mot de passe du serveur est « § ».", "La contraseña de la cuenta es §", "a senha do painel é `§`", "la password del router è §", "Het wachtwoord van de server is §",
		"Lösenordet till panelen är §", "hasło do bazy: §", "heslo k databázi je §", "veritabanı şifresi: §", "пароль от панели — §", "логін root, пароль §", "数据库的密码是§。", "管理画面のパスワードは§です", "관리자 비밀번호: §", "كلمة السر هي §", "पासवर्ड: §",
		"A temporary password was made for root@db: §", "use § as the password of the wiki", "ssh jo@web1, pass is §", "mdp : §"}},
	{"password beside a login", pw, []string{
		"Zugang zum Wiki: root / §", "se connecter avec jo / §", "credenciales: jo / §", "войти: jo / §", "logins of the stage: jo:§", "user: jo\npass: §", "1. username `jo`, password `§`"}},
	{"password in code", pw, []string{
		`smtp.login("jo@acme.dev", "§")`, `new PDO($dsn, "jo", "§");`, `DriverManager.getConnection(url, "jo", "§")`, `define( 'DB_PASSWORD', '§' );`, `const PASSWORD: &str = "§";`, `process.env.DB_PASSWORD || "§"`, `os.getenv("DB_PASSWORD", "§")`,
		`page.fill('#password', '§')`, `CREATE LOGIN jo WITH PASSWORD = N'§';`, `INSERT INTO users (name, password) VALUES ('jo', '§');`}},
	{"password in a table", pw, []string{"| host | user | password |\n|---|---|---|\n| web1 | jo | § |\n| web2 | - | - |", "hosts:\nhost,login,password\nweb1,jo,§\nweb2,ann,-"}},
	{"password on a command line", pw, []string{
		"mongosh -u jo -p '§' --quiet", "keytool -list -storepass §", "nmcli dev wifi connect office password §", "docker login registry.acme.dev -u jo -p §", "net user jo § /add", "gpg --batch --passphrase '§' -d x.gpg", "set -gx DB_PASSWORD §"}},
	{"password of three words", three, []string{"DB_PASSWORD=§", "password: \"§\"", "<password>§</password>", "machine x.acme.dev login jo password §", "--password '§'"}},
	{"password of four words", func(l lot) string {
		return strings.NewReplacer("-", "_", ".", "_").Replace(three(l)) + "_" + l.s(az, 5)
	}, []string{"db_password: \"§\""}},
	{"token in a sentence", of("", an, 40), []string{
		"Der Token von Grafana lautet §.", "El token de Vercel para pruebas es §", "il token di Fly è §", "токен для CI: §", "API 的令牌是§", "トークンは§です", "Rotated the API key on Monday; the new one is \"§\".", "Jo gave me a new deploy token, §, valid until May.",
		"I put the API key (§) into the script", "here's my access token § for the import", "the call failed, the API key used was §"}},
	{"token for a command", of("", hx, 40), []string{
		"gh secret set DEPLOY_TOKEN --body \"§\"", "aws ssm put-parameter --name /app/api_key --type SecureString --value §", "echo § > config/master.key", "curl -b 'session=§' https://x.acme.dev", "Authorization: Splunk §", `client("§")  # the deploy token`}},
	{"base64 of a password", func(l lot) string { return base64.StdEncoding.EncodeToString([]byte(l.s(az, 6) + l.s(d10, 4))) }, []string{"kind: Secret\ndata:\n  db-password: §", "data:\n  password: §\n"}},
	{"escaped", of("", hx, 32), []string{`{"text":"env:\n  - name: API_TOKEN\n    value: \"§\""}`, `{"out":"{\"api_key\":\"§\"}"}`, `"login:\nAPI_TOKEN=§\nDEBUG=1"`}},
	{"seed phrase", seedPhrase, []string{"seed phrase of the ledger: §", "the mnemonic is \"§\"", "钱包助记词:§"}},
	{"key of a wallet", wif, []string{"§", "import § into the wallet"}},
	{"keypair", func(l lot) string {
		b, _ := json.Marshal(func() (n []int) { // numbers
			for _, x := range l.raw(64) {
				n = append(n, int(x))
			}
			return n
		}())
		return string(b)
	}, []string{"the key of the wallet: §"}},
	{"JSON Web Key", of("", url, 43), []string{`{"kty":"OKP","crv":"Ed25519","d":"§"}`}},
	{"key of a kubeconfig", func(l lot) string { return base64.StdEncoding.EncodeToString([]byte(l.armour("EC PRIVATE KEY"))) }, []string{"users:\n- user:\n    client-key-data: §", "§"}},
	{"recovery codes", func(l lot) string { return l.s(hx, 4) + "1-2" + l.s(d10, 4) }, []string{"recovery code: §", "Backup codes:\n§\nabcd-12345"}},
	{"PIN", of("", d10, 6), []string{"the PIN of the card is §", "--pin §"}},
	{"seed of one-time passwords", of("", AZ+"234567", 32), []string{"otpauth://totp/x:jo?secret=§&issuer=x", "oathtool --totp -b §"}},
	{"address of a database", func(l lot) string { return l.s(an, 14) + "7" }, []string{"jo:§@tcp(db:3306)/x", "jdbc:oracle:thin:jo/§@db:1521/X", "ACL SETUSER jo on >§ ~* +@all"}},
}

// Of what people and tools write down, all but one in a hundred is found, and nothing of it is left.
func TestTold(t *testing.T) {
	l := lot{rand.New(rand.NewPCG(2026, 11))}
	rules := secrets.Default()
	all, found := 0, 0
	for _, k := range told {
		for _, place := range k.write {
			missed := 0
			for range 40 {
				secret := k.draw(l)
				record, err := l.memory(strings.Replace(place, "§", secret, 1))
				if err != nil {
					t.Fatal(err)
				}
				quoted, err := json.Marshal(secret)
				if err != nil {
					t.Fatal(err)
				}
				clean, _ := rules.RedactRecord(record)
				if bytes.Contains(clean, quoted[1:len(quoted)-1]) {
					missed++
				} else if again := rules.FindRecord(clean); len(again) > 0 {
					t.Errorf("%s: %v in %s", k.kind, again[0], clean)
				}
			}
			all, found = all+40, found+40-missed
			if missed > 0 {
				t.Logf("%s: %d of 40 missed in %q", k.kind, missed, place)
			}
			if missed > 6 {
				t.Errorf("%s: %d of 40 missed in %q", k.kind, missed, place)
			}
		}
	}
	t.Logf("%d of %d found, %d kinds", found, all, len(told))
	if found*100 < all*99 {
		t.Errorf("found %d of %d", found, all)
	}
}

// What talks of secrets, names them or only looks like them is none.
func TestToldOfNone(t *testing.T) {
	l := lot{rand.New(rand.NewPCG(2026, 13))}
	for range 200 {
		for _, text := range []string{
			"the token refresh was fixed in commit " + l.s(hx, 40), "the API key check is in sha " + l.s(hx, 40), "the secret is loaded by `VioletCopperMeadowLanternProvider.resolve()`", "the token contract is deployed at 0x" + l.s(hx, 40),
			"arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/db-" + l.s(an, 6), "postgres://${DB_USER}:${DB_PASS}@db.acme.dev:5432/x", "https://acme.dev/reset-password?step=" + l.s(d10, 1), "Das Passwort steht im Tresor unter shop-" + l.s(d10, 2), "パスワードは1Passwordに保存されている。",
			"| credential | user_id=" + l.uuid() + " | jo |", "password = cfg.database.primary", "the password is hashed with argon2id and 19456 KiB", "session token: request_id=" + l.uuid(), "key: user-" + l.s(d10, 6) + "-profile", "pin the version to 20240501",
			"parsedKey, err = x509.ParsePKCS8PrivateKey(der)", "password policy: 12 characters, OWASP2021", "login: see docs/runbook" + l.s(d10, 1) + ".md", "s.parseMergePlannerOptions(x)", "remote: https://ci:•••••••••@git.acme.dev/x.git",
		} {
			record, err := l.memory(text)
			if err != nil {
				t.Fatal(err)
			}
			if found := secrets.Default().FindRecord(record); len(found) > 0 {
				t.Fatalf("%q: %v", text, found[0])
			}
		}
	}
}
