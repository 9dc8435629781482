package summary

import (
	"strings"
	"unicode"
)

// journalLines tells which lines are entries of a journal: three or more in a row that
// begin alike with a time or a date, up to digits, in any language ("10:02 …",
// "At 7.40, …", "7点49分，…").
func journalLines(lines []string) []bool {
	const least = 3
	journal := make([]bool, len(lines))
	start, last := 0, ""
	for i := 0; i <= len(lines); i++ {
		head := ""
		if i < len(lines) {
			head = timeHead(lines[i])
		}
		if head == last && head != "" {
			continue
		}
		for j := start; last != "" && i-start >= least && j < i; j++ {
			journal[j] = true
		}
		start, last = i, head
	}
	return journal
}

// timeHead is the beginning of a line up to its second number, with 0 in place of the
// digits; "" unless two numbers stand near its start and near one another.
func timeHead(line string) string {
	const lead, gap = 32, 5 // bytes before the first number, characters between the two
	line = strings.TrimSpace(line)
	var head strings.Builder
	numbers, between, inside := 0, 0, false
	for i, r := range line {
		switch {
		case unicode.IsDigit(r):
			if !inside {
				numbers++
				head.WriteByte('0')
			}
			inside, between = true, 0
			continue
		case inside && numbers == 2:
			return head.String()
		}
		inside = false
		between++
		if numbers == 0 && i > lead || numbers == 1 && between > gap {
			return ""
		}
		head.WriteRune(r)
	}
	return ""
}
