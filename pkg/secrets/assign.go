package secrets

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazymap"
	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// kind is what a name promises of its value.
type kind uint8

const (
	nothing       kind = iota
	aPassword          // what people think up
	aToken             // what is drawn by lot
	maybeToken         // a "key" of some sort
	maybePassword      // "pass"
)

// passwords and tokens end the names of secrets. A name is read by its words: dbPassword, DB_PASSWORD, "db password".
var (
	passwords = lazymap.Words(`password passwd passwort passphrase passcode pwd psw pw passwordhash dbpass userpass adminpass rootpass
		sshpass mypass smtppass ftppass mailpass loginpass`)
	tokens = lazymap.Words(`token secret apikey accesskey secretkey privatekey authkey signingkey encryptionkey masterkey authtoken accesstoken
		refreshtoken bearertoken clientsecret appsecret credential credentials authorization bearer accountkey sharedaccesskey`)
	// whose tells, before "key", whose secret it is.
	whose = lazymap.Words(`api secret access private signing encryption decryption master auth account service deploy deployment license licence
		storage ssh shared client app application admin subscription webhook function functions host consumer integration server
		root session hmac aes jwt crypto cipher ingest ingestion write read registration developer personal merchant recovery
		backup cookie token credential preshared psk wireguard vault unseal`)
	// public tells, before "key", that there is no secret.
	public = lazymap.Words(`public primary foreign cache sort partition index hash object idempotency composite unique natural surrogate lookup
		row map dict json config translation message routing sharding shard group issue project ticket storage site publishable pub`)
	// which tells, behind the name, which one of several it is.
	which = lazymap.Words(`prod production staging stage dev development test testing live sandbox local base value default main secondary
		old new admin root user v1 v2 v3 data pem base64 b64 hex plain raw`)
)

// longestName is how much of a name is read, in bytes.
const longestName = 96

// longestValue is how much of a value is read, in bytes.
const longestValue = 2048

// assignments yields the secrets that stand behind a name that announces one: in code, settings, headers, on command
// lines, in tables and in sentences.
func assignments(text string, yield func(raw)) {
	before, beforeEnd := "", 0 // the name before, for those of two words
	for i := 0; i < len(text); {
		if !wordByte(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (wordByte(text[i]) || (text[i] == '-' || text[i] == '.') && i+1 < len(text) && wordByte(text[i+1])) {
			i++
		}
		name := text[max(start, i-longestName):i]
		k := nameKind(name)
		if k == nothing && beforeEnd > 0 && start-beforeEnd == 1 && text[beforeEnd] == ' ' {
			if k = nameKind(before + " " + name); k == aPassword { // those are one word: "to pass" is none
				k = nothing
			}
		}
		before, beforeEnd = name, i
		if k == nothing {
			if k = paramKind(text, start, name); k == nothing {
				continue
			}
		}
		v := valueBehind(text, start, i)
		if v.start < v.end && v.secret(text[v.start:v.end], k) {
			yield(v.raw(k))
			i = max(i, v.end)
			before, beforeEnd = "", 0
		} else if !v.quoted && v.end-v.start > longestName {
			i = max(i, v.end) // no names in there: each would have the rest of it for its value
		}
	}
}

// assigned yields a text that is the value of a field with a name that announces a secret.
func assigned(name, text string, yield func(raw)) {
	k := nameKind(name)
	if k == nothing {
		return
	}
	v := value{quoted: true, sure: true}
	v.start = len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	v.end = len(strings.TrimRight(text, " \t\r\n"))
	v.start += len(scheme.FindString(text[min(v.start, v.end):v.end]))
	if v.start < v.end && v.end-v.start <= longestValue && v.secret(text[v.start:v.end], k) {
		yield(v.raw(k))
	}
}

// nameKind reads a name by its last words.
func nameKind(name string) kind {
	words := nameWords(name)
	for len(words) > 1 && (which.Has(words[len(words)-1]) || strings.Trim(words[len(words)-1], "0123456789") == "") {
		words = words[:len(words)-1]
	}
	n := len(words)
	if n == 0 {
		return nothing
	}
	last, previous := words[n-1], ""
	if n > 1 {
		previous = words[n-2]
	}
	switch {
	case passwords.Has(last), strings.HasSuffix(last, "password"), strings.HasSuffix(last, "passwd"), strings.HasSuffix(last, "passphrase"), last == "pass" && n > 1, last == "pw" && n > 1:
		return aPassword
	case last == "pass", last == "requirepass":
		return maybePassword
	case tokens.Has(last), strings.HasSuffix(last, "secret"), strings.HasSuffix(last, "token"), strings.HasSuffix(last, "apikey"), last == "pat" && n > 1, last == "auth" && strings.HasPrefix(name, "_"),
		last == "string" && (previous == "connection" || previous == "conn"):
		return aToken
	case last == "key" && whose.Has(previous):
		return aToken
	case last == "key" && n > 1 && !public.Has(previous), last == "auth", last == "salt" && n > 1, last == "cookie" && n > 1, last == "session" && n > 1, last == "sessionid":
		return maybeToken
	}
	return nothing
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

// value is what stands behind a name.
type value struct {
	start, end int
	quoted     bool
	sure       bool // it stands behind a mark such as = and not in a sentence
	code       bool // it may be the name of another value
	literal    bool // it is written as a value in code or in a shell
	last       bool // a sentence ends with it
	shout      bool // the name begins with a capital
	bare       bool // nothing stands between it and the name
	alone      bool // it is a line, and the name the one above
}

func (v value) raw(k kind) raw {
	r := raw{start: v.start, end: v.end, id: "assigned-token", what: "token, key or secret behind its name"}
	if k == aPassword || k == maybePassword {
		r.id, r.what = "assigned-password", "password behind its name"
	}
	return r
}

var (
	closer = lazyregexp.New(`^(?:\\?["'\x60]|[*\]_]){0,4}`)
	aside  = lazyregexp.New(`^[ \t]{0,2}\([^()\n]{1,60}\)(?:[*_\x60]{0,3})`)
	// typed is a type between a name and its value.
	typed = lazyregexp.New(`^[ \t]?:[ \t]?[A-Za-z][\w.\[\]?|& ]{0,40}[ \t]?=[ \t]?`)
	mark  = lazyregexp.New(`^(?:[ \t]{0,40}(?:[=:]=?>?|->|:=|\||\t)[ \t*]{0,40}|>)(?:\r?\n[ \t]{2,40})?`)
	// passed is how a call takes a value, alone or behind its name in quotes.
	passed = lazyregexp.New(`^(?:\( ?|, ?)(?:["']|$)`)
	// says is how a sentence gives something: "password is …", "password for the staging database was set to …".
	says = lazyregexp.New(`^(?: (?:for|of|to|on|at|in) [\w@./ '’-]{1,50}?)?(?: (?:is|was|be|are)(?: now| still| set to| changed to| currently)?|(?: set| changed)? to|:)(?: the string| simply| just)?[: ]{1,2}`)
	// apart is how a list of settings has a name and its value beside it.
	apart = lazyregexp.New(`^(?:,?[ \t]*\r?\n?[ \t]{0,40}["']?value["']?|[ \t]*\{[^{}=]{0,40}(?:=[^{}=\n]{0,80}\n[^{}=]{0,40}){0,3}\bdefault)[ \t]*[=:][ \t]*`)
	// below is how a form has a value on a line of its own.
	below  = lazyregexp.New(`^\r?\n(?:[^\s]{6,128}(?:\r?\n|$))`)
	opener = lazyregexp.New(`^[*]{0,2}(?:[fbru@]?(?:\\?"{1,3}|\\?'{1,3})|\x60{1,3})?`)
	scheme = lazyregexp.New(`^(?i:bearer|basic|token|ssws|apikey|bot|digest) +`)
)

// valueBehind finds the value that is given to the name that ends at end; an empty one if there is none.
func valueBehind(text string, start, end int) (v value) {
	rest := text[end:min(len(text), end+200)]
	n := len(closer.FindString(rest))
	switch m := ""; {
	case func() bool { m = typed.FindString(rest[n:]); return m != "" }(),
		func() bool { m = mark.FindString(rest[n:]); return m != "" }():
		n, v.sure = n+len(m), true
		v.literal = strings.Contains(m, "=") && !strings.Contains(m, "==")
	case func() bool { m = aside.FindString(rest[n:]); return m != "" }() && mark.MatchString(rest[n+len(m):]):
		n += len(m)
		n, v.sure = n+len(mark.FindString(rest[n:])), true
	case func() bool { m = aside.FindString(rest[n:]); return m != "" }() && says.MatchString(rest[n+len(m):]):
		n += len(m)
		n += len(says.FindString(rest[n:]))
	case func() bool { m = apart.FindString(rest[n:]); return m != "" }():
		n, v.sure = n+len(m), true
	case func() bool {
		m = passed.FindString(rest[n:])
		return len(m) > 1 && (m[0] == '(' || n > 0 && called(text, start))
	}():
		n, v.sure, v.literal = n+len(m)-1, true, true
	case (flagged(text, start) || setting(text, start)) && n == 0 && strings.HasPrefix(rest, " "):
		n, v.sure = 1, true
	case func() bool { m = says.FindString(rest[n:]); return m != "" }():
		n += len(m)
	case func() bool { m = below.FindString(rest[n:]); return m != "" && (start == 0 || text[start-1] == '\n') }():
		n, v.bare, v.alone = n+1+strings.IndexByte(m, '\n'), true, true
	case n == 0 && strings.HasPrefix(rest, " "):
		n, v.bare, v.literal = 1, true, upperCase(text[start:end]) || len(nameWords(text[start:end])) > 1 // PASSWORD '…', storePassword '…'
	default:
		return value{}
	}
	open := opener.FindString(rest[min(n, len(rest)):])
	v.start = end + n + len(open)
	if v.start >= len(text) {
		return value{}
	}
	quote := byte(0)
	if open != "" && open != "*" && open != "**" {
		quote = open[len(open)-1]
	}
	if quote == '"' || quote == '\'' || quote == '`' {
		v.quoted = true
		v.start += len(scheme.FindString(text[v.start:min(len(text), v.start+16)]))
		window := text[v.start:min(len(text), v.start+longestValue)]
		i := strings.IndexByte(window, quote)
		if nl := strings.IndexByte(window, '\n'); nl >= 0 && (i < 0 || nl < i) {
			i = nl
		}
		if i < 0 {
			i = len(window)
		}
		for i > 0 && window[i-1] == '\\' {
			i--
		}
		v.end = v.start + i
		return v
	}
	if v.code = v.sure && !upperCase(text[start:end]); v.code {
		v.literal = false
	}
	v.shout = text[start] >= 'A' && text[start] <= 'Z'
	v.start += len(scheme.FindString(text[v.start:min(len(text), v.start+16)]))
	v.end = v.start
	for v.end < len(text) && v.end-v.start < longestValue && !strings.ContainsRune(" \t\r\n\"'`,;<>|", rune(text[v.end])) {
		if text[v.end] == '&' && param.MatchString(text[v.end:min(len(text), v.end+40)]) || strings.HasPrefix(text[v.end:], `\n`) || strings.HasPrefix(text[v.end:], `\"`) {
			break
		}
		v.end++
	}
	for v.end > v.start && (strings.IndexByte(".:)]}\\", text[v.end-1]) >= 0 || text[v.end-1] == '*' && (start > 0 && text[start-1] == '*' || strings.HasSuffix(text[v.start:v.end], "**"))) {
		v.end--
	}
	v.last = v.end == len(text) || strings.IndexByte(".,;)\r\n", text[v.end]) >= 0
	return v
}

var param = lazyregexp.New(`^&[\w-]+=`)

// called reports whether the name at start, in quotes, is the first that a call takes.
func called(text string, start int) bool { return start >= 2 && text[start-2] == '(' }

// upperCase reports whether a name is written as those of the environment are.
func upperCase(name string) bool { return shapeOf(name).lower == 0 }

// flagged reports whether the name at start is a flag of a command line.
func flagged(text string, start int) bool {
	return start >= 2 && text[start-1] == '-' && text[start-2] == '-'
}

// setting reports whether the name at start is what a command sets to the word behind it.
func setting(text string, start int) bool {
	line := text[max(0, start-40):start]
	for _, command := range [...]string{"ENV ", "setx ", "configure set ", "config set "} {
		if strings.HasSuffix(line, command) {
			return true
		}
	}
	return false
}

// secret reports whether a value is one, as far as its name and place allow.
func (v value) secret(s string, k kind) bool {
	if len(s) < 6 || standsIn(s) || strings.Contains(s, "://") || k != aPassword && !v.quoted && v.sure && (v.code || k == maybeToken || strings.Contains(s, ".")) && expression(s) {
		return false
	}
	if k == aPassword && v.code && told(s) {
		return false
	}
	if v.bare {
		c := shapeOf(s)
		if v.quoted && v.literal && k == aPassword && (strong(s) || phrase(s)) {
			return true
		}
		if k == aPassword && c.upper > 0 && phrase(s) || v.alone && k == aPassword && (strongest(s) || random(s)) {
			return true
		}
		return (k == aPassword || k == maybePassword) && len(s) >= 8 && c.digits > 0 && c.marks > 0 && c.letters() > 0 && strong(s)
	}
	if random(s) {
		return k != maybeToken || (v.sure && len(s) >= 20 || len(s) >= 32) && entropy(s) > 3.5 && !uuid.MatchString(s)
	}
	c := shapeOf(s)
	switch {
	case k == maybeToken:
		return false
	case k == maybePassword:
		return v.sure && c.letters() > 0 && c.digits+c.marks > 0 && (v.quoted && phrase(s) || (v.quoted || c.marks > 0 && c.digits > 0 && (!v.shout || strongest(s))) && strong(s))
	case k == aPassword && v.sure:
		return strong(s) || phrase(s) || v.literal && ordinary(s)
	case k == aPassword:
		return c.digits > 0 && c.letters() > 0 && ((v.quoted || v.last || c.marks > 0 && c.kinds() >= 3) && (strong(s) || phrase(s)) || c.upper > 0 && phrase(s))
	}
	return v.sure && (len(s) >= 8 && c.kinds() >= 3 && c.digits > 0 && strong(s) && !named(s) || mixed(s) || c.kinds() == 4 && strong(s))
}
