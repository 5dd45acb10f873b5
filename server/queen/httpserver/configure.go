package httpserver

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// option is one member of a configure.
type option struct {
	name string
	get  func(o *queen.Options) any // *int or *bool
}

var options = []option{
	{"priority", func(o *queen.Options) any { return &o.Priority }},
	{"leaseTime", func(o *queen.Options) any { return &o.LeaseTime }},
	{"retryLimit", func(o *queen.Options) any { return &o.RetryLimit }},
	{"retryDelay", func(o *queen.Options) any { return &o.RetryDelay }},
	{"maxSize", func(o *queen.Options) any { return &o.MaxSize }},
	{"ttl", func(o *queen.Options) any { return &o.TTL }},
	{"deadLetterQueue", func(o *queen.Options) any { return &o.DeadLetterQueue }},
	{"dlqAfterMaxRetries", func(o *queen.Options) any { return &o.DLQAfterMaxRetries }},
	{"delayedProcessing", func(o *queen.Options) any { return &o.DelayedProcessing }},
	{"windowBuffer", func(o *queen.Options) any { return &o.WindowBuffer }},
	{"retentionSeconds", func(o *queen.Options) any { return &o.RetentionSeconds }},
	{"completedRetentionSeconds", func(o *queen.Options) any { return &o.CompletedRetentionSeconds }},
	{"retentionEnabled", func(o *queen.Options) any { return &o.RetentionEnabled }},
	{"encryptionEnabled", func(o *queen.Options) any { return &o.EncryptionEnabled }},
	{"maxWaitTimeSeconds", func(o *queen.Options) any { return &o.MaxWaitTimeSeconds }},
	{"minPopWaitTime", func(o *queen.Options) any { return &o.MinPopWaitTime }},
	{"dedupWindowSeconds", func(o *queen.Options) any { return &o.DedupWindowSeconds }},
}

var errOption = errors.New("configure failed: db error")

func (s *Server) configure(r *request) answer {
	d, err := parse(r.body)
	if err != nil {
		return badBody(err)
	}
	if !d.isObject() {
		return refuse(400, "queue is required")
	}
	fields, err := d.fields()
	if err != nil {
		return badBody(err)
	}
	if !fields["queue"].isString() {
		return refuse(400, "queue is required")
	}
	name, err := fields["queue"].text()
	if err != nil {
		return badBody(err)
	}
	merge, refused := readMode(fields["mode"])
	if refused != nil {
		return *refused
	}
	// A merge reads what it changes; two at a time would lose one.
	s.configuring.Lock()
	defer s.configuring.Unlock()
	opts := queen.DefaultOptions()
	if merge {
		if q, err := s.engine.DescribeQueue(r.ctx, name); err == nil {
			opts = q.Options
		}
	}
	if err := readOptions(fields, &opts); err != nil {
		return refuse(500, err.Error())
	}
	opts, err = s.engine.Configure(r.ctx, "", name, opts)
	if err != nil {
		return failure(err, "configure failed: db error")
	}
	q, err := s.engine.DescribeQueue(r.ctx, name)
	if err != nil {
		return failure(err, "configure failed: db error")
	}
	return ok(configured(name, q.ID, &opts))
}

// readMode reads whether members that are not named keep their value or fall
// back to the default, which is also what a request without a mode means.
func readMode(d document) (merge bool, refused *answer) {
	if d.isNull() {
		return false, nil
	}
	switch mode, _ := d.text(); mode {
	case "merge":
		return true, nil
	case "replace":
		return false, nil
	}
	a := refuse(400, `mode must be "merge" or "replace"`)
	return false, &a
}

// readOptions reads the options from the nested object when there is one, else
// from beside the queue. Namespace and task are read from either.
func readOptions(fields map[string]document, opts *queen.Options) error {
	bag := fields
	if fields["options"].isObject() {
		var err error
		if bag, err = fields["options"].fields(); err != nil {
			return errOption
		}
	}
	for _, o := range options {
		if err := readOption(bag[o.name], o.get(opts)); err != nil {
			return err
		}
	}
	for name, label := range map[string]*string{"namespace": &opts.Namespace, "task": &opts.Task} {
		d := bag[name]
		if d == nil {
			d = fields[name]
		}
		if d.isString() {
			text, err := d.text()
			if err != nil {
				return errOption
			}
			*label = text
		}
	}
	return nil
}

// readOption reads a number or a truth value as a database column would: from a
// value of the type or from its text. Null is no value.
func readOption(d document, into any) error {
	if d.isNull() {
		return nil
	}
	text := string(d)
	if d.isString() {
		var err error
		if text, err = d.text(); err != nil {
			return errOption
		}
	}
	text = strings.TrimSpace(text)
	switch into := into.(type) {
	case *int:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return errOption
		}
		*into = int(n)
	case *bool:
		switch strings.ToLower(text) {
		case "true", "t", "yes", "y", "on", "1":
			*into = true
		case "false", "f", "no", "n", "off", "0":
			*into = false
		default:
			return errOption
		}
	default:
		panic(fmt.Sprintf("httpserver: an option of type %T", into))
	}
	return nil
}

func configured(name, id string, opts *queen.Options) []byte {
	bag := newObject(512)
	for _, o := range options {
		switch v := o.get(opts).(type) {
		case *int:
			bag.int(o.name, int64(*v))
		case *bool:
			bag.bool(o.name, *v)
		}
	}
	o := newObject(768)
	o.bool("configured", true).text("queueId", id).raw("partitionId", "null").text("queue", name)
	o.text("namespace", opts.Namespace).text("task", opts.Task).text("storage", "segments")
	return o.document("options", bag.close()).close()
}
