package queen

import "strings"

// Options configure a queue. The JSON names are Queen's; Configure always sends
// and answers the whole set.
type Options struct {
	// Namespace and Task are labels by which a pop can find queues it does not
	// name. Queen takes them beside the options and answers them there.
	Namespace string `json:"namespace,omitempty"`
	Task      string `json:"task,omitempty"`
	Priority  int    `json:"priority"`
	// LeaseTime is the lease of a pop that names none, in seconds.
	LeaseTime int `json:"leaseTime"`
	// RetryLimit is how many failed acks a batch survives.
	RetryLimit int `json:"retryLimit"`
	// RetryDelay is in milliseconds.
	RetryDelay         int  `json:"retryDelay"`
	MaxSize            int  `json:"maxSize"`
	TTL                int  `json:"ttl"`
	DeadLetterQueue    bool `json:"deadLetterQueue"`
	DLQAfterMaxRetries bool `json:"dlqAfterMaxRetries"`
	// DelayedProcessing hides messages for this many seconds after their commit.
	DelayedProcessing int `json:"delayedProcessing"`
	WindowBuffer      int `json:"windowBuffer"`
	// RetentionSeconds removes messages by age, consumed or not, when
	// RetentionEnabled is set.
	RetentionSeconds int `json:"retentionSeconds"`
	// CompletedRetentionSeconds keeps consumed messages, and on Queen 1.x the
	// hashes by which acks find them, for this long.
	CompletedRetentionSeconds int  `json:"completedRetentionSeconds"`
	RetentionEnabled          bool `json:"retentionEnabled"`
	EncryptionEnabled         bool `json:"encryptionEnabled"`
	MaxWaitTimeSeconds        int  `json:"maxWaitTimeSeconds"`
	// MinPopWaitTime is in milliseconds.
	MinPopWaitTime int `json:"minPopWaitTime"`
	// DedupWindowSeconds is how long a transaction id stays taken in its lane;
	// 0 turns deduplication off.
	DedupWindowSeconds int `json:"dedupWindowSeconds"`
}

// DefaultOptions are what an option is when a configure does not name it.
func DefaultOptions() Options {
	return Options{
		LeaseTime:          300,
		RetryLimit:         3,
		RetryDelay:         1000,
		TTL:                3600,
		DeadLetterQueue:    true,
		DLQAfterMaxRetries: true,
		DedupWindowSeconds: 3600,
	}
}

// ImplicitOptions are those of a queue that a push, a pop or a timer created:
// the defaults with a lease of 60 seconds.
func ImplicitOptions() Options {
	opts := DefaultOptions()
	opts.LeaseTime = 60
	return opts
}

// ImplicitOptionsOf are ImplicitOptions with the labels that a dotted name
// stands for: namespace.task.rest.
func ImplicitOptionsOf(queue string) Options {
	opts := ImplicitOptions()
	labels := strings.SplitN(queue, ".", 3)
	opts.Namespace = labels[0]
	if len(labels) > 1 {
		opts.Task = labels[1]
	}
	return opts
}
