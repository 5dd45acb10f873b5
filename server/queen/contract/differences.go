package contract

// Difference is a place where Queen 1.3.0 and a later or embedded broker answer
// differently and both are right.
type Difference struct {
	// Name is what a case asks for.
	Name string
	// Reference is what 1.3.0 was recorded to do, Later what the others do.
	Reference, Later string
	// Why it is no fault.
	Why string
}

// Differences is every place where a case looks at who is answering.
var Differences = []Difference{
	{"6.1 offset", "push answers and messages carry no offset", "they do",
		"added by 1.4 (queen-wire 16)"},
	{"6.2 attempt", "messages carry no delivery count", "they do",
		"added by 1.4 (queen-wire 16)"},
	{"5.4 ready", "depth tells pending only", "depth tells ready and processing",
		"added by 1.4 (queen-wire 5.4)"},
	{"9.3 count", "timers are counted by paging through the list", "the count is a call of its own",
		"added by 1.4; both answer the same number"},
	{"7.3 released", "LeaseReleased is true on every success and some failures", "it tells whether this call ended the lease",
		"the contract calls it advisory (queen-wire 7.3)"},
	{"5.3 first duplicate", "for 30 s after a delete the first duplicate pushed into a re-created lane is queued", "it is a duplicate",
		"a hazard of the reference (queen-wire 5.3)"},
	{"12.6 rewritten", "payloads of a transaction and KV values are parsed and written again", "they come back byte for byte",
		"allowed by ExactPayloads; a JSON text means the same"},
	{"10.2 cut details", "a lost Required operation against a value over 4 KiB tells neither index nor value", "it tells both",
		"a limit of the reference (queen-wire 10.2)"},
	{"9.6 not JSON", "a timer's payload that is no JSON spoils the pop's answer", "it is delivered as a JSON string of its text",
		"changed by 1.4 (queen-wire 9.6)"},
	{"7.1 consumed ids", "the id of a consumed message stays known for at least 15 minutes", "it is known until the claim is over and swept, or while the dedup window holds it",
		"queen-wire 13: an embedded broker keeps ids as long as the message"},
	{"6.1 odd queues", "a push to the empty queue or one over 255 characters is answered buffered and lost", "it is refused with status 400",
		"buffered must never be answered by an embedded broker (queen-wire 13)"},
	{"6.3 random lanes", "claimable lanes are found in no promised order, and a short poll may miss one", "first come, first served, nothing is missed",
		"the contract promises no order (queen-wire 6.3)"},
	{"12.1 sweep", "a message outlives its retention until the next sweep, 5 s at most", "it reads as gone at once",
		"the sweep is an interval of the reference (queen-wire 12.1)"},
}

// differs reports whether the target shows the reference's side of a difference.
// A name that is not in the table is a fault of the suite.
func (t *T) differs(name string) bool {
	t.Helper()
	for _, d := range Differences {
		if d.Name == name {
			return t.Reference
		}
	}
	t.Fatalf("the table Differences has no %q", name)
	return false
}
