package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	"github.com/aws/aws-sdk-go/aws/client"
	"github.com/aws/aws-sdk-go/aws/credentials"
	"github.com/aws/aws-sdk-go/aws/defaults"
	"github.com/aws/aws-sdk-go/aws/request"
	v4 "github.com/aws/aws-sdk-go/aws/signer/v4"
	"github.com/aws/aws-sdk-go/service/sns"
	"github.com/aws/aws-sdk-go/service/sqs"
)

// v1 is aws-sdk-go 1.44, the last line that speaks Query to SQS.
type v1 struct {
	clients map[string]reflect.Value
}

func newV1(cfg Config) *v1 {
	shared := aws.Config{
		Region:                 aws.String(cfg.Region),
		Credentials:            credentials.NewStaticCredentials(cfg.Credentials.AccessKeyID, cfg.Credentials.Secret, cfg.Credentials.Session),
		HTTPClient:             &http.Client{Transport: cfg.Transport},
		MaxRetries:             aws.Int(0),
		DisableParamValidation: aws.Bool(true),
		Endpoint:               aws.String(cfg.endpoint(SQS)),
	}
	other := shared
	other.Endpoint = aws.String(cfg.endpoint(SNS))
	q, n := sqs.New(provider(shared)), sns.New(provider(other))
	for _, c := range []*client.Client{q.Client, n.Client} {
		c.Handlers.Sign.Clear()
		c.Handlers.Sign.PushBackNamed(request.NamedHandler{Name: v4.SignRequestHandler.Name, Fn: func(r *request.Request) {
			v4.SignSDKRequestWithCurrentTime(r, cfg.now)
		}})
	}
	return &v1{map[string]reflect.Value{SQS: reflect.ValueOf(q), SNS: reflect.ValueOf(n)}}
}

// provider configures a service client without a session, which would read
// the machine's environment and shared configuration files.
type provider aws.Config

func (p provider) ClientConfig(service string, _ ...*aws.Config) client.Config {
	cfg := aws.Config(p)
	return client.Config{
		Config: &cfg, Handlers: defaults.Handlers(), Endpoint: *cfg.Endpoint,
		SigningRegion: *cfg.Region, SigningName: service,
	}
}

func (c *v1) Call(ctx context.Context, service, action string, p Params) (Params, error) {
	method := c.clients[service].MethodByName(action + "WithContext")
	if !method.IsValid() {
		return nil, fmt.Errorf("%w: no action %s", errInexpressible, action)
	}
	in := reflect.New(method.Type().In(1).Elem())
	if err := fill(in.Elem(), p); err != nil {
		return nil, err
	}
	var x *Exchange
	ret := method.Call([]reflect.Value{reflect.ValueOf(watch(ctx, &x)), in})
	if err, _ := ret[1].Interface().(error); err != nil {
		return nil, answered(err, x, func(err error) string {
			var e awserr.Error
			if errors.As(err, &e) {
				return e.Code()
			}
			return ""
		})
	}
	out, _ := read(ret[0]).(Params)
	return out, nil
}
