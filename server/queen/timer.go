package queen

import "time"

// TimerVerb names a timer operation.
type TimerVerb string

// The timer operations. Schedule and Reschedule are the same upsert.
const (
	TimerSchedule   TimerVerb = "schedule"
	TimerReschedule TimerVerb = "reschedule"
	TimerCancel     TimerVerb = "cancel"
)

// TimerStatus is the verdict on a timer operation.
type TimerStatus string

// The timer verdicts.
const (
	TimerScheduled   TimerStatus = "scheduled"
	TimerRescheduled TimerStatus = "rescheduled"
	TimerCancelled   TimerStatus = "cancelled"
	TimerAbsent      TimerStatus = "absent"
	TimerTooLate     TimerStatus = "too_late"
)

// TimerOp schedules a push for later, or cancels one. At most 1 MiB of payload
// and a horizon of 90 days. The payload must be valid JSON: anything else
// spoils the answer of the pop that claims it.
type TimerOp struct {
	Op        TimerVerb
	Queue     string
	Key       string
	Partition string
	Delay     time.Duration
	// Txn becomes the transaction id of the delivered message; required.
	Txn     string
	Payload []byte
}

// TimerResult answers one timer operation. MessageID is minted when the timer is
// scheduled and is the id of the delivered message.
type TimerResult struct {
	OK        bool
	Status    TimerStatus
	Queue     string
	Key       string
	Txn       string
	MessageID string
	DeliverAt time.Time
}

// TimerPage is one page of pending timers.
type TimerPage struct {
	Rows      []TimerRow
	Truncated bool
	NextAfter string
}

// TimerRow is one pending timer, without its payload.
type TimerRow struct {
	Queue     string
	Key       string
	Partition string
	Txn       string
	MessageID string
	DeliverAt time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
}
