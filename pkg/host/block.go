package host

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// A block of ours in a text file, such as CLAUDE.md, stands between two lines:
//
//	<!-- memory-context begin version=8e309fb8 sum=0f3a91c2 -->
//	<!-- memory-context end -->
//
// version identifies what it says, sum the bytes between the lines.
var (
	beginLine = lazyregexp.New(`^[ \t]*<!-- memory-context begin\b([^\r\n]*?)-->[ \t]*$`)
	endLine   = lazyregexp.New(`^[ \t]*<!-- memory-context end -->[ \t]*$`)
	attribute = lazyregexp.New(`\b(version|sum)=([0-9a-f]+)\b`)
)

// maxText bounds the files that blocks are put into.
const maxText = 16 << 20

// PutBlock makes block the one block of ours in a text file, and changes no byte outside
// of it; nil stands for a file that doesn't exist, an empty block for none. A block that
// is there is replaced where it stands, of several the first, and the others go; a new
// one goes to the end, behind an empty line. One that says the same already, untouched,
// stays as it is. A line of ours that has lost its partner goes alone: what was behind it
// may be somebody's.
//
// block begins and ends with the two lines. Its line ends become those of the file. A
// file that is not a text in UTF-8 or in a code of single bytes is refused.
func PutBlock(doc []byte, block string) ([]byte, error) {
	switch {
	case len(doc) > maxText:
		return nil, errors.New("the file is larger than 16 MiB")
	case bytes.IndexByte(doc, 0) >= 0:
		return nil, errors.New("the file is not text: it holds zero bytes")
	}
	marks := findMarks(doc)
	if block == "" {
		return withoutBlocks(doc, marks), nil
	}
	version, _ := splitBlock(strings.TrimRight(block, "\n"))
	block = BlockIn(doc, block)
	whole := wholeBlocks(marks)
	if len(marks) == 2 && len(whole) == 1 {
		old := string(bytes.ReplaceAll(doc[whole[0].start:whole[0].end], []byte("\r\n"), []byte("\n")))
		if v, body := splitBlock(old); v == version && blockAttribute(old, "sum") == blockSum(body) {
			return doc, nil
		}
	}
	if len(whole) == 0 {
		doc = withoutBlocks(doc, marks)
		return append(append(bytes.Clone(doc), gapBehind(doc)...), block+lineEnd(doc)...), nil
	}
	first := whole[0]
	rest := append([]mark{}, marks...)
	for i := range rest { // all go but the first whole block, which is replaced
		if rest[i].start == first.start {
			rest = append(rest[:i], rest[i+2:]...)
			break
		}
	}
	var before, after []mark
	for _, m := range rest {
		if m.start < first.start {
			before = append(before, m)
		} else {
			after = append(after, shifted(m, first.end))
		}
	}
	out := withoutBlocks(doc[:first.start], before)
	out = append(bytes.Clone(out), block...)
	return append(out, withoutBlocks(doc[first.end:], after)...), nil
}

// BlockIn is a block as PutBlock writes it into a text file: with its sum, and the line
// ends of the file.
func BlockIn(doc []byte, block string) string {
	block = strings.TrimRight(block, "\n")
	version, body := splitBlock(block)
	block = strings.Replace(block, "version="+version, "version="+version+" sum="+blockSum(body), 1)
	if crlf(doc) {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	return block
}

// mark is a line of ours: from start up to its line end, which begins at end.
type mark struct {
	start, end int
	begin      bool
}

func shifted(m mark, by int) mark { return mark{m.start - by, m.end - by, m.begin} }

// findMarks finds the lines of ours, in order.
func findMarks(doc []byte) (marks []mark) {
	for at := 0; at < len(doc); {
		end := at + len(doc[at:])
		if i := bytes.IndexByte(doc[at:], '\n'); i >= 0 {
			end = at + i
		}
		from := at
		if at == 0 && bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
			from = 3
		}
		to := end - len(doc[from:end]) + len(bytes.TrimSuffix(doc[from:end], []byte("\r")))
		if line := doc[from:to]; bytes.Contains(line, []byte("memory-context")) {
			if begin := beginLine.Match(line); begin || endLine.Match(line) {
				marks = append(marks, mark{from, to, begin})
			}
		}
		at = end + 1
	}
	return marks
}

// wholeBlocks finds whole blocks: a begin with an end behind it and no other line of ours
// between. A pair is recognised by the start of the one and the end of the other.
func wholeBlocks(marks []mark) (whole []mark) {
	for i := 1; i < len(marks); i++ {
		if marks[i-1].begin && !marks[i].begin {
			whole = append(whole, mark{marks[i-1].start, marks[i].end, true})
		}
	}
	return whole
}

// withoutBlocks takes out whole blocks, and lines of ours without a partner, each with its
// line end.
func withoutBlocks(doc []byte, marks []mark) []byte {
	if len(marks) == 0 {
		return doc
	}
	var out []byte
	at := 0
	for i := 0; i < len(marks); i++ {
		m := marks[i]
		end := m.end
		if m.begin && i+1 < len(marks) && !marks[i+1].begin {
			i++
			end = marks[i].end
		}
		out = append(out, doc[at:m.start]...)
		at = end
		if bytes.HasPrefix(doc[at:], []byte("\r\n")) {
			at += 2
		} else if bytes.HasPrefix(doc[at:], []byte("\n")) {
			at++
		}
	}
	return append(out, doc[at:]...)
}

// splitBlock takes a block apart: the version, and the text between the two lines.
func splitBlock(block string) (version, body string) {
	_, body, _ = strings.Cut(block, "\n")
	if i := strings.LastIndexByte(body, '\n'); i >= 0 {
		body = body[:i]
	}
	return blockAttribute(block, "version"), body
}

// blockAttribute is an attribute of a block's first line.
func blockAttribute(block, name string) string {
	line, _, _ := strings.Cut(block, "\n")
	for _, a := range attribute.FindAllStringSubmatch(line, -1) {
		if a[1] == name {
			return a[2]
		}
	}
	return ""
}

func blockSum(body string) string {
	h := sha256.Sum256([]byte(body))
	return hex.EncodeToString(h[:4])
}

// crlf reports whether a file ends its lines as Windows does: its first line tells.
func crlf(doc []byte) bool {
	i := bytes.IndexByte(doc, '\n')
	return i > 0 && doc[i-1] == '\r'
}

func lineEnd(doc []byte) string {
	if crlf(doc) {
		return "\r\n"
	}
	return "\n"
}

// gapBehind is what goes between a text and a block behind it: the end of its last
// line, and an empty one.
func gapBehind(doc []byte) string {
	text, end := doc, lineEnd(doc)
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		text = text[utf8.RuneLen('\ufeff'):]
	}
	switch {
	case len(text) == 0, bytes.HasSuffix(text, []byte("\n\n")), bytes.HasSuffix(text, []byte("\n\r\n")):
		return ""
	case text[len(text)-1] == '\n':
		return end
	}
	return end + end
}
