package sqs

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

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
