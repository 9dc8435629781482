package secrets

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

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
