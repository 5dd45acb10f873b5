package sns

import (
	"context"
	"errors"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Limits of tags, from the API reference of TagResource.
const (
	mostTags        = 50
	longestTagKey   = 128
	longestTagValue = 256
)

// tagList reads the parameter Tags, a list of {Key, Value}; over AWS JSON a map
// will do. A key that is there twice is refused whatever its values are
// (recorded).
func tagList(p *wire.Object) (map[string]string, error) {
	v := p.Get("Tags")
	if v.Kind() != wire.KindList {
		if v.Text() == "" && v.Object() == nil {
			return nil, nil
		}
		return texts(p, "Tags")
	}
	tags := make(map[string]string, len(v.Items()))
	for _, item := range v.Items() {
		key, ok := item.Object().Str("Key")
		if !ok {
			return nil, missing("Tags.Key")
		}
		value, _, err := text(item.Object(), "Value")
		if err != nil {
			return nil, err
		}
		if _, twice := tags[key]; twice {
			return nil, invalid("Duplicated keys are not allowed.")
		}
		if key == "" || utf8.RuneCountInString(key) > longestTagKey || utf8.RuneCountInString(value) > longestTagValue {
			return nil, invalid("Tags Reason: a key has 1 to %d characters and a value at most %d", longestTagKey, longestTagValue)
		}
		tags[key] = value
	}
	if len(tags) > mostTags {
		return nil, fault.TagLimitExceeded.Default()
	}
	return tags, nil
}

// taggedFault is topicFault in the words of the actions of tags.
func taggedFault(err error) error {
	if errors.Is(err, registry.ErrNotFound) {
		return fault.SNSResourceNotFound.Default()
	}
	return brokerFault(err)
}

// tagResource adds tags and replaces the values of those that are there.
func (s *Service) tagResource(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.topicName(req.Params, "ResourceArn")
	if err != nil {
		return nil, err
	}
	tags, err := tagList(req.Params)
	if err != nil {
		return nil, err
	}
	if req.Params.Get("Tags").IsNull() {
		return nil, missing("Tags")
	}
	_, err = s.registry.ChangeTopic(ctx, s.tokens.Of(req), name, func(t *registry.Topic) error {
		maps.Copy(t.Tags, tags)
		if len(t.Tags) > mostTags {
			return fault.TagLimitExceeded.Default()
		}
		return nil
	})
	if err != nil {
		return nil, taggedFault(err)
	}
	return wire.NewObject(), nil
}

// untagResource removes tags; keys that are not there are ignored.
func (s *Service) untagResource(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.topicName(req.Params, "ResourceArn")
	if err != nil {
		return nil, err
	}
	keys, present, err := req.Params.StringList("TagKeys")
	if err != nil {
		return nil, wrongType(err)
	}
	if !present {
		return nil, missing("TagKeys")
	}
	for _, key := range keys {
		if utf8.RuneCountInString(key) > longestTagKey {
			return nil, invalid("TagKeys Reason: a key has 1 to %d characters", longestTagKey)
		}
	}
	_, err = s.registry.ChangeTopic(ctx, s.tokens.Of(req), name, func(t *registry.Topic) error {
		for _, key := range keys {
			delete(t.Tags, key)
		}
		return nil
	})
	if err != nil {
		return nil, taggedFault(err)
	}
	return wire.NewObject(), nil
}

// listTagsForResource answers the tags by their keys; the list is there also
// when it is empty (recorded).
func (s *Service) listTagsForResource(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.topicName(req.Params, "ResourceArn")
	if err != nil {
		return nil, err
	}
	t, err := s.registry.Topic(ctx, s.tokens.Of(req), name)
	if err != nil {
		return nil, taggedFault(err)
	}
	items := make([]wire.Value, 0, len(t.Tags))
	for _, key := range slices.Sorted(maps.Keys(t.Tags)) {
		items = append(items, wire.Struct(wire.NewObject(
			wire.Member{Name: "Key", Value: wire.String(key)},
			wire.Member{Name: "Value", Value: wire.String(t.Tags[key])},
		)))
	}
	return wire.NewObject(wire.Member{Name: "Tags", Value: wire.List(items...)}), nil
}
