package sns

import (
	"context"
	"fmt"
	"sync"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	mostEntries    = 10
	longestEntryID = 80
)

// publishBatch sends up to ten messages, each as a Publish would: at once on a
// standard topic, one after the other on a FIFO topic. An entry that is wrong
// fails the whole request (recorded for every kind of wrong), so that an entry
// fails alone only when the broker failed it.
func (s *Service) publishBatch(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.topicName(req.Params, "TopicArn")
	if err != nil {
		return nil, err
	}
	entries, ids, err := batchEntries(req.Params)
	if err != nil {
		return nil, err
	}
	tok := s.tokens.Of(req)
	t, err := s.registry.Topic(ctx, tok, name)
	if err != nil {
		return nil, topicFault(err)
	}
	messages := make([]*message, len(entries))
	bytes := 0
	for i, entry := range entries {
		path := fmt.Sprintf("publishBatchRequestEntries.%d.member.messageAttributes", i+1)
		if messages[i], err = s.readMessage(t, entry, path, req.TraceHeader); err != nil {
			return nil, err
		}
		bytes += messages[i].bytes
	}
	// A missing group of any entry is reported before a missing deduplication id
	// of any (recorded).
	for _, m := range messages {
		if err := m.checkGroup(); err != nil {
			return nil, err
		}
	}
	for _, m := range messages {
		if err := m.checkDedup(); err != nil {
			return nil, err
		}
	}
	if bytes > mostBytes {
		return nil, fault.SNSBatchRequestTooLong.Default()
	}
	return batchAnswer(ids, messages, s.fanOutAll(ctx, tok, messages)), nil
}

// fanOutAll delivers messages and answers what became of each.
func (s *Service) fanOutAll(ctx context.Context, tok queen.Token, messages []*message) []error {
	errs := make([]error, len(messages))
	if messages[0].topic.FIFO() {
		for i, m := range messages {
			errs[i] = s.fanOut(ctx, tok, m)
		}
		return errs
	}
	var wg sync.WaitGroup
	for i, m := range messages {
		wg.Go(func() { errs[i] = s.fanOut(ctx, tok, m) })
	}
	wg.Wait()
	return errs
}

// batchEntries reads the entries and makes the checks of the batch as such. The
// texts are recorded, but for that of a missing Id.
func batchEntries(p *wire.Object) (entries []*wire.Object, ids []string, err error) {
	entries, _, err = p.StructList("PublishBatchRequestEntries")
	if err != nil {
		return nil, nil, wrongType(err)
	}
	if len(entries) == 0 {
		return nil, nil, fault.SNSEmptyBatchRequest.Default()
	}
	if len(entries) > mostEntries {
		return nil, nil, fault.SNSTooManyEntriesInBatchRequest.Default()
	}
	seen := make(map[string]bool, len(entries))
	for _, entry := range entries {
		id, present, err := text(entry, "Id")
		switch {
		case err != nil:
			return nil, nil, err
		case !present || id == "":
			return nil, nil, fault.SNSInvalidBatchEntryID.Default()
		case len(id) > longestEntryID:
			return nil, nil, fault.SNSInvalidBatchEntryID.With("The Id of a batch entry in the batch request is too long: " + clip(id))
		case !validEntryID(id):
			return nil, nil, fault.SNSInvalidBatchEntryID.With(
				"The Id of a batch entry in the batch request contains an impermissible character: " + clip(id))
		case seen[id]:
			return nil, nil, fault.SNSBatchEntryIdsNotDistinct.Default()
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return entries, ids, nil
}

func validEntryID(id string) bool {
	for _, r := range id {
		if r == '.' || !nameCharacter(r) {
			return false
		}
	}
	return true
}

// batchAnswer answers both lists, also an empty one, in the order of the request
// (recorded).
func batchAnswer(ids []string, messages []*message, errs []error) *wire.Object {
	var good, bad []wire.Value
	for i, id := range ids {
		entry := wire.NewObject(wire.Member{Name: "Id", Value: wire.String(id)})
		if errs[i] == nil {
			good = append(good, wire.Struct(entry.Set("MessageId", wire.String(messages[i].id))))
			continue
		}
		f := fault.From(errs[i])
		bad = append(bad, wire.Struct(entry.
			Set("SenderFault", wire.Bool(!f.Kind.Receiver)).
			Set("Code", wire.String(f.Kind.Query)).
			Set("Message", wire.String(f.Message()))))
	}
	return wire.NewObject(
		wire.Member{Name: "Successful", Value: wire.List(good...)},
		wire.Member{Name: "Failed", Value: wire.List(bad...)},
	)
}
