package filter

import (
	"strings"
)

// decimal is a number exactly as it was written: plus or minus 0.DIGITS times
// ten to the power of exp. Digits neither start nor end with a zero, so that
// equal numbers are equal values and a decimal can be the key of a map. Zero has
// no digits, no exponent and no sign.
type decimal struct {
	digits   string
	exp      int64
	negative bool
}

// farExponent is where exponents stop growing. Numbers beyond it on one side are
// told apart by their digits only.
const farExponent = 1 << 60

// parseDecimal reads digits with an optional sign, point and exponent. It takes
// every JSON number and also the forms "+1", "01", ".5" and "5." that a message
// attribute of type Number may have.
func parseDecimal(s string) (d decimal, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		d.negative = s[0] == '-'
		s = s[1:]
	}
	whole := leadingDigits(s)
	s = s[len(whole):]
	fraction := ""
	if s != "" && s[0] == '.' {
		fraction = leadingDigits(s[1:])
		s = s[1+len(fraction):]
	}
	if whole == "" && fraction == "" {
		return decimal{}, false
	}
	exp := int64(0)
	if s != "" {
		if exp, ok = parseExponent(s); !ok {
			return decimal{}, false
		}
	}
	return normalized(d.negative, whole, fraction, exp), true
}

func leadingDigits(s string) string {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n]
}

// parseExponent reads the letter, the sign and the digits of an exponent.
func parseExponent(s string) (exp int64, ok bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	if s == "" || leadingDigits(s) != s {
		return 0, false
	}
	for i := 0; i < len(s) && exp < farExponent; i++ {
		exp = exp*10 + int64(s[i]-'0')
	}
	exp = min(exp, farExponent)
	if negative {
		exp = -exp
	}
	return exp, true
}

func normalized(negative bool, whole, fraction string, exp int64) decimal {
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	exp += int64(len(whole))
	digits := whole
	switch {
	case whole == "":
		digits = strings.TrimLeft(fraction, "0")
		exp -= int64(len(fraction) - len(digits))
	case fraction != "":
		digits = whole + fraction
	default:
		digits = strings.TrimRight(whole, "0")
	}
	if digits == "" {
		return decimal{}
	}
	return decimal{digits, exp, negative}
}

// compare is negative, zero or positive as d is less than, equal to or greater
// than e.
func (d decimal) compare(e decimal) int {
	if d.sign() != e.sign() {
		return d.sign() - e.sign()
	}
	if d.negative {
		d, e = e, d
	}
	if d.exp != e.exp {
		if d.exp < e.exp {
			return -1
		}
		return 1
	}
	return strings.Compare(d.digits, e.digits)
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}
