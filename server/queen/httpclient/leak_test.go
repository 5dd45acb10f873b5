package httpclient

import (
	"testing"

	"go.uber.org/goleak"
)

// No call leaves a goroutine behind, however it ended.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
