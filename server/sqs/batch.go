package sqs

import (
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// batchEntry is one entry of a batch request.
type batchEntry struct {
	id     string
	params *wire.Object
}

// batchEntries reads the entries of a batch and makes the checks that fail the
// whole request, in AWS's order (recorded).
func batchEntries(p *wire.Object) ([]batchEntry, error) {
	items, _, err := p.StructList("Entries")
	if err != nil || len(items) == 0 {
		return nil, fault.EmptyBatchRequest.Default()
	}
	if len(items) > largestBatch {
		return nil, fault.TooManyEntriesInBatchRequest.Withf(
			"Maximum number of entries per request are %d. You have sent %d.", largestBatch, len(items))
	}
	entries := make([]batchEntry, len(items))
	for i, item := range items {
		id, _ := item.Str("Id")
		if !validEntryID(id) {
			return nil, fault.InvalidBatchEntryID.With(
				"A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.")
		}
		for _, earlier := range entries[:i] {
			if earlier.id == id {
				return nil, fault.BatchEntryIdsNotDistinct.Withf("Id %s repeated.", id)
			}
		}
		entries[i] = batchEntry{id, item}
	}
	return entries, nil
}

func validEntryID(id string) bool {
	if id == "" || len(id) > 80 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// batchAnswer answers the verdicts on entries in the order of the request. An
// entry has failed when its error is not nil; otherwise its success is answered,
// which needs no more than an Id. Empty lists are left out.
func batchAnswer(entries []batchEntry, successes []*wire.Object, errs []error) *wire.Object {
	var good, bad []wire.Value
	for i, e := range entries {
		if errs[i] != nil {
			bad = append(bad, failedEntry(e.id, errs[i]))
			continue
		}
		o := wire.NewObject(wire.Member{Name: "Id", Value: wire.String(e.id)})
		if successes != nil {
			for _, m := range successes[i].Members() {
				o.Set(m.Name, m.Value)
			}
		}
		good = append(good, wire.Struct(o))
	}
	answer := wire.NewObject()
	if len(good) > 0 {
		answer.Set("Successful", wire.List(good...))
	}
	if len(bad) > 0 {
		answer.Set("Failed", wire.List(bad...))
	}
	return answer
}

func failedEntry(id string, err error) wire.Value {
	f := fault.From(brokerFault(err))
	return wire.Struct(wire.NewObject(
		wire.Member{Name: "Id", Value: wire.String(id)},
		wire.Member{Name: "SenderFault", Value: wire.Bool(!f.Kind.Receiver)},
		wire.Member{Name: "Code", Value: wire.String(entryCode(f.Kind))},
		wire.Member{Name: "Message", Value: wire.String(f.Message())},
	))
}

// entryCode is the code of a failed entry over JSON. The errors that AWS's
// platform defines lose their "Exception" there ("InvalidParameterValue",
// recorded), which is how Query spells them.
func entryCode(k *fault.Kind) string {
	if k.Namespace == fault.QueueDoesNotExist.Namespace {
		return k.JSON
	}
	return k.Query
}
