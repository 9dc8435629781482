package secrets_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/secrets"
)

// form is a kind of secret as people and programs write it: § is the secret, made by draw.
type form struct {
	text string
	draw func(l lot) string
}

func chars(set string, n int) func(lot) string { return func(l lot) string { return l.s(set, n) } }

// behind is a token behind what all of its kind begin with.
func behind(head, set string, n int) func(lot) string {
	return func(l lot) string { return head + l.s(set, n) }
}

func aPassword(l lot) string {
	return l.one("Winter", "kestrel", "Falcon", "mango") + l.s("!#$", 1) + l.s(az, 3) + l.s(d10, 2)
}
func aUUID(l lot) string { return l.uuid() }
func seed(l lot) string  { return l.s(AZ+"234567", 32) }

// card is the number of a credit card with the digit that makes it one (Luhn).
func card(l lot) string {
	number := l.one("4", "51", "55") + l.s(d10, 14)
	number = number[:15]
	sum := 0
	for i := range 15 {
		d := int(number[14-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	number += string(rune('0' + (10-sum%10)%10))
	return number[:4] + " " + number[4:8] + " " + number[8:12] + " " + number[12:]
}

// forms are as the issuers document them (https://github.com/gitleaks/gitleaks describes the shapes), and as people note them down.
var forms = []form{
	// Tokens that only what stands near tells of.
	{"SNYK_TOKEN=§", aUUID},
	{"The Snyk token for CI is §.", aUUID},
	{"snyk auth §", aUUID},
	{"snyk config set api=§", aUUID},
	{"Square access token: §", behind("EAAA", url, 60)},
	{"Square: §", behind("sq0csp-", url, 43)},
	{"Okta API token 00§", chars(url, 40)},
	{"OKTA_CLIENT_TOKEN=00§", chars(url, 40)},
	{"Authorization: SSWS 00§", chars(url, 40)},
	{"curl -H 'Authorization: SSWS §' https://acme.okta.com/api/v1/users", behind("00", url, 40)},
	{"Cohere key: §", chars(an, 40)},
	{"CO_API_KEY=§", chars(an, 40)},
	{"co = cohere.Client(\"§\")", chars(an, 40)},
	{"We use the Cohere API with the key §", chars(an, 40)},
	{"Algolia admin key §", chars(hx, 32)},
	{"algoliasearch('APPID12345', '§')", chars(hx, 32)},
	{"Datadog API key is §", chars(hx, 32)},
	{"DD_APP_KEY: §", chars(hx, 40)},
	{"Fastly token §", chars(url, 32)},
	{"PagerDuty key: §", chars(an, 20)},
	{"MATTERMOST_TOKEN=§", chars(az+d10, 26)},
	{"Zendesk API token: §", chars(an, 40)},
	{"Codecov upload token §", aUUID},
	{"CODECOV_TOKEN=§", aUUID},
	{"Mistral API key §", chars(an, 32)},
	{"DeepL auth key §:fx", aUUID},
	{"deepseek key: sk-§", chars(hx, 32)},
	{"Travis token §", chars(an, 22)},
	{"LaunchDarkly SDK key sdk-§", aUUID},
	{"Launchdarkly: api-§", aUUID},
	{"HEROKU_API_KEY=§", aUUID},
	{"Kraken private key: §==", chars(an+"/+", 86)},
	// Tokens with a form.
	{"§", behind("LTAI", an, 20)},
	{"the alibaba pair: § / ", behind("LTAI5t", an, 18)},
	{"§", behind("p8e-", hx, 32)},
	{"§", behind("duffel_live_", url, 43)},
	{"§", func(l lot) string { return "dnkey-" + l.s(az+d10, 26) + "-" + l.s(az+d10, 52) }},
	{"§", behind("fio-u-", az+d10+"-_", 64)},
	{"§", behind("ico-", an, 32)},
	{"§", func(l lot) string { return "pat." + l.s(an, 22) + "." + l.s(hx, 24) + "." + l.s(an, 20) }},
	{"§", behind("s-s4t2ud-", hx, 64)},
	{"§", func(l lot) string { return l.s(an, 6) + "_" + l.s(an, 29) + "_mmk" }},
	{"§", behind("API-", AZ+d10, 26)},
	{"§", behind("sha256~", url, 43)},
	{"§", behind("rdme_", az+d10, 70)},
	{"§", behind("tk-us-", url, 48)},
	{"§", behind("sm_aat_", an, 16)},
	{"§", behind("tfp_", az+d10+"-_", 59)},
	{"§", behind("4b1d", an, 38)},
	{"§", behind("cmVmdGtu", an, 56)},
	{"§", func(l lot) string { return "t1." + l.s(url, 60) + "." + l.s(url, 86) }},
	{"§", behind("live_", az+d10+"-_", 40)},
	{"§", behind("test_", hx, 35)},
	{"§", behind("b_", az+d10, 44)},
	{"§", func(l lot) string {
		return "sc_" + l.s(az+d10, 8) + "." + l.s(an, 4) + ".acc_" + l.s(az+d10, 12) + "." + l.s(an, 40)
	}},
	{"BUNDLE_ENTERPRISE__CONTRIBSYS__COM=§", func(l lot) string { return l.s(hx, 8) + ":" + l.s(hx, 8) }},
	{"§", behind("glrtr-", url, 20)},
	{"_gitlab_session=§", chars(hx, 32)},
	{"§", behind("apify_api_", an, 36)},
	{"§", behind("dop_v1_", hx, 64)},
	{"§", behind("csk-", az+d10, 48)},
	{"§", behind("pa-", url, 43)},
	{"§", behind("fc-", hx, 32)},
	{"§", behind("lin_api_", an, 40)},
	{"§", behind("e2b_", hx, 40)},
	{"§", behind("nvapi-", url, 64)},
	{"§", behind("sk-ws-01-", url, 60)},
	{"§", behind("key_", hx, 64)},
	// One-time passwords.
	{"otpauth://totp/ACME:jo@acme.dev?secret=§&issuer=ACME", seed},
	{"TOTP secret: §", seed},
	{"totp seed §", chars(AZ+"234567", 16)},
	{"2FA secret for the registrar: §", seed},
	{"MFA key §", seed},
	{"The authenticator seed of the AWS root is §", seed},
	{"otpauth://hotp/x?issuer=y&counter=1&secret=§", seed},
	// Cards.
	{"Company card § exp 04/27 CVV 123", card},
	{"card: § (12/28), cvc 456", card},
	{"Visa § CVV2: 789", card},
	{"Kreditkarte §, gültig bis 05/27, Prüfziffer 321", card},
	// Wi-Fi.
	{"WIFI:T:WPA;S:Office;P:§;;", chars(an, 12)},
	{"WIFI:S:Guest;T:WPA2;P:§;H:true;;", aPassword},
	{"Wi-Fi password: §", aPassword},
	{"The office WiFi key is §", aPassword},
	{"wifi: Office5G / §", aPassword},
	{"WLAN-Schlüssel: §", aPassword},
	{"wpa_passphrase=§", aPassword},
	{"psk=\"§\"", aPassword},
	{"SSID Office, key §", aPassword},
	// Logins.
	{"admin / §", aPassword},
	{"Grafana: admin / §", aPassword},
	{"The router logs in with root / §", aPassword},
	{"user: admin pass: §", aPassword},
	{"jenkins login is deploy/§", aPassword},
	{"admin:§ on the staging NAS", aPassword},
	{"username admin, password §", aPassword},
	// Words for password.
	{"Hasło do bazy: §", aPassword},
	{"haslo: §", aPassword},
	{"Hasłem do panelu jest §", aPassword},
	{"Heslo k databázi je §", aPassword},
	{"heslo: §", aPassword},
	{"Přihlašovací heslo: §", aPassword},
	{"Heslem je §", aPassword},
	{"Das Passwort für die Datenbank lautet §", aPassword},
	{"Mot de passe : §", aPassword},
	{"La contraseña de la base es §", aPassword},
	{"A senha do banco é §", aPassword},
	{"La password del database è §", aPassword},
	{"Het wachtwoord is §", aPassword},
	{"Lösenordet är §", aPassword},
	{"Adgangskoden er §", aPassword},
	{"Passordet er §", aPassword},
	{"Salasana on §", aPassword},
	{"A jelszó: §", aPassword},
	{"Jelszava §", aPassword},
	{"Parola bazei de date este §", aPassword},
	{"Veritabanı şifresi: §", aPassword},
	{"Пароль от базы: §", aPassword},
	{"Пароль до бази — §", aPassword},
	{"Паролата за базата е §", aPassword},
	{"Lozinka za bazu je §", aPassword},
	{"Geslo za bazo je §", aPassword},
	{"Heslo do databázy je §", aPassword},
	{"Ο κωδικός πρόσβασης είναι §", aPassword},
	{"データベースのパスワードは§です", aPassword},
	{"数据库密码是 §", aPassword},
	{"데이터베이스 비밀번호는 §", aPassword},
	{"كلمة المرور هي §", aPassword},
	{"הסיסמה היא §", aPassword},
	{"डेटाबेस का पासवर्ड § है", aPassword},
	{"Mật khẩu là §", aPassword},
	{"รหัสผ่านคือ §", aPassword},
	{"Kata sandi: §", aPassword},
	{"Slaptažodis: §", aPassword},
	{"Parole ir §", aPassword},
	{"Parool on §", aPassword},
	// The same kinds in other words.
	{"Snyk: set SNYK_TOKEN to § in the pipeline", aUUID},
	{"snyk_api_token = \"§\"", aUUID},
	{"export OKTA_API_TOKEN=§", behind("00", url, 40)},
	{"Okta service account uses § for provisioning", behind("00", url, 40)},
	{"cohere_api_key: §", chars(an, 40)},
	{"Square personal access token is §", behind("EAAA", url, 60)},
	{"TOTP seed for ops@acme.dev is §", seed},
	{"The MFA secret is §", chars(AZ+"234567", 26)},
	{"Google Authenticator setup key: §", func(l lot) string {
		group := func() string { return l.s(az+"234567", 4) }
		return strings.Join([]string{group(), group(), group(), group(), group(), group(), group(), group()}, " ")
	}},
	{"Card number §, expires 09/28, security code 321", card},
	{"§ CVC 123 exp 11/29", card},
	{"CVV 432 for card §", card},
	{"Carte bancaire § cryptogramme 221", card},
	{"Wifi: §", aPassword},
	{"Office Wi-Fi: SSID Acme-5G, password §", aPassword},
	{"guest wifi password is §", aPassword},
	{"WPA2 key: §", aPassword},
	{"The Wi-Fi code in the meeting room is §", aPassword},
	{"Contraseña del wifi: §", aPassword},
	{"Hasło do wifi: §", aPassword},
	{"heslo na wifi je §", aPassword},
	{"login: admin / §", aPassword},
	{"use admin/§ for the console", aPassword},
	{"credentials admin:§", aPassword},
	{"Kibana at kibana.acme.dev, admin / §", aPassword},
	{"postgres / § on db1", aPassword},
	{"jo@acme.dev / §", aPassword},
	{"Dane logowania: admin / §", aPassword},
	{"hasło: §", aPassword},
	{"Nowe hasło to §", aPassword},
	{"Nové heslo: §", aPassword},
	{"heslo pro administrátora je §", aPassword},
	{"heslo=§", aPassword},
	{"Uživatel admin, heslo §", aPassword},
	{"użytkownik admin hasło §", aPassword},
	{"Benutzer admin, Kennwort §", aPassword},
	{"identifiant admin, mot de passe §", aPassword},
	{"usuario admin, clave §", aPassword},
	{"Utente admin, password §", aPassword},
	{"PIN of the safe: §", chars(d10, 6)},
	{"alarm code is §", chars(d10, 6)},
	{"sudo password: §", aPassword},
	{"ssh root@10.0.0.5 password §", aPassword},
	{"vault unseal key 1: §", func(l lot) string { return l.b64(33) }},
	{"aws_session_token=§", func(l lot) string { return "IQoJb3JpZ2lu" + l.b64(120) }},
	{"kubeconfig token: §", func(l lot) string { return l.jwt() }},
	{"Stripe webhook secret whsec_§", chars(an, 32)},
	{"npm token npm_§", chars(an, 36)},
	{"The Sendgrid key SG.§", func(l lot) string { return l.s(url, 22) + "." + l.s(url, 43) }},
	{"recovery code: §", func(l lot) string { return l.s(hx, 5) + "-" + l.s(hx, 5) }},
}

// near are harmless things that stand near those, in their forms or with their words.
var near = []form{
	{"The Snyk project is §", aUUID},
	{"Snyk org id: §", aUUID},
	{"snyk test --project-id=§", aUUID},
	{"Okta app 0oa§ has no users", chars(an, 17)},
	{"Okta org 00o§", chars(an, 17)},
	{"Square location L§", chars(AZ+d10, 12)},
	{"sandbox-sq0idb-§ is the application id", chars(url, 22)},
	{"Cohere commit §", chars(hx, 40)},
	{"cohere/command-r-plus-08-2024 answered in §ms", chars("123456789", 3)},
	{"Datadog trace §", chars(hx, 32)},
	{"Algolia index products_§", chars(d10, 4)},
	{"LaunchDarkly flag api-v§-rollout", chars(d10, 1)},
	{"Heroku release v§", chars(d10, 3)},
	{"Commit § fixes the Wi-Fi driver", chars(hx, 40)},
	{"The Wi-Fi driver is version 5.§", chars(d10, 2)},
	{"SSID Office, channel §", chars("123456789", 2)},
	{"The Wi-Fi password is on the board in the kitchen. §", chars(d10, 2)},
	{"wifi: Office-5G / guest-network §", chars(d10, 1)},
	{"WPA3 key exchange takes §ms", chars("123456789", 3)},
	{"Order § was paid by card, CVV matched", func(l lot) string { return "10" + l.s(d10, 8) }},
	{"Test card 4242 4242 4242 4242, any CVV, order §", chars(d10, 6)},
	{"4111 1111 1111 1111 CVV 123 is the test card §", chars(d10, 1)},
	{"The CVV field has §00 ms debounce", chars("123456789", 1)},
	{"Tracking 9400 1118 9922 §, csc-team owns it", chars(d10, 4)},
	{"Enable 2FA for § people", chars(d10, 2)},
	{"TOTP uses SHA1, § seconds, base32 seeds", chars("369", 1)},
	{"MFA was rolled out by the team PLATFORMSECURITY in 20§", chars("012", 2)},
	{"otpauth://totp/ACME:jo?secret=YOUR_SECRET_§&issuer=ACME", chars(d10, 1)},
	{"admin / viewer / editor are the § roles", chars("3", 1)},
	{"admin/users_§.go lists them", chars(d10, 1)},
	{"root:x:0:0:root:/root:/bin/bash §", chars(d10, 1)},
	{"admin:admin works only in the demo §", chars(d10, 1)},
	{"Open admin/Dashboard2.tsx, line §", chars(d10, 3)},
	{"root / 120 GB, §% full", chars("123456789", 2)},
	{"admin: 2026-03-§T10:00:00Z", chars("12", 2)},
	{"the operator:v1.2.§ image", chars(d10, 1)},
	{"postgres:16.§-alpine", chars(d10, 1)},
	{"ubuntu / 24.04.§ LTS", chars(d10, 1)},
	{"postgres / pg_stat_statements_§", chars(d10, 2)},
	{"Hasło musi mieć co najmniej § znaków", chars("123", 2)},
	{"Hasła zmieniamy co § dni", chars("369", 2)},
	{"Heslo musí mít alespoň § znaků", chars("123", 2)},
	{"Heslo se mění každých § dní", chars("369", 2)},
	{"Zapomenuté heslo: odkaz platí § hodin", chars("123456789", 1)},
	{"On parole until 20§-03-01", chars("2", 2)},
	{"Parole chiave: go, json, v§", chars(d10, 1)},
	{"Sandi: §th of March is fine", chars("1", 2)},
	{"key_§ is the partition key", chars(d10, 4)},
	{"live_§ streams", chars(d10, 3)},
	{"test_§_times_out fails", chars(hx, 6)},
	{"sha256~ is the prefix; digest sha256:§", chars(hx, 64)},
	{"request api-§", aUUID},
	{"pod api-7f9c4b-§", chars(az, 5)},
	{"pa-§ is the region", chars(az, 2)},
	{"fc-list | grep Font§", chars(d10, 1)},
	{"b_tree_node_capacity_is_set_by_the_page_size_§", chars(d10, 1)},
	{"pat.matches(input) §", chars(d10, 1)},
	{"t1.name = t2.name, §", chars(d10, 1)},
	{"API-GATEWAY-TIMEOUT-SECONDS-§", chars(d10, 2)},
	{"git bisect found §", chars(hx, 40)},
	{"etag \"§\"", chars(hx, 32)},
	{"trace id §", aUUID},
	{"version 4.1.§-rc1", chars(d10, 2)},
	{"ico-home-outline-large-§", chars(d10, 2)},
	{"EXAMPLE_TOKEN=your-token-here-§", chars(d10, 1)},
	{"password: ${DB_PASSWORD_§}", chars(d10, 1)},
	{"COHERE_API_KEY=<your key> §", chars(d10, 1)},
	{"SNYK_TOKEN: ${{ secrets.SNYK_TOKEN }} §", chars(d10, 1)},
	{"OKTA_API_TOKEN=00xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx §", chars(d10, 1)},
	{"The card reader firmware is 4.0.12.§ (cvn 12)", chars(d10, 3)},
}

// eachForm calls f for some secrets of each form.
func eachForm(all []form, f func(of form, text, secret string)) {
	l := lot{rand.New(rand.NewPCG(2026, 28))}
	for _, of := range all {
		for range 5 {
			secret := of.draw(l)
			f(of, strings.Replace(of.text, "§", secret, 1), secret)
		}
	}
}

func TestForms(t *testing.T) {
	rules := secrets.Default()
	missed := map[string]int{}
	example := map[string]string{}
	eachForm(forms, func(of form, text, secret string) {
		clean, _ := rules.Redact(text)
		if strings.Contains(clean, secret) {
			missed[of.text+text[:min(len(text), 8)]]++
			example[of.text+text[:min(len(text), 8)]] = text
		}
	})
	for text, n := range missed {
		t.Errorf("%d of 5 missed: %s: %s", n, text, example[text])
	}
}

// Nothing near them is taken for one.
func TestNearForms(t *testing.T) {
	rules := secrets.Default()
	eachForm(near, func(_ form, text, _ string) {
		if found := rules.Find(text); len(found) > 0 {
			t.Errorf("%s: %v", text, found[0])
		}
	})
}
