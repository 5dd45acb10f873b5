package register

import (
	"fmt"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences"
)

// depth is a divergence that is explained at length, with what was measured.
type depth struct {
	ID     divergences.ID
	Title  string
	Before []string // paragraphs before the table
	Run    Run
	Head   []string
	Body   [][]string
	After  []string
}

// depths are the three divergences that every reader asks about.
func depths(m Measured) []depth {
	return []depth{widthDepth(m.Width), purgeDepth(m.Purge), sequenceDepth(m.Sequence)}
}

func widthDepth(w Width) depth {
	d := depth{
		ID: divergences.QS01, Title: "Concurrency width: lanes and messages in flight", Run: w.Run,
		Before: []string{
			"A standard queue is spread over lanes. A receive claims the next message of a lane, and while that message is in flight its lane gives no other. So a queue has at most as many messages in flight as it has lanes, and a consumer that holds messages for long keeps those behind them waiting. Which lane a message goes to is chosen at random when it is sent, so that a few messages in a few lanes can meet in one.",
			"The table shows queues into which messages were sent and from which as many as possible were then received and kept. What was held is in flight; the rest is counted as visible and waits. Then everything was deleted and the rest received: nothing was lost, and nothing came twice.",
		},
		Head: []string{"Lanes", "Sent", "Held at once", "In flight", "Visible", "Received in the end"},
		After: []string{
			"The width is the attribute queen.partitions of the queue. It is set when the queue is created and stays; queues that name none get QUEEN_SQS_DEFAULT_PARTITIONS, which is 64. A sensible width is a few times the number of messages that all consumers together hold at once. A FIFO queue has no width: each message group is a lane of its own.",
		},
	}
	for _, r := range w.Rows {
		received := number(r.Received)
		if !r.Accounted() {
			received += " (not all accounted for)"
		}
		d.Body = append(d.Body, []string{fmt.Sprint(r.Lanes), number(r.Sent), number(r.Held), number(r.InFlight), number(r.Visible), received})
	}
	return d
}

func purgeDepth(p Purge) depth {
	d := depth{
		ID: divergences.QS17, Title: "Synchronous purge: how long the call takes", Run: p.Run,
		Before: []string{
			"PurgeQueue answers when the queue is empty. The broker's queue is deleted and made again inside the call, so that a client that was answered never receives a message from before, and receipt handles from before address nothing. Delayed messages are timers and are taken back one page after the other, which is what makes the call long; at most 5,000 of them are, and the rest is delivered when due.",
			"The table shows the call on the embedded broker, on disk, from one client.",
		},
		Head: []string{"Visible", "Delayed", "Median", "Longest"},
		After: []string{
			"Over a Queen broker every page of 200 delayed messages is two calls to it, so give a client that purges a large delayed backlog a generous timeout. As at Amazon, one purge a minute is taken.",
		},
	}
	for _, r := range p.Rows {
		d.Body = append(d.Body, []string{number(r.Visible), number(r.Delayed), milliseconds(r.Median()), milliseconds(r.Longest())})
	}
	return d
}

func sequenceDepth(s Sequence) depth {
	d := depth{
		ID: divergences.QS09, Title: "FIFO sequence numbers: counted in each group", Run: s.Run,
		Before: []string{
			"The SequenceNumber of a message is its place in its message group, counted from 0. In a group it rises by one with every message, it is the same on the send and on every receive, and it orders the group exactly. Across groups it says nothing: every group begins at 0. Whoever needs a key for a message takes the MessageId, or the group together with the number.",
			"The table shows what sends to three groups in turns were answered.",
		},
		Head:  []string{"Message group", "SequenceNumbers answered, in the order of the sends"},
		After: []string{"At Amazon the numbers have 20 digits and are not used twice in a queue. In profile aws, and on a broker that does not tell a message's place, the number is made of the message's id: unique in the queue and rising, without being a place."},
	}
	for _, r := range s.Rows {
		d.Body = append(d.Body, []string{r.Group, strings.Join(r.Numbers, ", ")})
	}
	return d
}

// number writes thousands apart.
func number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func milliseconds(ms float64) string {
	if ms < 10 {
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
