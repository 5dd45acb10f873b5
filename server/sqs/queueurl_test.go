package sqs

import (
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestValidQueueName(t *testing.T) {
	good := []string{"a", "A-b_9", strings.Repeat("x", 80), "f.fifo", strings.Repeat("x", 75) + ".fifo"}
	bad := []string{"", ".fifo", "a.b", "a/b", "a b", "é", "f.fifo.fifo", "f.FIFO", "..", strings.Repeat("x", 81),
		strings.Repeat("x", 76) + ".fifo", "a\x00"}
	for _, name := range good {
		if !validQueueName(name) {
			t.Errorf("%q refused", name)
		}
	}
	for _, name := range bad {
		if validQueueName(name) {
			t.Errorf("%q taken", name)
		}
	}
}

func TestNameFromURL(t *testing.T) {
	s := New(Config{Account: testAccount})
	cases := []struct {
		url, name string // no name: refused
	}{
		{testBase + "/000000000000/orders", "orders"},
		{testBase + "/000000000000/orders.fifo", "orders.fifo"},
		{testBase + "/000000000000/orders/", "orders"},
		{testBase + "//000000000000//orders", "orders"},
		{"https://elsewhere:1/some/prefix/000000000000/orders", "orders"},
		{testBase + "/000000000000/orders?Action=SendMessage#x", "orders"},
		{"/000000000000/orders", "orders"},
		{"000000000000/orders", "orders"},
		{"orders", "orders"},
		{"orders.fifo", "orders.fifo"},
		{testBase + "/111111111111/orders", ""},
		{testBase + "/orders", ""},
		{testBase, ""},
		{"http://000000000000/orders", ""},
		{testBase + "/000000000000/or ders", ""},
		{testBase + "/000000000000/../orders", ""},
		{testBase + "/000000000000/orders/..", ""},
		{"../etc/passwd", ""},
		{"?", ""},
		{"", ""},
	}
	for _, c := range cases {
		name, ok := s.nameFromURL(c.url)
		if ok != (c.name != "") || ok && name != c.name {
			t.Errorf("%q is %q, %v; want %q", c.url, name, ok, c.name)
		}
	}
}

func TestNameFromARN(t *testing.T) {
	s := New(Config{Region: testRegion, Account: testAccount})
	cases := []struct{ arn, name string }{
		{"arn:aws:sqs:queen-1:000000000000:orders", "orders"},
		{"arn:aws-cn:sqs:queen-1:000000000000:orders.fifo", "orders.fifo"},
		{s.queueARN("orders"), "orders"},
		{"arn:aws:sns:queen-1:000000000000:orders", ""},
		{"arn:aws:sqs:eu-west-1:000000000000:orders", ""},
		{"arn:aws:sqs:queen-1:111111111111:orders", ""},
		{"arn:aws:sqs:queen-1:000000000000:or/ders", ""},
		{"arn:aws:sqs:queen-1:000000000000:orders:more", ""},
		{"arn:aws:sqs:queen-1:000000000000", ""},
		{"urn:aws:sqs:queen-1:000000000000:orders", ""},
		{"", ""},
	}
	for _, c := range cases {
		name, ok := s.nameFromARN(c.arn)
		if ok != (c.name != "") || ok && name != c.name {
			t.Errorf("%q is %q, %v; want %q", c.arn, name, ok, c.name)
		}
	}
}

func TestQueueNameOfARequest(t *testing.T) {
	s := New(Config{Account: testAccount})
	const notThere = "QueueDoesNotExist"
	cases := []struct {
		action, path string
		params       *wire.Object
		name, fault  string
	}{
		{"PurgeQueue", "/", params("QueueUrl", testBase+"/000000000000/a"), "a", ""},
		{"PurgeQueue", "/000000000000/b", params("QueueUrl", testBase+"/000000000000/a"), "a", ""},
		{"PurgeQueue", "/000000000000/b", params(), "b", ""},
		{"PurgeQueue", "/prefix/000000000000/b", nil, "b", ""},
		{"ReceiveMessage", "/000000000000/b", params("QueueUrl", ""), "b", ""},
		{"PurgeQueue", "/", params(), "", "MissingRequiredParameterException"},
		{"PurgeQueue", "/", params("QueueUrl", ""), "", "MissingRequiredParameterException"},
		{"PurgeQueue", "/api/v1", params(), "", "MissingRequiredParameterException"},
		{"ReceiveMessage", "/", params(), "", "MissingRequiredParameterException"},
		{"ReceiveMessage", "/", params("QueueUrl", ""), "", notThere},
		{"ReceiveMessage", "/111111111111/b", params(), "", notThere},
		{"PurgeQueue", "/000000000000/b", params("QueueUrl", testBase+"/111111111111/a"), "", notThere},
		{"PurgeQueue", "/", params("QueueUrl", params("a", "b")), "", "InvalidParameterValueException"},
	}
	for _, c := range cases {
		req := request(c.action, c.params)
		req.Path = c.path
		name, err := s.queueName(req)
		if c.fault == "" && (err != nil || name != c.name) {
			t.Errorf("%s at %s: %q, %v; want %q", c.action, c.path, name, err, c.name)
		}
		if c.fault != "" && (err == nil || fault.From(err).Kind.JSON != c.fault) {
			t.Errorf("%s at %s: %q, %v; want %s", c.action, c.path, name, err, c.fault)
		}
	}
}
