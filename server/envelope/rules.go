package envelope

import (
	"strconv"
	"strings"
)

// ValidID reports whether a text can be a MessageGroupId, a
// MessageDeduplicationId or a ReceiveRequestAttemptId: 1 to 128 letters, digits
// and punctuation of ASCII.
func ValidID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// IsNumber reports whether the text of a Number attribute is a decimal number of
// the range of a double.
func IsNumber(text string) bool {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// UsableTrace reports whether the X-Amzn-Trace-Id header of a request can become
// the system attribute AWSTraceHeader, as it does at AWS (recorded). One that is
// absent, over 1024 bytes or not text is left out.
func UsableTrace(header string) bool {
	if header == "" || len(header) > 1024 {
		return false
	}
	_, bad := Forbidden(header)
	return !bad
}
