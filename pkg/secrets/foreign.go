package secrets

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// announced are the names of passwords and tokens that hold other letters than English does, by their stems.
var announced = []struct {
	kind  kind
	stems []string
}{
	{aPassword, []string{"contraseña", "palavra-passe", "lösenord", "hasło", "hasła", "hasłem", "haśle", "přístupové heslo", "jelszó", "slaptažod", "parolă", "parolă", "şifre", "mật khẩu", "пароль", "пароля", "паролі", "паролем", "парола", "лозинка", "гасло", "κωδικός", "סיסמה", "סיסמא",
		"كلمة المرور", "كلمة السر", "كلمه", "رمز عبور", "گذرواژه", "पासवर्ड", "পাসওয়ার্ড", "கடவுச்சொல்", "รหัสผ่าน", "密码", "密碼", "口令", "パスワード", "暗証番号", "パスフレーズ", "비밀번호", "비번", "암호", "암호문"}},
	{aToken, []string{"токен", "секрет", "令牌", "密钥", "密鑰", "秘钥", "トークン", "シークレット", "秘密鍵", "토큰", "시크릿", "टोकन", "رمز الوصول", "jeton d’", "clé secrète", "clé d'accès", "clé api", "clé d'api", "clé privée"}},
	{maybeToken, []string{"ключ", "clé", "schlüssel", "klíč", "キー", "키", "कुंजी", "مفتاح", "κλειδί", "מפתח"}},
}

// private matches a text whose last word says that the key behind it is a secret one.
var private = lazyregexp.New(`(?:priv|secret|geheim|секрет|приват|закрыт)\pL* $`)

// foreign yields the secrets behind the names of other languages.
func foreign(s *subject, yield func(raw)) {
	text := s.text
	if !slices.ContainsFunc([]byte(text), func(b byte) bool { return b >= 0x80 }) {
		return
	}
	folded := s.folded()
	if len(folded) != len(text) {
		folded = text // rare letters that are shorter in the other case: places would be lost
	}
	for _, a := range announced {
		for _, stem := range a.stems {
			if !s.holds(stem, true) {
				continue
			}
			for at := 0; ; {
				i := strings.Index(folded[at:], stem)
				if i < 0 {
					break
				}
				at += i + len(stem)
				end := at
				for end < len(text) && end < at+24 && text[end] >= 0x80 && !strings.HasPrefix(text[end:], "：") {
					end++ // endings, and what else is written without a space
				}
				k := a.kind
				if before := folded[max(0, at-len(stem)-60) : at-len(stem)]; k == maybeToken && (strings.Contains(before, "wlan") || strings.Contains(before, "wifi") || strings.Contains(before, "wi-fi")) {
					k = aPassword
				} else if private.MatchString(before) {
					k = aToken
				}
				if v := valueBehind(text, at-len(stem), end); v.sure && v.start < v.end && v.secret(text[v.start:v.end], k) {
					yield(v.raw(k))
				} else if c, ok := spoken(text, at, k); ok {
					yield(value{start: c.start, end: c.end}.raw(k))
				}
			}
		}
	}
}

// logins are what people write, in a dozen languages, in front of a login: "name / password".
var logins = []string{"login", "log in", "logged in", "signin", "sign in", "cred", "zugang", "anmeld", "einlogg", "connecter", "connexion", "identifiant", "entrar", "acceder", "acceso", "credencia", "iniciar sesi", "accedi", "accesso", "credenziali",
	"acessar", "inlog", "logga in", "zalog", "dane logowania", "přihl", "giriş", "вход", "войти", "заходить", "логин", "логін", "доступ", "увійти", "учет", "登录", "登錄", "账号", "帳號", "ログイン", "로그인", "계정", "아이디", "تسجيل", "دخول", "लॉगिन"}

var pair = lazyregexp.New(`^[^\n/]{0,60}?[\s:(\x60"'«]([\w.@+-]{2,40})["'\x60]?(?: ?/ ?["'\x60]?| : |:)([^\s"'\x60,;/]{6,64})`)

// pairs yields the passwords that are next to the name of who logs in.
func pairs(s *subject, yield func(raw)) {
	text := s.text
	folded := s.folded()
	if len(folded) != len(text) {
		folded = text
	}
	for _, word := range logins {
		if !s.holds(word, true) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(folded[at:], word)
			if i < 0 {
				break
			}
			at += i + len(word)
			m := pair.FindStringSubmatchIndex(text[at:min(len(text), at+200)])
			if m == nil {
				continue
			}
			if start, end := at+m[4], at+m[5]; password(text[start:end], candidate{last: true}) {
				yield(raw{start: start, end: end, id: "login-password", what: "password beside a login", strength: specific})
			}
		}
	}
}
