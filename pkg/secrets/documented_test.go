package secrets_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/secrets"
)

// A second planted set, written by others than the rules and before looking at them: forms as their issuers document
// them and places as files and commands have them, in memories as agents write them. It is there to be harder than the
// first, so nothing of that is used.

type lot struct{ *rand.Rand }

const (
	az  = "abcdefghijklmnopqrstuvwxyz"
	AZ  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	d10 = "0123456789"
	hx  = "0123456789abcdef"
	an  = az + AZ + d10
	url = an + "-_"
)

func (l lot) s(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[l.IntN(len(set))]
	}
	return string(b)
}

func (l lot) raw(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(l.Uint32())
	}
	return b
}

func (l lot) b64(n int) string { return base64.StdEncoding.EncodeToString(l.raw(n)) }

func (l lot) one(of ...string) string { return of[l.IntN(len(of))] }

func (l lot) uuid() string {
	return l.s(hx, 8) + "-" + l.s(hx, 4) + "-4" + l.s(hx, 3) + "-" + l.s("89ab", 1) + l.s(hx, 3) + "-" + l.s(hx, 12)
}

// pw is a password: of people, of generators, of policies.
func (l lot) pw() string {
	words := []string{"harvest", "Copper", "violet", "Juniper", "anchor", "Meadow", "pilot", "Saffron", "cobalt", "Thunder", "marble", "Otter"}
	w := func() string { return words[l.IntN(len(words))] }
	switch l.IntN(5) {
	case 0:
		return w() + "-" + w() + "-" + l.s(d10, 2)
	case 1:
		return strings.ToUpper(w()[:1]) + w()[1:] + l.s(d10, 4) + l.s("!?$#*", 1)
	case 2:
		return l.s(an, 11) + l.s(d10, 1) + l.s("!_-.", 1) + l.s(az, 3)
	case 3:
		return l.s(an, 15) + l.s(d10, 1)
	}
	return w() + l.s("@!$", 1) + w() + l.s(d10, 2)
}

func (l lot) jwt() string {
	e := base64.RawURLEncoding.EncodeToString
	return e([]byte(`{"typ":"JWT","alg":"RS256","kid":"`+l.s(hx, 8)+`"}`)) + "." + e([]byte(`{"iss":"accounts","exp":1`+l.s(d10, 9)+`,"sub":"`+l.s(d10, 12)+`"}`)) + "." + l.s(url, 86)
}

func (l lot) armour(kind string) string {
	body := l.b64(420)
	var b strings.Builder
	for i := 0; i < len(body); i += 64 {
		b.WriteString(body[i:min(i+64, len(body))] + "\n")
	}
	return "-----BEGIN " + kind + "-----\n" + b.String() + "-----END " + kind + "-----"
}

type documented struct {
	kind  string
	draw  func(l lot) string
	write []string // ways of writing it down, § where it stands; none: of those that say nothing of it
}

func of(prefix, set string, n int) func(lot) string {
	return func(l lot) string { return prefix + l.s(set, n) }
}

func oneOf(all ...func(lot) string) func(lot) string {
	return func(l lot) string { return all[l.IntN(len(all))](l) }
}

func pw(l lot) string { return l.pw() }

// escaped is a password as it stands in an address.
func escaped(l lot) string {
	return strings.NewReplacer("@", "%40", "#", "%23", "?", "%3F").Replace(l.pw())
}

// anywhere says nothing of the secret's kind.
var anywhere = []string{
	"§", "Got a new one from the console: §", "for CI use § (rotates in June)", "old one was revoked, now it's §.", "`§`", "it printed \"§\" and then stopped",
	"export X=§", "- §\n- nothing else", "FOO=\"§\"", "{\"value\": \"§\"}", "see § in the dashboard", "https://api.acme.dev/v2/items?x=§",
}

var documents = []documented{
	{"GitHub classic", oneOf(of("ghp_", an, 36), of("gho_", an, 36), of("ghu_", an, 36), of("ghr_", an, 76)), nil},
	{"GitHub fine-grained", func(l lot) string { return "github_pat_" + l.s(AZ+d10, 22) + "_" + l.s(an, 59) }, nil},
	{"GitHub installation, stateless", func(l lot) string { return "ghs_" + l.s(d10, 7) + "_" + l.jwt() }, nil},
	{"GitLab", oneOf(of("glpat-", url, 20), of("gldt-", url, 20), of("glrt-t1_", url, 20), of("glptt-", hx, 40), of("GR1348941", url, 20), of("glwt-", url, 20)), nil},
	{"GitLab routable", func(l lot) string { return "glpat-" + l.s(url, 27) + ".01." + l.s(az+d10, 9) }, nil},
	{"AWS access key", oneOf(of("AKIA", AZ+"234567", 16), of("ASIA", AZ+"234567", 16)), nil},
	{"AWS secret key", func(l lot) string { return l.b64(30) }, []string{
		"[default]\naws_access_key_id = AKIAQ3EGRIXJ7KZP2MNB\naws_secret_access_key = §", "AWS_SECRET_ACCESS_KEY: §", "aws configure set aws_secret_access_key §",
		"{\"AccessKeyId\":\"x\",\"SecretAccessKey\":\"§\"}", "s3 secret key: §", "aws secret is §"}},
	{"AWS session token", func(l lot) string { return "IQoJb3JpZ2luX2Vj" + l.b64(300) }, []string{"aws_session_token=§", "export AWS_SESSION_TOKEN=\"§\"", "\"SessionToken\": \"§\""}},
	{"Google API key", of("AIza", url, 35), nil},
	{"Google OAuth", oneOf(of("GOCSPX-", url, 28), of("ya29.a0", url, 160), of("1//0", url, 60)), nil},
	{"Google service account", func(l lot) string { return strings.ReplaceAll(l.armour("PRIVATE KEY"), "\n", `\n`) }, []string{`{"type":"service_account","private_key_id":"0a1b","private_key":"§\n"}`}},
	{"Azure storage", func(l lot) string { return l.b64(64) }, []string{"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=§;EndpointSuffix=core.windows.net", "az storage blob list --account-key §", "storage account key: §"}},
	{"Azure service bus", func(l lot) string { return l.b64(32) }, []string{"Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=§", "HostName=hub.azure-devices.net;DeviceId=d1;SharedAccessKey=§"}},
	{"Azure client secret", func(l lot) string { return l.s(an, 3) + "8Q~" + l.s(an+"-_~.", 34) }, nil},
	{"Azure SAS", func(l lot) string { return l.s(an, 41) + "%3D" }, []string{"https://acme.blob.core.windows.net/logs/a.txt?sp=r&st=2026-01-01&se=2026-02-01&spr=https&sv=2024-11-04&sr=b&sig=§"}},
	{"Stripe", oneOf(of("sk_live_51", an, 97), of("rk_live_51", an, 97), of("sk_test_", an, 24), of("whsec_", an, 32)), nil},
	{"Slack", oneOf(
		func(l lot) string { return "xoxb-" + l.s(d10, 12) + "-" + l.s(d10, 13) + "-" + l.s(an, 24) },
		func(l lot) string {
			return "xoxp-" + l.s(d10, 12) + "-" + l.s(d10, 12) + "-" + l.s(d10, 13) + "-" + l.s(hx, 32)
		},
		func(l lot) string { return "xapp-1-A" + l.s(AZ+d10, 10) + "-" + l.s(d10, 13) + "-" + l.s(hx, 64) },
		func(l lot) string { return "xoxe-1-" + l.s(an, 146) }), nil},
	{"Slack webhook", func(l lot) string {
		return "T0" + l.s(AZ+d10, 9) + "/B0" + l.s(AZ+d10, 9) + "/" + l.s(an, 24)
	}, []string{"curl -X POST https://hooks.slack.com/services/§", "alerts go to https://hooks.slack.com/services/§ (channel #ops)"}},
	{"npm", oneOf(of("npm_", an, 36)), nil},
	{"npmrc", oneOf(func(l lot) string { return l.uuid() }, of("", hx, 36)), []string{"//registry.npmjs.org/:_authToken=§", "//npm.acme.dev/:_authToken=\"§\"\nalways-auth=true"}},
	{"npmrc login", func(l lot) string { return base64.StdEncoding.EncodeToString([]byte("ci:" + l.pw())) }, []string{"registry=https://npm.acme.dev\n_auth=§"}},
	{"PyPI", oneOf(of("pypi-AgEIcHlwaS5vcmc", url, 150), of("pypi-AgENdGVzdC5weXBpLm9yZw", url, 150)), nil},
	{"pypirc", pw, []string{"[pypi]\nusername = acme\npassword = §"}},
	{"Twilio", of("", hx, 32), []string{"TWILIO_AUTH_TOKEN=§", "twilio auth token: §", "curl -u AC0123456789abcdef0123456789abcde1:§ https://api.twilio.com"}},
	{"SendGrid", func(l lot) string { return "SG." + l.s(url, 22) + "." + l.s(url, 43) }, nil},
	{"Mailgun", oneOf(of("key-", hx, 32), func(l lot) string { return l.s(hx, 32) + "-" + l.s(hx, 8) + "-" + l.s(hx, 8) }), []string{"MAILGUN_API_KEY=§", "curl --user 'api:§' https://api.mailgun.net/v3/acme/messages", "mailgun key is §"}},
	{"Mailchimp", func(l lot) string { return l.s(hx, 32) + "-us" + l.s("123456789", 1) }, nil},
	{"Heroku", oneOf(func(l lot) string { return "HRKU-AA" + l.s(url, 58) }), nil},
	{"Heroku, by name", func(l lot) string { return l.uuid() }, []string{"HEROKU_API_KEY=§", "heroku_api_key: \"§\"", "machine api.heroku.com\n  login ops@acme.dev\n  password §"}},
	{"DigitalOcean", oneOf(of("dop_v1_", hx, 64), of("doo_v1_", hx, 64)), nil},
	{"Shopify", oneOf(of("shpat_", hx, 32), of("shpss_", hx, 32)), nil},
	{"OpenAI", oneOf(func(l lot) string { return "sk-" + l.s(an, 20) + "T3BlbkFJ" + l.s(an, 20) }, func(l lot) string { return "sk-proj-" + l.s(url, 74) + "T3BlbkFJ" + l.s(url, 74) }, of("sk-svcacct-", url, 120)), nil},
	{"Anthropic", oneOf(func(l lot) string { return "sk-ant-api03-" + l.s(url, 93) + "AA" }, func(l lot) string { return "sk-ant-oat01-" + l.s(url, 93) + "AA" }, func(l lot) string { return "sk-ant-admin01-" + l.s(url, 93) + "AA" }), nil},
	{"Hugging Face", of("hf_", az+AZ, 34), nil},
	{"other models", oneOf(of("gsk_", an, 52), of("xai-", an, 80), of("pplx-", an, 48), of("r8_", an, 37), of("sk-or-v1-", hx, 64), func(l lot) string { return "sk-lf-" + l.uuid() }, of("nvapi-", url, 64), of("tvly-dev-", an, 32), of("fw_", an, 24), of("tgp_v1_", url, 43), of("jina_", hx, 60)), nil},
	{"Cloudflare", oneOf(of("cfut_", an, 48), of("cfat_", an, 48), of("cfk_", an, 48)), nil},
	{"Cloudflare, by name", of("", url, 40), []string{"CLOUDFLARE_API_TOKEN=§", "cf api token: §", "curl -H \"Authorization: Bearer §\" https://api.cloudflare.com/client/v4/user"}},
	{"JWT", func(l lot) string { return l.jwt() }, nil},
	{"PEM", func(l lot) string {
		return l.armour(l.one("RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "DSA PRIVATE KEY"))
	}, []string{"§", "tls.key:\n§\n", "The key of the ingress:\n```\n§\n```"}},
	{"SSH and PGP", func(l lot) string { return l.armour(l.one("OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK")) }, []string{"§", "cat ~/.ssh/id_ed25519\n§\nok"}},
	{"age", func(l lot) string { return "AGE-SECRET-KEY-1" + l.s("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58) }, nil},
	{"database URL", escaped, []string{
		"DATABASE_URL=postgres://shop:§@db.acme.internal:5432/shop?sslmode=require", "mysql://root:§@10.1.2.3/shop", "mongodb+srv://app:§@c0.x7y8z.mongodb.net/?retryWrites=true",
		"redis://default:§@cache:6379/0", "rediss://:§@cache:6380", "amqps://mq:§@mq.acme.dev/vhost", "sqlalchemy.url = postgresql+psycopg2://app:§@db/x", "mssql+pyodbc://sa:§@db/x?driver=ODBC",
		"clickhouse://default:§@ch:9000/logs", "snowflake://loader:§@ab12345/RAW", "bolt://neo4j:§@graph:7687", "cockroachdb://r:§@crdb:26257/d", "nats://svc:§@nats:4222", "ldap://cn=admin:§@ldap", "jdbc:postgresql://app:§@db/x"}},
	{"connection string", pw, []string{
		"Server=db;Database=shop;User Id=sa;Password=§;TrustServerCertificate=True", "Host=db;Username=app;Password=§;Database=shop", "jdbc:sqlserver://db:1433;databaseName=x;user=sa;password=§;encrypt=true",
		"jdbc:mysql://db/x?user=app&password=§", "host=db port=5432 user=app password=§ dbname=shop", "DRIVER={ODBC Driver 18};SERVER=db;UID=sa;PWD=§", "psql \"host=db user=app password=§\"",
		"sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"k\" password=\"§\";"}},
	{"URL login", func(l lot) string { return l.s(an, 14) + l.s(d10, 2) }, []string{"https://ops:§@grafana.acme.dev/d/1", "http_proxy=http://jo:§@proxy:3128", "git remote add x https://ci:§@git.acme.dev/a.git", "ftp://backup:§@nas/", "smtp://mailer:§@smtp.acme.dev:587"}},
	{"prose", pw, []string{
		"The password is §.", "the password for the wiki is §", "Password for jo@acme.dev is § — ask before changing it", "I set the db password to §.", "new admin password: §", "use password § for the demo account",
		"The staging login is demo / §", "Credentials are admin:§", "root password = §", "its password was changed to § on Monday", "wifi pw: §", "Login: jo@acme.dev, password: §",
		"username admin and password §", "The passphrase of the key is `§`", "VPN pass: §", "pwd is §", "User: jo\nPass: §", "The password is \"§\" (no quotes)", "sign in with admin and §", "Password\n§"}},
	{"prose, key", func(l lot) string { return l.s(an, 31) + l.s(d10, 1) }, []string{
		"The API key is §.", "api key for maps: §", "our Datadog key is §", "Use this token: §", "the bearer token is §", "secret key = §", "Here's the access token for staging: `§`", "client secret: §", "token -> §", "key for the weather API: §"}},
	{".env", oneOf(pw, of("", an, 32), of("", hx, 48)), []string{
		"DB_PASSWORD=§", "POSTGRES_PASSWORD=\"§\"", "export ADMIN_PASSWORD='§'", "JWT_SECRET=§", "REDIS_PASSWORD=§\nREDIS_PORT=6379", "SMTP_PASS=§", "ROOT_PW=§", "set DB_PASS=§", "$env:DB_PASSWORD = \"§\"", "ENV MYSQL_ROOT_PASSWORD §",
		"ENV MYSQL_ROOT_PASSWORD=§", "docker run -e POSTGRES_PASSWORD=§ postgres", "setx DB_PASSWORD §", "ARG TOKEN_SECRET=§"}},
	{".env, drawn", oneOf(of("", an, 40), of("", hx, 32)), []string{
		"DD_API_KEY=§", "SECRET_KEY=§", "APP_SECRET=§", "NEXTAUTH_SECRET=§", "ALGOLIA_ADMIN_KEY=§", "SENTRY_AUTH_TOKEN=§", "WANDB_API_KEY=§", "MASTER_KEY=§", "COHERE_API_KEY=§", "RAILS_MASTER_KEY=§", "SLACK_SIGNING_SECRET=§", "CI_JOB_TOKEN=§", "APP_KEY=base64:§="}},
	{"YAML", oneOf(pw, of("", an, 32)), []string{
		"db:\n  user: app\n  password: §", "spring:\n  datasource:\n    password: \"§\"", "auth:\n  clientSecret: §\n", "env:\n  - name: ADMIN_PASSWORD\n    value: §", "env:\n- name: API_SECRET\n  value: \"§\"\n", "redis: {host: r, password: §}", "environment:\n  - MYSQL_PASSWORD=§", "users:\n- name: ci\n  user:\n    password: §\n    username: ci"}},
	{"JSON", oneOf(pw, of("", an, 32)), []string{
		`{"user":"sa","password":"§"}`, `{"smtp":{"auth":{"user":"x","pass":"§"}}}`, `{ "clientSecret" : "§" }`, `{\"password\":\"§\"}`, `{"name":"DB_PASSWORD","value":"§"}`, `{"db_password":"§"}`, `"ConnectionStrings":{"x":"Server=d;User=u;Password=§;"}`}},
	{"TOML, INI, XML, HCL", oneOf(pw, of("", an, 32)), []string{
		"[client]\nuser=root\npassword=§", "password = \"§\"", "<password>§</password>", "<add key=\"SmtpPassword\" value=\"§\"/>", "variable \"db_password\" {\n  default = \"§\"\n}", "db_password = \"§\" # tfvars", "[remote]\ntype = sftp\npass = §", "spring.datasource.password=§", "<entry key=\"password\">§</entry>"}},
	{"code", oneOf(pw, of("", an, 32)), []string{
		"const password = '§';", "password := \"§\"", "DB_PASSWORD: str = \"§\"", "define('DB_PASSWORD', '§');", "private static final String PASSWORD = \"§\";", "mysql.connect(host='db', user='root', password='§')", "client.login(\"jo\", password=\"§\")", "os.environ['DB_PASSWORD'] = '§'",
		"$password = '§';", "let secret = \"§\";", "'password' => '§',", "conn = pymysql.connect(host=\"db\", passwd=\"§\")", "auth=HTTPBasicAuth('jo', '§')", "process.env.DB_PASSWORD = \"§\""}},
	{"curl", pw, []string{"curl -u jo:§ https://ci.acme.dev/job/x", "curl -sS --user 'jo:§' https://x.acme.dev", "curl -X POST -u \"jo:§\" -d @f https://x.acme.dev", "wget --user=jo --password=§ https://x.acme.dev/f"}},
	{"bearer", func(l lot) string { return l.s(an, 39) + l.s(d10, 1) }, []string{"curl -H \"Authorization: Bearer §\" https://x.acme.dev", "Authorization: Bearer §", "headers = {'Authorization': 'Bearer §'}", "-H 'X-Api-Key: §'", "Authorization: token §", "PRIVATE-TOKEN: §", "'x-auth-token': '§'", "Authorization: ApiKey §", "Cookie: session=§", "X-Vault-Token: §"}},
	{"basic auth", func(l lot) string { return base64.StdEncoding.EncodeToString([]byte("jo:" + l.pw())) }, []string{"Authorization: Basic §", "headers: {Authorization: 'Basic §'}", "git config http.extraheader \"AUTHORIZATION: basic §\""}},
	{"kubeconfig", oneOf(func(l lot) string { return base64.StdEncoding.EncodeToString([]byte(l.armour("RSA PRIVATE KEY"))) }), []string{"users:\n- name: admin\n  user:\n    client-certificate-data: LS0tLS1CRUdJTg==\n    client-key-data: §", "    client-key-data: \"§\""}},
	{"kubeconfig token", oneOf(func(l lot) string { return l.jwt() }, func(l lot) string { return "k8s-aws-v1." + l.s(url, 80) }, func(l lot) string { return "sha256~" + l.s(url, 43) }), []string{"users:\n- name: ci\n  user:\n    token: §", "oc login --token=§ --server=https://api.acme.dev:6443", "kubectl --token=§ get pods"}},
	{"kubectl secret", pw, []string{"kubectl create secret generic db --from-literal=password=§", "helm upgrade x ./x --set auth.password=§", "apiVersion: v1\nkind: Secret\nstringData:\n  password: §"}},
	{"docker config", func(l lot) string { return base64.StdEncoding.EncodeToString([]byte("acme:" + l.pw())) }, []string{`{"auths":{"ghcr.io":{"auth":"§"}}}`, "{\n\t\"auths\": {\n\t\t\"https://index.docker.io/v1/\": {\n\t\t\t\"auth\": \"§\"\n\t\t}\n\t}\n}"}},
	{"netrc", pw, []string{"machine git.acme.dev login jo password §", "machine git.acme.dev\n  login jo\n  password §", "default login anonymous password §"}},
	{"pgpass", pw, []string{"db.acme.dev:5432:*:app:§", "localhost:5432:shop:shop:§", "*:*:*:postgres:§"}},
	{"git credentials", oneOf(of("", an, 40), escaped), []string{"https://jo:§@github.com", "https://jo%40acme.dev:§@git.acme.dev"}},
	{"command line", pw, []string{
		"mysql -uroot -p§ shop", "mysqldump --user=root --password=§ shop", "PGPASSWORD=§ psql -h db", "sshpass -p § ssh jo@host", "redis-cli -h c -a § ping", "mongosh --username a --password § db", "docker login -u jo -p § reg.acme.dev",
		"ldapsearch -D cn=admin -w § -b dc=acme", "smbclient //nas/x -U jo%§", "openssl rsa -passin pass:§ -in k.pem", "htpasswd -b .htpasswd jo §", "net use Z: \\\\nas\\x § /user:jo", "sqlcmd -S db -U sa -P §", "az login --username jo --password §", "echo '§' | sudo -S ls", "echo \"jo:§\" | chpasswd", "unzip -P § a.zip", "rabbitmqctl add_user jo §", "gpg --batch --passphrase § -d f.gpg", "CREATE USER app WITH PASSWORD '§';", "ALTER USER app IDENTIFIED BY '§';", "ansible-playbook x.yml -e ansible_password=§", "curl 'https://x.acme.dev/login?user=jo&password=§'"}},
	{"password hash", oneOf(func(l lot) string { return "$2y$10$" + l.s(an+"./", 53) }, func(l lot) string { return "$6$" + l.s(an, 8) + "$" + l.s(an+"./", 86) }, func(l lot) string {
		return "$argon2id$v=19$m=65536,t=3,p=4$" + strings.TrimRight(l.b64(16), "=") + "$" + strings.TrimRight(l.b64(32), "=")
	}), nil},
	{"Telegram", func(l lot) string { return l.s("123456789", 10) + ":AA" + l.s(url, 33) }, nil},
	{"Discord", func(l lot) string { return "MT" + l.s(an, 24) + "." + l.s(url, 6) + "." + l.s(url, 38) }, nil},
	{"Discord webhook", func(l lot) string { return l.s(d10, 19) + "/" + l.s(url, 68) }, []string{"https://discord.com/api/webhooks/§"}},
	{"Vault", oneOf(of("hvs.CAESI", url, 90), of("hvb.", url, 90)), nil},
	{"Terraform", func(l lot) string { return l.s(an, 14) + ".atlasv1." + l.s(an, 67) }, nil},
	{"Databricks", of("dapi", hx, 32), nil},
	{"Grafana", oneOf(func(l lot) string { return "glsa_" + l.s(an, 32) + "_" + l.s(hx, 8) }, func(l lot) string { return "glc_eyJvIjoi" + strings.TrimRight(l.b64(60), "=") }), nil},
	{"monitoring", oneOf(of("NRAK-", AZ+d10, 27), func(l lot) string { return "sntrys_eyJpYXQi" + l.s(an, 120) }, of("sqp_", hx, 40), of("squ_", hx, 40), of("phx_", an, 43)), nil},
	{"office", oneOf(of("lin_api_", an, 40), func(l lot) string { return "ntn_" + l.s(d10, 11) + l.s(an, 35) }, func(l lot) string { return "pat" + l.s(an, 14) + "." + l.s(hx, 64) }, of("figd_", url, 40), func(l lot) string { return "PMAK-" + l.s(hx, 24) + "-" + l.s(hx, 34) }, func(l lot) string { return "ATATT3xFfGF0" + l.s(url, 170) + "=" + l.s("0123456789ABCDEF", 8) }), nil},
	{"deployment", oneOf(of("nfp_", an, 36), of("dckr_pat_", url, 27), of("pul-", hx, 40), of("sbp_", hx, 40), of("rnd_", an, 28), func(l lot) string { return "dp.pt." + l.s(an, 43) }, of("pscale_tkn_", url, 43), of("lin_oauth_", hx, 64), of("rubygems_", hx, 48), of("cio", an, 32)), nil},
	{"payment", oneOf(of("EAAAE", url, 59), func(l lot) string { return "access_token$production$" + l.s(az+d10, 16) + "$" + l.s(hx, 32) }, of("shippo_live_", hx, 40), func(l lot) string { return "access-production-" + l.uuid() }, of("FLWSECK-", hx, 32)), nil},
	{"WireGuard", func(l lot) string { return l.b64(32) }, []string{"[Interface]\nPrivateKey = §\nAddress = 10.0.0.2/24", "[Peer]\nPresharedKey = §"}},
	{"more places of passwords", pw, []string{
		"ssh deploy@10.2.3.4 (pw: §)", "I logged into the router with admin/§", "db creds -> user: app, pass: §", "my password: §", "PW=§", "The root pw is §", "pass=§", "MYSQL_PWD=§ mysqldump x", "  password = '§'", "passphrase: §", "`export PGPASSWORD=§`", "Password for the service account: §", "The temp password is § (expires tomorrow)", "password123 no longer works, it is now password=§", "ADMIN_PASS: \"§\"", "ansible_ssh_pass=§", "ftp ftp://u:§@host/", "--set mysql.rootPassword=§", "-Dspring.datasource.password=§", "mongodb://root:§@mongo:27017", "\"pwd\": \"§\"", "{'user': 'x', 'password': '§'}", "connect sys/§@orcl as sysdba", "rclone: pass = §", "LDAP bind password: §", "proxy: http://svc:§@proxy.corp:8080", "keystore.password=§", "storePassword '§'", "keyPassword=\"§\"", "<Password>§</Password>", "Password:§", "user=app;pwd=§;", "db_pass := \"§\"", "$dbpass = \"§\";", "const PASS = \"§\"", "new Credentials(\"bob\",  \"§\")", "basicAuth('bob','§')", "the vault passphrase was §", "reset his password to §", "the password (for root) is §"}},
	{"more places of tokens", func(l lot) string { return l.s(an, 35) + l.s(d10, 1) }, []string{
		"STRIPE_SECRET=§", "token: §", "Token: §", "x-api-key: §", "?api_key=§", "\"access_token\":\"§\"", "DATADOG_API_KEY: §", "bearer §", "Authorization=Bearer §", "apikey=§", "API key is `§`", "export GH_TOKEN=§", "secret_key_base: §", "FASTLY_API_TOKEN=§", "const apiKey = \"§\"", "api_key='§'", "openai.api_key = \"§\"", "client = Client(token=\"§\")", "new OpenAI({ apiKey: '§' })", "--api-key §", "-H 'Authorization: Token §'", "set-cookie: sid=§; HttpOnly", "signing key: §", "SESSION_KEY=§", "the session token is §", "auth token = §", "http://x.dev/cb?code=§&state=1", "webhook secret: §", "jwt secret is §", "encryption key: §", "access key: §", "license key: §", "hmac_secret: §", "TF_VAR_api_token=§"}},
	{"seed phrase", func(l lot) string {
		words := strings.Fields("abandon ability crane dinosaur eternal fossil garment hollow island jungle kitten ladder mango nephew orbit puzzle quantum ribbon salmon turtle velvet walnut yellow zebra")
		l.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Join(words[:12], " ")
	}, []string{"seed phrase: §", "The recovery phrase is: §", "mnemonic = \"§\""}},
}

// memory is a record as agents write it, with a text in one of its places, and the field that is.
func (l lot) memory(text string) (record []byte, err error) {
	before := l.one("", "", "Session notes. ", "## Deploy\n\nWe moved to the new cluster on Tuesday; the old one stays until June.\n\n", "- checked the queue (42 jobs)\n- ")
	after := l.one("", "", "\n\nNext: update the runbook.", "\n- restart the worker afterwards")
	whole := before + text + after
	m := map[string]any{
		"id": "mem_" + l.s(az+d10, 12), "type": "semantic", "created_by": "DEV-001", "created_at": "2026-03-01T09:00:00Z", "tags": []string{"deploy", "notes"},
		"content": map[string]any{"title": "Deployment notes", "summary": "How the service is deployed", "details": "See below."}, "metadata": map[string]any{"commit": l.s(hx, 40), "run": l.uuid()},
	}
	content := m["content"].(map[string]any)
	switch l.IntN(7) {
	case 0:
		m["content"] = whole
	case 1:
		content["title"] = text
	case 2:
		m["tags"] = []string{"deploy", text}
	case 3:
		m["metadata"] = map[string]any{"source": map[string]any{"notes": []any{map[string]any{"line": 3, "said": whole}}}}
	case 4:
		content["steps"] = []string{"build", whole, "check"}
	case 5:
		content["timeline"] = []map[string]string{{"at": "2026-03-01", "event": whole}}
	default:
		content["details"] = whole
	}
	return json.Marshal(m)
}

func (d documented) in(l lot) (text, secret string) {
	secret = d.draw(l)
	write := d.write
	if write == nil {
		write = anywhere
	}
	return strings.Replace(write[l.IntN(len(write))], "§", secret, 1), secret
}

// Of the documented secrets in memories at least 95 % are found whole, and of each kind at least 80 %; what is left of
// the record after redaction holds none of them.
func TestDocumented(t *testing.T) {
	l := lot{rand.New(rand.NewPCG(2026, 11))}
	rules := secrets.Default()
	const each = 140
	all, found := 0, 0
	for _, d := range documents {
		n, missed := 0, map[string]int{}
		for range each {
			text, secret := d.in(l)
			record, err := l.memory(text)
			if err != nil {
				t.Fatal(err)
			}
			quoted, err := json.Marshal(secret)
			if err != nil {
				t.Fatal(err)
			}
			clean, _ := rules.RedactRecord(record)
			if !strings.Contains(string(clean), string(quoted[1:len(quoted)-1])) && partsLeft(string(clean), secret) == "" {
				n++
				continue
			}
			missed[text]++
		}
		all, found = all+each, found+n
		if n < each {
			lines := ""
			for text := range missed {
				lines += fmt.Sprintf("\n\t%.160q", text)
			}
			report := t.Logf
			if n*100 < each*80 {
				report = t.Errorf
			}
			report("%s: %d of %d found; not%s", d.kind, n, each, lines)
		}
	}
	t.Logf("%d of %d found, %d kinds", found, all, len(documents))
	if found*100 < all*95 {
		t.Errorf("%d of %d found: less than 95 %%", found, all)
	}
}

// partsLeft is a part of a secret of one word, a third of it or 12 characters, that still stands in a text.
func partsLeft(text, secret string) string {
	if strings.ContainsAny(secret, " \n") {
		return ""
	}
	n := max(12, len(secret)/3)
	for i := max(0, len(secret)/4); i+n <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+n]) {
			return secret[i : i+n]
		}
	}
	return ""
}
