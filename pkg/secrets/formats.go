package secrets

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// formats are secrets that are known by their form, as those who issue them document it, and places in which one is known
// to stand. A pattern begins with what all of a kind have in front, so that looking for it is quick.
var formats = sync.OnceValue(func() []rule { return slices.Concat(issued(), placed(), nearby()) })

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

// dotted reports whether two dots stand in a text with six characters between them.
func dotted(text string) bool {
	for i := 0; i+7 < len(text); i++ {
		n := strings.IndexByte(text[i:len(text)-7], '.')
		if n < 0 {
			return false
		}
		if i += n; text[i+7] == '.' {
			return true
		}
	}
	return false
}

// ported reports whether a colon stands in a text in front of a number or an asterisk.
func ported(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		n := strings.IndexByte(text[i:len(text)-1], ':')
		if n < 0 {
			return false
		}
		if i += n; text[i+1] == '*' || text[i+1] >= '0' && text[i+1] <= '9' {
			return true
		}
	}
	return false
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
		token("slack-token", "Slack token", `[\w-]{20,}`, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-", "xapp-"),
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
		token("square-token", "Square token", `[\w-]{22,60}`, "sq0atp-", "sq0csp-", "sq0csb-", "EAAAE", "EAAAl"),
		token("square-token", "Square token", `[\w-]{60}`, "EAAA"),
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
		{id: "discord-token", what: "Discord bot token", keywords: []string{"."}, likely: dotted, pattern: lazyregexp.New(`[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,38}`), closed: true, accept: drawn},
		{id: "vault-token", what: "HashiCorp Vault token", keywords: []string{"s."}, pattern: lazyregexp.New(`s\.[A-Za-z0-9]{24}`), closed: true, accept: func(s string) bool { return choppy(s) && shapeOf(s).digits > 0 && drawn(s) }},
		token("wallet-key", "private key of a wallet", `[1-9A-HJ-NP-Za-km-z]{107}`, "xprv", "yprv", "zprv", "tprv"),
		token("aws-session-token", "AWS session token", `[A-Za-z0-9+/=%]{80,}`, "IQoJb3JpZ2lu", "FwoGZXIvYXdz"),
		token("google-fcm-key", "Firebase server key", `[\w-]{7}:APA91b[\w-]{100,}`, "AAAA"),
		token("mapbox-token", "Mapbox secret token", `[\w-]{20,}\.[\w-]{16,}`, "sk.eyJ"),
		token("mailersend-token", "MailerSend token", `[0-9a-f]{64}`, "mlsn."),
		token("aiven-password", "Aiven password", `[\w-]{16,30}`, "AVNS_"),
		token("dropbox-token", "Dropbox token", `[\w-]{100,}`, "sl.u.", "sl.B"),
		token("prefect-key", "Prefect API key", `[A-Za-z0-9]{36}`, "pnu_", "pnb_"),
		token("honeycomb-key", "Honeycomb API key", `[a-z0-9]{58,64}`, "hcaik_", "hcalk_", "hcbik_", "hcamk_"),
		token("yandex-key", "Yandex Cloud API key", `[\w-]{35,38}`, "AQVN"),
		token("elevenlabs-key", "secret API key", `[0-9a-f]{48}`, "sk_"),
		token("cloudflare-origin-key", "Cloudflare Origin CA key", `[0-9a-f]{24}-[0-9a-f]{146}`, "v1.0-"),
		token("alibaba-key", "Alibaba Cloud access key id", `[A-Za-z0-9]{16,22}`, "LTAI"),
		token("adobe-secret", "Adobe client secret", `[A-Za-z0-9]{32}`, "p8e-"),
		token("duffel-token", "Duffel token", `[\w-]{43}`, "duffel_live_", "duffel_test_"),
		token("defined-networking-token", "Defined Networking token", `[a-z0-9]{26}-[a-z0-9]{52}`, "dnkey-"),
		token("frameio-token", "Frame.io token", `[\w=-]{64}`, "fio-u-"),
		token("infracost-key", "Infracost API key", `[A-Za-z0-9]{32}`, "ico-"),
		token("harness-token", "Harness token", `[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}`, "pat.", "sat."),
		token("intra42-secret", "42 client secret", `[0-9a-f]{64}`, "s-s4t2ud-", "s-s4t2af-"),
		{id: "maxmind-key", what: "MaxMind license key", keywords: []string{"_mmk"}, pattern: lazyregexp.New(`[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk`), closed: true, accept: drawn},
		token("octopus-key", "Octopus Deploy API key", `[A-Z0-9]{26}`, "API-"),
		token("openshift-token", "OpenShift token", `[\w-]{43}`, "sha256~"),
		token("readme-key", "ReadMe API key", `[a-z0-9]{70}`, "rdme_"),
		token("scalingo-token", "Scalingo token", `[\w-]{48}`, "tk-us-"),
		token("settlemint-token", "SettleMint token", `[A-Za-z0-9]{16}`, "sm_aat_", "sm_pat_", "sm_sat_"),
		token("typeform-token", "Typeform token", `[\w.=-]{40,60}`, "tfp_"),
		{id: "clickhouse-key", what: "ClickHouse Cloud secret key", keywords: []string{"4b1d"}, pattern: lazyregexp.New(`4b1d[A-Za-z0-9]{38}`), closed: true, accept: drawnByLot},
		token("artifactory-key", "Artifactory reference token", `[A-Za-z0-9]{56}`, "cmVmdGtu"),
		token("yandex-key", "Yandex Cloud IAM token", `[\w-]+={0,2}\.[\w-]{86}={0,2}`, "t1."),
		token("gocardless-token", "GoCardless token", `[\w=-]{40}`, "live_"),
		token("lob-key", "Lob API key", `[0-9a-f]{35}`, "live_", "test_"),
		{id: "beamer-token", what: "Beamer API token", keywords: []string{"b_"}, pattern: lazyregexp.New(`b_[a-z0-9=_-]{44}`), closed: true, accept: func(s string) bool { return drawn(s) && shapeOf(s).digits > 5 && random(s) }},
		{id: "authress-key", what: "Authress access key", keywords: []string{".acc"}, pattern: lazyregexp.New(`(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}`), closed: true, accept: drawn},
		token("gitlab-token", "GitLab runner token", `[\w-]{20,}`, "glrtr-"),
		token("apify-token", "Apify token", `[A-Za-z0-9]{36}`, "apify_api_"),
		token("cerebras-key", "Cerebras API key", `[a-z0-9]{48}`, "csk-"),
		token("voyage-key", "Voyage API key", `[\w-]{43}`, "pa-"),
		token("firecrawl-key", "Firecrawl API key", `[0-9a-f]{32}`, "fc-"),
		token("e2b-key", "E2B API key", `[0-9a-f]{40}`, "e2b_"),
		token("windsurf-key", "Windsurf service key", `[\w-]{40,}`, "sk-ws-"),
		token("runway-key", "Runway API key", `[0-9a-f]{64,128}`, "key_"),
		token("launchdarkly-key", "LaunchDarkly SDK key", `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "sdk-"),
		{id: "password-hash", what: "password hash", keywords: []string{"SHA"}, accept: scattered, pattern: lazyregexp.New(`\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,}={0,2}`)},
		{id: "jwt", what: "JSON Web Token", keywords: []string{"eyJ"}, pattern: lazyregexp.New(`eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}`), closed: true},
		{id: "password-hash", what: "password hash", keywords: []string{"$2", "$5$", "$6$", "$y$", "$argon2", "$apr1$"}, accept: scattered,
			pattern: lazyregexp.New(`\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|[56]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{8,16}\$[./A-Za-z0-9]{43,86}|y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,86})`)},
	}
}

var (
	keyBegin = lazyregexp.New(`-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|PuTTY-User-Key-File-\d: `)
	keyEnd   = lazyregexp.New(`-{4,5} ?END [A-Z0-9 ]{1,60}-{4,5}`)
	keyHead  = lazyregexp.New(`^(?:(?:\\r)?\\n|[\s"',+>|])*(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,80}(?:(?:\\r)?\\n|[\s"',+>|])*){0,6}`)
	keyBody  = lazyregexp.New(`^(?:[A-Za-z0-9+/=]{16,}(?:(?:\\r)?\\n|[\s"',+>|])*)+`)
	keyLine  = lazyregexp.New(`[A-Za-z0-9+/]{16}`)
)

// most is how long a key is at most, in bytes: more than those of RSA with 16,384 bits, in every form.
const most = 20_000

// keyBlocks yields the private keys in armour, with what is written of them: from the first line to the last, or as far as
// the text is a key's. A first line alone is only talk about keys.
func keyBlocks(text string, yield func(raw)) {
	if !strings.Contains(text, "PRIVATE KEY") && !strings.Contains(text, "PuTTY-User-Key-File") {
		return
	}
	begins := keyBegin.FindAllStringIndex(text, -1)
	for i, b := range begins {
		limit := min(len(text), b[1]+most)
		if i+1 < len(begins) {
			limit = min(limit, begins[i+1][0])
		}
		body := text[b[1]:limit]
		end, closes := -1, 0
		if m := keyEnd.FindStringIndex(body); m != nil {
			end, closes = m[0], m[1]
		} else if end = strings.Index(body, "Private-MAC: "); end >= 0 {
			closes = end + len("Private-MAC: ")
			for closes < len(body) && (wordByte(body[closes])) {
				closes++
			}
		}
		if end < 0 || closes <= 0 {
			head := len(keyHead.FindString(body))
			end = head + len(keyBody.FindString(body[head:]))
			closes = end
		}
		if keyLine.MatchString(body[:end]) {
			yield(raw{start: b[0], end: b[1] + closes, id: "private-key", what: "private key", strength: specific})
		}
	}
}

// A seed phrase is twelve to twenty-four words that make no sentence. It is looked for where a text talks of one.
var (
	seedTalk = []string{"mnemonic", "metamask", "backup words", "ledger", "semilla", "seed", "phrase", "recovery", "wallet", "助记词", "助記詞", "ニーモニック", "니모닉", "시드", "фраз", "سحابة", "kurtarma"}
	seedRun  = lazyregexp.New(`\b(?:[a-z]{3,8}(?:, ?| |\n| \d{1,2}[.)] ?)){11,}[a-z]{3,8}\b`)
	// numbered is a phrase as wallets print it.
	numbered = lazyregexp.New(`(?:\b\d{1,2}[.):] ?[a-z]{3,8}[\s,;]{1,4}){11,23}\d{1,2}[.):] ?[a-z]{3,8}\b`)
	// grammar is of words that every sentence has, and no such phrase.
	grammar = lazyregexp.New(`\b(?:the|and|for|with|from|are|was|were|has|had|not|but|our|his|her|its|been|being|which|who|does|did|please|your)\b`)
)

// seedPhrases yields the seed phrases of wallets.
func seedPhrases(s *subject, yield func(raw)) {
	if text := s.text; s.holdsAny(seedTalk, true) {
		for _, p := range []*lazyregexp.Regexp{seedRun, numbered} {
			for _, m := range s.near(p, seedTalk, true, 1200) {
				if len(strings.Fields(text[m[0]:m[1]])) > 2*24+2 || p == seedRun && len(strings.Fields(text[m[0]:m[1]])) > 26 {
					continue // a list of words
				}
				from := max(0, m[0]-120)
				near := strings.ToLower(text[from:min(len(text), m[0]+24)])
				if grammar.MatchString(text[m[0]:m[1]]) || !slices.ContainsFunc(seedTalk, func(w string) bool { return strings.Contains(near, w) }) {
					continue
				}
				yield(raw{start: m[0], end: m[1], id: "seed-phrase", what: "seed phrase of a wallet", strength: specific})
			}
		}
	}
}
