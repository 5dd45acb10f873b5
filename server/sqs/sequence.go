package sqs

import (
	"math/big"
	"strconv"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// sequence is the SequenceNumber of a message of a FIFO queue: the place in its
// group (QS-09), or, where the broker does not tell that, the 128 bits of the
// message's id as one decimal number, which rises for sends that follow one
// another. It is the same on send and on every receive, and empty when neither
// is known.
func (s *Service) sequence(offset int64, messageID string) string {
	if offset != queen.Unknown && !s.profile.MatchesAmazon(divergences.SequenceNumberPerGroup) {
		return strconv.FormatInt(offset, 10)
	}
	id, err := uuid.Parse(messageID)
	if err != nil {
		return ""
	}
	return new(big.Int).SetBytes(id[:]).String()
}
