package sqs

import "github.com/queen-mq/queen-sqs/server/queuename"

// Lane answers the lane of a key on a standard queue of that width.
func Lane(key string, width int) string { return queuename.Lane(key, width) }
