package secrets

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// clue is what is known of a value when it is judged: where it stands, what its name promises, what it is made of.
type clue struct {
	value
	shape
	kind kind
	text string
}

// condition is one thing that can be said of a value.
type condition func(*clue) bool

func (x *clue) any(list []condition) bool {
	return slices.ContainsFunc(list, func(c condition) bool { return c(x) })
}

// secret reports whether a value is one, as far as its name and place allow: the first verdict that applies decides.
func (v value) secret(s string, k kind) bool {
	x := &clue{value: v, shape: shapeOf(s), kind: k, text: s}
	for i := range verdicts {
		if verdicts[i].applies(x) {
			return x.any(verdicts[i].secret)
		}
	}
	return false
}

// verdicts are asked in this order. A value to which one applies is a secret if one of its conditions holds; where there are none, it is not a secret.
var verdicts = []struct {
	applies condition
	secret  []condition
}{
	{isKind(aCode), []condition{func(x *clue) bool { return code.MatchString(x.text) && !standsIn(x.text) }}},
	{noValue, nil},
	{namesAnother, nil},
	{setsAnother, nil},
	{func(x *clue) bool { return x.bare }, bareSecret},
	{isKind(longToken), []condition{func(x *clue) bool { return x.sure && long(x.text) }}},
	{func(x *clue) bool { return random(x.text) }, randomSecret},
	{isKind(maybeToken), []condition{func(x *clue) bool { return x.sure && x.quoted && dense(x.text) }}},
	{isKind(maybePassword), []condition{func(x *clue) bool { return x.sure && x.letters() > 0 && x.any(passSecret) }}},
	{func(x *clue) bool { return x.kind == aPassword && x.sure }, assignedPassword},
	{isKind(aPassword), spokenPassword},
	{func(x *clue) bool { return x.sure }, assignedToken},
}

func isKind(k kind) condition { return func(x *clue) bool { return x.kind == k } }

// noValue reports a value that is too short, a stand-in or an address. A token in quotes may hold what else stands in.
func noValue(x *clue) bool {
	drawn := x.sure && x.quoted && (x.kind == aToken || x.kind == maybeToken) && dense(x.text)
	return len(x.text) < 6 || standsIn(x.text) && !drawn || strings.Contains(x.text, "://")
}

// namesAnother reports a value that is how code names another one.
func namesAnother(x *clue) bool {
	if x.kind == aPassword {
		return x.code && told(x.text)
	}
	if (x.ticks || !x.quoted) && typeNamed(x.text) {
		return true
	}
	likely := x.kind == maybePassword && x.last && x.upper > 0 && x.digits > 1
	return !likely && !x.quoted && x.sure && (x.code || x.kind == maybeToken || strings.Contains(x.text, ".")) &&
		expression(x.text) && !encoded(x.text) && !(base32(x.text) && x.digits > 0)
}

// typeNamed reports whether a text is the name of a type that has to do with secrets: words that begin with capitals, the number of a version or
// an algorithm behind some of them.
func typeNamed(s string) bool {
	return typeName.MatchString(s) && slices.ContainsFunc(wordsOfName(s), func(w string) bool { return len(w) > 2 && (talk.Has(w) || passwords.Has(w) || tokens.Has(w)) })
}

var typeName = lazyregexp.New(`^(?:[A-Z]{1,6}[a-z]*\d{0,5}){2,10}$`)

// setsAnother reports a value that a sentence passes on with the name of its own: "pass JAVA_HOME=/usr/lib/jvm/17". Whether that is a
// secret is for this name to say.
func setsAnother(x *clue) bool {
	return !x.sure && environment.MatchString(x.text) || x.kind == maybePassword && x.property()
}

// environment is a variable of the environment and its value.
var environment = lazyregexp.New(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+=`)

// property reports a value that is a setting: a name of small letters or capitals, and what it is.
func (x *clue) property() bool { return !x.sure && property.MatchString(x.text) }

var property = lazyregexp.New(`^(?:-[A-Z])?[A-Za-z][A-Za-z_]{0,40}(?:[.-][A-Za-z][A-Za-z0-9_]*){0,8}=`)

var (
	// bareSecret is what a value is that nothing parts from its name.
	bareSecret = []condition{
		func(x *clue) bool {
			return x.kind == aPassword && x.quoted && x.literal && (strong(x.text) || phrase(x.text) || wordy(x.text))
		},
		func(x *clue) bool { return x.kind == aPassword && x.upper > 0 && phrase(x.text) },
		func(x *clue) bool { return x.kind == aPassword && x.alone && (strongest(x.text) || random(x.text)) },
		func(x *clue) bool {
			return (x.kind == aPassword || x.kind == maybePassword) && len(x.text) >= 8 && x.digits > 0 && x.marks > 0 && x.letters() > 0 && strong(x.text)
		},
	}
	// randomSecret is what a value is that looks drawn by lot: "key" announces more than secrets.
	randomSecret = []condition{
		func(x *clue) bool { return x.kind != maybeToken },
		func(x *clue) bool {
			return (x.sure && len(x.text) >= 20 || len(x.text) >= 32) && entropy(x.text) > 3.5 && !uuid.MatchString(x.text)
		},
	}
	// assignedPassword is a password behind a mark.
	assignedPassword = []condition{
		func(x *clue) bool { return strong(x.text) || phrase(x.text) },
		func(x *clue) bool { return x.literal && ordinary(x.text) },
		func(x *clue) bool {
			return wordy(x.text) && (x.quoted || x.tight || !strings.Contains(x.text, ".") || x.digits > 0)
		},
		func(x *clue) bool { return x.quoted && sentenceless(x.text) },
		func(x *clue) bool { return encoded(x.text) },
	}
	// spokenPassword is a password in a sentence.
	spokenPassword = []condition{
		func(x *clue) bool {
			return x.digits > 0 && x.letters() > 0 && (x.quoted || x.last || x.marks > 0 && x.kinds() >= 3) && (strong(x.text) || phrase(x.text))
		},
		func(x *clue) bool { return x.digits > 0 && x.upper > 0 && phrase(x.text) },
		func(x *clue) bool { return x.quoted && sentenceless(x.text) },
	}
	// assignedToken is a token behind a mark that is too short or too regular to look drawn by lot.
	assignedToken = []condition{
		func(x *clue) bool {
			return len(x.text) >= 8 && x.kinds() >= 3 && x.digits > 0 && strong(x.text) && !named(x.text)
		},
		func(x *clue) bool { return x.kinds() == 4 && strong(x.text) },
		func(x *clue) bool { return mixed(x.text) || dense(x.text) || base32(x.text) || encoded(x.text) },
		func(x *clue) bool {
			return len(x.text) >= 12 && x.marks+x.others == 0 && shuffled(x.text) && !named(x.text)
		},
	}
	// passSecret is what follows the word "pass" and a mark.
	passSecret = []condition{
		func(x *clue) bool { return (x.quoted || x.tight) && words(x.text) > 2 },
		func(x *clue) bool { return x.kinds() >= 3 && len(x.text) >= 10 && x.digits > 0 && !named(x.text) },
		func(x *clue) bool {
			return x.digits+x.marks > 0 && strong(x.text) && (x.quoted || x.marks > 0 && x.digits > 0 && (!x.shout || strongest(x.text)))
		},
		func(x *clue) bool { return x.digits+x.marks > 0 && x.quoted && phrase(x.text) },
		func(x *clue) bool { return x.digits > 1 && (x.quoted || x.last && x.upper > 0) && wordy(x.text) },
	}
)

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
