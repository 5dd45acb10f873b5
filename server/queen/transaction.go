package queen

// Transaction is pushes, acks, KV and timer operations in one commit. GetPrefix
// is not allowed in it, and at most 64 KV operations are. The gateway sends no
// timers in one.
type Transaction struct {
	Pushes []PushItem
	Acks   []Ack
	KV     []KVOp
	Timers []TimerOp
}

// TransactionResult answers a committed transaction, each list in the order of
// its request. Push results carry no offset on any broker but the embedded one.
type TransactionResult struct {
	Pushes []PushResult
	Acks   []AckResult
	KV     []KVResult
	Timers []TimerResult
}
