package secrets

import (
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/text"
)

// How people give a secret in a sentence, in any language: its name, a few words, and something that is not a word. What it is
// needs to look like is the stricter the looser the words tie it to the name.

// reach is how far from its name a sentence may put a secret, in bytes: some sixty letters, in scripts of three bytes too.
const reach = 150

// another is what a word behind a name makes of it: a "password policy" is not a password.
var another = text.NewSet(`policy policies hash hashes hashing hashed length field column manager reset resets rotation rotations expiry expires expiration
	refresh endpoint endpoints url uri count counts limit limits budget usage bucket type types format prefix prefixes name names id ids
	file files path store storage vault provider service server contract address validation validator check checks handling handler exchange grant
	flow scanner scanning scopes scope size window encoder fingerprint digest checksum signature version generator strength requirements history
	constraint index lookup pair pairs order holder owner auth authentication based less protected spray attempts requests estimate estimates`)

var (
	// elsewhere is what says that something else than a secret follows.
	elsewhere = lazyregexp.New(`(?i)\b(?:commit|commits|sha|sha-?\d+|md5|hash|digest|checksum|fingerprint|revision|rev|image|request|req|trace|span|uuid|guid|ticket|issue|pr|branch|tag|version|build|release|release-id|contract|address|wallet address|bucket|file|under|located|stored|kept|see|hashed|hashing|ids?|ref|account sid|sid|tenant|client[ _-]?id|key[ _-]?id|deployed|published|publishable|public|namespace|pod|job|session[ _-]?id|user[ _-]?id|regex|pattern|matches|against|signed with|using|via)\b`)
	// gives ends what ties a secret to its name.
	gives = lazyregexp.New(`(?i)(?:[:=(>|"'\x60«„“”‘「『（：＝—–→,;]|\b(?:is|was|to|be|used|contains|as|now|use|est|ist|lautet|war|es|era|é|foi|è|sono|jest|er|var|on|je|to|van)|(?:^|[\s\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])(?:är|é|è|це|это|є|هي|هو|है)|[\x{3040}-\x{30ff}\x{4e00}-\x{9fff}\x{ac00}-\x{d7af}])[\s*_]*$`)
	// machine is what holds letters and digits and is the name of something.
	machine = lazyregexp.New(`(?i)^(?:\d?[a-z]{1,3}\d{1,4}|(?:tls|ssl|https?|aes|rsa|ecdsa|ed25519|pkcs|utf|iso|rfc|cve|x509|h?mac|md5|sha|bcrypt|scrypt|argon2?\w{0,2}|pbkdf2|oauth|base|ipv)(?:[-_./#]?\d[\w.:/-]*|[-_./]\w[\w./-]*)?|\d*password.*|\d+fa|[a-z]{1,10}-\d{1,6}|#?\d+[a-z]{1,10}|[a-z]{3,12}\d|(?:node|python|java|php|postgres(?:ql)?|mysql|mongo|redis|windows|win|ubuntu|debian|android|ios|es|spark|scala|swift|ruby|go|jdk|gcc|clang|llvm|fedora|rhel|macos)-?\d+|q\d\b.*|(?:next|last)\w*|(?:gpt|claude|gemini|llama|qwen|mistral)[-.\d].*|o\d(?:-.*)?)$`)
	// located is a place: of a file, a host, a mailbox, an address.
	located = lazyregexp.New(`(?i)^[~.]{0,2}/|://|^www\.|^[\w.+-]+@[\w-]+\.[\w.-]+$|^(?:\d{1,3}\.){3}\d{1,3}|^[\w./-]*\w\.(?:ya?ml|json|toml|env|txt|md|go|py|jsx?|tsx?|rs|rb|java|kt|php|cs|sh|key|pem|crt|cer|p12|pfx|jks|conf|cfg|ini|xml|properties|gpg|enc|asc|html?|sql|log|lock|tf|tfvars|csv|zip|tar|gz|exe|dll|so|com|net|org|io|dev|app|internal|local|localhost|lan|corp|svc|cluster|test|invalid|example|home|intra|cloud)(?::\d+)?(?:/.*)?$|^[\w.-]+/[\w./-]+$|^--?[a-z]`)
	// hostPort is a host with its port: one in capitals is none.
	hostPort = lazyregexp.New(`^[a-z0-9_.-]+:\d{2,5}$`)
	// beforeLogin ends what names who logs in.
	beforeLogin = lazyregexp.New(`(?i)(?:user|login|usr|account)\b[^\n]{1,50}$`)
	labelled    = lazyregexp.New(`^[a-z][a-z_]{1,30}=|^0x[0-9a-fA-F%]{1,16}\w?$|^[&%]|^\*[a-z]\w*\.[A-Z]|^\$[A-Z_]+/`)
	field       = lazyregexp.New(`^[A-Za-z][A-Za-z_-]{1,30}=[^=]`)
	// member is how code names what is in something else.
	member = lazyregexp.New(`^[a-z]\w*\.[A-Z]\w+$`)
)

// delimiters end a word of a sentence. What is not ASCII does too, except at its beginning, where a sentence without
// spaces may put a secret right behind its name.
func delimiter(b byte) bool {
	return b <= ' ' || b >= 0x7f || strings.IndexByte("\"'`()[]{}<>,;|", b) >= 0
}

// candidate is something in a sentence that may be a secret.
type candidate struct {
	start, end int
	quoted     bool
	last       bool // the line or the sentence ends with it
}

// candidates calls f for the words of text[from:to] until it returns false.
func candidates(text string, from, to int, f func(candidate) bool) {
	for i := from; i < to; {
		if delimiter(text[i]) {
			i++
			continue
		}
		c := candidate{start: i}
		for i < len(text) && i-c.start < longestValue && !delimiter(text[i]) {
			i++
		}
		c.end = i
		if c.start > 0 {
			open := text[c.start-1]
			c.quoted = strings.IndexByte("\"'`", open) >= 0 && i < len(text) && text[i] == open || strings.HasSuffix(text[:c.start], "「") || strings.HasSuffix(text[:c.start], "„") || strings.HasSuffix(text[:c.start], "“")
		}
		for !c.quoted && c.end > c.start && (strings.IndexByte(".:\\", text[c.end-1]) >= 0 || text[c.end-1] == '*' && (text[c.start] == '*' || c.start > 0 && text[c.start-1] == '*')) {
			c.end--
		}
		for !c.quoted && c.end > c.start && (text[c.start] == '*' && c.start+2 < c.end && text[c.start+1] == '*' || c.start > 0 && text[c.start-1] == '*' && text[c.start] == '*' || text[c.start] == ':') {
			c.start++
		}
		c.last = c.end == len(text) || strings.IndexByte(".,;)\r\n", text[c.end]) >= 0
		if c.end == len(text) || text[c.end] != '(' && text[c.end] != '[' { // a call, or one of several
			if c.end > c.start && !f(c) {
				return
			}
		}
	}
}

// spoken finds the secret that a sentence gives behind a name that ends at end.
func spoken(text string, end int, k kind) (c candidate, ok bool) {
	stop := min(len(text), end+reach)
	if i := strings.IndexByte(text[end:stop], '\n'); i >= 0 {
		stop = end + i
	}
	if k == nothing || another.Has(strings.ToLower(firstWord(text[end:stop]))) {
		return c, false
	}
	candidates(text, end, stop, func(x candidate) bool {
		s := text[x.start:x.end]
		if environment.MatchString(s) || k == maybePassword && property.MatchString(s) || k != aPassword && k != maybePassword && (!x.quoted || text[x.start-1] == '`') && typeNamed(s) {
			return true
		}
		gap := text[end:x.start]
		if i := strings.LastIndexAny(gap, ".!?"); i > 0 && i+1 < len(gap) && gap[i+1] == ' ' || strings.Contains(gap, "。") || strings.Contains(gap, "[redacted: ") { // of one that was, the next is not another
			return false
		}
		switch {
		case k == aPassword && password(s, x):
			tied := gives.MatchString(gap) || strings.TrimSpace(gap) == "" || x.quoted
			if !tied && !(drawnByLot(s) || shapeOf(s).kinds() >= 3 && strong(s) && !named(s)) {
				return true
			}
		case k == aCode && code.MatchString(s) && shapeOf(s).digits > 1, k == maybePassword && password(s, x) && (shapeOf(s).kinds() >= 3 || words(s) > 2):
			if !gives.MatchString(gap) && !(k == maybePassword && len(gap) < 3 && beforeLogin.MatchString(text[max(0, end-60):end])) {
				return true
			}
		case k == longToken && long(s) && len(gap) < 8:
		case (k == aPassword || k == aToken || k == maybeToken) && opaque(s):
			mixed := drawnByLot(s)
			if k == maybeToken && (!mixed && !x.quoted || uuid.MatchString(s) || !gives.MatchString(gap)) || !mixed && !gives.MatchString(gap) && strings.TrimSpace(gap) != "" {
				return true
			}
		default:
			return true
		}
		if elsewhere.MatchString(gap) {
			return false
		}
		c, ok = x, true
		return false
	})
	return c, ok
}

// said reports whether a name stands in a sentence, not in a path, an expression or what was redacted.
func said(text string, start, end int) bool {
	return (start == 0 || strings.IndexByte("+=.", text[start-1]) < 0) && (end == len(text) || strings.IndexByte("/+=.-@&}?", text[end]) < 0) &&
		!strings.Contains(text[max(0, start-40):start], "[redacted: ")
}

func firstWord(s string) string {
	s = strings.TrimLeft(s, " -_")
	i := 0
	for i < len(s) && wordByte(s[i]) {
		i++
	}
	return s[:i]
}

// opaque reports whether a word of a sentence is drawn by lot and long: a token.
func opaque(s string) bool {
	return len(s) >= 16 && !located.MatchString(s) && !labelled.MatchString(s) && !field.MatchString(s) && !expression(s) && !standsIn(s) && (random(s) || base32(s)) && !strings.HasPrefix(s, "pk_live_") && !strings.HasPrefix(s, "pk_test_") && (len(s) >= 20 || drawnByLot(s))
}

// drawnByLot reports whether capitals, small letters and digits take turns in a long word as only chance has it.
func drawnByLot(s string) bool {
	c := shapeOf(s)
	return len(s) >= 16 && c.lower > 0 && c.upper > 0 && c.digits > 0 && !named(s) && entropy(s) >= 3.4 && !located.MatchString(s)
}

// base32 reports whether a text is how codes of a second factor are seeded.
func base32(s string) bool {
	if len(s) < 16 || entropy(s) < 3 {
		return false
	}
	return !strings.ContainsFunc(strings.TrimRight(s, "="), func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '2' || r > '7') })
}

// password reports whether a word of a sentence can hardly be anything but a password.
func password(s string, x candidate) bool {
	c := shapeOf(s)
	if len(s) < 6 || len(s) > 128 || c.letters() == 0 || c.digits+c.marks == 0 && !strings.ContainsAny(s, "-_. ") {
		return false
	}
	if standsIn(s) || measured(s) || uuid.MatchString(s) || machine.MatchString(s) || located.MatchString(s) || labelled.MatchString(s) || member.MatchString(s) || hostPort.MatchString(s) || told(s) {
		return false
	}
	switch {
	case c.digits == 0:
		return words(s) >= 4 || (x.quoted || x.last) && (words(s) >= 3 || c.marks > 0 && c.kinds() >= 3 && strong(s))
	case c.others == 0 || c.marks > 0:
		return c.kinds() >= 3 || c.digits > 1 && len(s) >= 8 && (c.digits < len(s)/2 || len(s) >= 12)
	}
	return (c.kinds() >= 3 || words(s) > 2 || phrase(s) || !named(s)) && ordinary(s) || strong(s) && c.kinds() >= 3
}

// words counts the words of a password that is made of them, all joined by the same mark; a number may be the last. 0: it is none.
func words(s string) (n int) {
	s = strings.TrimRight(strings.TrimRight(s, "0123456789"), "-_.")
	join := strings.IndexAny(s, "-_. ")
	if join < 0 || !ordinary(strings.ReplaceAll(s, " ", "-")) {
		return 0
	}
	for part := range strings.SplitSeq(s, s[join:join+1]) {
		c := shapeOf(part)
		switch {
		case len(part) > 2 && c.letters() == len(part) && !little.Has(strings.ToLower(part)):
			n++
		default:
			return 0
		}
	}
	return n
}

// little are common words of sentences. They are not passwords.
var little = text.NewSet(`the and for with from are was has have not but our his her its your you they this that these please must should can
	cannot will would may contain contains least characters letters enter when where which who been being into only same than then there
	were what all any also before after does did doesn isn don let uses used using via per too der die das und ist les des est los las una`)

// noted finds what a note next to it calls a secret: "… # the deploy token", "use … as the password". start is where the name is.
func noted(text string, start int, k kind) (c candidate, ok bool) {
	from := max(0, start-300)
	if i := strings.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	line := text[from:start]
	if strings.Contains(line, "[redacted: ") {
		return c, false
	}
	tail := max(0, len(line)-60)
	if !strings.ContainsAny(line[tail:], "#/-<←") && !strings.Contains(line[tail:], "s ") {
		return c, false
	}
	m := notes.FindStringIndex(line[tail:])
	if m == nil {
		return c, false
	}
	m[0] += tail
	note := !strings.ContainsAny(line[m[0]:min(len(line), m[0]+5)], "#/*<←") && !strings.HasPrefix(strings.TrimSpace(line[m[0]:]), "--")
	candidates(text, from, from+m[0], func(x candidate) bool {
		s := text[x.start:x.end]
		near := strings.Trim(text[x.end:from+m[0]], " \"'`—–") == ""
		if k == aPassword && (near || x.quoted && !note) && password(s, x) && (drawnByLot(s) || shapeOf(s).kinds() >= 3 || x.quoted) ||
			k == aPassword && x.quoted && encoded(s) || (near || !note) && opaque(s) && (near || x.quoted || drawnByLot(s)) {
			c, ok = x, true
		}
		return true
	})
	return c, ok && !elsewhere.MatchString(text[max(from, c.start-20):c.start])
}

// notes is how a line goes on to say what it holds.
var notes = lazyregexp.New(`(?:\s(?:#|//|--|/\*|<!--|<-|←)\s?|["'\x60 ] ?(?:[—–-] ?)?(?:as|is|that's|that is|this is|which is) (?:the |a |an |its |my |our |your |their )?)[\w ,/-]{0,40}$`)
