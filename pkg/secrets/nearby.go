package secrets

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// nearby are secrets that are known by a word which stands near them: who issued the key, what the number opens.
func nearby() []rule {
	return []rule{
		{id: "okta-token", what: "Okta API token", keywords: []string{"okta", "ssws"}, folded: true, group: 1, closed: true, accept: drawn,
			pattern: lazyregexp.New(`(?i:okta|ssws)[^\n]{0,60}?[^\w-](00[\w-]{40})`)},
		{id: "cohere-key", what: "Cohere API key", keywords: []string{"cohere", "co_api_key"}, folded: true, group: 1, closed: true, accept: drawnByLot,
			pattern: lazyregexp.New(`(?i:cohere|co_api_key)[^\n]{0,60}?[^A-Za-z0-9]([A-Za-z0-9]{40})`)},
		{id: "snyk-token", what: "Snyk token", keywords: []string{"snyk"}, folded: true, group: 1, closed: true, accept: scattered,
			pattern: lazyregexp.New(`(?i)\bsnyk\s+(?:auth|config\s+set)\s+(?:api=|--token[= ])?["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`)},
		{id: "launchdarkly-key", what: "LaunchDarkly API key", keywords: []string{"launchdarkly", "launch darkly", "ld_"}, folded: true, group: 1, closed: true, accept: scattered,
			pattern: lazyregexp.New(`(?i:launch ?darkly|ld_)[^\n]{0,60}?[^\w-](api-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`)},
		{id: "algolia-key", what: "Algolia API key", keywords: []string{"algolia"}, folded: true, group: 1, closed: true, accept: drawn,
			pattern: lazyregexp.New(`(?i:algolia)\w{0,20}\(\s?["'][A-Z0-9]{8,12}["'],\s?["']([0-9a-f]{32})`)},
		{id: "sidekiq-secret", what: "Sidekiq login", keywords: []string{"__CONTRIBSYS__COM"}, group: 1, accept: scattered,
			pattern: lazyregexp.New(`BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM["']?\s?[=:]\s?["']?([0-9a-f]{8}:[0-9a-f]{8})\b`)},
		{id: "totp-seed", what: "seed of one-time passwords", keywords: []string{"totp", "2fa", "mfa", "otp", "two-factor", "authenticator"}, folded: true, group: 1, closed: true, accept: otpSeed,
			pattern: lazyregexp.New(`(?i:totp|2fa|mfa|otp|two-factor|authenticator)[^\n]{0,50}?[^A-Za-z0-9]([A-Z2-7]{16,64})`)},
		{id: "payment-card", what: "number of a payment card", keywords: cardCodes, folded: true, group: -1, accept: payable,
			pattern: lazyregexp.New(`\b` + cardNumber + `\b[^\n]{0,80}?` + cardCode + `\W{0,5}\d{3,4}\b|` + cardCode + `\W{0,5}\d{3,4}\b[^\n]{0,80}?\b` + cardNumber + `\b`)},
		{id: "payment-card", what: "code of a payment card", keywords: cardCodes, folded: true, group: 2, judged: 1, accept: payable,
			pattern: lazyregexp.New(`\b` + cardNumber + `\b[^\n]{0,80}?` + cardCode + `(?:\W|\bis\b|\bist\b){0,8}(\d{3,4})\b`)},
		{id: "wifi-password", what: "password of a wireless network", keywords: wireless, folded: true, group: 1, accept: guessed,
			pattern: lazyregexp.New(`(?i:wi-?fi|wlan|wpa[23]?|ssid)\b(?:[^\n/]{0,40}?(?i:\b(?:key|code|pass|psk|clé|clave|chiave|klíč)\b[^\n:=]{0,40}?(?:\s?[:=]|\s(?:is|est|es|je|to)\b|\s)|\s/)|\s?[:=])\s{0,2}["'\x60]?([^\s"'\x60,;]{8,63})`)},
		{id: "login-password", what: "password beside a login", keywords: accounts, folded: true, group: 1, accept: guessed,
			pattern: lazyregexp.New(`(?i:(?:^|[\s"'\x60(])(?:` + strings.Join(accounts, "|") + `))(?:\s/\s|/|:)["'\x60]?([^\s"'\x60,;/()<>]{6,64})`)},
		{id: "login-password", what: "password beside a login", keywords: []string{" / "}, group: 1, accept: guessed,
			pattern: lazyregexp.New(`(?m)(?:^|[\s:(])[\w.+-]{2,40}@[\w-]+\.[\w.-]+ / ["'\x60]?([^\s"'\x60,;/]{6,64})`)},
	}
}

// The number of a card in groups of four or as American Express has it, and what the code on its back is called.
const (
	cardNumber = `((?:\d{4}[ -]?){3}\d{4}|\d{4}[ -]?\d{6}[ -]?\d{5})`
	cardCode   = `(?i:\bcvv2?|\bcvc2?|\bcvn|\bcsc|security code|prüfziffer|prüfnummer|cryptogramme|código de seguridad|código de segurança|codice di sicurezza|kod cvv)`
)

var (
	cardCodes = []string{"cvv", "cvc", "cvn", "csc", "security code", "prüf", "cryptogramme", "seguridad", "segurança", "sicurezza"}
	wireless  = []string{"wifi", "wi-fi", "wlan", "wpa", "ssid"}
	accounts  = []string{"admin", "administrator", "root", "superuser", "sysadmin", "postgres", "ubuntu", "operator"}
)

// payable reports whether a number is that of a card: its last digit is the check digit of ISO/IEC 7812 (Luhn), and it is not one of the numbers that manuals use.
func payable(number string) bool {
	sum, n := 0, 0
	seen := map[byte]bool{}
	for i := len(number) - 1; i >= 0; i-- {
		d := int(number[i]) - '0'
		if d < 0 || d > 9 {
			continue
		}
		seen[number[i]] = true
		if n++; n%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	digits := strings.NewReplacer(" ", "", "-", "").Replace(number)
	test := strings.HasPrefix(digits, "400000") || strings.HasPrefix(digits, "411111") || strings.HasPrefix(digits, "424242") || strings.HasPrefix(digits, "123456") || digits == "378282246310005"
	return sum%10 == 0 && len(seen) > 4 && !test
}

// otpSeed reports whether a text of capitals is the seed of one-time passwords and no word.
func otpSeed(s string) bool {
	return base32(s) && !standsIn(s) && (shapeOf(s).digits > 0 || len(s) >= 32 && entropy(s) > 3.5)
}

// guessed reports whether a text beside a login or a network can hardly be anything but its password.
func guessed(s string) bool {
	s = strings.TrimRight(s, ".")
	return strongest(s) && password(s, candidate{last: true})
}
