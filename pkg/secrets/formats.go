package secrets

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// formats are secrets that are known by their form, as those who issue them document it, and places in which one is known
// to stand. A pattern begins with what all of a kind have in front, so that looking for it is quick.
var formats = sync.OnceValue(func() []rule { return append(issued(), placed()...) })

// token is a rule for tokens with a beginning of their own; pattern goes on behind it.
func token(id, what, pattern string, beginnings ...string) rule {
	quoted := make([]string, len(beginnings))
	for i, b := range beginnings {
		quoted[i] = regexp.QuoteMeta(b)
	}
	head := quoted[0]
	if len(quoted) > 1 {
		head = "(?:" + strings.Join(quoted, "|") + ")"
	}
	return rule{id: id, what: what, keywords: beginnings, pattern: lazyregexp.New(head + pattern), closed: true, accept: drawn}
}

// drawn keeps the examples of manuals out. In a long one that is drawn by lot a short word such as "todo" stands by chance.
func drawn(s string) bool {
	if len(s) >= 40 && entropy(s) > 4.5 {
		return !standInLong.MatchString(s) && !repeated(s)
	}
	return scattered(s) && !standsIn(s)
}

func scattered(s string) bool { return entropy(s) > 2.5 }

// issued are tokens and keys of those who give them out.
func issued() []rule {
	return []rule{
		token("aws-access-key", "AWS access key id", `[A-Z2-7]{16}`, "AKIA", "ASIA", "ABIA", "ACCA"),
		token("aws-bedrock-key", "AWS Bedrock API key", `[A-Za-z0-9+/=]{100,}`, "ABSKQmVkcm9ja0FQSUtleS", "bedrock-api-key-"),
		token("github-token", "GitHub access token", `[A-Za-z0-9]{36,255}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
		token("github-token", "GitHub access token", `[A-Za-z0-9]{22}_[A-Za-z0-9]{50,70}`, "github_pat_"),
		{id: "github-token", what: "GitHub access token", keywords: []string{"ghs_", "ghu_"}, pattern: lazyregexp.New(`gh[su]_(?:[A-Za-z0-9]{1,20}_)?eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}`), closed: true},
		token("gitlab-token", "GitLab access token", `[\w-]{20,}(?:\.[\w-]+)*`,
			"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glffct-", "glwt-"),
		token("gitlab-token", "GitLab runner registration token", `[\w-]{20}`, "GR1348941"),
		token("bitbucket-token", "Bitbucket app password", `[A-Za-z0-9]{24,40}`, "ATBB"),
		token("atlassian-token", "Atlassian API token", `[\w=-]{60,}`, "ATATT3", "ATCTT3"),
		token("slack-token", "Slack token", `[0-9A-Za-z-]{20,}`, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-", "xapp-"),
		token("stripe-key", "Stripe API key", `[A-Za-z0-9]{16,250}`, "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"),
		token("webhook-secret", "webhook signing secret", `[A-Za-z0-9+/=]{24,}`, "whsec_"),
		token("openai-key", "OpenAI API key", `[\w-]{20,}`, "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
		token("openai-key", "OpenAI API key", `[A-Za-z0-9]{32,64}`, "sk-"),
		token("anthropic-key", "Anthropic API key", `[a-z]{2,6}\d{2}-[\w-]{20,}`, "sk-ant-"),
		token("openrouter-key", "OpenRouter API key", `v1-[0-9a-f]{48,}`, "sk-or-"),
		token("huggingface-token", "Hugging Face token", `[A-Za-z0-9]{30,40}`, "hf_", "api_org_"),
		token("replicate-token", "Replicate API token", `[A-Za-z0-9]{37,40}`, "r8_"),
		token("groq-key", "Groq API key", `[A-Za-z0-9]{48,56}`, "gsk_"),
		token("xai-key", "xAI API key", `[A-Za-z0-9]{70,90}`, "xai-"),
		token("perplexity-key", "Perplexity API key", `[A-Za-z0-9]{40,56}`, "pplx-"),
		token("langfuse-key", "Langfuse secret key", `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "sk-lf-"),
		token("nvidia-key", "NVIDIA API key", `[\w-]{60,70}`, "nvapi-"),
		token("tavily-key", "Tavily API key", `[\w-]{28,}`, "tvly-"),
		token("fireworks-key", "Fireworks API key", `[A-Za-z0-9]{22,}`, "fw_"),
		token("together-key", "Together API key", `[\w-]{40,}`, "tgp_v1_"),
		token("jina-key", "Jina API key", `[A-Za-z0-9_-]{56,}`, "jina_"),
		token("pinecone-key", "Pinecone API key", `[A-Za-z0-9]+_[A-Za-z0-9]{40,}`, "pcsk_"),
		token("langsmith-key", "LangSmith API key", `(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`, "lsv2_"),
		token("google-api-key", "Google API key", `[\w-]{35}`, "AIza"),
		token("google-oauth-secret", "Google OAuth client secret", `[\w-]{24,32}`, "GOCSPX-"),
		token("google-oauth-token", "Google OAuth token", `[\w.-]{30,}`, "ya29."),
		token("google-refresh-token", "Google OAuth refresh token", `[\w-]{38,}`, "1//0"),
		token("azure-devops-token", "Azure DevOps access token", `[A-Za-z0-9]{4,}`, "JQQJ99"),
		{id: "azure-client-secret", what: "Azure client secret", keywords: []string{"Q~"}, pattern: lazyregexp.New(`[\w~.-]{3}\dQ~[\w~.-]{31,34}`), closed: true, accept: drawn},
		token("cloudflare-token", "Cloudflare API token", `[\w-]{40,}`, "cfut_", "cfat_", "cfk_"),
		token("digitalocean-token", "DigitalOcean token", `[0-9a-f]{64}`, "dop_v1_", "doo_v1_", "dor_v1_"),
		token("heroku-key", "Heroku API key", `[\w-]{30,}`, "HRKU-"),
		token("flyio-token", "Fly.io token", `[\w+/=,-]{40,}`, "fo1_", "FlyV1 fm2_", "fm2_", "FlyV1 fm1r_", "fm1r_"),
		token("netlify-token", "Netlify token", `[A-Za-z0-9]{36,40}`, "nfp_", "nfc_", "nfo_", "nfb_"),
		token("vercel-token", "Vercel token", `[A-Za-z0-9]{24,}`, "vcp_", "vci_", "vca_", "vcr_", "vck_"),
		token("render-key", "Render API key", `[A-Za-z0-9]{24,40}`, "rnd_"),
		token("supabase-key", "Supabase key", `[\w-]{22,60}`, "sbp_", "sb_secret_"),
		token("planetscale-secret", "PlanetScale secret", `[\w=.-]{32,64}`, "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
		token("neon-key", "Neon API key", `[a-z0-9]{40,80}`, "napi_"),
		token("vault-token", "HashiCorp Vault token", `[\w-]{20,}`, "hvs.", "hvb.", "hvr."),
		{id: "terraform-token", what: "Terraform Cloud token", keywords: []string{".atlasv1."}, pattern: lazyregexp.New(`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}`), closed: true, accept: drawn},
		token("doppler-token", "Doppler token", `(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}`, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
		token("pulumi-token", "Pulumi access token", `[0-9a-f]{40}`, "pul-"),
		token("onepassword-token", "1Password service account token", `[\w=-]{100,}`, "ops_eyJ"),
		{id: "onepassword-key", what: "1Password secret key", keywords: []string{"A3-"}, pattern: lazyregexp.New(`A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}`), closed: true, accept: drawn},
		token("age-key", "age secret key", `[02-9A-Z]{58}`, "AGE-SECRET-KEY-1"),
		token("npm-token", "npm access token", `[A-Za-z0-9]{36}`, "npm_"),
		token("pypi-token", "PyPI API token", `[\w-]{50,}`, "pypi-AgE"),
		token("rubygems-key", "RubyGems API key", `[0-9a-f]{48}`, "rubygems_"),
		token("nuget-key", "NuGet API key", `[a-z0-9]{43}`, "oy2"),
		token("crates-token", "crates.io token", `[A-Za-z0-9]{32}`, "cio"),
		token("clojars-token", "Clojars token", `[a-z0-9]{60}`, "CLOJARS_"),
		token("docker-token", "Docker Hub token", `[\w-]{24,40}`, "dckr_pat_", "dckr_oat_"),
		token("artifactory-key", "Artifactory API key", `[A-Za-z0-9]{60,80}`, "AKCp"),
		token("sendgrid-key", "SendGrid API key", `[\w-]{16,32}\.[\w-]{32,64}`, "SG."),
		token("mailgun-key", "Mailgun API key", `[0-9a-f]{32}(?:-[0-9a-f]{8}-[0-9a-f]{8})?`, "key-"),
		{id: "mailchimp-key", what: "Mailchimp API key", keywords: []string{"-us"}, pattern: lazyregexp.New(`[0-9a-f]{32}-us\d{1,2}`), closed: true, accept: drawn},
		token("brevo-key", "Brevo API key", `[0-9a-f]{64}-[A-Za-z0-9]{16}`, "xkeysib-", "xsmtpsib-"),
		token("resend-key", "Resend API key", `[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,28}`, "re_"),
		token("twilio-key", "Twilio API key", `[0-9a-f]{32}`, "SK"),
		token("shopify-token", "Shopify token", `[0-9a-fA-F]{32}`, "shpat_", "shpca_", "shppa_", "shpss_"),
		token("square-token", "Square token", `[\w-]{22,60}`, "sq0atp-", "sq0csp-", "EAAAE", "EAAAl"),
		token("braintree-token", "PayPal Braintree access token", `[a-z0-9]{16}\$[0-9a-f]{32}`, "access_token$production$"),
		token("plaid-token", "Plaid access token", `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "access-production-", "access-development-", "access-sandbox-"),
		token("shippo-token", "Shippo API token", `[0-9a-f]{40}`, "shippo_live_", "shippo_test_"),
		token("flutterwave-key", "Flutterwave secret key", `[0-9a-zA-Z]{12,}(?:-X)?`, "FLWSECK-", "FLWSECK_TEST-"),
		token("facebook-token", "Facebook access token", `[A-Za-z0-9]{80,}`, "EAA"),
		token("twitter-bearer", "Twitter bearer token", `[A-Za-z0-9%]{60,}`, "AAAAAAAAAAAAAAAAAAAAA"),
		token("databricks-token", "Databricks token", `[0-9a-f]{32}(?:-\d)?`, "dapi", "dkea", "dose"),
		token("dynatrace-token", "Dynatrace token", `[A-Z0-9]{24}\.[A-Z0-9]{64}`, "dt0c01.", "dt0s01.", "dt0s16."),
		token("grafana-token", "Grafana token", `[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}`, "glsa_"),
		token("grafana-token", "Grafana Cloud token", `[A-Za-z0-9+/=]{32,}`, "glc_"),
		token("newrelic-key", "New Relic key", `[A-Za-z0-9-]{27,32}`, "NRAK-", "NRII-", "NRAA-", "NRJS-"),
		token("sentry-token", "Sentry token", `[\w+/=-]{60,}`, "sntrys_", "sntryu_"),
		token("sonar-token", "SonarQube token", `[0-9a-f]{40}`, "sqp_", "squ_", "sqa_"),
		token("posthog-key", "PostHog personal API key", `[A-Za-z0-9]{40,}`, "phx_"),
		token("linear-key", "Linear API key", `[A-Za-z0-9]{40,64}`, "lin_api_", "lin_oauth_"),
		token("notion-token", "Notion token", `[A-Za-z0-9]{40,50}`, "ntn_", "secret_"),
		token("airtable-token", "Airtable token", `[A-Za-z0-9]{14}\.[0-9a-f]{64}`, "pat"),
		token("hubspot-token", "HubSpot token", `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "pat-na1-", "pat-na2-", "pat-eu1-"),
		{id: "asana-token", what: "Asana access token", keywords: []string{"1/", "2/", "0/"}, pattern: lazyregexp.New(`[0-2]/\d{15,17}(?:/\d{15,17})?:[0-9a-f]{32}`), closed: true, accept: drawn},
		token("figma-token", "Figma token", `[\w-]{36,}`, "figd_", "figdh_"),
		token("postman-key", "Postman API key", `[0-9a-f]{24}-[0-9a-f]{34}`, "PMAK-"),
		token("contentful-token", "Contentful token", `[\w-]{40,48}`, "CFPAT-"),
		token("tailscale-key", "Tailscale key", `[a-z]+-[A-Za-z0-9]{6,}-[A-Za-z0-9]{20,}`, "tskey-"),
		token("buildkite-token", "Buildkite token", `[0-9a-f]{40}`, "bkua_"),
		token("circleci-token", "CircleCI token", `[A-Za-z0-9]{20,24}_[0-9a-f]{40}`, "CCIPAT_", "CCIPRJ_"),
		token("sourcegraph-token", "Sourcegraph token", `(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}`, "sgp_"),
		token("easypost-key", "EasyPost API key", `[A-Za-z0-9]{54}`, "EZAK", "EZTK"),
		token("telegram-token", "Telegram bot token", `[\w-]{30,36}`, "bot:"),
		{id: "telegram-token", what: "Telegram bot token", keywords: []string{":AA"}, pattern: lazyregexp.New(`\d{8,10}:AA[\w-]{33}`), closed: true, accept: drawn},
		{id: "discord-token", what: "Discord bot token", keywords: []string{"."}, pattern: lazyregexp.New(`[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,38}`), closed: true, accept: drawn},
		{id: "jwt", what: "JSON Web Token", keywords: []string{"eyJ"}, pattern: lazyregexp.New(`eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}`), closed: true},
		{id: "password-hash", what: "password hash", keywords: []string{"$2", "$5$", "$6$", "$y$", "$argon2", "$apr1$"}, accept: scattered,
			pattern: lazyregexp.New(`\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|[56]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{8,16}\$[./A-Za-z0-9]{43,86}|y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,86})`)},
	}
}

// pgpass is a line of a password file of PostgreSQL: host, port, database, user, password. In that, a colon is escaped.
const pgpass = `[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:((?:[^\s"'\x60:\\]|\\[:\\]){4,128})(?:["'\x60\s]|$)`

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
		{id: "azure-storage-key", what: "Azure storage key", keywords: []string{"Key="}, group: 1, accept: drawn,
			pattern: lazyregexp.New(`(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,86}={1,2})`)},
		{id: "sentry-dsn", what: "Sentry DSN with its secret", keywords: []string{"sentry"}, group: 1,
			pattern: lazyregexp.New(`https?://[0-9a-f]{32}:([0-9a-f]{32})@[\w.-]*sentry`)},
		{id: "url-password", what: "password in a URL", keywords: []string{"://"}, group: 2, judged: 1, accept: urlPassword,
			pattern: lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]{1,30}://([^\s/?#@:'"\x60<>()\[\]]{0,128}:([^\s/?#@'"\x60<>]{1,256}))@[\w\[.-]`)},
		{id: "url-password", what: "token in a URL", keywords: []string{"://"}, group: 1, accept: random,
			pattern: lazyregexp.New(`https?://([\w-]{16,256})@[\w.-]`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"curl", "wget", "http "}, group: 2, judged: 1, accept: userPassword,
			pattern: lazyregexp.New(`\b(?:curl|wget|https?)\b[^\n]{0,300}?\s(?:-u|-a|--user|--auth)[ =]?["']?([^\s"':$]{1,64}:([^\s"']{4,128}))`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"mysql", "mariadb", "sshpass"}, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;]{0,200}?\s-p|sshpass\s+-p\s*)["']?([^\s"'-][^\s"']{3,127})`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"docker", "podman", "helm", "redis-cli", "az ", "oc "}, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:(?:docker|podman|helm|az|oc)\s[^\n|;]{0,80}?login\b[^\n|;]{0,200}?\s-p|redis-cli\b[^\n|;]{0,200}?\s-a)[ =]["']?([^\s"'-][^\s"']{3,127})`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"ldap", "zip", "7z", "sqlcmd", "bcp", "smbclient", "rpcclient"}, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:ldap(?:search|add|modify|delete|passwd|whoami)\b[^\n|;]{0,200}?\s-w|(?:unzip|zip|sqlcmd|bcp)\b[^\n|;]{0,200}?\s-P|7z[az]?\b[^\n|;]{0,200}?\s-p)[ =]?["']?([^\s"'-][^\s"']{3,127})|\b(?:smb|rpc)client\b[^\n|;]{0,200}?\s-U[ =]?["']?[^\s%"']{1,64}%([^\s"']{4,128})`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"pass:", "htpasswd", "add_user", "change_password", "net use"}, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`-(?:pass(?:in|out)?|k)\s{1,3}["']?pass:([^\s"']{4,128})|\bhtpasswd\s[^\n|;]{0,60}?-\w{0,8}b\w{0,8}\s+\S{1,200}\s+\S{1,64}\s+["']?([^\s"']{4,128})|\b(?:add_user|change_password)\s+\S{1,64}\s+["']?([^\s"']{4,128})|\bnet use\s[^\n]{0,120}?\\\S{1,120}\s+["']?([^\s"'/][^\s"']{3,127})["']?\s+/user:`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"echo ", "printf "}, group: -1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:echo|printf)\s+(?:-n\s+)?(?:["']?[\w.-]{1,64}:([^\s"'|]{4,128})["']?\s*\|\s*(?:sudo\s+)?chpasswd|["']?([^\s"'|]{4,128})["']?\s*\|\s*(?:sudo\s+-\w{0,4}S|[^\n|]{0,80}--(?:password-)?stdin))`)},
		{id: "command-password", what: "password of a database user", keywords: []string{"identified"}, folded: true, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`(?i)\bidentified\s+(?:with\s+\S{1,40}\s+)?by\s+["']([^"'\n]{4,128})["']`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"connect ", "sqlplus "}, folded: true, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`(?i)\b(?:connect|sqlplus)\s+[\w$#]{1,30}/["']?([^\s"'@/]{4,64})["']?@`)},
		{id: "session-cookie", what: "session in a cookie", keywords: []string{"cookie:"}, folded: true, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
			pattern: lazyregexp.New(`(?i)\bcookie:[^\n]{0,400}?\b[\w.-]{0,40}(?:sess|sid|auth|token|jwt)[\w.-]{0,40}=([^;\s"']{16,})`)},
		{id: "netrc-password", what: "password for a login", keywords: []string{"login"}, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\blogin\s+\S{1,128}\s+password\s+["']?([^\s"']{4,256})`)},
		{id: "pgpass-password", what: "password of a database", keywords: []string{":"}, group: 1, accept: commandPassword, pattern: lazyregexp.New(`(?m)^` + pgpass)},
		{id: "pgpass-password", what: "password of a database", keywords: []string{":*:", ":5432:", ":5433:", ":6432:"}, group: 1, accept: commandPassword, pattern: lazyregexp.New(`[\s"'\x60]` + pgpass)},
		{id: "login-password", what: "password beside a login", keywords: []string{"cred", "login", "log in", "logged in", "sign in"}, folded: true, group: 1, accept: strongest,
			pattern: lazyregexp.New(`(?i)\b(?:creds?|credentials?|log ?in|logged in(?:to)?|sign in)\b[\w ()]{0,30}?(?:[:=]| is| are| with| as)\s{0,3}["'\x60]?[\w.@+-]{2,40}["'\x60]?\s?(?:[/:,]| and| with)\s?["'\x60]?([^\s"'\x60,;/]{6,64})`)},
		{id: "login-password", what: "password beside a login", keywords: []string{"auth", "credential"}, folded: true, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`\b(?:auth\s{0,2}=\s{0,2}|(?i:[a-z]{0,12}basic_?auth|[a-z]{0,12}credentials?))\(\s{0,4}["'][^"'\n]{1,64}["']\s{0,4},\s{0,4}["']([^"'\n]{4,128})["']`)},
		{id: "command-password", what: "password on a command line", keywords: []string{"SecureString"}, group: 1, accept: commandPassword,
			pattern: lazyregexp.New(`ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["']([^"'\n]{4,128})["']`)},
		{id: "assigned-password", what: "password behind its name", keywords: []string{"passe", "contrase", "kennwort", "senha", "wachtwoord", "парол", "密码", "密碼", "パスワード", "비밀번호"}, folded: true, group: 1, accept: strong,
			pattern: lazyregexp.New(`(?i)(?:mot de passe|contrase(?:ñ|n)a|kennwort|senha|wachtwoord|пароль|密码|密碼|パスワード|비밀번호)[^\n:=：]{0,40}?(?:[:=：]|\best|\bes|\bist|\bé|是|は)\s{0,3}["'\x60«「]?([^\s"'\x60«»「」，。,;]{6,64})`)},
		{id: "seed-phrase", what: "seed phrase of a wallet", keywords: []string{"mnemonic", "seed phrase", "recovery phrase", "seed words", "secret phrase"}, folded: true, group: 1,
			pattern: lazyregexp.New(`(?i:mnemonic|(?:seed|recovery|secret) (?:phrase|words))[ "'\x60:=]{1,8}(?i:(?:is|are)[ :]{1,3})?["'\x60]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})`)},
		{id: "basic-auth", what: "login of HTTP basic authentication", keywords: []string{"basic "}, folded: true, group: 1, accept: basic,
			pattern: lazyregexp.New(`(?i)\bbasic\s+([A-Za-z0-9+/]{8,}={0,2})`)},
		{id: "bearer-token", what: "bearer token", keywords: []string{"bearer "}, folded: true, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
			pattern: lazyregexp.New(`(?i)\bbearer\s+([\w.~+/=-]{16,})`)},
		{id: "aws-secret-key", what: "AWS secret access key", keywords: []string{"AKIA", "ASIA"}, group: 1, accept: func(s string) bool { return !standsIn(s) && random(s) },
			pattern: lazyregexp.New(`(?:AKIA|ASIA)[A-Z2-7]{16}[^A-Za-z0-9]{1,8}(?:[A-Za-z_ -]{0,40}[^A-Za-z0-9+/]{1,8})?([A-Za-z0-9+/]{40})`)},
	}
}
