package secrets

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
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

// secret reports whether a value is one, as far as its name and place allow.
func (v value) secret(s string, k kind) bool {
	if k == aCode {
		return code.MatchString(s) && !standsIn(s)
	}
	if len(s) < 6 || standsIn(s) && !(v.sure && v.quoted && (k == aToken || k == maybeToken) && dense(s)) || strings.Contains(s, "://") {
		return false
	}
	c := shapeOf(s)
	if k != aPassword && !(k == maybePassword && v.last && c.upper > 0 && c.digits > 1) && !v.quoted && v.sure && (v.code || k == maybeToken || strings.Contains(s, ".")) && expression(s) && !encoded(s) && !(base32(s) && c.digits > 0) || k == aPassword && v.code && told(s) {
		return false
	}
	if v.bare {
		switch {
		case v.quoted && v.literal && k == aPassword && (strong(s) || phrase(s) || wordy(s)), k == aPassword && c.upper > 0 && phrase(s), v.alone && k == aPassword && (strongest(s) || random(s)):
			return true
		}
		return (k == aPassword || k == maybePassword) && len(s) >= 8 && c.digits > 0 && c.marks > 0 && c.letters() > 0 && strong(s)
	}
	if k == longToken {
		return v.sure && long(s)
	}
	if random(s) {
		return k != maybeToken || (v.sure && len(s) >= 20 || len(s) >= 32) && entropy(s) > 3.5 && !uuid.MatchString(s)
	}
	switch {
	case k == maybeToken:
		return v.sure && v.quoted && dense(s)
	case k == maybePassword:
		return v.sure && c.letters() > 0 && v.pass(s, c)
	case k == aPassword && v.sure:
		return strong(s) || phrase(s) || v.literal && ordinary(s) || wordy(s) && (v.quoted || v.tight || !strings.Contains(s, ".") || c.digits > 0) || v.quoted && sentenceless(s) || encoded(s)
	case k == aPassword:
		return c.digits > 0 && c.letters() > 0 && ((v.quoted || v.last || c.marks > 0 && c.kinds() >= 3) && (strong(s) || phrase(s)) || c.upper > 0 && phrase(s)) || v.quoted && sentenceless(s)
	}
	return v.sure && (len(s) >= 8 && c.kinds() >= 3 && c.digits > 0 && strong(s) && !named(s) || mixed(s) || c.kinds() == 4 && strong(s) || dense(s) || base32(s) || encoded(s) ||
		len(s) >= 12 && c.marks+c.others == 0 && shuffled(s) && !named(s))
}

// pass reports whether a value behind the word "pass" and a mark is a password.
func (v value) pass(s string, c shape) bool {
	switch {
	case v.quoted && words(s) > 2, v.tight && words(s) > 2, c.kinds() >= 3 && len(s) >= 10 && c.digits > 0 && !named(s):
		return true
	case c.digits+c.marks == 0:
		return false
	case (v.quoted || c.marks > 0 && c.digits > 0 && (!v.shout || strongest(s))) && strong(s):
		return true
	}
	return v.quoted && phrase(s) || (v.quoted || v.last && c.upper > 0) && c.digits > 1 && wordy(s)
}

// resource reports whether the name at start is a part of the name of a resource: arn:aws:secretsmanager:…:secret:….
func resource(text string, start int) bool {
	i := strings.LastIndexAny(text[max(0, start-120):start], " \t\n\"'`") + 1 + max(0, start-120)
	return strings.HasPrefix(text[i:], "arn:")
}

// long reports whether a text is a key whatever stands in front of it.
func long(s string) bool {
	return len(s) >= 40 && drawnByLot(s) && !strings.HasPrefix(s, "AAAA") && !standsIn(s)
}

// code is a number or a few groups of letters and digits that let somebody in.
var code = lazyregexp.New(`^(?:\d{4,12}|[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8}){1,7}|(?:[a-f]*\d){3}[a-f0-9]{4,12})$`)

// wordy reports whether a text is a password of words with a number, or of three words: "Copper_Lane77", "copper.lane.otter".
func wordy(s string) bool {
	c := shapeOf(s)
	return !strings.ContainsAny(s, "/ ") && !located.MatchString(s) && !hostPort.MatchString(s) && (c.digits > 1 && c.letters() > 3 && ordinary(s) || words(s) > 2)
}

// sentenceless reports whether a text is words that make no sentence: a passphrase.
func sentenceless(s string) bool { return strings.Count(s, " ") >= 3 && words(s) >= 4 }

// dense reports whether a text is drawn by lot from letters, digits and marks of every kind.
func dense(s string) bool {
	c := shapeOf(s)
	return len(s) >= 24 && c.marks > 2 && c.digits > 0 && c.letters() > 0 && entropy(s) > 3.9 && !strings.ContainsAny(s, " \t\"'`\\") && !strings.HasPrefix(s, "$")
}

// encoded reports whether a text is readable in base64, as Kubernetes has secrets.
func encoded(s string) bool {
	if len(s) < 8 || len(s)%4 != 0 || len(s) < 16 && s[len(s)-1] != '=' {
		return false
	}
	plain, err := base64.StdEncoding.DecodeString(s)
	return err == nil && !slices.ContainsFunc(plain, func(b byte) bool { return b < ' ' && b != '\n' || b > '~' }) && !standsIn(string(plain)) && (!strings.Contains(string(plain), ":") || userPassword(string(plain)))
}
