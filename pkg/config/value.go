package config

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/tomledit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// A value reads and prints one field of Settings.
type value struct {
	p      any                                 // *Duration, *int, *float64, *bool, *string, *[]string or *time.Time
	lo, hi int64                               // of a count, or of a duration in nanoseconds
	check  func(string) (value, advice string) // of a string
	amount bool                                // a number from 0 on, not a share
	rule   bool                                // it switches a rule on and off
}

func span(p *Duration, lo, hi time.Duration) value { return value{p: p, lo: int64(lo), hi: int64(hi)} }
func count(p *int, lo, hi int64) value             { return value{p: p, lo: lo, hi: hi} }
func share(p *float64) value                       { return value{p: p} } // a number from 0 to 1
func toggle(p *bool) value                         { return value{p: p} }
func ruleSwitch(p *bool) value                     { return value{p: p, rule: true} }
func words(p *[]string) value                      { return value{p: p} } // a list of non-empty strings
func moment(p *time.Time) value                    { return value{p: p} } // a time, or none

// choice is one of a few words.
func choice(p *string, options ...string) value {
	return value{p: p, check: func(s string) (string, string) {
		if slices.Contains(options, s) {
			return s, ""
		}
		return "", "write " + orList(options)
	}}
}

// schedule is a time to run at, in one of the ways of [Schedule], or "" for never.
func schedule(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if s == "" || s == "off" {
			return "", ""
		}
		_, advice := cronOf(s)
		if advice == "write "+scheduleForms {
			advice += `, or "" for never`
		}
		return s, advice
	}}
}

// inside is the name of a file in the workspace, or "" for none.
func inside(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if s == "" || fs.ValidPath(s) && s != "." && !strings.ContainsAny(s, "\\:\x00") {
			return s, ""
		}
		return "", `write the name of a file in the workspace, such as "secrets.toml", or "" for none`
	}}
}

// ref is the name of a remote or a branch of git, or "" for the usual one.
func ref(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if !strings.HasPrefix(s, "-") && !strings.ContainsAny(s, " \t\r\n\x00~^:?*[\\") {
			return s, ""
		}
		return "", `write the name of a remote or a branch, such as "origin", or "" for the usual one`
	}}
}

// set takes a value as the TOML decoder gives it. Its answer is "", or what to write instead.
func (f value) set(v any) (advice string) {
	switch p := f.p.(type) {
	case *Duration:
		return f.setDuration(p, v)
	case *int:
		n, ok := v.(int64)
		if !ok || n < f.lo || n > f.hi {
			return fmt.Sprintf("write a whole number from %d to %d, without quotes", f.lo, f.hi)
		}
		*p = int(n)
	case *float64:
		if f.amount {
			return setAmount(p, v)
		}
		return setShare(p, v)
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return "write true or false, without quotes"
		}
		*p = b
	case *string:
		s, ok := v.(string)
		if !ok {
			_, advice = f.check("\x00") // neither a choice, a schedule nor a file
			return advice
		}
		if s, advice = f.check(s); advice == "" {
			*p = s
		}
	case *[]string:
		return setWords(p, v)
	case *time.Time:
		return setMoment(p, v)
	}
	return advice
}

// setMoment takes a time as text, or as TOML writes one; "" is none.
func setMoment(p *time.Time, v any) (advice string) {
	at, ok := v.(time.Time)
	if text, isText := v.(string); isText {
		at = timestamp.Parse(text)
		ok = text == "" || !at.IsZero()
	}
	if !ok || !timestamp.Writable(at) {
		return `write a time such as "2026-03-01T09:00:00Z", or "" for none`
	}
	if *p = at; !at.IsZero() {
		*p = at.UTC().Truncate(time.Second)
	}
	return ""
}

func (f value) setDuration(p *Duration, v any) (advice string) {
	switch v := v.(type) {
	case int64:
		return fmt.Sprintf("a duration has quotes and a unit: write %q", strconv.FormatInt(v, 10)+string(usualUnit(*p)))
	case string:
		d, wrong := readDuration(usualUnit(*p), v)
		if wrong != nil {
			return wrong.advice
		}
		if lo, hi := time.Duration(f.lo), time.Duration(f.hi); d.Clock() < lo || d.Clock() > hi {
			most := clock(hi).String()
			if hi == longest {
				most = "100 years"
			}
			return fmt.Sprintf("write a duration from %s to %s", clock(lo), most)
		}
		*p = d
		return ""
	}
	return "write a duration " + durationForms
}

// number is a number as the TOML decoder gives it; NaN for anything else.
func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

func setShare(p *float64, v any) (advice string) {
	n := number(v)
	switch {
	case n >= 0 && n <= 1:
		*p = n
		return ""
	case n >= 10 && n <= 100:
		return fmt.Sprintf("write a number from 0 to 1; %v percent is %v", n, n/100)
	}
	return "write a number from 0 to 1, such as 0.8, without quotes"
}

func setWords(p *[]string, v any) (advice string) {
	advice = `write a list of words such as ["permanent", "protected"]`
	items, ok := v.([]any)
	if !ok {
		return advice
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], ok = item.(string); !ok || strings.TrimSpace(list[i]) == "" {
			return advice
		}
	}
	*p = list
	return ""
}

// parse turns the text of a flag or variable into what set takes. A list is a TOML array, or
// words with commas between them.
func (f value) parse(text string) any {
	switch f.p.(type) {
	case *int, *float64:
		return parseNumber(text)
	case *bool:
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	case *[]string:
		var doc struct{ List []any }
		if err := tomledit.Decode([]byte("list = "+text), &doc); err == nil && doc.List != nil {
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
	return text
}

// text is what parse takes.
func (f value) text() string {
	switch p := f.p.(type) {
	case *float64:
		return strconv.FormatFloat(*p, 'f', -1, 64)
	case *[]string:
		quotedWords := make([]string, len(*p))
		for i, word := range *p {
			quotedWords[i] = tomledit.Quote(word)
		}
		return "[" + strings.Join(quotedWords, ", ") + "]"
	case *string:
		return *p
	case *time.Time:
		if p.IsZero() {
			return ""
		}
		return timestamp.Format(*p)
	case *Duration:
		return p.String()
	case *int:
		return strconv.Itoa(*p)
	case *bool:
		return strconv.FormatBool(*p)
	}
	return ""
}

// literal is the value as a TOML file has it.
func (f value) literal() string {
	text := f.text()
	switch f.p.(type) {
	case *string, *Duration, *time.Time:
		return strconv.Quote(text)
	case *float64:
		if !strings.Contains(text, ".") {
			text += ".0"
		}
	}
	return text
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
