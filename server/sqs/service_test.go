package sqs

import (
	"maps"
	"slices"
	"testing"

	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestHandlersAreTheClosedSet(t *testing.T) {
	handlers := New(Config{}).Handlers()
	got := slices.Sorted(maps.Keys(handlers))
	wantList(t, got, slices.Sorted(slices.Values(wire.SQSActions))...)
	for name, h := range handlers {
		if h == nil {
			t.Errorf("%s has no method", name)
		}
	}
}
