package schemas

import (
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/text"
)

// isType reports whether a value is of a type that a schema names.
func isType(v value, name string) bool {
	switch name {
	case "integer":
		return v.Type == gjson.Number && isInteger(v.Result)
	case "number":
		return v.Type == gjson.Number
	case "boolean":
		return v.IsBool()
	case "null":
		return v.Type == gjson.Null
	case "object":
		return v.IsObject()
	case "array":
		return v.IsArray()
	}
	return v.Type == gjson.String
}

// isFormat reports whether a text has a format. One that is not listed is not checked.
func isFormat(name, text string) bool {
	var err error
	switch name {
	case "date-time":
		_, err = time.Parse(time.RFC3339Nano, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "email":
		var address *mail.Address
		address, err = mail.ParseAddress(text)
		return err == nil && address.Address == text
	case "ipv4", "ipv6":
		var address netip.Addr
		address, err = netip.ParseAddr(text)
		return err == nil && address.Is4() == (name == "ipv4")
	case "uri":
		var address *url.URL
		address, err = url.Parse(text)
		return err == nil && address.IsAbs()
	case "uuid":
		ok, _ := regexp.MatchString(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`, text)
		return ok
	case "regex":
		_, err = regexp.Compile(text)
	}
	return err == nil
}

// show quotes a value in a message.
func show(v value) string {
	const width = 40
	switch {
	case v.Type == gjson.String:
		return strconv.Quote(text.Truncate(v.Str, width))
	case v.IsArray():
		return "a list"
	case v.IsObject():
		return "an object"
	case v.Type == gjson.Null:
		return "null"
	}
	return text.Truncate(v.Raw, width)
}

// typeWords names types as people do, in one order.
func typeWords(types []string) string {
	order := []string{"null", "boolean", "number", "integer", "string", "array", "object"}
	types = slices.SortedFunc(slices.Values(types), func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	return strings.NewReplacer("array", "a list", "object", "an object", "string", "text", "boolean", "true or false",
		"number", "a number", "integer", "a whole number").Replace(strings.Join(types, " or "))
}

// foldIn returns the word of an enum that v is but for case and blanks.
func foldIn(v value, enum []value) string {
	if v.Type != gjson.String {
		return ""
	}
	i := slices.IndexFunc(enum, func(e value) bool {
		return e.Type == gjson.String && strings.EqualFold(strings.TrimSpace(v.Str), e.Str)
	})
	if i < 0 {
		return ""
	}
	return enum[i].Str
}

// withZone returns the RFC 3339 form of a time that only lacks its zone.
func withZone(text string) string {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Format(time.RFC3339Nano)
		}
	}
	return ""
}

// decimal writes the limit of a number.
func decimal(n gjson.Result) string {
	return strings.TrimSuffix(strings.TrimRight(exact(n.Raw).FloatString(9), "0"), ".")
}

func listValues(values []value) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.Raw
	}
	return strings.Join(words, ", ")
}
