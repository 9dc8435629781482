package secrets

import "strings"

// pgpass is a line of a password file of PostgreSQL: host, port, database, user, password. In that, a colon is escaped.
const pgpass = `[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:((?:[^\s"'\x60:\\]|\\[:\\]){4,128})(?:["'\x60\s]|$)`

// logins are what people write, in a dozen languages, in front of a login: "name / password".
var logins = []string{"log ?in", "sign ?in", "creds?", "credentials?", "zugang", "anmeld", "einlogg", "connecter", "connexion", "identifiants?", "entrar", "acceder", "acceso", "credenciales", "iniciar sesi", "accedi", "accesso", "credenziali",
	"acessar", "credenciais", "inlog", "logga in", "inloggning", "zalog", "dane logowania", "přihl", "giriş", "вход", "войти", "заходить", "логин", "логін", "доступ", "увійти", "учет", "登录", "登錄", "账号", "帳號", "ログイン", "로그인", "계정", "아이디", "تسجيل", "دخول", "लॉगिन"}

// loginWords are logins as plain words.
var loginWords = func() (words []string) {
	for _, l := range logins {
		l = strings.TrimSuffix(l, "s?")
		words = append(words, strings.ReplaceAll(l, " ?", ""))
		if strings.Contains(l, " ?") {
			words = append(words, strings.ReplaceAll(l, " ?", " "))
		}
	}
	return words
}()

// placed are secrets that are known by where they stand.
var placed = []rule{
	{id: "slack-webhook", what: "Slack webhook address", keywords: []string{"hooks.slack.com"}, group: 1, accept: drawn,
		pattern: lazily(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})`)},
	{id: "discord-webhook", what: "Discord webhook address", keywords: []string{"/api/webhooks/"}, group: 1, accept: drawn,
		pattern: lazily(`discord(?:app)?\.com/api/webhooks/(\d{16,20}/[\w-]{50,80})`)},
	{id: "teams-webhook", what: "Microsoft Teams webhook address", keywords: []string{".webhook.office.com/"}, group: 1, accept: drawn,
		pattern: lazily(`\.webhook\.office\.com/webhookb2/([\w@/-]{60,})`)},
	{id: "google-chat-webhook", what: "Google Chat webhook address", keywords: []string{"chat.googleapis.com"}, group: 1, accept: drawn,
		pattern: lazily(`chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?(key=[\w-]+&token=[\w%=-]+)`)},
	{id: "zapier-webhook", what: "Zapier webhook address", keywords: []string{"hooks.zapier.com"}, group: 1, accept: drawn,
		pattern: lazily(`hooks\.zapier\.com/hooks/catch/(\d+/[A-Za-z0-9]{5,})`)},
	{id: "telegram-token", what: "Telegram bot token", keywords: []string{"api.telegram.org"}, group: 1, accept: drawn,
		pattern: lazily(`api\.telegram\.org/bot(\d+:[\w-]{30,})`)},
	{id: "azure-storage-key", what: "Azure storage key", keywords: []string{"Key="}, group: 1, accept: drawn,
		pattern: lazily(`(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,86}={1,2})`)},
	{id: "sentry-dsn", what: "Sentry DSN with its secret", keywords: []string{"sentry"},
		pattern: lazily(`https?://[0-9a-f]{32}:[0-9a-f]{32}@[\w.-]*sentry[\w./-]*`)},
	{id: "url-password", what: "password in a URL", keywords: []string{"://"}, group: 2, judged: 1, accept: urlPassword,
		pattern: lazily(`[A-Za-z][A-Za-z0-9+.-]{1,30}://([^\s/?#@:'"\x60<>()\[\]]{0,128}:([^\s/?#@'"\x60<>]{1,256}))@[\w\[.-]`)},
	{id: "url-password", what: "token in a URL", keywords: []string{"://"}, group: 1, accept: random,
		pattern: lazily(`https?://([\w-]{16,256})@[\w.-]`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"curl", "wget", "http "}, group: 2, judged: 1, accept: userPassword,
		pattern: lazily(`\b(?:curl|wget|https?)\b[^\n]{0,300}?\s(?:-u|-a|--user|--auth)[ =]?["']?([^\s"':$]{1,64}:([^\s"']{4,128}))`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"mysql", "mariadb", "sshpass"}, group: 1, accept: commandPassword,
		pattern: lazily(`\b(?:(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;]{0,200}?\s-p|sshpass\s+-p\s*)["']?([^\s"'-][^\s"']{3,127})`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"docker", "podman", "helm", "redis-cli", "az ", "oc "}, group: 1, accept: commandPassword,
		pattern: lazily(`\b(?:(?:docker|podman|helm|az|oc)\s[^\n|;]{0,80}?login\b[^\n|;]{0,200}?\s-p|redis-cli\b[^\n|;]{0,200}?\s-a)[ =]["']?([^\s"'-][^\s"']{3,127})`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"ldap", "zip", "7z", "sqlcmd", "bcp", "smbclient", "rpcclient"}, group: -1, accept: commandPassword,
		pattern: lazily(`\b(?:ldap(?:search|add|modify|delete|passwd|whoami)\b[^\n|;]{0,200}?\s-w|(?:unzip|zip|sqlcmd|bcp)\b[^\n|;]{0,200}?\s-P|7z[az]?\b[^\n|;]{0,200}?\s-p)[ =]?["']?([^\s"'-][^\s"']{3,127})|\b(?:smb|rpc)client\b[^\n|;]{0,200}?\s-U[ =]?["']?[^\s%"']{1,64}%([^\s"']{4,128})`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"pass:", "htpasswd", "add_user", "change_password", "net use "}, group: -1, accept: commandPassword,
		pattern: lazily(`-(?:pass(?:in|out)?|k)\s{1,3}["']?pass:([^\s"']{4,128})|\bhtpasswd\s[^\n|;]{0,60}?-\w{0,8}b\w{0,8}\s+\S{1,200}\s+\S{1,64}\s+["']?([^\s"']{4,128})|\b(?:add_user|change_password)\s+\S{1,64}\s+["']?([^\s"']{4,128})|\bnet use\s[^\n]{0,120}?\\\S{1,120}\s+["']?([^\s"'/][^\s"']{3,127})["']?\s+/user:`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"echo ", "printf "}, group: -1, accept: commandPassword,
		pattern: lazily(`\b(?:echo|printf)\s+(?:-n\s+)?(?:["']?[\w.-]{1,64}:([^\s"'|]{4,128})["']?\s*\|\s*(?:sudo\s+)?chpasswd|["']?([^\s"'|]{4,128})["']?\s*\|\s*(?:sudo\s+-\w{0,4}S|[^\n|]{0,80}--(?:password-)?stdin))`)},
	{id: "command-password", what: "password of a database user", keywords: []string{"identified"}, folded: true, group: 1, accept: commandPassword,
		pattern: lazily(`(?i)\bidentified\s+(?:with\s+\S{1,40}\s+)?by\s+["']([^"'\n]{4,128})["']`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"connect ", "sqlplus "}, folded: true, group: 1, accept: commandPassword,
		pattern: lazily(`(?i)\b(?:connect|sqlplus)\s+[\w$#]{1,30}/["']?([^\s"'@/]{4,64})["']?@`)},
	{id: "session-cookie", what: "session in a cookie", keywords: []string{"cookie", "curl "}, folded: true, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
		pattern: lazily(`(?i)(?:\bcookie["']?(?::|[ =]\\?["'])|\bcurl [^\n]{0,200}?-b[ =]?\\?["']?)[^\n]{0,400}?\b[\w.-]{0,40}(?:sess|sid|auth|token|jwt)[\w.-]{0,40}=([^;\s"'\\]{16,})`)},
	{id: "netrc-password", what: "password for a login", keywords: []string{"login"}, group: 1, accept: commandPassword,
		pattern: lazily(`\blogin\s+\S{1,128}\s+password\s+["']?([^\s"']{4,256})`)},
	{id: "pgpass-password", what: "password of a database", keywords: []string{":"}, group: 1, accept: commandPassword, pattern: lazily(`(?m)^` + pgpass)},
	{id: "pgpass-password", what: "password of a database", keywords: []string{":*:", ":5432:", ":5433:", ":6432:"}, group: 1, accept: commandPassword, pattern: lazily(`[\s"'\x60]` + pgpass)},
	{id: "login-password", what: "password beside a login", keywords: []string{"cred", "login", "log in", "logged in", "sign in"}, folded: true, group: 1, accept: strongest,
		pattern: lazily(`(?i)\b(?:creds?|credentials?|log ?in|logged in(?:to)?|sign in)\b[\w ()]{0,30}?(?:[:=]| is| are| with| as)\s{0,3}["'\x60]?[\w.@+-]{2,40}["'\x60]?\s?(?:[/:,]| and| with)\s?["'\x60]?([^\s"'\x60,;/]{6,64})`)},
	{id: "login-password", what: "password beside a login", keywords: []string{"auth", "credential"}, folded: true, group: 1, accept: commandPassword,
		pattern: lazily(`\b(?:auth\s{0,2}=\s{0,2}|(?i:[a-z]{0,12}basic_?auth|[a-z]{0,12}credentials?))\(\s{0,4}["'][^"'\n]{1,64}["']\s{0,4},\s{0,4}["']([^"'\n]{4,128})["']`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"SecureString"}, group: 1, accept: commandPassword,
		pattern: lazily(`ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["']([^"'\n]{4,128})["']`)},
	{id: "command-password", what: "password on a command line", keywords: []string{" -u ", " -u=", "--user", " -U "}, group: 1, accept: commandPassword,
		pattern: lazily(`\s(?:-u|-U|--user(?:name)?)[ =]["']?[\w.@+-]{1,64}["']?\s(?:[^\n|;]{0,60}?\s)?(?:-p|-P|-w|--pass|-A|-X)[ =]?["']?([^\s"'-][^\s"']{5,127})`)},
	{id: "command-password", what: "password on a command line", keywords: []string{"/user:", "net user ", "/rp "}, group: -1, accept: commandPassword,
		pattern: lazily(`\s/user:\S{1,64}\s{1,2}["']?([^\s"'/][^\s"'\\]{5,127})|\bnet user \S{1,64} ["']?([^\s"'/][^\s"'\\]{5,127})["']? /|\s/rp ["']?([^\s"'\\]{6,128})`)},
	{id: "login-password", what: "password beside a login", keywords: []string{"login", "auth", "credential", "connect", "pdo(", "mysqli", "signin", "sign_in"}, folded: true, group: 1, accept: func(s string) bool {
		return commandPassword(s) && !located.MatchString(s) && !machine.MatchString(s) && (shapeOf(s).digits > 0 || words(s) > 2)
	}, pattern: lazily(`\b(?i:[\w.:]{0,40}(?:login|auth|credentials?|connect|connection|signin|sign_in|pdo|mysqli|mysqli_connect))\s?\((?:[^\n"'()]{0,60},\s{0,4}|["'][^"'\n]{0,200}["']\s{0,4},\s{0,4}){0,2}?["'][\w.@+\\-]{1,64}["']\s{0,4},\s{0,4}["']([^"'\n]{6,128})["']`)},
	{id: "login-password", what: "password beside a login", keywords: loginWords, folded: true, group: 2, accept: func(s string) bool { return password(s, candidate{last: true}) },
		pattern: lazily(`(?i:` + strings.Join(logins, "|") + `)[^\n/]{0,60}?[\s:(\x60"'«]([\w.@+-]{2,40})["'\x60]?(?: ?/ ?|:)["'\x60]?([^\s"'\x60,;/]{6,64})`)},
	{id: "wifi-password", what: "password of a wireless network", keywords: []string{"WIFI:"}, group: 1, accept: func(s string) bool { return !standsIn(s) },
		pattern: lazily(`WIFI:[^\s]{0,120}?P:([^;\s]{8,63});`)},
	{id: "snmp-community", what: "secret of a device", keywords: []string{"snmp-server ", "enable secret ", "key 7 ", "password 7 ", " PSK "}, group: -1, accept: func(s string) bool { return !standsIn(s) && s != "public" && s != "private" },
		pattern: lazily(`\bsnmp-server community (\S{6,64})|\benable secret (?:\d )?(\S{6,64})|\b(?:key|password) 7 ([0-9A-F]{8,64})\b|: PSK "([^"\n]{6,128})"`)},
	{id: "totp-seed", what: "seed of one-time passwords", keywords: []string{"otpauth://", "oathtool"}, group: 1, accept: func(s string) bool { return base32(s) && !standsIn(s) },
		pattern: lazily(`(?:otpauth://[^\s"'<>]{0,200}?secret=|\boathtool [^\n]{0,60}?(?:-b|--base32) ["']?)([A-Z2-7]{16,128}=*)`)},
	{id: "key-file", what: "key that is written into a file", keywords: []string{"echo ", "printf "}, group: 1, accept: func(s string) bool { return !standsIn(s) && (random(s) || len(s) >= 32 && scattered(s)) },
		pattern: lazily(`\b(?:echo|printf) (?:-n )?["']?([^\s"'|>]{16,300})["']? {0,2}>{1,2} {0,2}[^\s|;]{0,200}(?:key|secret|token|passw|cred|id\.json|\.pem|auth)`)},
	{id: "wallet-key", what: "private key of a wallet", keywords: []string{"Wallet(", "privateKeyToAccount(", "from_key(", "fromPrivateKey(", "fromSecretKey(", "accounts:"}, group: -1, accept: scattered,
		pattern: lazily(`(?:Wallet|privateKeyToAccount|from_key|fromPrivateKey|fromSecretKey)\(\s{0,4}["'\x60]((?:0x)?[0-9a-fA-F]{64})["'\x60]|\baccounts: ?\[["'\x60]((?:0x)?[0-9a-fA-F]{64})["'\x60]`)},
	{id: "wallet-key", what: "private key of a wallet", keywords: []string{"["}, accept: func(s string) bool { return entropy(s) > 2.5 },
		pattern: lazily(`\[(?:\s{0,2}\d{1,3},){63}\s{0,2}\d{1,3}\s{0,2}\]`)},
	{id: "basic-auth", what: "login of HTTP basic authentication", keywords: []string{"basic "}, folded: true, group: 1, accept: basic,
		pattern: lazily(`(?i)\bbasic\s+([A-Za-z0-9+/]{8,}={0,2})`)},
	{id: "bearer-token", what: "bearer token", keywords: []string{"bearer "}, folded: true, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
		pattern: lazily(`(?i)\bbearer\s+([\w.~+/=-]{16,})`)},
	{id: "aws-secret-key", what: "AWS secret access key", keywords: []string{"AKIA", "ASIA"}, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
		pattern: lazily(`(?:AKIA|ASIA)[A-Z2-7]{16}[^A-Za-z0-9]{1,8}(?:[A-Za-z_ -]{0,40}[^A-Za-z0-9+/]{1,8})?([A-Za-z0-9+/]{40})`)},
}
