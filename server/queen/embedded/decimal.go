package embedded

import (
	"math/big"
	"strconv"
	"strings"
)

// decimal is an exact decimal number: units times ten to the minus scale. It is
// what makes incr exact beyond 2^53 and with fractions.
type decimal struct {
	units big.Int
	scale int // digits behind the point, 0 or more
}

// maxExponent bounds numbers written with an exponent, and maxDigits all of them,
// so that a short text cannot ask for a huge number. Both are beyond what a
// 64-bit float can say.
const (
	maxExponent = 400
	maxDigits   = 1000
)

// parseDecimal reads a JSON number.
func parseDecimal(s string) (d decimal, ok bool) {
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n > maxExponent || n < -maxExponent {
			return d, false
		}
		mantissa, exponent = s[:i], n
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	digits := strings.TrimPrefix(whole, "-")
	if len(mantissa) > maxDigits || !isNumber(digits) || point && !isDigits(fraction) {
		return d, false
	}
	if _, ok := d.units.SetString(whole+fraction, 10); !ok {
		return d, false
	}
	if d.scale = len(fraction) - exponent; d.scale < 0 {
		d.units.Mul(&d.units, tens(-d.scale))
		d.scale = 0
	}
	return d.trim(), true
}

func isNumber(s string) bool { return isDigits(s) && (s[0] != '0' || len(s) == 1) }

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func tens(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// trim drops zeros at the end of the fraction.
func (d decimal) trim() decimal {
	var quotient, rest big.Int
	for d.scale > 0 {
		if quotient.QuoRem(&d.units, big.NewInt(10), &rest); rest.Sign() != 0 {
			break
		}
		d.units.Set(&quotient)
		d.scale--
	}
	return d
}

// align answers the units of both numbers at their larger scale.
func align(a, b decimal) (x, y *big.Int, scale int) {
	scale = max(a.scale, b.scale)
	x = new(big.Int).Mul(&a.units, tens(scale-a.scale))
	y = new(big.Int).Mul(&b.units, tens(scale-b.scale))
	return x, y, scale
}

func (d decimal) add(other decimal) decimal {
	x, y, scale := align(d, other)
	sum := decimal{scale: scale}
	sum.units.Add(x, y)
	return sum.trim()
}

func (d decimal) cmp(other decimal) int {
	x, y, _ := align(d, other)
	return x.Cmp(y)
}

func (d decimal) String() string {
	s := new(big.Int).Abs(&d.units).String()
	if d.scale > 0 {
		if len(s) <= d.scale {
			s = strings.Repeat("0", d.scale-len(s)+1) + s
		}
		s = s[:len(s)-d.scale] + "." + s[len(s)-d.scale:]
	}
	if d.units.Sign() < 0 {
		s = "-" + s
	}
	return s
}
