package sqs

import (
	"context"
	"errors"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// The message actions, until their files are here.

var errPending = errors.New("sqs: action not written yet")

func (s *Service) sendMessage(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) sendMessageBatch(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) receiveMessage(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) deleteMessage(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) deleteMessageBatch(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) changeMessageVisibility(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) changeMessageVisibilityBatch(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) startMessageMoveTask(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) cancelMessageMoveTask(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}

func (s *Service) listMessageMoveTasks(context.Context, *wire.Request) (*wire.Object, error) {
	return nil, errPending
}
