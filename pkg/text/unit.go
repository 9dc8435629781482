package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// Unit is one statement of a text, the smallest part that is compared and stored as a whole: a sentence, an item of a list, a heading, or a
// line of code, of a table, of a log or of settings.
type Unit struct {
	// Place is where it stands: the headings above it, and the line that leads into its list, its table or its code. It is in the form of
	// [Wording], a part to a line.
	Place string
	// Text is the unit as the text has it, without the white space around it; a line of code keeps its indent.
	Text string
	// Exact says that its bytes count: a line of code, of a table, of a log or of settings.
	Exact bool

	from, to int // its lines
	fence    int // the line behind the fence that opens its block of code; 0 for none
}

// Wording is the form in which wordings are compared: two units with one place say the same in the same words if it is equal. In an exact
// unit every byte counts. Elsewhere these don't: the Unicode form (NFC), how much white space is between words, the typographic form of
// quotation marks, ellipses and full-width letters, which dash stands between spaces, asterisks around whole words, and the last full stop. Text
// between backticks is compared byte by byte everywhere.
func (u Unit) Wording() string {
	if u.Exact {
		return u.Text
	}
	return Wording(u.Text)
}

// Units splits a text into units, in their order. Each character of the text but white space, and lines that only fence code or rule off a
// table, is in one unit. It knows no language but for where sentences end ([SentenceEnds]).
func Units(s string) []Unit {
	r := unitReader{lines: strings.Split(s, "\n"), informal: Informal(s)}
	for i := range r.lines {
		r.lines[i] = strings.TrimRight(r.lines[i], " \t\r\u00a0\u3000")
	}
	r.read()
	return r.units
}

// Excerpt is a text that has the units which keep chooses, in their places: headings and lines that lead into lists stay above what they
// lead into. What it returns has at least those units.
func Excerpt(s string, keep func(Unit) bool) string {
	units := Units(s)
	var chosen []Unit
	for _, u := range units {
		if keep(u) {
			chosen = append(chosen, u)
		}
	}
	if len(chosen) == len(units) {
		return s
	}
	short := excerptOf(strings.Split(s, "\n"), units, chosen)
	have := map[[2]string]int{}
	for _, u := range Units(short) {
		have[[2]string{u.Place, u.Wording()}]++
	}
	for _, u := range chosen {
		key := [2]string{u.Place, u.Wording()}
		if have[key]--; have[key] < 0 {
			return s // what is around a unit decides how it is read
		}
	}
	return short
}

// excerptOf writes the chosen units, and the lines that make up their places.
func excerptOf(lines []string, units, chosen []Unit) string {
	leads := map[string]bool{}
	for _, u := range chosen {
		for _, part := range strings.Split(u.Place, "\n") {
			leads[part] = true
		}
	}
	var b strings.Builder
	next, written, fence := 0, -1, 0 // the chosen unit that comes next; the last line that was written; the block of code that is open
	write := func(from int, text string) {
		if b.Len() > 0 && from > written+1 {
			b.WriteByte('\n')
		}
		b.WriteString(text + "\n")
	}
	closeFence := func() {
		if fence > 0 {
			open := strings.TrimSpace(lines[fence-1])
			b.WriteString(open[:len(open)-len(strings.TrimLeft(open, open[:1]))] + "\n")
		}
		fence = 0
	}
	for _, u := range units {
		mine := next < len(chosen) && chosen[next] == u
		if mine {
			next++
		}
		if !mine && (u.Exact || !leads[u.Wording()]) {
			continue
		}
		if fence != u.fence {
			closeFence()
			if fence = u.fence; fence > 0 {
				write(u.from-1, strings.TrimRight(lines[fence-1], "\r"))
				written = u.from - 1
			}
		}
		switch one := u.from == u.to && !u.Exact && strings.TrimSpace(lines[u.from]) != u.Text; {
		case one: // of several sentences on a line
			write(u.from, u.Text)
		case u.to > written:
			from := max(u.from, written+1)
			write(u.from, strings.TrimRight(strings.Join(lines[from:u.to+1], "\n"), "\r"))
		}
		written = max(written, u.to)
	}
	closeFence()
	return strings.TrimRight(b.String(), "\n")
}

var (
	headingLine  = lazyregexp.New(`^ {0,3}#{1,6} +\S`)
	itemLine     = lazyregexp.New(`^\s*(?:[-*+•‣◦–]|[0-9]{1,4}[.)]|\(?[a-zA-Z][.)]) +\S`)
	fenceLine    = lazyregexp.New("^ {0,3}(?:```+|~~~+)")
	ruleLine     = lazyregexp.New(`^\s*\|?[\s:|=-]*(?:-{3,}|={3,})[\s:|=-]*$`)
	tableLine    = lazyregexp.New(`^\s*\|.*\|\s*$|\S\s*\t\s*\S`)
	settingLine  = lazyregexp.New(`^\s*(?:export\s+|set\s+|[-+]{1,2})?["']?[\w.$\[\]-]+["']?\s*(?::=|\+=|==|=)\s*\S|^\s*["']?[\w.-]+["']?:\s*(?:["'\[{|>&*]|[-+]?[0-9][\w.:/-]*,?$|(?:true|false|null|yes|no|on|off),?$)`)
	logLine      = lazyregexp.New(`^\s*\[?(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ]?|[0-9]{2}:[0-9]{2}:[0-9]{2}|[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2})`)
	commandLine  = lazyregexp.New(`^\s*(?:[$%>] |[A-Za-z]:\\|[.~]?/\S|(?:sudo|git|cd|rm|cp|mv|ls|cat|grep|curl|wget|docker|kubectl|npm|npx|yarn|pip|python3?|go|make|cargo|ssh|scp|helm|terraform|psql|mysql|systemctl)\s+\S)`)
	codeEnd      = lazyregexp.New(`[;{}]\s*$|^\s*[})\]]`)
	sentenceDone = lazyregexp.New(`[.!?…。！？।॥؟۔።:;]["'’”»)\]*_]*$`)
)

// unitReader reads the lines of a text.
type unitReader struct {
	lines    []string
	informal bool
	units    []Unit

	headings []heading
	lead     string // the wording of the line that leads into a list, a table or code; "" for none
}

type heading struct {
	level int
	text  string
}

// place is where a line below the current heading stands.
func (r *unitReader) place(lead ...string) string {
	var parts []string
	for _, h := range r.headings {
		parts = append(parts, h.text)
	}
	for _, l := range lead {
		if l != "" {
			parts = append(parts, l)
		}
	}
	return strings.Join(parts, "\n")
}

func (r *unitReader) add(from, to int, text, place string, exact bool) {
	if strings.TrimSpace(text) != "" {
		r.units = append(r.units, Unit{Place: place, Text: text, Exact: exact, from: from, to: to})
	}
}

func (r *unitReader) read() {
	for i := 0; i < len(r.lines); {
		line := r.lines[i]
		switch {
		case strings.TrimSpace(line) == "":
			if !strings.HasSuffix(r.lead, ":") && !strings.HasSuffix(r.lead, "：") {
				r.lead = ""
			}
			i++
		case fenceLine.MatchString(line):
			i = r.fenced(i)
		case headingLine.MatchString(line):
			r.heading(i)
			i++
		case itemLine.MatchString(line):
			i = r.list(i)
		case r.exact(i):
			i = r.block(i)
		default:
			i = r.paragraph(i)
		}
	}
}

// heading takes in a heading.
func (r *unitReader) heading(i int) {
	line := strings.TrimSpace(r.lines[i])
	level := len(line) - len(strings.TrimLeft(line, "#"))
	for len(r.headings) > 0 && r.headings[len(r.headings)-1].level >= level {
		r.headings = r.headings[:len(r.headings)-1]
	}
	r.add(i, i, line, r.place(), false)
	r.headings = append(r.headings, heading{level, Wording(line)})
	r.lead = ""
}

// fenced takes in a block of code between fences, whose first line is part of the place of its lines.
func (r *unitReader) fenced(i int) int {
	open := strings.TrimSpace(r.lines[i])
	mark := open[:len(open)-len(strings.TrimLeft(open, open[:1]))]
	place := r.place(r.lead, open)
	first := i + 1
	for i++; i < len(r.lines); i++ {
		line := strings.TrimSpace(r.lines[i])
		if strings.HasPrefix(line, mark) && strings.Trim(line, mark[:1]) == "" {
			i++
			break
		}
		r.add(i, i, r.lines[i], place, true)
		if n := len(r.units); n > 0 && r.units[n-1].from == i {
			r.units[n-1].fence = first
		}
	}
	r.lead = ""
	return i
}

// exact reports whether a line is of code, of a table, of a log or of settings.
func (r *unitReader) exact(i int) bool {
	line := r.lines[i]
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || ruleLine.MatchString(line) || tableLine.MatchString(line) ||
		logLine.MatchString(line) || settingLine.MatchString(line) || commandLine.MatchString(line) || codeEnd.MatchString(line)
}

// block takes in exact lines behind each other. The first line of a table leads into the others.
func (r *unitReader) block(i int) int {
	first, head := i, ""
	if tableLine.MatchString(r.lines[i]) {
		head = strings.TrimSpace(r.lines[i])
	}
	for ; i < len(r.lines) && strings.TrimSpace(r.lines[i]) != "" && r.exact(i) && !itemLine.MatchString(r.lines[i]) && !fenceLine.MatchString(r.lines[i]); i++ {
		switch {
		case ruleLine.MatchString(r.lines[i]) && (i > first || strings.Trim(r.lines[i], " -=*_") == ""):
		case i == first:
			r.add(i, i, r.lines[i], r.place(r.lead), true)
		default:
			r.add(i, i, r.lines[i], r.place(r.lead, head), true)
		}
	}
	r.lead = ""
	return i
}

// list takes in the items of a list, with those that are nested in them.
func (r *unitReader) list(i int) int {
	type open struct {
		indent int
		text   string
	}
	var parents []open
	for i < len(r.lines) {
		line := r.lines[i]
		if strings.TrimSpace(line) == "" { // a blank line between items
			next := i + 1
			for next < len(r.lines) && strings.TrimSpace(r.lines[next]) == "" {
				next++
			}
			if next == len(r.lines) || !itemLine.MatchString(r.lines[next]) {
				break
			}
			i = next
			continue
		}
		if !itemLine.MatchString(line) {
			break
		}
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		for len(parents) > 0 && parents[len(parents)-1].indent >= indent {
			parents = parents[:len(parents)-1]
		}
		from, text := i, strings.TrimSpace(line)
		for i++; i < len(r.lines) && r.continues(i, indent); i++ {
			text += " " + strings.TrimSpace(r.lines[i])
		}
		leads := []string{r.lead}
		for _, p := range parents {
			leads = append(leads, p.text)
		}
		r.add(from, i-1, text, r.place(leads...), false)
		parents = append(parents, open{indent, Wording(text)})
	}
	r.lead = ""
	return i
}

// continues reports whether a line goes on with an item of a list.
func (r *unitReader) continues(i, indent int) bool {
	line := r.lines[i]
	trimmed := strings.TrimLeft(line, " \t")
	return trimmed != "" && len(line)-len(trimmed) > indent && !itemLine.MatchString(line) && !fenceLine.MatchString(line)
}

// wrapped is how many characters a line has at least that goes on in the next one.
const wrapped = 50

// paragraph takes in lines of prose. A line that is long and ends within a sentence goes on in the next.
func (r *unitReader) paragraph(i int) int {
	for i < len(r.lines) && strings.TrimSpace(r.lines[i]) != "" && !fenceLine.MatchString(r.lines[i]) && !headingLine.MatchString(r.lines[i]) && !itemLine.MatchString(r.lines[i]) && !r.exact(i) {
		from, text := i, strings.TrimSpace(r.lines[i])
		for i++; i < len(r.lines) && r.goesOn(i); i++ {
			text += " " + strings.TrimSpace(r.lines[i])
		}
		start := 0
		for _, end := range SentenceEnds(text, 0, r.informal) {
			sentence := strings.TrimSpace(text[start:end])
			r.add(from, i-1, sentence, r.place(), false)
			if start = end; sentence != "" {
				r.lead = Wording(sentence)
			}
		}
	}
	return i
}

// goesOn reports whether a line of prose goes on with the one before it.
func (r *unitReader) goesOn(i int) bool {
	line, before := strings.TrimSpace(r.lines[i]), r.lines[i-1]
	if line == "" || fenceLine.MatchString(r.lines[i]) || headingLine.MatchString(r.lines[i]) || itemLine.MatchString(r.lines[i]) || r.exact(i) {
		return false
	}
	return utf8.RuneCountInString(before) >= wrapped && !sentenceDone.MatchString(before)
}

// Wording is the form in which wordings are compared; see [Unit.Wording].
func Wording(s string) string {
	if plainWording(s) {
		return strings.TrimSuffix(s, ".")
	}
	s = strings.TrimSpace(norm.NFC.String(s))
	var b strings.Builder
	for len(s) > 0 {
		prose, code, rest := cutCode(s)
		b.WriteString(proseWording(prose, b.Len() > 0, code != ""))
		b.WriteString(code)
		s = rest
	}
	out := strings.TrimSpace(b.String())
	if strings.HasSuffix(out, ".") && !strings.HasSuffix(out, "..") {
		return out[:len(out)-1]
	}
	return strings.TrimSuffix(out, "。")
}

// plainWording reports whether a text has nothing that its wording leaves out but a last full stop.
func plainWording(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || c == '*' || c == '`' || c == ' ' && (i == 0 || i == len(s)-1 || s[i+1] == ' ') || c == '.' && i > 0 && s[i-1] == '.' {
			return false
		}
	}
	return true
}

// cutCode cuts a text behind its first span between backticks.
func cutCode(s string) (prose, code, rest string) {
	open := strings.IndexByte(s, '`')
	if open < 0 {
		return s, "", ""
	}
	ticks := s[open : len(s)-len(strings.TrimLeft(s[open:], "`"))]
	end := strings.Index(s[open+len(ticks):], ticks)
	if end < 0 {
		return s, "", ""
	}
	stop := open + len(ticks) + end + len(ticks)
	return s[:open], s[open:stop], s[stop:]
}

var typographic = strings.NewReplacer("‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`, "‟", `"`, "«", `"`, "»", `"`, "…", "...")

// proseWording is the wording of a part of a text, between code or at an end of the text.
func proseWording(s string, afterCode, beforeCode bool) string {
	s = typographic.Replace(width.Fold.String(s))
	words := strings.FieldsFunc(s, unicode.IsSpace)
	for i, w := range words {
		if i > 0 && i < len(words)-1 && (w == "–" || w == "—" || w == "―" || w == "−") {
			words[i] = "-"
		}
	}
	out := withoutEmphasis(strings.Join(words, " "))
	if afterCode && s != "" && unicode.IsSpace(firstRune(s)) {
		out = " " + out
	}
	if last, _ := utf8.DecodeLastRuneInString(s); beforeCode && s != "" && unicode.IsSpace(last) && strings.TrimSpace(s) != "" {
		out += " "
	}
	return out
}

// withoutEmphasis drops asterisks around whole words: *x* and **x**.
func withoutEmphasis(s string) string {
	if !strings.Contains(s, "*") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '*' {
			b.WriteByte(s[i])
			i++
			continue
		}
		mark := s[i : len(s)-len(strings.TrimLeft(s[i:], "*"))]
		inner, ok := emphasised(s, i, mark)
		if !ok {
			b.WriteString(mark)
			i += len(mark)
			continue
		}
		b.WriteString(inner)
		i += 2*len(mark) + len(inner)
	}
	return b.String()
}

// emphasised is the text between the asterisks at byte i and those that close them.
func emphasised(s string, i int, mark string) (inner string, ok bool) {
	if len(mark) > 2 {
		return "", false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	rest := s[i+len(mark):]
	end := strings.IndexByte(rest, '*')
	if end <= 0 || i > 0 && IsWord(before) || !strings.HasPrefix(rest[end:], mark) {
		return "", false
	}
	after := rest[end+len(mark):]
	last, _ := utf8.DecodeLastRuneInString(rest[:end])
	if !IsWord(firstRune(rest)) || !IsWord(last) && !IsSentenceEnd(last) && last != ':' || strings.HasPrefix(after, "*") || after != "" && IsWord(firstRune(after)) {
		return "", false
	}
	if i > 0 && strings.ContainsRune("./\\*?-_", before) || after != "" && strings.ContainsRune("/\\?-_", firstRune(after)) {
		return "", false // a pattern of file names
	}
	return rest[:end], true
}
