package secrets

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// hostile are texts, repeated, that make a careless search look at the same bytes again and again.
var hostile = []string{
	"-----BEGIN PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA", "PuTTY-User-Key-File-2: ", "eyJ", "eyJaaaaaaaaaa.eyJaaaaaaaaaa.", "password ", "password for ",
	"password=", "password=\"", "password: '\\", "token_", "-", ".", "a.", "a-b_", "://", "a://b:", "a://", "postgres://u:p@", "login a password ", "curl -u a:", "mysql ", "docker login ", "Basic ",
	"Bearer aaaaaaaaaaaaaaaaaaaaaaaa ", "AKIAAAAAAAAAAAAAAAAAAAAA ", "a:1:b:c:d\n", "\"", "\\", "{\"a\":", "[", "sk-ant-", "$2a$10$", ".atlasv1.", "aaaaaaaaaaaaaa.atlasv1.", "MTIzMTIzMTIzMTIzMTIzMTIz.abcdef.", "ghp_",
	"name: password\n value: ", "password (", "**password**: ", "https://aaaaaaaaaaaaaaaaaaaaaaaa", "x@", "| password | x |\n", "password,x\n", "login a / b ", "login ", "пароль ", "пароль: ", "密码是", "# token ", "\"aaaaaaaaaaaaaaaaaaaaaaaa\" as the token ",
	"seed word ", "mnemonic 1. word ", "\\n\\\"", "backup codes\nabcd-1234\n", "login('a', ", "-u a -p ", "curl -b a=", "[1,", "eval(login(login(", "s.", "kty \"d\":\"", "echo aaaaaaaaaaaaaaaa", "jsonpath={.data.a}\n", "INSERT INTO a (b) VALUES (", "key-", "secret: ${", "Q~", "3dQ~",
}

// BenchmarkHostile reads 256 KB of each.
func BenchmarkHostile(b *testing.B) {
	for _, part := range hostile {
		text := strings.Repeat(part, (256<<10)/len(part))
		name, err := json.Marshal(part)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(name), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Default().Find(text)
				Default().FindRecord([]byte(text))
			}
		})
	}
}

// BenchmarkRecord reads a memory of 2 KB in which there is nothing to find.
func BenchmarkRecord(b *testing.B) {
	m := maker{rand.New(rand.NewPCG(12, 12))}
	var words []string
	for range 300 {
		words = append(words, m.of(lower, 2+m.IntN(8)))
	}
	record, err := json.Marshal(map[string]any{"id": "mem_1", "type": "semantic", "tags": []string{"a", "b"}, "content": map[string]any{"summary": "notes", "details": strings.Join(words, " ")}})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(record)))
	for b.Loop() {
		if len(Default().FindRecord(record)) > 0 {
			b.Fatal("found something")
		}
	}
}
