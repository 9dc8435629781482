package secrets

import (
	"math"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/text"
)

// entropy is the Shannon entropy of the bytes of a text, in bits per byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	h := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// shape is what kinds of characters a text is made of.
type shape struct{ lower, upper, digits, marks, others int }

func shapeOf(s string) (c shape) {
	for i := range len(s) {
		switch b := s[i]; {
		case b >= 'a' && b <= 'z':
			c.lower++
		case b >= 'A' && b <= 'Z':
			c.upper++
		case b >= '0' && b <= '9':
			c.digits++
		case strings.IndexByte(joins, b) >= 0:
			c.others++ // these also join words
		case b > ' ' && b < 0x7f:
			c.marks++
		default:
			c.others++
		}
	}
	return c
}

func (c shape) letters() int { return c.lower + c.upper }

// kinds counts the kinds of characters: small letters, capitals, digits, marks.
func (c shape) kinds() (n int) {
	for _, k := range []int{c.lower, c.upper, c.digits, c.marks} {
		if k > 0 {
			n++
		}
	}
	return n
}

var (
	// stand-ins are what people write where a secret would stand.
	standIn = lazyregexp.New(`(?i)example|sample|placeholder|change[-_ ]?(?:me|it|this)|redacted|dummy|replace|insert|\byour|your[-_]|_here\b|-here\b|todo|not[-_]?a[-_]?real|fake|masked|hidden|removed|omitted|undefined|^n/a$|foobar|\bfoo\b|\bbar\b|lorem|jbswy3dp|xxxx|123456789|abcdef|deadbeef|qwerty1?$`)
	// standInLong are those that don't stand in a long row of letters and digits by chance.
	standInLong = lazyregexp.New(`(?i)example|placeholder|change[-_]?me|redacted|your[-_]|abcdef|0123456|1234567|deadbeef`)
	// reference is a place where a secret is to be had.
	reference = lazyregexp.New(`\$\{|\{\{|\}\}|\$\(|^\$[A-Za-z_]\w*$|^\$\w+[.:-]|^%[A-Za-z_]\w*%$|^[<{]|^\[[^\]]*\]?$|^[&*][A-Za-z_]+$|\w\((?:[^)]*\)|$)|^[a-z]\w{2,}\(|\w\[$|^(?:process\.env|import\.meta\.env|os\.environ|env)\b|^(?i:sha\d{1,3}|md5|h1|ENC)[:=[-]|^%(?:\[\d\])?[sdvqx]$|%\(\w+\)s|^@[\w./~-]+$|\*\*\*|\.\.\.|…|•|^env[:.]|^secrets?[./:]|/secrets/|^\w{0,20}id=|^bafy[a-z2-7]{50,}$|^vault:|^op://|^arn:|^ssm:|^!\w+(?:$|\s)`)
	moment    = lazyregexp.New(`^\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:?\d\d.*)?$|^\d{1,2}:\d\d(?::\d\d)?$`)
	amount    = lazyregexp.New(`^[-+~<>=$€£]*\d[\d.,_]*[a-zA-Z%/]{0,6}$`)
	versionNo = lazyregexp.New(`^[vV^~]?\d+(?:\.\d+)+[\w.+-]*$`)
	uuid      = lazyregexp.New(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	// word is what a name is made of: a word in one case or begun with a capital, a number, or one with the other behind it.
	word = lazyregexp.New(`^(?:[a-z]{1,20}|[A-Z]{1,20}|[A-Z][a-z]{1,20}|[a-z]{1,12}(?:[A-Z][a-z]{1,15}){1,5}|(?:[A-Z][a-z]{1,15}){2,5}|\d{1,8}|[A-Za-z]\d{1,5}|(?:[A-Z]{1,8}|[A-Z]?[a-z]{2,15}){1,6}\d{1,5}|\d{1,6}[A-Za-z]{1,3})$`)
)

// variable is how code names a value: words behind each other, acronyms and numbers among them.
var variable = lazyregexp.New(`^(?:[A-Z]{1,8}|[A-Z][a-z]{1,15}|[a-z]{2,15}|\d{1,5})*$`)

// expression reports whether a text is how code names a value, perhaps one in another.
func expression(s string) bool {
	if shapeOf(s).letters() == 0 {
		return false
	}
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '.' || r == '_' }) {
		if !variable.MatchString(part) && !word.MatchString(part) || shuffled(part) || choppy(part) {
			return false
		}
	}
	return true
}

// shuffled reports whether capitals, small letters and digits take turns more often than in a name.
func shuffled(s string) bool {
	parts := 0
	last := byte(0)
	for i := range len(s) {
		kind := byte('d')
		switch b := s[i]; {
		case b >= 'a' && b <= 'z':
			kind = 'a'
		case b >= 'A' && b <= 'Z':
			kind = 'A'
		}
		if kind != last && (last != 'A' || kind != 'a' || i > 1 && s[i-2] >= 'A' && s[i-2] <= 'Z') { // a capital begins a word
			parts++
		}
		last = kind
	}
	return parts >= 5 && parts*8 >= len(s)*3
}

// choppy reports whether the kind of character changes in a long row of letters and digits more often than in words.
func choppy(s string) bool {
	if len(s) < 20 {
		return false
	}
	changes, numbers := 0, 0
	for i := 1; i < len(s); i++ {
		a, b := charKind(s[i-1]), charKind(s[i])
		if a != b {
			if changes++; b == 'd' {
				numbers++
			}
		}
	}
	return numbers >= 4 || changes*20 >= len(s)*9
}

func charKind(b byte) byte {
	switch {
	case b >= 'a' && b <= 'z':
		return 'a'
	case b >= 'A' && b <= 'Z':
		return 'A'
	case b >= '0' && b <= '9':
		return 'd'
	}
	return 0
}

// repeated reports whether a text is mostly one character, as in "xxxx" or "000000", or holds a long row of one.
func repeated(s string) bool {
	same, longest := 1, 1
	for i := 1; i < len(s); i++ {
		if same++; s[i] != s[i-1] {
			same = 1
		}
		longest = max(longest, same)
	}
	return longest >= 8 && longest*3 > len(s) || longest > 3 && longest*2 >= len(s)
}

// standsIn reports whether a text is not a secret but says where one would be, or what it would look like.
func standsIn(s string) bool {
	return standIn.MatchString(s) || reference.MatchString(s) || repeated(s)
}

// named reports whether a text is made of words, as names of things, paths and versions are.
func named(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(joins, r) }) {
		if !word.MatchString(part) || shuffled(part) {
			return false
		}
	}
	return true
}

// joins are the marks that join the words of a name.
const joins = `-_./:,+=~\\`

// measured reports whether a text is a number, an amount, a date or a version.
func measured(s string) bool {
	return moment.MatchString(s) || amount.MatchString(s) || len(s) < 48 && versionNo.MatchString(s)
}

// random reports whether a text looks drawn by lot: a token.
func random(s string) bool {
	if len(s) < 16 || strings.ContainsAny(s, " \t\"'`<>{}()[]|\\^*?") || measured(s) {
		return false
	}
	if uuid.MatchString(s) {
		return true
	}
	c := shapeOf(s)
	if c.digits == 0 && (c.lower < 4 || c.upper < 4 || !choppy(s)) || c.letters() == 0 {
		return false
	}
	return entropy(s) >= 3 && !named(s)
}

// strong reports whether a text would do as a password: letters with something else among them, and no name.
func strong(s string) bool {
	c := shapeOf(s)
	switch {
	case len(s) < 6 || measured(s) && c.letters() > 0 || strings.ContainsAny(s, "()[]{}<>|\\ "):
		return false
	case c.letters() == 0:
		return c.digits >= 6 && c.others == 0
	case c.marks > 0 && c.digits > 0:
		return true
	case c.digits == 0:
		return c.marks > 0 && c.kinds() >= 3 && len(s) >= 8
	case c.others > 0:
		return !named(s)
	}
	return true
}

// mixed reports whether letters and digits take turns, as in no word.
func mixed(s string) bool {
	turns := 0
	for i := range len(s) {
		b := s[i]
		if !wordByte(b) || b == '_' {
			return false
		}
		if i > 0 && (b <= '9') != (s[i-1] <= '9') {
			turns++
		}
	}
	return len(s) >= 10 && turns >= 4
}

// ordinary reports whether a word, or several joined ones, would do as a password: they say nothing about passwords.
func ordinary(s string) bool {
	if len(s) < 7 || !named(s) || measured(s) {
		return false
	}
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(joins, r) }) {
		for _, w := range nameWords(part) {
			if talk.Has(w) || passwords.Has(w) || tokens.Has(w) || strings.Contains(w, "pass") || strings.Contains(w, "secret") {
				return false
			}
		}
	}
	return true
}

// phrase reports whether a text is a password of words: two or more of them and a number, joined by hyphens.
func phrase(s string) bool {
	words, numbers := 0, 0
	for part := range strings.SplitSeq(s, "-") {
		c := shapeOf(part)
		switch {
		case c.lower > 3 && c.lower+c.upper == len(part):
			words++
		case c.digits > 1 && c.digits == len(part):
			numbers++
		default:
			return false
		}
	}
	return words > 1 && numbers == 1 && ordinary(s)
}

// told reports whether a text is how code names a value that has to do with secrets.
func told(s string) bool {
	if !expression(s) {
		return false
	}
	words := wordsOfName(s)
	return len(words) > 1 && slices.ContainsFunc(words, func(w string) bool { return talk.Has(w) || passwords.Has(w) || tokens.Has(w) })
}

// wordsOfName are the words of a name in code, without its numbers.
func wordsOfName(s string) []string {
	return nameWords(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '_'
		}
		return r
	}, s))
}

// talk lists words that take the place of a password in code, forms, messages and manuals.
var talk = text.NewSet(`string text str get new parse source store encode decode char varchar bytes type field input value name key data label title user username login
	required optional invalid incorrect wrong missing empty blank unset forgot reset confirm confirmation current change changed update
	true false null none nil undefined enabled disabled default auto prompt ask file env config settings self this args request response
	form params body options opts context process hashed hash encrypted encoded plain plaintext bcrypt scrypt argon basic bearer digest
	keyring keychain vault stdin hidden test testing mock stub random generated generate unknown admin root postgres host server database`)

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
		{id: "totp-seed", what: "seed of one-time passwords", keywords: []string{"totp", "2fa", "mfa", "otp", "two-factor", "authenticator"}, folded: true, reach: 200, group: 1, closed: true, accept: otpSeed,
			pattern: lazyregexp.New(`(?i:totp|2fa|mfa|otp|two-factor|authenticator)[^\n]{0,50}?[^A-Za-z0-9]([A-Z2-7]{16,64})`)},
		{id: "payment-card", what: "number of a payment card", keywords: cardCodes, folded: true, group: -1, accept: payable,
			pattern: lazyregexp.New(`\b` + cardNumber + `\b[^\n]{0,80}?` + cardCode + `\W{0,5}\d{3,4}\b|` + cardCode + `\W{0,5}\d{3,4}\b[^\n]{0,80}?\b` + cardNumber + `\b`)},
		{id: "payment-card", what: "code of a payment card", keywords: cardCodes, folded: true, group: 2, judged: 1, accept: payable,
			pattern: lazyregexp.New(`\b` + cardNumber + `\b[^\n]{0,80}?` + cardCode + `(?:\W|\bis\b|\bist\b){0,8}(\d{3,4})\b`)},
		{id: "wifi-password", what: "password of a wireless network", keywords: wireless, folded: true, reach: 400, group: 1, accept: guessed,
			pattern: lazyregexp.New(`(?i:wi-?fi|wlan|wpa[23]?|ssid)\b(?:[^\n/]{0,40}?(?i:\b(?:key|code|pass|psk|clé|clave|chiave|klíč)\b[^\n:=]{0,40}?(?:\s?[:=]|\s(?:is|est|es|je|to)\b|\s)|\s/)|\s?[:=])\s{0,2}["'\x60]?([^\s"'\x60,;]{8,63})`)},
		{id: "login-password", what: "password beside a login", keywords: accounts, folded: true, reach: 120, group: 1, accept: guessed,
			pattern: lazyregexp.New(`(?i:(?:^|[\s"'\x60(])(?:` + strings.Join(accounts, "|") + `))(?:\s/\s|/|:)["'\x60]?([^\s"'\x60,;/()<>]{6,64})`)},
		{id: "login-password", what: "password beside a login", keywords: []string{" / "}, reach: 300, group: 1, accept: guessed,
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

// guessed reports whether a text next to a login or a network can hardly be anything but its password.
func guessed(s string) bool {
	s = strings.TrimRight(s, ".")
	return strongest(s) && password(s, candidate{last: true})
}
