package sns

import (
	"encoding/base64"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// pageSize is the size of every page (recorded).
const pageSize = 100

// nextToken is where a listing goes on, empty for the beginning. The token is
// the base64 of a key; valid tells whether the key belongs to this listing.
func nextToken(p *wire.Object, valid func(key string) bool) (string, error) {
	token, _, err := text(p, "NextToken")
	if err != nil || token == "" {
		return "", err
	}
	key, err := base64.StdEncoding.DecodeString(token)
	if err != nil || !valid(string(key)) {
		return "", invalid("NextToken")
	}
	return string(key), nil
}

// page is the answer of a listing; the list is there also when it is empty.
func page(name string, items []wire.Value, next string) *wire.Object {
	answer := wire.NewObject(wire.Member{Name: name, Value: wire.List(items...)})
	if next != "" {
		answer.Set("NextToken", wire.String(base64.StdEncoding.EncodeToString([]byte(next))))
	}
	return answer
}
