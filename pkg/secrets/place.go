package secrets

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

var (
	closer = lazyregexp.New(`^(?:\\?["'\x60]|[*\]_]){0,4}`)
	aside  = lazyregexp.New(`^[ \t]{0,2}\([^()\n]{1,60}\)(?:[*_\x60]{0,3})`)
	// typed is a type between a name and its value.
	typed = lazyregexp.New(`^[ \t]?:[ \t]?(?:[&*](?:'static )?)?[A-Za-z][\w.\[\]?|& ]{0,40}(?:[ \t]=[ \t]?|=["'\x60])`)
	mark  = lazyregexp.New(`^(?:(?: #?\d{1,2})?[ \t]{0,40}(?:[=:]=?>?|->|→|：|:=|\||\t)[ \t*]{0,40}|</key>\s{0,40}<string>|>|:-| <\(echo )(?:\r?\n[ \t]{2,40})?`)
	// instead is how code has a value where a variable has none.
	instead = lazyregexp.New(`^(?:[ \t]{0,4}(?:\|\|=?|\?\?=?|or)[ \t]{1,4}(?:["'\x60]|$)|:-)`)
	// beside is how a command is given the value of what it names.
	beside = lazyregexp.New(`^(?:\s{1,4}\\?\s{0,8}--?[A-Za-z][\w-]{1,30}(?:[ =][\w/.:-]{1,60})?){0,3}?\s{1,4}\\?\s{0,8}--(?:body|value|data|secret-string|string-value|string|secret|text|content|plaintext)[ =]`)
	// passed is how a call takes a value, alone or behind its name in quotes.
	passed = lazyregexp.New(`^(?:\( ?|, ?(?:default ?= ?)?)(?:["']|b["']|$)`)
	// typing is how a test fills in a form.
	typing = lazyregexp.New(`^\)\.(?:[a-z]{3,12}\(\)\.)?(?:type|fill|send_?[kK]eys|setValue|set|input|pressSequentially)\(`)
	// says is how a sentence gives something: "password is …", "password for the staging database was set to …".
	says = lazyregexp.New(`^(?: (?:for|of|to|on|at|in) [\w@./ '’-]{1,50}?)?(?: (?:is|was|be|are)(?: now| still| set to| changed to| currently)?|(?: set| changed)? to|:)(?: the string| simply| just)?[: ]{1,2}`)
	// apart is how a list of settings has a name and its value next to it.
	apart = lazyregexp.New(`^(?:,?[ \t]*\r?\n?[ \t]{0,40}["']?value["']?|[ \t]*\{[^{}=]{0,40}(?:=[^{}=\n]{0,80}\n[^{}=]{0,40}){0,3}\bdefault)[ \t]*[=:][ \t]*`)
	// below is how a form has a value on a line of its own.
	below  = lazyregexp.New(`^\r?\n(?:[^\s]{6,128}(?:\r?\n|$))`)
	space  = lazyregexp.New(`^ `)
	opener = lazyregexp.New(`^[*]{0,2}(?:[fbruN@]?(?:\\?"{1,3}|\\?'{1,3})|\x60{1,3})?`)
	scheme = lazyregexp.New(`^(?i:bearer|basic|token|ssws|apikey|bot|digest) +`)
	login  = lazyregexp.New(`^(?i:basic) +`)
	// anyScheme stands before what a header of HTTP lets somebody in with.
	anyScheme = lazyregexp.New(`^[A-Za-z][\w-]{1,24} +(?:token=["']?)?`)
	callee    = lazyregexp.New(`\( ?["'\x60][^"'\x60()\n]{0,40}$`)
)

// place is what follows a name.
type place struct {
	text       string
	start, end int    // of the name
	rest       string // of the text, behind the name
	closed     int    // bytes of rest that close the name: a quote, a bracket
}

// link is one way in which a value is tied to its name.
type link struct {
	pattern *lazyregexp.Regexp                // what follows the name
	behind  *lazyregexp.Regexp                // and what has to stand behind that; nil for nothing
	when    func(p *place, match string) bool // what else has to hold; nil for nothing
	cut     string                            // bytes at the end of the match that belong to the value
	line    bool                              // the value begins after the first line break of the match
	ties    value                             // what that says of the value
	literal func(p *place, match string) bool // reports whether it is written as a value; nil: as ties says
}

const quotes = "\"'`"

// links are tried in this order.
var links = []link{
	{pattern: instead, cut: quotes, ties: value{sure: true, literal: true}, when: func(p *place, match string) bool {
		return match != ":-" || !strings.HasSuffix(p.text[:p.start], "-")
	}},
	{pattern: typed, cut: quotes, ties: value{sure: true}, literal: assigns},
	{pattern: mark, cut: quotes, ties: value{sure: true}, literal: assigns},
	{pattern: aside, behind: mark, ties: value{sure: true}},
	{pattern: aside, behind: says},
	{pattern: apart, ties: value{sure: true}},
	{pattern: beside, ties: value{sure: true}},
	{pattern: passed, cut: "b\"'", ties: value{sure: true, literal: true}, when: func(p *place, match string) bool {
		return len(match) > 1 && (match[0] == '(' || p.closed > 0 && called(p.text, p.start))
	}},
	{pattern: typing, ties: value{sure: true, literal: true}, when: func(p *place, _ string) bool { return p.closed > 0 }},
	{pattern: space, ties: value{sure: true, flag: true}, when: func(p *place, _ string) bool {
		return p.closed == 0 && (flagged(p.text, p.start) || setting(p.text, p.start))
	}},
	{pattern: says},
	{pattern: below, line: true, ties: value{bare: true, alone: true}, when: func(p *place, _ string) bool {
		return p.start == 0 || p.text[p.start-1] == '\n'
	}},
	{pattern: space, ties: value{bare: true}, when: func(p *place, _ string) bool { return p.closed == 0 }, literal: func(p *place, _ string) bool {
		name := p.text[p.start:p.end]
		return upperCase(name) || len(nameWords(name)) > 1 // PASSWORD '…', storePassword '…'
	}},
}

// assigns reports whether a mark gives a value to a variable and does not compare it.
func assigns(_ *place, match string) bool {
	return strings.Contains(match, "=") && !strings.Contains(match, "==")
}

// ties returns how many bytes of the text behind a name tie the value to it, and what they say of it.
func (p *place) ties() (n int, v value, ok bool) {
	rest := p.rest[p.closed:]
	for i := range links {
		l := &links[i]
		match := l.pattern.FindString(rest)
		if match == "" || l.when != nil && !l.when(p, match) {
			continue
		}
		n := p.closed + len(strings.TrimRight(match, l.cut))
		if l.behind != nil {
			more := l.behind.FindString(p.rest[n:])
			if more == "" {
				continue
			}
			n += len(more)
		}
		if l.line {
			n = p.closed + 1 + strings.IndexByte(match, '\n')
		}
		v := l.ties
		if l.literal != nil {
			v.literal = l.literal(p, match)
		}
		return n, v, true
	}
	return 0, value{}, false
}

// valueBehind finds the value that is given to the name that ends at end; an empty one if there is none.
func valueBehind(text string, start, end int) value {
	p := &place{text: text, start: start, end: end, rest: text[end:min(len(text), end+200)]}
	p.closed = len(closer.FindString(p.rest))
	n, v, ok := p.ties()
	if !ok {
		return value{}
	}
	open := opener.FindString(p.rest[min(n, len(p.rest)):])
	v.start = end + n + len(open)
	if v.start >= len(text) {
		return value{}
	}
	v.tight = v.flag || text[v.start-1] != ' '
	v.skip(text, start, end)
	if open != "" && strings.IndexByte(quotes, open[len(open)-1]) >= 0 {
		v.quote(text, open[len(open)-1])
		return v
	}
	if v.code = v.sure && !upperCase(text[start:end]); v.code {
		v.literal = false
	}
	v.shout = text[start] >= 'A' && text[start] <= 'Z'
	v.end = v.start
	for v.end < len(text) && v.end-v.start < longestValue && !v.ends(text) {
		v.end++
	}
	emphasised := start > 0 && text[start-1] == '*'
	for v.end > v.start && v.trails(text, emphasised) {
		v.end--
	}
	v.last = v.end == len(text) || strings.IndexByte(".,;)\r\n", text[v.end]) >= 0
	v.tight = v.tight || v.end == len(text) || text[v.end] == '\n'
	return v
}

// ends reports whether a value without quotes ends before text[v.end].
func (v *value) ends(text string) bool {
	rest := text[v.end:]
	switch c := rest[0]; {
	case strings.IndexByte(" \t\r\n\"'`;<>|", c) >= 0:
		return true
	case c == ',': // it may be a part of the value, unless another field follows
		return !v.sure || len(rest) == 1 || strings.IndexByte(" \r\n\t\"'`", rest[1]) >= 0 || nextField.MatchString(rest[:min(len(rest), 44)])
	case c == '&':
		return param.MatchString(rest[:min(len(rest), 40)])
	case c == '\\':
		return strings.HasPrefix(rest, `\n`) || strings.HasPrefix(rest, `\"`)
	}
	return false
}

// trails reports whether the last byte of a value belongs to the sentence or the code around it.
func (v *value) trails(text string, emphasised bool) bool {
	c := text[v.end-1]
	switch {
	case c == ':' && v.flagLike():
		return false
	case c == '*':
		return emphasised || strings.HasSuffix(text[v.start:v.end], "**")
	}
	return strings.IndexByte(".:)]}\\", c) >= 0
}

// skip passes over what says how a value lets somebody in.
func (v *value) skip(text string, start, end int) {
	p, most := scheme, 16
	if m := login.FindString(text[v.start:min(len(text), v.start+16)]); m != "" && v.sure {
		v.decided = true
	}
	if strings.EqualFold(text[max(start, end-len("authorization")):end], "authorization") && v.sure {
		p, most = anyScheme, 40
	}
	v.start += len(p.FindString(text[v.start:min(len(text), v.start+most)]))
}

// quote makes a value end with its quote, or its line.
func (v *value) quote(text string, quote byte) {
	v.quoted, v.ticks = true, quote == '`'
	window := text[v.start:min(len(text), v.start+longestValue)]
	i := strings.IndexByte(window, quote)
	if nl := strings.IndexByte(window, '\n'); nl >= 0 && (i < 0 || nl < i) {
		i = nl
	}
	if i < 0 {
		i = len(window)
	}
	for i > 0 && (window[i-1] == '\\' || window[i-1] == ' ') {
		i--
	}
	v.end = v.start + i
}

// flagLike reports whether a value is written as those of the environment are, without a space.
func (v value) flagLike() bool { return v.tight && v.literal }

var nextField = lazyregexp.New(`^,[ \t]{0,4}["'{]?[\w.-]{1,40}["']?[=:]`)

var param = lazyregexp.New(`^&[\w-]+=`)

// called reports whether the name at start, in quotes, is in the first that a call takes.
func called(text string, start int) bool { return callee.MatchString(text[max(0, start-44):start]) }

// upperCase reports whether a name is written as those of the environment are.
func upperCase(name string) bool { return shapeOf(name).lower == 0 }

// flagged reports whether the name at start is a flag of a command line.
func flagged(text string, start int) bool {
	return start >= 2 && text[start-1] == '-' && (text[start-2] == '-' || text[start-2] == ' ')
}

// setting reports whether the name at start is what a command sets to the word behind it.
func setting(text string, start int) bool {
	line := text[max(0, start-40):start]
	if strings.HasPrefix(text[start:], "requirepass ") || strings.HasPrefix(text[start:], "masterauth ") {
		return true
	}
	for _, command := range [...]string{"ENV ", "setx ", "configure set ", "config set ", "config add-", "set -gx ", "set -x ", "set -Ux ", "setenv ", "SetEnv "} {
		if strings.HasSuffix(line, command) {
			return true
		}
	}
	return false
}

// pgpass is a line of a password file of PostgreSQL: host, port, database, user, password. In that, a colon is escaped.
const pgpass = `[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w.*-]{1,64}:((?:[^\s"'\x60:\\]|\\[:\\]){4,128})(?:["'\x60\s]|$)`

// placed are secrets that are known by where they stand.
func placed() []rule {
	return []rule{
		{id: "slack-webhook", what: "Slack webhook address", keywords: []string{"hooks.slack.com"}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})`)},
		{id: "discord-webhook", what: "Discord webhook address", keywords: []string{"/api/webhooks/"}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`discord(?:app)?\.com/api/webhooks/(\d{16,20}/[\w-]{50,80})`)},
		{id: "teams-webhook", what: "Microsoft Teams webhook address", keywords: []string{".webhook.office.com/"}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`\.webhook\.office\.com/webhookb2/([\w@/-]{60,})`)},
		{id: "google-chat-webhook", what: "Google Chat webhook address", keywords: []string{"chat.googleapis.com"}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?(key=[\w-]+&token=[\w%=-]+)`)},
		{id: "zapier-webhook", what: "Zapier webhook address", keywords: []string{"hooks.zapier.com"}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`hooks\.zapier\.com/hooks/catch/(\d+/[A-Za-z0-9]{5,})`)},
		{id: "telegram-token", what: "Telegram bot token", keywords: []string{"api.telegram.org"}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`api\.telegram\.org/bot(\d+:[\w-]{30,})`)},
		{id: "azure-storage-key", what: "Azure storage key", keywords: []string{"Key="}, reach: 800, group: 1, accept: drawn,
			pattern: lazyregexp.New(`(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,86}={1,2})`)},
		{id: "sentry-dsn", what: "Sentry DSN with its secret", keywords: []string{"sentry"},
			pattern: lazyregexp.New(`https?://[0-9a-f]{32}:[0-9a-f]{32}@[\w.-]*sentry[\w./-]*`)},
		{id: "url-password", what: "password in a URL", keywords: []string{"://"}, reach: 450, group: 2, judged: 1, accept: urlPassword,
			pattern: lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]{1,30}://([^\s/?#@:'"\x60<>()\[\]]{0,128}:([^\s/?#@'"\x60<>]{1,256}))@[\w\[.-]`)},
		{id: "url-password", what: "token in a URL", keywords: []string{"://"}, reach: 300, group: 1, accept: random,
			pattern: lazyregexp.New(`https?://([\w-]{16,256})@[\w.-]`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"curl", "wget", "http "}, reach: 800, group: 2, judged: 1, accept: userPassword,
			pattern: lazyregexp.New(`\b(?:curl|wget|https?)\b[^\n]{0,300}?\s(?:-u|-a|--user|--auth)[ =]?["']?([^\s"':$]{1,64}:([^\s"']{4,128}))`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"mysql", "mariadb", "sshpass"}, reach: 800, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;]{0,200}?\s-p|sshpass\s+-p\s*)["']?([^\s"'-][^\s"']{3,127})`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"docker", "podman", "helm", "redis-cli", "az ", "oc "}, reach: 800, also: []string{"login", "redis-cli"}, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:(?:docker|podman|helm|az|oc)\s[^\n|;]{0,80}?login\b[^\n|;]{0,200}?\s-p|redis-cli\b[^\n|;]{0,200}?\s-a)[ =]["']?([^\s"'-][^\s"']{3,127})`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"ldap", "zip", "7z", "sqlcmd", "bcp", "smbclient", "rpcclient"}, reach: 800, also: []string{"-w", "-P", "-p", "-U"}, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:ldap(?:search|add|modify|delete|passwd|whoami)\b[^\n|;]{0,200}?\s-w|(?:unzip|zip|sqlcmd|bcp)\b[^\n|;]{0,200}?\s-P|7z[az]?\b[^\n|;]{0,200}?\s-p)[ =]?["']?([^\s"'-][^\s"']{3,127})|\b(?:smb|rpc)client\b[^\n|;]{0,200}?\s-U[ =]?["']?[^\s%"']{1,64}%([^\s"']{4,128})`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"pass:", "htpasswd", "add_user", "change_password", "net use "}, reach: 800, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`-(?:pass(?:in|out)?|k)\s{1,3}["']?pass:([^\s"']{4,128})|\bhtpasswd\s[^\n|;]{0,60}?-\w{0,8}b\w{0,8}\s+\S{1,200}\s+\S{1,64}\s+["']?([^\s"']{4,128})|\b(?:add_user|change_password)\s+\S{1,64}\s+["']?([^\s"']{4,128})|\bnet use\s[^\n]{0,120}?\\\S{1,120}\s+["']?([^\s"'/][^\s"']{3,127})["']?\s+/user:`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"echo ", "printf "}, reach: 800, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:echo|printf)\s+(?:-n\s+)?(?:["']?[\w.-]{1,64}:([^\s"'|]{4,128})["']?\s*\|\s*(?:sudo\s+)?chpasswd|["']?([^\s"'|]{4,128})["']?\s*\|\s*(?:sudo\s+-\w{0,4}S|[^\n|]{0,80}--(?:password-)?stdin))`)},
		{id: "command-password", what: "password of a database user", keywords: []string{"identified"}, folded: true, reach: 1200, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`(?i)\bidentified\s+(?:with\s+\S{1,40}\s+)?by\s+["']([^"'\n]{4,128})["']`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"connect ", "sqlplus "}, folded: true, reach: 1200, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`(?i)\b(?:connect|sqlplus)\s+[\w$#]{1,30}/["']?([^\s"'@/]{4,64})["']?@`)},
		{id: "session-cookie", what: "session in a cookie", keywords: []string{"cookie", "curl "}, folded: true, reach: 1200, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
			pattern: lazyregexp.New(`(?i)(?:\bcookie["']?(?::|[ =]\\?["'])|\bcurl [^\n]{0,200}?-b[ =]?\\?["']?)[^\n]{0,400}?\b[\w.-]{0,40}(?:sess|sid|auth|token|jwt)[\w.-]{0,40}=([^;\s"'\\]{16,})`)},
		{id: "netrc-password", what: "password for a login", keywords: []string{"login"}, reach: 800, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\blogin\s+\S{1,128}\s+password\s+["']?([^\s"']{4,256})`)},
		{id: "pgpass-password", what: "password of a database", keywords: []string{":"}, likely: ported, group: 1, accept: commandPassword, pattern: lazyregexp.New(`(?m)^[+> -]?` + pgpass)},
		{id: "pgpass-password", what: "password of a database", keywords: []string{":*:", ":5432:", ":5433:", ":6432:"}, group: 1, accept: commandPassword, pattern: lazyregexp.New(`[\s"'\x60]` + pgpass)},
		{id: "login-password", what: "password beside a login", keywords: []string{"cred", "login", "log in", "logged in", "sign in"}, folded: true, reach: 1200, group: 1, accept: strongest,
			pattern: lazyregexp.New(`(?i)\b(?:creds?|credentials?|log ?in|logged in(?:to)?|sign in)\b[\w ()]{0,30}?(?:[:=]| is| are| with| as)\s{0,3}["'\x60]?[\w.@+-]{2,40}["'\x60]?\s?(?:[/:,]| and| with)\s?["'\x60]?([^\s"'\x60,;/]{6,64})`)},
		{id: "login-password", what: "password beside a login", keywords: []string{"auth", "credential"}, folded: true, reach: 1200, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:auth\s{0,2}=\s{0,2}|(?i:[a-z]{0,12}basic_?auth|[a-z]{0,12}credentials?))\(\s{0,4}["'][^"'\n]{1,64}["']\s{0,4},\s{0,4}["']([^"'\n]{4,128})["']`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"SecureString"}, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["']([^"'\n]{4,128})["']`)},
		{id: "command-password", what: "password on a command line", keywords: []string{" -u ", " -u=", "--user", " -U "}, reach: 800, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\s(?:-u|-U|--user(?:name)?)[ =]["']?[\w.@+-]{1,64}["']?\s(?:[^\n|;]{0,60}?\s)?(?:-p|-P|-w|--pass|-A|-X)[ =]?["']?([^\s"'-][^\s"']{5,127})`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"/user:", "net user ", "/rp "}, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`\s/user:\S{1,64}\s{1,2}["']?([^\s"'/][^\s"'\\]{5,127})|\bnet user \S{1,64} ["']?([^\s"'/][^\s"'\\]{5,127})["']? /|\s/rp ["']?([^\s"'\\]{6,128})`)},
		{id: "login-password", what: "password beside a login", keywords: []string{"login(", "auth(", "credential(", "credentials(", "connect(", "connection(", "pdo(", "mysqli(", "signin(", "sign_in("}, folded: true, group: 1, accept: func(s string) bool {
			return commandPassword(s) && !located.MatchString(s) && !machine.MatchString(s) && (shapeOf(s).digits > 0 || words(s) > 2)
		}, pattern: lazyregexp.New(`(?i:(?:login|auth|credentials?|connect|connection|signin|sign_in|pdo|mysqli)\()(?:[^\n"'()]{0,60},\s{0,4}|["'][^"'\n]{0,200}["']\s{0,4},\s{0,4}){0,2}?["'][\w.@+\\-]{1,64}["']\s{0,4},\s{0,4}["']([^"'\n]{0,64}(?:\d|\w[-_.]\w{1,20}[-_.]\w)[^"'\n]{0,64})["']`)},
		{id: "wifi-password", what: "password of a wireless network", keywords: []string{"WIFI:"}, group: 1, accept: func(s string) bool { return !standsIn(s) },
			pattern: lazyregexp.New(`WIFI:[^\s]{0,120}?P:([^;\s]{8,63});`)},
		{id: "snmp-community", what: "secret of a device", keywords: []string{"snmp-server ", "enable secret ", "key 7 ", "password 7 ", " PSK "}, group: -1, accept: func(s string) bool { return !standsIn(s) && s != "public" && s != "private" },
			pattern: lazyregexp.New(`\bsnmp-server community (\S{6,64})|\benable secret (?:\d )?(\S{6,64})|\b(?:key|password) 7 ([0-9A-F]{8,64})\b|: PSK "([^"\n]{6,128})"`)},
		{id: "totp-seed", what: "seed of one-time passwords", keywords: []string{"otpauth://", "oathtool"}, group: 1, accept: func(s string) bool { return base32(s) && !standsIn(s) },
			pattern: lazyregexp.New(`(?:otpauth://[^\s"'<>]{0,200}?secret=|\boathtool [^\n]{0,60}?(?:-b|--base32) ["']?)([A-Z2-7]{16,128}=*)`)},
		{id: "key-file", what: "key that is written into a file", keywords: []string{"echo ", "printf "}, reach: 800, group: 1, accept: func(s string) bool { return !standsIn(s) && (random(s) || len(s) >= 32 && scattered(s)) },
			pattern: lazyregexp.New(`\b(?:echo|printf) (?:-n )?["']?([^\s"'|>]{16,300})["']? {0,2}>{1,2} {0,2}[^\s|;]{0,200}(?:key|secret|token|passw|cred|id\.json|\.pem|auth)`)},
		{id: "wallet-key", what: "private key of a wallet", keywords: []string{"Wallet(", "privateKeyToAccount(", "from_key(", "fromPrivateKey(", "fromSecretKey(", "accounts:"}, group: -1, accept: scattered,
			pattern: lazyregexp.New(`(?:Wallet|privateKeyToAccount|from_key|fromPrivateKey|fromSecretKey)\(\s{0,4}["'\x60]((?:0x)?[0-9a-fA-F]{64})["'\x60]|\baccounts: ?\[["'\x60]((?:0x)?[0-9a-fA-F]{64})["'\x60]`)},
		{id: "wallet-key", what: "private key of a wallet", keywords: []string{"["}, accept: func(s string) bool { return entropy(s) > 2.5 },
			pattern: lazyregexp.New(`\[(?:\s{0,2}\d{1,3},){63}\s{0,2}\d{1,3}\s{0,2}\]`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"SETUSER ", "lftp ", " /p:"}, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`\bSETUSER \S{1,64} [^\n]{0,80}?>(\S{6,128})|\blftp [^\n]{0,60}?-u ["']?[\w.@-]{1,64},([^\s"']{6,128})|\s/p:["']?([^\s"'/]{6,128})`)},
		{id: "url-password", what: "password in a URL", keywords: []string{"jdbc:oracle:", "@tcp(", "@unix("}, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`jdbc:oracle:\w{2,6}:[\w$#]{1,64}/([^\s@"']{4,128})@|\b[\w.-]{1,64}:([^\s"'\x60:]{4,128})@(?:tcp|unix)\(`)},
		{id: "twilio-token", what: "Twilio auth token", keywords: []string{"AC"}, group: 1, accept: scattered,
			pattern: lazyregexp.New(`AC[0-9a-f]{32}["']?\s?[,:]\s?["']?([0-9a-f]{32})\b`)},
		{id: "jwk", what: "private part of a JSON Web Key", keywords: []string{"kty"}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`"(?:d|k|p|q|dp|dq|qi) ?"\s{0,4}:\s{0,4}"([\w-]{16,1000})`)},
		{id: "private-key", what: "private key", keywords: []string{"LS0tLS1CRUdJTi"}, accept: armoured, pattern: lazyregexp.New(`LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,}`)},
		{id: "totp-seed", what: "seed of one-time passwords", keywords: []string{"setup key", "totp", "2fa", "authenticator", "otp"}, folded: true, reach: 1200, group: 1, accept: func(s string) bool { return entropy(s) > 3 },
			pattern: lazyregexp.New(`(?i:setup key|totp|2fa|authenticator|otp)[^\n]{0,30}?[:= \x60"']((?:[A-Z2-7]{4} ){3,15}[A-Z2-7]{4}|(?:[a-z2-7]{4} ){7}[a-z2-7]{4})`)},
		{id: "recovery-codes", what: "codes to get in again", keywords: []string{"recovery", "backup", "scratch"}, folded: true, reach: 3000, group: 1, accept: func(s string) bool { return shapeOf(s).digits > 4 },
			pattern: lazyregexp.New(`(?i:recovery|backup|scratch)(?i: codes?)\b[^\n]{0,60}\n{1,2}((?:[ \t>*-]{0,6}(?:\d{1,2}[.)] )?[A-Za-z0-9]{4,8}(?:[- ]?[A-Za-z0-9]{4,8}){0,3}[ \t,]{0,3}(?:\n|$|["'\x60])){2,32})`)},
		{id: "assigned-password", what: "password behind its name", keywords: []string{"jsonpath"}, group: 1, accept: func(s string) bool { return encoded(s) || random(s) },
			pattern: lazyregexp.New(`jsonpath=["']?\{\.data\.[\w.\\-]{1,64}\}["']?[^\n]{0,40}\n([^\s"']{8,400})`)},
		{id: "basic-auth", what: "login of HTTP basic authentication", keywords: []string{"basic "}, folded: true, reach: 1200, group: 1, accept: basic,
			pattern: lazyregexp.New(`(?i)\bbasic\s+([A-Za-z0-9+/]{8,}={0,2})`)},
		{id: "bearer-token", what: "bearer token", keywords: []string{"bearer "}, folded: true, reach: 1200, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
			pattern: lazyregexp.New(`(?i)\bbearer\s+([\w.~+/=-]{16,})`)},
		{id: "aws-secret-key", what: "AWS secret access key", keywords: []string{"AKIA", "ASIA"}, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
			pattern: lazyregexp.New(`(?:AKIA|ASIA)[A-Z2-7]{16}[^A-Za-z0-9]{1,8}(?:[A-Za-z_ -]{0,40}[^A-Za-z0-9+/]{1,8})?([A-Za-z0-9+/]{40})`)},
	}
}
