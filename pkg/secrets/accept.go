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
