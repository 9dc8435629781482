package secrets

import (
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// kind is what a name promises of its value.
type kind uint8

const (
	nothing       kind = iota
	aPassword          // what people think up
	aToken             // what is drawn by lot
	maybeToken         // a "key" of some sort
	maybePassword      // "pass"
	longToken          // a "key" that is public, or keeps things apart, unless it is long
	aCode              // short ones: a PIN, a code to get in again
)

// passwords and tokens end the names of secrets. A name is read by its words: dbPassword, DB_PASSWORD, "db password".
var (
	passwords = text.NewSet(`password passwd passphrase passcode pwd psw pw psk passwordhash dbpass userpass adminpass rootpass
		sshpass mypass smtppass ftppass mailpass loginpass storepass keypass bindpw ` +
		// in other languages, as far as they are written in ASCII
		`passwort kennwort mdp motdepasse contrasena clave senha wachtwoord losenord kodeord adgangskode passord salasana
		haslo hasla haslem heslo hesla heslem jelszo jelszava parola sifre sifresi lozinka lozinku geslo gesla losenordet adgangskoden
		passordet passwortes kodeordet salasanan parool parooli parole slaptazodis sandi`)
	tokens = text.NewSet(`token secret apikey accesskey secretkey privatekey authkey signingkey encryptionkey masterkey authtoken accesstoken
		refreshtoken bearertoken clientsecret appsecret credential credentials authorization bearer accountkey sharedaccesskey
		jeton privkey totp fernet unsealkey licensekey xprv`)
	// whose tells, before "key", whose secret it is.
	whose = text.NewSet(`api secret access private signing encryption decryption master auth account service deploy deployment license licence
		storage ssh shared client app application admin subscription webhook function functions host consumer integration server
		root session hmac aes jwt crypto cipher ingest ingestion write read registration developer personal merchant recovery
		backup cookie token credential preshared psk wireguard vault unseal wallet deployer sdk global bot product activation setup wifi wlan wpa`)
	// public tells, before "key", that there is no secret.
	public = text.NewSet(`public primary foreign cache sort partition index hash object idempotency composite unique natural surrogate lookup
		row map dict json config translation message routing sharding shard group issue project ticket storage site publishable pub`)
	// keys are what other languages call one.
	keys = text.NewSet(`chave chiave llave sleutel nyckel klucz anahtar schluessel avain apiavain`)
	// which tells, behind the name, which one of several it is.
	which = text.NewSet(`prod production staging stage dev development test testing live sandbox local base value default main secondary
		old new admin root user v1 v2 v3 data pem base64 b64 hex plain raw`)
)

// nameKind reads a name by its last words.
func nameKind(name string) kind {
	if !telling(name) {
		return nothing
	}
	return toldKind(name)
}

// nameRule is what the end of a name promises. All that is given has to hold.
type nameRule struct {
	kind   kind
	last   string    // the last word is one of these
	suffix string    // or ends in one of these
	of     *text.Set // or is in this set
	after  string    // the word before is one of these
	whose  *text.Set // or in this set
	more   bool      // there is a word before
	name   string    // the name is written just like this
	begins string    // the name begins like this
}

// nameRules are tried in this order.
var nameRules = []nameRule{
	{kind: aPassword, of: &passwords, suffix: "password passwd passphrase"},
	{kind: aPassword, last: "pass pw", more: true},
	{kind: aCode, last: "pin", more: true},
	{kind: aCode, name: "PIN"},
	{kind: aCode, last: "puk", suffix: "wiederherstellungscode"},
	{kind: aCode, last: "code codes", after: "recovery backup scratch pin alarm door gate safe"},
	{kind: aPassword, last: "requirepass masterauth"},
	{kind: maybePassword, last: "pass"},
	{kind: aToken, of: &tokens, suffix: "secret token apikey privkey"},
	{kind: aToken, last: "pat", more: true},
	{kind: aToken, name: "PAT"},
	{kind: aToken, last: "seed", after: "totp otp mfa"},
	{kind: aToken, last: "auth", begins: "_"},
	{kind: aToken, last: "string", after: "connection conn"},
	{kind: aToken, last: "key", whose: &whose},
	{kind: longToken, last: "key", after: "primary secondary"},
	{kind: nothing, last: "key", whose: &public},
	{kind: maybeToken, last: "key", more: true},
	{kind: longToken, last: "key"},
	{kind: maybeToken, of: &keys, last: "auth", suffix: "sessionid sessid"},
	{kind: maybeToken, last: "salt cookie session", more: true},
	{kind: maybeToken, last: "sid", after: "connect"},
}

// oneOf reports whether a word is one of those in a list.
func oneOf(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

func (r *nameRule) holds(name, last, previous string) bool {
	if r.last != "" || r.suffix != "" || r.of != nil {
		is := oneOf(r.last, last) || r.of != nil && r.of.Has(last)
		for suffix := range strings.FieldsSeq(r.suffix) {
			is = is || strings.HasSuffix(last, suffix)
		}
		if !is {
			return false
		}
	}
	return !(r.more && previous == "") && (r.after == "" || oneOf(r.after, previous)) && (r.whose == nil || r.whose.Has(previous)) &&
		(r.name == "" || r.name == name) && strings.HasPrefix(name, r.begins)
}

// toldKind is nameKind of a name that can announce a secret.
func toldKind(name string) kind {
	words := nameWords(name)
	for len(words) > 1 && (which.Has(words[len(words)-1]) || strings.Trim(words[len(words)-1], "0123456789") == "") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return nothing
	}
	last, previous := words[len(words)-1], ""
	if len(words) > 1 {
		previous = words[len(words)-2]
	}
	for i := range nameRules {
		if nameRules[i].holds(name, last, previous) {
			return nameRules[i].kind
		}
	}
	return nothing
}

// stems are what the last words of every name begin or end with, behind the letter that they begin with.
var stems = [26][]string{
	0: {"dgangskode", "nahtar", "uth", "vain"}, 'b' - 'a': {"earer", "indpw"}, 'c' - 'a': {"ontrasena", "have", "hiave", "lave", "redential", "ode", "ookie"}, 'f' - 'a': {"ernet"}, 'g' - 'a': {"esl"},
	'h' - 'a': {"asl", "esl"}, 'j' - 'a': {"elsz", "eton"}, 'k' - 'a': {"ey", "ennwort", "odeord", "lucz"}, 'l' - 'a': {"osenord", "ozink", "lave"}, 'm' - 'a': {"dp", "asterauth", "otdepasse"},
	'n' - 'a': {"yckel"}, 'p' - 'a': {"ass", "at", "arol", "aroo", "sw", "sk", "wd", "w", "in", "rivkey", "uk"}, 's' - 'a': {"ecret", "alt", "chluessel", "leutel", "ess", "id", "eed", "enha", "alasana", "ifre", "tring", "laptaz", "andi"}, 't' - 'a': {"oken", "otp"},
	'w' - 'a': {"achtwoord"}, 'x' - 'a': {"prv"},
}

// second are the letters that stems go on with, as bits, by the one that they begin with.
var second = sync.OnceValue(func() (second [26]uint32) {
	for first, all := range stems {
		for _, stem := range all {
			second[first] |= 1 << (stem[0] - 'a')
		}
	}
	return second
})

// telling reports whether a name can announce a secret: most words cannot, and are read no further.
func telling(name string) bool {
	second := second()
	name = name[max(0, len(name)-longestName):]
	for i := 1; i < len(name); i++ {
		a, b := (name[i-1]|0x20)-'a', (name[i]|0x20)-'a' // below 26 for letters only
		if a >= 26 || b >= 26 || second[a]>>b&1 == 0 {
			continue
		}
		for _, stem := range stems[a] {
			if rest := name[i:]; len(rest) >= len(stem) && strings.EqualFold(rest[:len(stem)], stem) {
				return true
			}
		}
	}
	return false
}

// nameWords splits the end of a name into its words, in lower case.
func nameWords(name string) (words []string) {
	if len(name) > longestName {
		name = name[len(name)-longestName:]
	}
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
		start = end
	}
	for i := range len(name) {
		b := name[i]
		switch upper := b >= 'A' && b <= 'Z'; {
		case b == '_' || !wordByte(b):
			flush(i)
			start = i + 1
		case upper && i > start && name[i-1] >= 'a' && name[i-1] <= 'z',
			upper && i > start && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' && name[i-1] >= 'A' && name[i-1] <= 'Z':
			flush(i)
		}
	}
	flush(len(name))
	return words
}

// paramKind is that of the parameters of an address that let somebody in.
func paramKind(text string, start int, name string) kind {
	if start == 0 || text[start-1] != '?' && text[start-1] != '&' && text[start-1] != ';' {
		return nothing
	}
	switch strings.ToLower(name) {
	case "key", "sig", "signature", "auth", "code", "sas", "jwt", "hash", "x-amz-signature", "x-goog-signature", "x-amz-security-token":
		return aToken
	}
	return nothing
}
