package secrets

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// longestName is how much of a name is read, in bytes.
const longestName = 96

// longestValue is how much of a value is read, in bytes.
const longestValue = 2048

// assignments yields the secrets that stand behind a name that announces one: in code, settings, headers, on command
// lines, in tables and in sentences.
func assignments(text string, yield func(raw)) {
	before, beforeEnd, beforeTells := "", 0, false // the name before, for those of two words
	for i := 0; i < len(text); {
		if !wordByte(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (wordByte(text[i]) || (text[i] == '-' || text[i] == '.') && i+1 < len(text) && wordByte(text[i+1])) {
			i++
		}
		if n := i - start; (n == 51 || n == 52) && wif(text[start:i]) {
			yield(raw{start: start, end: i, id: "wallet-key", what: "private key of a wallet", strength: specific})
			continue
		}
		name := text[max(start, i-longestName):i]
		tells, k := telling(name), nothing
		if tells {
			k = toldKind(name)
		}
		if (k == nothing || k == longToken) && (tells || beforeTells) && beforeEnd > 0 && start-beforeEnd == 1 && text[beforeEnd] == ' ' {
			if both := nameKind(before + " " + name); both != aPassword { // those are one word: "to pass" is none
				k = both
			}
		}
		before, beforeEnd, beforeTells = name, i, tells
		if k == nothing && name == "pin" && flagged(text, start) {
			k = aCode
		}
		if k == nothing && strings.EqualFold(name, "passe") && strings.HasSuffix(strings.ToLower(text[max(0, start-7):start]), "mot de ") {
			k = aPassword
		}
		if k == nothing {
			if k = paramKind(text, start, name); k == nothing {
				continue
			}
		}
		v := valueBehind(text, start, i)
		if v.decided || strings.HasSuffix(text[:start], "[redacted: ") || strings.HasSuffix(text[max(0, start-2):start], "${") && !strings.HasPrefix(text[i:], ":-") || resource(text, start) {
			continue
		}
		found := v.start < v.end && v.secret(text[v.start:v.end], k)
		if !found && !(v.sure && v.start < v.end) && said(text, start, i) {
			var c candidate
			if c, found = spoken(text, i, k); found {
				v.start, v.end = c.start, c.end
			}
		}
		if found {
			yield(v.raw(k))
			i = max(i, v.end)
			before, beforeEnd, beforeTells = "", 0, false
			continue
		}
		if c, ok := noted(text, start, k); ok {
			yield(value{start: c.start, end: c.end}.raw(k))
		}
		if !v.quoted && v.end-v.start > longestName {
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

// value is what follows a name.
type value struct {
	start, end int
	quoted     bool
	ticks      bool // in the quotes of Markdown
	sure       bool // it stands behind a mark such as = and not in a sentence
	code       bool // it may be the name of another value
	literal    bool // it is written as a value in code or in a shell
	last       bool // a sentence ends with it
	shout      bool // the name begins with a capital
	bare       bool // nothing stands between it and the name
	decided    bool // another rule says what it is
	flag       bool // it stands behind a flag or a command that sets something
	tight      bool // no space stands in front of it, or it ends its line
	alone      bool // it is a line, and the name the one above
}

func (v value) raw(k kind) raw {
	r := raw{start: v.start, end: v.end, id: "assigned-token", what: "token, key or secret behind its name"}
	if k == aPassword || k == maybePassword {
		r.id, r.what = "assigned-password", "password behind its name"
	}
	return r
}

// resource reports whether the name at start is a part of the name of a resource: arn:aws:secretsmanager:…:secret:….
func resource(text string, start int) bool {
	i := strings.LastIndexAny(text[max(0, start-120):start], " \t\n\"'`") + 1 + max(0, start-120)
	return strings.HasPrefix(text[i:], "arn:")
}

// plain returns a text of the same length in which what is escaped, as in a string of JSON or of a program, stands as it
// is: spaces for the backslashes, and the line breaks and quotes that they make. It reports whether there is any.
func plain(text string) (string, bool) {
	if !strings.Contains(text, `\n`) && !strings.Contains(text, `\"`) && !strings.Contains(text, `\t`) {
		return text, false
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		start := i
		for i < len(b) && b[i] == '\\' {
			i++
		}
		if i == len(b) {
			break
		}
		switch b[i] {
		case 'n', 'r':
			b[i] = '\n'
		case 't':
			b[i] = '\t'
		case '"', '\'':
		default:
			continue
		}
		for j := start; j < i; j++ {
			b[j] = ' '
		}
	}
	return string(b), true
}

// defaults are the passwords of manuals and of databases as they come.
var defaults = []string{
	"password", "passwd", "pass", "passw", "pwd", "pw", "p", "secret", "token", "key", "xxx", "xx", "x", "foo", "bar", "test", "user", "username",
	"admin", "root", "guest", "postgres", "mysql", "redis", "rabbitmq", "mongo", "minio", "minioadmin", "sa", "dev", "local", "demo", "none", "null",
	"auth", "string", "apikey", "api_key", "credentials", "credential", "changeme", "host", "port", "example",
}

// userPassword reports whether "user:password" is a login that somebody uses.
func userPassword(login string) bool {
	user, password, ok := strings.Cut(login, ":")
	if !ok || len(password) < 4 || strings.EqualFold(user, password) || standsIn(password) {
		return false
	}
	return !slices.Contains(defaults, strings.ToLower(password))
}

func urlPassword(login string) bool {
	user, password, ok := strings.Cut(login, ":")
	if plain, err := url.PathUnescape(password); err == nil {
		password = plain
	}
	return ok && userPassword(user+":"+password)
}

func commandPassword(password string) bool {
	return userPassword(":"+password) && (strong(password) || phrase(password) || len(password) >= 12 && !named(password) || wordy(password) || sentenceless(password))
}

// basic reports whether a text is a login in base64.
func basic(text string) bool {
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		plain, err = base64.RawStdEncoding.DecodeString(text)
	}
	user, _, _ := strings.Cut(string(plain), ":")
	return err == nil && utf8.Valid(plain) && !strings.ContainsAny(user, " {}[]\"'<>\n") && userPassword(string(plain))
}

// strongest reports whether a text can hardly be anything but a password: strong, of three kinds of characters or more, and
// neither a placeholder nor a name.
func strongest(s string) bool {
	c := shapeOf(s)
	return !standsIn(s) && strong(s) && c.kinds() >= 3 && c.digits+c.marks > 0 && c.letters() > 0 && !named(s)
}

// wif reports whether a text is a private key as wallets export it: its last four bytes are a digest of the others.
func wif(s string) bool {
	const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	n := new(big.Int)
	for i := range len(s) {
		if strings.IndexByte(digits, s[i]) < 0 {
			return false
		}
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(strings.IndexByte(digits, s[i]))))
	}
	b := n.Bytes()
	if len(b) != 37 && len(b) != 38 || b[0] != 0x80 {
		return false
	}
	body := len(b) - 4
	first := sha256.Sum256(b[:body])
	second := sha256.Sum256(first[:])
	return bytes.Equal(second[:4], b[body:])
}

// armoured reports whether a text is a private key in armour, once more in base64.
func armoured(s string) bool {
	plain, err := base64.StdEncoding.DecodeString(s[:min(len(s), 80)/4*4])
	return err == nil && strings.Contains(string(plain), "PRIVATE KEY")
}
