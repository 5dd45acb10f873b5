// Package queuename is what both services know about queues by their names
// alone: which names are well-formed, the ARNs they are written in, and the lane
// of a message on a standard queue.
package queuename

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
)

// FIFOSuffix makes a name that of a FIFO queue or topic.
const FIFOSuffix = ".fifo"

// longest is the most bytes of a queue name, a .fifo suffix included.
const longest = 80

// Valid reports whether a name is well-formed: 1 to 80 bytes, of which those
// before an optional .fifo suffix are one or more of A-Z a-z 0-9 _ -.
func Valid(name string) bool {
	return len(name) <= longest && ValidStem(strings.TrimSuffix(name, FIFOSuffix))
}

// ValidStem reports whether a text is one or more of A-Z a-z 0-9 _ -.
func ValidStem(stem string) bool {
	for i := range len(stem) {
		c := stem[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return stem != ""
}

// FromARN answers the queue an ARN names, and whether it is the ARN of a queue
// of that region and account. Its partition is not looked at. Whether the queue
// exists is another question.
func FromARN(arn, region, account string) (name string, ok bool) {
	parts := strings.Split(arn, ":")
	if len(parts) != 6 || parts[0] != "arn" || parts[2] != "sqs" || parts[3] != region || parts[4] != account {
		return "", false
	}
	return parts[5], Valid(parts[5])
}

// Lane answers the lane of a key among the lanes "0" to "width-1" of a standard
// queue; a width below 1 counts as 1. Queues outlive the gateway, and a message
// is looked for only in the lanes there are: this function must never change.
func Lane(key string, width int) string {
	if width <= 1 {
		return "0"
	}
	sum := sha256.Sum256([]byte(key))
	return strconv.FormatUint(binary.BigEndian.Uint64(sum[:8])%uint64(width), 10)
}
