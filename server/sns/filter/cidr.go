package filter

import (
	"net/netip"
	"strconv"
	"strings"
)

// parseCIDR reads ADDRESS/BITS. A whole address as its own network, /32 or /128,
// is refused.
func parseCIDR(s string) (net netip.Prefix, reason string) {
	text, mask, ok := strings.Cut(s, "/")
	if !ok || mask == "" || strings.Contains(mask, "/") {
		return net, "Malformed CIDR, one '/' required"
	}
	bits, err := strconv.ParseInt(mask, 10, 32)
	if err != nil {
		return net, "Malformed CIDR, mask bits must be an integer"
	}
	if bits < 0 {
		return net, "Malformed CIDR, mask bits must not be negative"
	}
	addr, ok := parseAddress(text)
	if !ok && shapedAsAddress(text) {
		return net, "Invalid IP address: " + quote(text)
	}
	if !ok {
		return net, "Nonstandard IP address: " + quote(text)
	}
	if addr.Is4() && bits > 31 {
		return net, "IPv4 mask bits must be < 32"
	}
	if bits > 127 {
		return net, "IPv6 mask bits must be < 128"
	}
	return netip.PrefixFrom(addr, int(bits)).Masked(), ""
}

// longestAddress is the length of an IPv6 address with every digit written.
const longestAddress = len("0000:0000:0000:0000:0000:0000:0000:0000")

// parseAddress reads an address of digits and points or of hexadecimal digits
// and colons. Other text is turned away before it costs anything: most texts
// that a message carries are no address.
func parseAddress(s string) (netip.Addr, bool) {
	if len(s) > longestAddress || !shapedAsAddress(s) {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}, false
	}
	return addr.Unmap(), true
}

// shapedAsAddress tells text that means to be an address from text that does not.
func shapedAsAddress(s string) bool {
	points, colons := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.':
			points++
		case c == ':':
			colons++
		case '0' <= c && c <= '9':
		case 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F':
			if points > 0 {
				return false
			}
		default:
			return false
		}
	}
	return points == 3 && colons == 0 && s[0] != '.' || points == 0 && colons > 1
}
