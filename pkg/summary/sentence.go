package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// kind says what a sentence is taken from.
type kind byte

const (
	prose      kind = iota // a sentence of a paragraph, a list item, a turn of speech
	heading                // a heading
	logLine                // a line of a log or a table
	code                   // a line of code
	stackFrame             // a line of a stack trace
)

// sentence is a verbatim piece of the text: text[start:end].
type sentence struct {
	start, end int
	words      int // where the words begin, after a speaker's name or a log prefix
	kind       kind
	speaker    string // who says it
	heading    int    // index of the heading it stands under, -1 for none
	level      int    // of a heading, 1 for the title
	block      int    // where its paragraph starts
	list       int    // the list or journal it belongs to, 0 for none,
	entry      int    // and the entry of this
	cut        bool   // it is a window into a sentence too long to quote,
	open       bool   // the first one,
	closed     bool   // the last one
}

// Sentences splits text into sentences, in order. Each is a verbatim piece of the
// text without the blanks around it; between them stand only list markers, the
// fences of code blocks and rules of punctuation.
//
// A sentence ends at . ! ? or … before a blank and what looks like a beginning,
// and at 。！？ and their kin anywhere. It doesn't end inside a code span, a URL or
// parentheses, after an abbreviation or an initial, or within a number or version.
// Headings, list items, table rows, lines of code, logs and stack traces end with
// their line; a turn of dialogue ("Speaker: text") starts a sentence. Lines of a
// paragraph are joined only where they look wrapped.
func Sentences(text string) []string {
	sentences := split(text, false, nil)
	out := make([]string, len(sentences))
	for i, s := range sentences {
		out[i] = text[s.start:s.end]
	}
	return out
}

// splitter collects sentences line by line.
type splitter struct {
	text      string
	cut       bool // what is too long to quote is cut into windows
	sentences []sentence
	speakers  map[string]bool
	cues      *cues // of the text's language; nil until they are asked for
	informal  bool  // sentences may begin in lower case

	open      bool // a paragraph is open
	start     int  // where it starts
	words     int  // where its words start
	end       int  // where its last line ends
	width     int  // its longest line so far
	last      int  // the length of its last line
	quoted    bool // it is a block quotation
	speaker   string
	heading   int
	fenced    bool
	signed    bool // under the line that begins a signature
	afterGap  bool // the line before was blank
	inListing bool // the last line that wasn't was indented code
	announced bool // or announced it, ending in a colon
	lists     int  // lists so far
	list      int  // the open one, 0 for none
	entry     int  // its last entry
}

func split(whole string, cut bool, c *cues) []sentence {
	s := &splitter{text: whole, cut: cut, heading: -1, afterGap: true, cues: c}
	lines := strings.Split(whole, "\n")
	journal := journalLines(lines)
	s.speakers = speakers(lines, journal)
	s.informal = text.Informal(whole)
	at := 0
	for i, line := range lines {
		s.line(at, strings.TrimSuffix(line, "\r"), journal[i])
		at += len(line) + 1
	}
	s.flush()
	return s.sentences
}

// line takes in the line that starts at byte at.
func (s *splitter) line(at int, line string, journal bool) {
	k, content := classify(line)
	if journal && (k == lineProse || k == lineIndent || k == lineBullet) {
		k = lineLog
	}
	if s.fenced {
		s.fenced = k != lineFence
		if s.fenced && k != lineBlank {
			inside := code
			if isStackFrame(strings.TrimSpace(line)) {
				inside = stackFrame
			}
			s.single(at, line, indent(line), inside)
		}
		return
	}
	if s.signed = s.signed && k != lineBlank; s.signed {
		s.single(at, line, indent(line), stackFrame)
		return
	}
	if k == lineProse || k == lineLog || k == lineIndent {
		if name, words := label(line); s.speakers[name] {
			s.flush()
			s.speaker = name
			s.begin(at, line, indent(line), words)
			return
		}
	}
	gap := s.afterGap
	s.afterGap = k == lineBlank
	listing := k == lineIndent && !s.open && (s.inListing || gap && (s.announced || looksLikeCode(line)))
	if k != lineBlank {
		s.inListing, s.announced = listing, strings.HasSuffix(strings.TrimSpace(line), ":")
	}
	switch k {
	case lineFence:
		s.flush()
		s.fenced = true
	case lineBlank:
		if isUnderline(line) && s.open && s.start == s.end-s.last {
			s.open = false
			s.title(s.start, s.text[s.start:s.end], 0, 2)
		}
		s.flush()
	case lineHeading:
		s.title(at, strings.TrimRight(line, "# \t"), content, strings.Count(line[:content], "#"))
	case lineHeader:
		s.single(at, line, content, logLine)
	case lineSignature:
		s.flush()
		s.signed = true
	case lineTable, lineLog:
		if s.leaveList(journal); journal {
			s.nextEntry()
		}
		s.single(at, line, content, logLine)
	case lineStackFrame:
		s.single(at, line, content, stackFrame)
	case lineBullet:
		s.flush()
		s.nextEntry()
		s.begin(at, line, content, content)
	case lineQuote:
		if s.open && s.quoted && s.wrapped(line[content:]) {
			s.extend(at, line, content)
		} else {
			s.flush()
			s.leaveList(false)
			s.begin(at, line, content, content)
			s.quoted = true
		}
	default:
		switch {
		case !s.open && s.roleCues().isSectionTitle(line):
			s.title(at, line, content, 2)
		case listing:
			s.single(at, line, content, code)
		case s.open && s.wrapped(line[content:]):
			s.extend(at, line, content)
		default:
			s.flush()
			s.leaveList(content > 0)
			s.begin(at, line, content, content)
		}
	}
}

func (s *splitter) roleCues() *cues {
	if s.cues == nil {
		s.cues = newCues(languageOf(s.text))
	}
	return s.cues
}

// nextEntry begins an entry of the open list, or of a new one.
func (s *splitter) nextEntry() {
	if s.list == 0 {
		s.lists++
		s.list, s.entry = s.lists, 0
	}
	s.entry++
}

// leaveList ends the open list, unless what follows belongs to its last entry.
func (s *splitter) leaveList(goesOn bool) {
	if !goesOn {
		s.list = 0
	}
}

// begin opens a paragraph with the line at byte at.
func (s *splitter) begin(at int, line string, content, words int) {
	s.open, s.start, s.words = true, at+content, at+words
	s.end, s.width = at+len(line), utf8.RuneCountInString(line)
	s.last = len(line) - content
}

func (s *splitter) extend(at int, line string, content int) {
	s.end = at + len(line)
	s.width = max(s.width, utf8.RuneCountInString(line))
	s.last = len(line) - content
}

// wrapped reports whether the next line continues the open paragraph: it starts
// in lower case, or its first word would not have fitted on the line before.
func (s *splitter) wrapped(next string) bool {
	const short, narrow, wide = 40, 60, 130 // columns: people wrap somewhere between short and wide
	last := strings.TrimRightFunc(s.text[s.end-s.last:s.end], unicode.IsSpace)
	r, _ := utf8.DecodeLastRuneInString(last)
	first, _ := utf8.DecodeRuneInString(next)
	length := utf8.RuneCountInString(last)
	if r == ',' && unicode.IsLower(first) {
		return true
	}
	goesOn := unicode.IsLower(first) || unicode.IsDigit(first) && length >= short && bulletWidth(next) == 0
	if s.width >= short && (goesOn && !strings.ContainsRune(".!?:;", r) || r == ',') {
		return true
	}
	word := next
	if i := strings.IndexFunc(next, unicode.IsSpace); i > 0 {
		word = next[:i]
	}
	columns := max(narrow, s.width, utf8.RuneCountInString(next))
	return columns <= wide && length+1+utf8.RuneCountInString(word) > columns
}

// single emits a line as one sentence.
func (s *splitter) single(at int, line string, content int, k kind) {
	s.flush()
	end := len(strings.TrimRightFunc(line, unicode.IsSpace))
	if content >= end {
		return
	}
	p := s.piece(at+content, at+end, k)
	if k == logLine {
		p.words = p.start + logPrefix(s.text[p.start:p.end])
	}
	s.emit(p)
}

func (s *splitter) emit(p sentence) {
	if s.cut && p.kind != heading && tooLong(s.text[p.start:p.end]) {
		s.sentences = append(s.sentences, windows(s.text, p)...)
		return
	}
	s.sentences = append(s.sentences, p)
}

// title emits a heading; what follows stands under it.
func (s *splitter) title(at int, line string, content, level int) {
	s.leaveList(false)
	s.single(at, line, content, heading)
	n := len(s.sentences) - 1
	above := s.heading
	for above >= 0 && s.sentences[above].level >= level {
		above = s.sentences[above].heading
	}
	s.sentences[n].level, s.sentences[n].heading = level, above
	s.heading = n
}

func (s *splitter) piece(start, end int, k kind) sentence {
	return sentence{start: start, end: end, words: start, kind: k, speaker: s.speaker, heading: s.heading, block: start, list: s.list, entry: s.entry}
}

// flush ends the open paragraph and splits it into sentences.
func (s *splitter) flush() {
	if s.open {
		block := s.text[s.start:s.end]
		at := 0
		for _, end := range text.SentenceEnds(block, s.words-s.start, s.informal) {
			start, stop := trim(s.text, s.start+at, s.start+end)
			if strings.ContainsFunc(s.text[start:stop], isWordRune) {
				p := s.piece(start, stop, prose)
				p.block = s.start
				p.words = min(max(start, s.words), stop)
				s.emit(p)
			}
			at = end
		}
	}
	s.open, s.quoted, s.speaker = false, false, ""
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// looksLikeCode reports whether an indented line is code rather than the
// continuation of a list item.
func looksLikeCode(line string) bool {
	marks := 0
	for _, mark := range []string{"(", "{", "}", ";", "=", "->", "::", "$ ", ">>>", "<"} {
		if strings.Contains(line, mark) {
			marks++
		}
	}
	return marks >= 2 || marks == 1 && strings.ContainsAny(line[len(line)-1:], "{};:)")
}

// isUnderline reports whether line underlines a heading: one mark, repeated.
func isUnderline(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && strings.ContainsRune(`=-~^"`, rune(line[0])) && strings.Trim(line, line[:1]) == ""
}
