package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// v2 is aws-sdk-go-v2: AWS JSON 1.0 for SQS, Query for SNS.
type v2 struct {
	clients map[string]reflect.Value
}

func newV2(cfg Config) *v2 {
	creds := credentials.NewStaticCredentialsProvider(cfg.Credentials.AccessKeyID, cfg.Credentials.Secret, cfg.Credentials.Session)
	httpClient := &http.Client{Transport: cfg.Transport}
	signer := timedSigner{v4.NewSigner(), cfg.now}
	q := sqs.New(sqs.Options{
		BaseEndpoint: aws.String(cfg.Endpoints[0]), Region: cfg.Region, Credentials: creds, HTTPClient: httpClient,
		HTTPSignerV4: signer, Retryer: aws.NopRetryer{}, DisableClockSkewCorrection: true,
		APIOptions: []func(*middleware.Stack) error{withoutValidation},
	})
	n := sns.New(sns.Options{
		BaseEndpoint: aws.String(cfg.endpoint(SNS)), Region: cfg.Region, Credentials: creds, HTTPClient: httpClient,
		HTTPSignerV4: signer, Retryer: aws.NopRetryer{}, DisableClockSkewCorrection: true,
		APIOptions: []func(*middleware.Stack) error{withoutValidation},
	})
	return &v2{map[string]reflect.Value{SQS: reflect.ValueOf(q), SNS: reflect.ValueOf(n)}}
}

// withoutValidation takes the client-side check of required members out, so
// that the endpoint's own refusal is seen.
func withoutValidation(s *middleware.Stack) error {
	if _, ok := s.Initialize.Get("OperationInputValidation"); ok {
		_, err := s.Initialize.Remove("OperationInputValidation")
		return err
	}
	return nil
}

type timedSigner struct {
	*v4.Signer
	now func() time.Time
}

func (s timedSigner) SignHTTP(ctx context.Context, c aws.Credentials, r *http.Request, hash, service, region string, _ time.Time, opts ...func(*v4.SignerOptions)) error {
	return s.Signer.SignHTTP(ctx, c, r, hash, service, region, s.now(), opts...)
}

func (c *v2) Call(ctx context.Context, service, action string, p Params) (Params, error) {
	method := c.clients[service].MethodByName(action)
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
			var e smithy.APIError
			if errors.As(err, &e) {
				return e.ErrorCode()
			}
			return ""
		})
	}
	out, _ := read(ret[0]).(Params)
	return out, nil
}

// answered turns an SDK's error into what the endpoint said. An SDK's complaint
// about an answer that was no error stays what it is.
func answered(err error, x *Exchange, code func(error) string) error {
	if x == nil || x.Status < 300 {
		return err
	}
	e := DecodeError(x)
	e.SDK = code(err)
	return e
}
