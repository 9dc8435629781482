package config

import (
	"net/netip"
	"strconv"
	"strings"
)

// loopback is an address of this machine that no other can reach, with a port, or
// "" for none.
func loopback(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if s == "" || s == "off" {
			return "", ""
		}
		host, ok := splitPort(s)
		if !ok {
			return "", `write an address with a port such as "127.0.0.1:9464", or "" for none`
		}
		if !IsLoopback(host) {
			return "", `other machines could reach it: write "127.0.0.1" or "localhost" before the port`
		}
		return s, ""
	}}
}

// splitPort takes the port from an address.
func splitPort(address string) (host string, ok bool) {
	i := strings.LastIndexByte(address, ':')
	if i < 0 {
		return "", false
	}
	port, err := strconv.ParseUint(address[i+1:], 10, 16)
	host = address[:i]
	if bare, bracketed := strings.CutPrefix(host, "["); bracketed {
		host, bracketed = strings.CutSuffix(bare, "]")
		return host, bracketed && err == nil && strconv.Itoa(int(port)) == address[i+1:]
	}
	return host, err == nil && strconv.Itoa(int(port)) == address[i+1:] && !strings.Contains(host, ":")
}

// IsLoopback reports whether a host is this machine and can't be reached from
// another. A name other than localhost may stand for anything.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
