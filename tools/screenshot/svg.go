package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Measures of the picture, in pixels.
const (
	cell   = 8.4 // width of a character
	line   = 20  // height of a line
	left   = 24
	header = 44 // of the bar with the three dots
	bottom = 22
)

// title stands in the bar.
const title = "lantern: the memory folder of a web shop’s team"

// classes are the CSS classes of the colours and weights that the program uses.
var classes = map[string]string{"0": "", "1": "b", "2": "d", "31": "r", "32": "g", "33": "y"}

const css = `text{font:14px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#1f2328;}` +
	`.b{font-weight:700}.d{fill:#6e7781}.r{fill:#cf222e}.g{fill:#1a7f37}.y{fill:#9a6700}.t{font:12.5px ui-sans-serif,system-ui,-apple-system,"Segoe UI",sans-serif;fill:#6e7781}`

var escape = regexp.MustCompile(`\x1b\[([0-9]*)m`)

// svg draws lines of a terminal as a light card. Each run of words is given its place and
// its length, so that columns align in any monospaced font.
func svg(lines []string, columns int) []byte {
	var b bytes.Buffer
	var rows [][]piece
	for _, text := range lines {
		rows = append(rows, wrap(pieces(text), columns)...)
	}
	width, height := 2*left+int(float64(columns)*cell), header+len(rows)*line+bottom
	bar := header - 12 // the height of the bar itself
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>A session of memory on the sample workspace</title>\n<style>%s</style>\n", css)
	fmt.Fprintf(&b, `<rect x="1" y="1" width="%d" height="%d" rx="10" fill="#ffffff" stroke="#d0d7de"/>`+"\n", width-2, height-2)
	fmt.Fprintf(&b, `<path d="M1 %dv-%dq0-10 10-10h%dq10 0 10 10v%dz" fill="#f6f8fa" stroke="#d0d7de"/>`+"\n", bar, bar-11, width-22, bar-11)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="5.5" fill="%s"/>`+"\n", left+18*i, bar/2+1, colour)
	}
	fmt.Fprintf(&b, `<text class="t" x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", width/2, bar/2+5, title)
	for i, row := range rows {
		at := 0
		for _, p := range row {
			class := ""
			if p.class != "" {
				class = fmt.Sprintf(` class="%s"`, p.class)
			}
			for _, m := range words.FindAllStringIndex(p.text, -1) {
				x, text := at+utf8.RuneCountInString(p.text[:m[0]]), p.text[m[0]:m[1]]
				fmt.Fprintf(&b, `<text%s x="%.1f" y="%d" textLength="%.1f">%s</text>`+"\n", class, left+float64(x)*cell, header+i*line+14, float64(utf8.RuneCountInString(text))*cell, xmlText(text))
			}
			at += utf8.RuneCountInString(p.text)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// words are separated by single spaces.
var words = regexp.MustCompile(`[^ ]+( [^ ]+)*`)

func xmlText(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}

// piece is text of one colour or weight.
type piece struct{ text, class string }

// pieces splits a line at the escape sequences of colours.
func pieces(text string) (all []piece) {
	class, at := "", 0
	for _, m := range escape.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			all = append(all, piece{text[at:m[0]], class})
		}
		class, at = classes[text[m[2]:m[3]]], m[1]
	}
	if at < len(text) {
		all = append(all, piece{text[at:], class})
	}
	return all
}

// wrap breaks a line that is longer than the terminal is wide: at a space where there is one.
// What follows is indented as the line is.
func wrap(text []piece, columns int) (rows [][]piece) {
	var row []piece
	indent, used := "", 0
	if len(text) > 0 && !strings.HasPrefix(text[0].text, strings.Repeat(" ", columns/2)) {
		indent = text[0].text[:len(text[0].text)-len(strings.TrimLeft(text[0].text, " "))]
	}
	for _, p := range text {
		for used+utf8.RuneCountInString(p.text) > columns {
			r := []rune(p.text)
			at := columns - used
			if space := strings.LastIndex(string(r[:at]), " "); space > 0 {
				at = utf8.RuneCountInString(string(r[:at])[:space])
			}
			rows = append(rows, append(row, piece{string(r[:at]), p.class}))
			row, used = []piece{{indent, ""}}, len(indent)
			p.text = strings.TrimPrefix(string(r[at:]), " ")
		}
		row, used = append(row, p), used+utf8.RuneCountInString(p.text)
	}
	return append(rows, row)
}
