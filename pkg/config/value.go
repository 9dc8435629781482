package config

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// A value reads and prints one field of Settings.
type value interface {
	// set takes a value as the TOML decoder gives it. Its answer is "", or what
	// to write instead.
	set(v any) (advice string)
	// parse turns the text of a flag or variable into what set takes.
	parse(text string) any
	// text is what parse takes.
	text() string
	// literal is the value as a TOML file has it.
	literal() string
}

type durationValue struct {
	p      *Duration
	lo, hi time.Duration
}

func span(p *Duration, lo, hi time.Duration) value { return durationValue{p, lo, hi} }

func (f durationValue) set(v any) string {
	switch v := v.(type) {
	case int64:
		unit := strings.TrimLeft(f.p.String(), "0123456789")
		return fmt.Sprintf("a duration has quotes and a unit: write %q", strconv.FormatInt(v, 10)+unit)
	case string:
		d, wrong := readDuration(v)
		if wrong != nil {
			return wrong.advice
		}
		if d.Clock() < f.lo || d.Clock() > f.hi {
			return fmt.Sprintf("write a duration from %s to %s", clock(f.lo), f.longest())
		}
		*f.p = d
		return ""
	}
	return "write a duration " + durationForms
}

func (f durationValue) longest() string {
	if f.hi == longest {
		return "100 years"
	}
	return clock(f.hi).String()
}

func (f durationValue) parse(text string) any { return text }
func (f durationValue) text() string          { return f.p.String() }
func (f durationValue) literal() string       { return strconv.Quote(f.p.String()) }

type intValue struct {
	p      *int
	lo, hi int64
}

func count(p *int, lo, hi int64) value { return intValue{p, lo, hi} }

func (f intValue) set(v any) string {
	if n, ok := v.(int64); ok && n >= f.lo && n <= f.hi {
		*f.p = int(n)
		return ""
	}
	return fmt.Sprintf("write a whole number from %d to %d, without quotes", f.lo, f.hi)
}

func (f intValue) parse(text string) any { return parseNumber(text) }
func (f intValue) text() string          { return strconv.Itoa(*f.p) }
func (f intValue) literal() string       { return f.text() }

type floatValue struct{ p *float64 }

// share is a number from 0 to 1.
func share(p *float64) value { return floatValue{p} }

func (f floatValue) set(v any) string {
	n := math.NaN()
	switch v := v.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	}
	if n >= 0 && n <= 1 {
		*f.p = n
		return ""
	}
	if n >= 10 && n <= 100 {
		return fmt.Sprintf("write a number from 0 to 1; %v percent is %v", n, n/100)
	}
	return "write a number from 0 to 1, such as 0.8, without quotes"
}

func (f floatValue) parse(text string) any { return parseNumber(text) }
func (f floatValue) text() string          { return strconv.FormatFloat(*f.p, 'f', -1, 64) }

func (f floatValue) literal() string {
	if text := f.text(); strings.Contains(text, ".") {
		return text
	}
	return f.text() + ".0"
}

type boolValue struct{ p *bool }

func toggle(p *bool) value { return boolValue{p} }

func (f boolValue) set(v any) string {
	b, ok := v.(bool)
	if !ok {
		return "write true or false, without quotes"
	}
	*f.p = b
	return ""
}

func (f boolValue) parse(text string) any {
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return text
}

func (f boolValue) text() string    { return strconv.FormatBool(*f.p) }
func (f boolValue) literal() string { return f.text() }

type stringValue struct {
	p     *string
	check func(string) (value, advice string)
}

// choice is one of a few words.
func choice(p *string, options ...string) value {
	return stringValue{p, func(s string) (string, string) {
		if slices.Contains(options, s) {
			return s, ""
		}
		return "", "write " + orList(options)
	}}
}

// schedule is a cron expression or "" for never; with everyToo it may be the
// time between two runs instead.
func schedule(p *string, everyToo bool) value {
	return stringValue{p, func(s string) (string, string) {
		if s == "" || s == "off" {
			return "", ""
		}
		if everyToo && !strings.ContainsAny(s, " *@") {
			if d, err := ParseDuration(s); err == nil && d.Clock() >= time.Minute {
				return s, ""
			}
			return "", `write a duration of a minute or more such as "5m", a cron expression such as "0 2 * * *", or "" for never`
		}
		if err := checkCron(s); err != nil {
			return "", err.Error()
		}
		return s, ""
	}}
}

// inside is the name of a file in the workspace, or "" for none.
func inside(p *string) value {
	return stringValue{p, func(s string) (string, string) {
		if s == "" || fs.ValidPath(s) && s != "." && !strings.ContainsAny(s, "\\:\x00") {
			return s, ""
		}
		return "", `write the name of a file in the workspace, such as "secrets.toml", or "" for none`
	}}
}

func (f stringValue) set(v any) string {
	s, ok := v.(string)
	if !ok {
		_, advice := f.check("\x00") // neither a choice, a schedule nor a file
		return advice
	}
	s, advice := f.check(s)
	if advice == "" {
		*f.p = s
	}
	return advice
}

func (f stringValue) parse(text string) any { return text }
func (f stringValue) text() string          { return *f.p }
func (f stringValue) literal() string       { return strconv.Quote(*f.p) }

type listValue struct{ p *[]string }

// words is a list of non-empty strings.
func words(p *[]string) value { return listValue{p} }

func (f listValue) set(v any) string {
	const advice = `write a list of words such as ["permanent", "protected"]`
	items, ok := v.([]any)
	if !ok {
		return advice
	}
	list := make([]string, len(items))
	for i, item := range items {
		s, ok := item.(string)
		if !ok || strings.TrimSpace(s) == "" {
			return advice
		}
		list[i] = s
	}
	*f.p = list
	return ""
}

// parse takes a TOML array, or words with commas between them.
func (f listValue) parse(text string) any {
	var doc struct{ List []any }
	if _, err := toml.Decode("list = "+text, &doc); err == nil && doc.List != nil {
		return doc.List
	}
	list := []any{}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}

func (f listValue) text() string { return f.literal() }

func (f listValue) literal() string {
	quotedWords := make([]string, len(*f.p))
	for i, word := range *f.p {
		quotedWords[i] = quoteTOML(word)
	}
	return "[" + strings.Join(quotedWords, ", ") + "]"
}

func parseNumber(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}

// quoteTOML writes a basic string of TOML. JSON's escapes are TOML's, but for
// DEL, which JSON leaves as it is and TOML doesn't allow.
func quoteTOML(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return strconv.Quote(s)
	}
	return strings.ReplaceAll(string(text), "\x7f", `\u007f`)
}
