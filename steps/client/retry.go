package client

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go/aws/awserr"
	v1client "github.com/aws/aws-sdk-go/aws/client"
	"github.com/aws/aws-sdk-go/aws/request"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Retried reports whether the SDK of a protocol, with the retrying it does by
// default, sends a request again that was answered with e.
func Retried(p Protocol, e *APIError) bool {
	code := e.SDK
	if code == "" {
		code = e.Code
	}
	resp := &http.Response{StatusCode: e.Status, Header: http.Header{}}
	if p == Query {
		return v1client.DefaultRetryer{NumMaxRetries: v1client.DefaultRetryerMaxNumRetries}.ShouldRetry(&request.Request{HTTPResponse: resp, Error: awserr.New(code, e.Message, nil)})
	}
	return retry.NewStandard().IsErrorRetryable(&awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: resp},
		Err:      &smithy.GenericAPIError{Code: code, Message: e.Message},
	}})
}
