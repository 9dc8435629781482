package briefing

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"unicode/utf16"

	"github.com/memoryd/memoryd/pkg/tokens"
)

// page is a context block that is being filled.
type page struct {
	Request
	left    size // of the budget; an estimate, since the sizes of pieces are added up
	entries []entry
	cut     []Cut
	misses  int // memories in a row that didn't fit
}

// size is how long a text is.
type size struct{ tokens, chars int }

func sizeOf(text string) size { return size{tokens.Estimate(text), chars(text)} }

// chars counts as JavaScript does, and hosts with it.
func chars(text string) (n int) {
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

func (s size) fits(r Request) bool {
	return s.tokens <= r.Tokens && (r.Chars == 0 || s.chars <= r.Chars)
}

func (s size) minus(o size) size { return size{s.tokens - o.tokens, s.chars - o.chars} }

// enough is how many memories in a row may not fit before the others are not tried.
const enough = 50

// budgetLeft is the budget without the frame around the memories.
func budgetLeft(r Request) size {
	whole := size{r.Tokens, r.Chars}
	if r.Chars == 0 {
		whole.chars = 1 << 40
	}
	return whole.minus(sizeOf(r.embedded(r.Format.render(r, nil))))
}

func (r Request) embedded(block string) string {
	if r.Embed == nil {
		return block
	}
	return r.Embed(block)
}

// add puts a memory on the page, in full or shortened, if it fits.
func (p *page) add(e entry) bool {
	for _, limit := range []int{longText, shortText} {
		text := e.shortened(limit)
		left := p.left.minus(sizeOf(p.Format.entry(text)))
		if !p.headed(&text) {
			left = left.minus(sizeOf(p.Format.heading(text.scope)))
		}
		if left.tokens >= 0 && left.chars >= 0 {
			p.left, p.misses = left, 0
			p.entries = append(p.entries, text)
			return true
		}
	}
	p.misses++
	return false
}

// headed reports whether the heading above an entry stands: pinned ones come before the others, with headings of their own.
func (p *page) headed(e *entry) bool {
	return slices.ContainsFunc(p.entries, func(o entry) bool { return o.scope == e.scope && o.pinned == e.pinned })
}

// block writes the page. If it is longer than its parts were together, the memories that
// came last are left out.
func (p *page) block() Block {
	for len(p.entries) > 0 || p.Notice != "" {
		text := p.Format.render(p.Request, p.entries)
		if s := sizeOf(p.embedded(text)); s.fits(p.Request) {
			b := Block{Text: text, Version: version(p.entries), Tokens: s.tokens, Chars: s.chars, Cut: p.cut}
			for _, e := range p.entries {
				b.Given = append(b.Given, Given{e.id, e.tier, e.score, e.relevance, e.cut})
			}
			return b
		}
		if len(p.entries) == 0 {
			break
		}
		last := p.entries[len(p.entries)-1]
		p.entries = p.entries[:len(p.entries)-1]
		p.cut = append(p.cut, Cut{last.id, NoRoom})
	}
	return Block{Cut: p.cut}
}

// version identifies what a block says, in the order in which it says it.
func version(entries []entry) string {
	h := sha256.New()
	for _, e := range sorted(entries) {
		fmt.Fprintf(h, "%q %q %q %s\n", e.scope, e.id, e.says(), e.date())
		if e.copies != "" {
			fmt.Fprintf(h, "also %q\n", e.copies)
		}
		if e.origin != "" {
			fmt.Fprintf(h, "origin %q\n", e.origin)
		}
		if e.edges != "" {
			fmt.Fprintf(h, "edges %q\n", e.edges)
		}
		if also := e.wordings(); also != "" {
			fmt.Fprintf(h, "wordings %q\n", also)
		}
		if e.outdated != "" {
			fmt.Fprintf(h, "outdated %q\n", e.outdated)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}
