package divergences

import "github.com/queen-mq/queen-sqs/divergences/questions"

// The register: one row for every difference between this gateway and Amazon
// that a client can see, and for every difference that was claimed and turned
// out to be none.

// ID names a row: QS-nn is about SQS, SN-nn about SNS. An id is never given to
// another row, so that code, scenarios and readers can name it for good.
type ID string

// Service is the service a row is about.
type Service string

// The services.
const (
	SQS Service = "SQS"
	SNS Service = "SNS"
)

// Service of the row with that id.
func (id ID) Service() Service {
	if len(id) > 2 && id[:2] == "SN" {
		return SNS
	}
	return SQS
}

// Surface is the part of the API where a client meets a divergence.
type Surface string

// The surfaces, in the order in which documents list them.
const (
	Queues        Surface = "Queues and attributes"
	Sending       Surface = "Sending"
	Receiving     Surface = "Receiving"
	Visibility    Surface = "Visibility and deleting"
	FIFO          Surface = "FIFO queues"
	DeadLetters   Surface = "Dead letters and moves"
	Wire          Surface = "Requests and errors"
	Topics        Surface = "SNS topics"
	Subscriptions Surface = "SNS subscriptions and filters"
	Publishing    Surface = "SNS publishing"
	Delivery      Surface = "SNS delivery"
)

// Surfaces are all surfaces in the order of documents.
func Surfaces() []Surface {
	return []Surface{Queues, Sending, Receiving, Visibility, FIFO, DeadLetters, Wire, Topics, Subscriptions, Publishing, Delivery}
}

// Class says why a row is there.
type Class string

// The classes.
const (
	// Deliberate: built so on purpose, because the alternative is worse for users
	// or makes no sense away from Amazon's platform.
	Deliberate Class = "deliberate"
	// Accepted: a limit of the design that was weighed and taken.
	Accepted Class = "accepted"
	// Unsettled: what Amazon does is not known well enough to say that this
	// gateway differs, or that it does not.
	Unsettled Class = "unsettled"
	// Settled: it was an open question or a claim, and a recorded answer of Amazon
	// decided it. What this gateway does follows the recording.
	Settled Class = "settled"
)

// Classes are all classes in the order of documents.
func Classes() []Class { return []Class{Deliberate, Accepted, Unsettled, Settled} }

// Profile is one of the two behaviours the gateway can be started with.
type Profile string

// The profiles.
const (
	// Queen is the published contract: every divergence that is open holds.
	Queen Profile = "queen"
	// AWS answers as Amazon does in the rows that name it.
	AWS Profile = "aws"
)

// Closes reports whether the gateway in profile p answers as Amazon does in the
// row, although the default profile does not. A row that is the same in every
// profile is not closed by one.
func (p Profile) Closes(id ID) bool {
	r, ok := Find(id)
	return ok && p == AWS && r.Closed == ByAWS
}

// Closing says where a row does not hold.
type Closing string

// The ways a row can be closed.
const (
	// Open: the divergence holds in every profile there is.
	Open Closing = ""
	// ByAWS: it holds in profile queen, and not in profile aws.
	ByAWS Closing = "profile aws"
	// Everywhere: there is no difference any more, in any profile.
	Everywhere Closing = "every profile"
)

// Source is where the knowledge of Amazon's side comes from.
type Source string

// The sources, the strongest first.
const (
	// Recorded: an answer of Amazon that is on record. The recordings are those of
	// LocalStack's test suites that are validated against AWS, at the revision of
	// March 2026; a row names the test.
	Recorded Source = "recorded"
	// Documented: Amazon's documentation says so, and nothing is recorded.
	Documented Source = "documented"
	// Claimed: the published contract of Queen's SQS says so, and nothing else does.
	Claimed Source = "claimed"
	// Unknown: nothing says what Amazon does.
	Unknown Source = "unknown"
)

// Evidence is one thing that supports what a row says about Amazon.
type Evidence struct {
	Source Source `json:"source"`
	// What names the recording, the page or the claim, or says what is missing.
	What string `json:"what"`
	// Date is when Amazon answered so, YYYY-MM-DD; empty where it is not on record.
	Date string `json:"date,omitempty"`
}

// Row is one divergence.
type Row struct {
	ID      ID      `json:"id"`
	Surface Surface `json:"surface"`
	Class   Class   `json:"class"`
	// Title is a few words for lists.
	Title string `json:"title"`
	// Amazon is what Amazon does, Here is what this gateway does, in profile queen.
	Amazon string `json:"amazon"`
	Here   string `json:"here"`
	// Sentence is what has to be told wherever this gateway is offered to users.
	Sentence string `json:"sentence"`
	// Closed says which profile answers as Amazon does.
	Closed   Closing    `json:"closed"`
	Evidence []Evidence `json:"evidence"`
	// NotShown says why no scenario can show one of the sides; empty where both
	// are shown.
	NotShown string `json:"notShown,omitempty"`
}

// Service of the row.
func (r Row) Service() Service { return r.ID.Service() }

// Rows are all rows: those of SQS, then those of SNS, in the order of their
// ids, with what Amazon has answered since they were written. The slice is the
// caller's.
func Rows() []Row { return settled(sourceRows(), Evidenced(), questions.All()) }

// sourceRows are the rows as they were written.
func sourceRows() []Row {
	all := make([]Row, 0, len(sqsRows)+len(sqsFound)+len(snsRows)+len(snsFound))
	for _, part := range [][]Row{sqsRows, sqsFound, snsRows, snsFound} {
		all = append(all, part...)
	}
	return all
}

var byID = func() map[ID]Row {
	m := map[ID]Row{}
	for _, r := range Rows() {
		m[r.ID] = r
	}
	return m
}()

// Find answers the row with that id.
func Find(id ID) (Row, bool) {
	r, ok := byID[id]
	return r, ok
}

func recorded(test, date string) Evidence { return Evidence{Recorded, test, date} }
func documented(what string) Evidence     { return Evidence{Documented, what, ""} }
func claimed(what string) Evidence        { return Evidence{Claimed, what, ""} }
func unknown(what string) Evidence        { return Evidence{Unknown, what, ""} }
