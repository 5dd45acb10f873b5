package queuename

import (
	"strings"
	"testing"
)

// The vectors of the published contract: the function must never change.
func TestLane(t *testing.T) {
	for _, c := range []struct {
		key   string
		width int
		want  string
	}{
		{"00000000-0000-0000-0000-000000000001", 64, "13"},
		{"", 64, "20"},
		{"any", 1, "0"},
		{"any", 0, "0"},
		{"any", -3, "0"},
	} {
		if got := Lane(c.key, c.width); got != c.want {
			t.Errorf("Lane(%q, %d) = %s, want %s", c.key, c.width, got, c.want)
		}
	}
}

func TestValid(t *testing.T) {
	for name, want := range map[string]bool{
		"jobs": true, "jobs.fifo": true, "A-z_9": true, strings.Repeat("a", 80): true,
		"": false, ".fifo": false, "a.b": false, "a b": false, "é": false,
		strings.Repeat("a", 81): false, strings.Repeat("a", 76) + ".fifo": false,
	} {
		if got := Valid(name); got != want {
			t.Errorf("Valid(%q) = %v", name, got)
		}
	}
}

func TestFromARN(t *testing.T) {
	for arn, want := range map[string]string{
		"arn:aws:sqs:r:a:jobs":      "jobs",
		"arn:aws-cn:sqs:r:a:j.fifo": "j.fifo",
		"arn:aws:sqs:r:a:":          "",
		"arn:aws:sqs:r:a:jobs:x":    "",
		"arn:aws:sns:r:a:jobs":      "",
		"arn:aws:sqs:other:a:jobs":  "",
		"arn:aws:sqs:r:other:jobs":  "",
		"http://localhost/a/jobs":   "",
		"":                          "",
	} {
		name, ok := FromARN(arn, "r", "a")
		if ok != (want != "") || ok && name != want {
			t.Errorf("FromARN(%q) = %q, %v", arn, name, ok)
		}
	}
}
