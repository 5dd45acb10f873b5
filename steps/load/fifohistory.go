package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// FIFOHistory is what clients of one FIFO queue saw, and the judge of it. The
// messages of a group are numbered from 1 in the order of their sends. Times are
// the clients', all of one clock: a call happened at some moment between when
// it was asked and when it was answered, and only what is wrong whichever
// moment that was is a violation. It is safe for concurrent use.
type FIFOHistory struct {
	mu         sync.Mutex
	deliveries []fifoDelivery
	sent       map[string]int
}

// fifoDelivery is the part of one receive that belongs to one group.
type fifoDelivery struct {
	group           string
	numbers         []int // in the order of the answer
	asked, answered time.Time
	// visible is when the messages are visible again by themselves at the
	// earliest.
	visible time.Time
	// deletes are by number; released is when the first release was asked for.
	deletes  map[int]fifoDelete
	released time.Time
}

type fifoDelete struct {
	asked, answered time.Time
	outcome         Outcome
}

// Outcome is what a client knows of a call.
type Outcome int

// The outcomes. A call without an answer may have happened.
const (
	Refused Outcome = iota
	Unknown
	Done
)

// Sent says that the messages 1 to n of a group were sent.
func (h *FIFOHistory) Sent(group string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sent == nil {
		h.sent = map[string]int{}
	}
	h.sent[group] = n
}

// Delivered adds what a receive answered of one group, with a visibility timeout
// that began when it was asked at the earliest. It answers the delivery's place,
// for what is done with it later.
func (h *FIFOHistory) Delivered(group string, numbers []int, asked, answered time.Time, visibility time.Duration) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deliveries = append(h.deliveries, fifoDelivery{
		group: group, numbers: slices.Clone(numbers), asked: asked, answered: answered,
		visible: asked.Add(visibility), deletes: map[int]fifoDelete{},
	})
	return len(h.deliveries) - 1
}

// Deleted adds a delete with a handle of that delivery.
func (h *FIFOHistory) Deleted(delivery, number int, asked, answered time.Time, outcome Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deliveries[delivery].deletes[number] = fifoDelete{asked, answered, outcome}
}

// Released says that the delivery's messages were given back, asked for at that
// moment, whatever the outcome.
func (h *FIFOHistory) Released(delivery int, asked time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := &h.deliveries[delivery]
	if d.released.IsZero() || asked.Before(d.released) {
		d.released = asked
	}
}

// Remaining is how many messages were sent and not deleted for sure.
func (h *FIFOHistory) Remaining() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.remaining())
}

func (h *FIFOHistory) remaining() []string {
	gone := map[string]map[int]bool{}
	for _, d := range h.deliveries {
		for number, del := range d.deletes {
			if del.outcome == Done {
				if gone[d.group] == nil {
					gone[d.group] = map[int]bool{}
				}
				gone[d.group][number] = true
			}
		}
	}
	var left []string
	for group, n := range h.sent {
		for number := 1; number <= n; number++ {
			if !gone[group][number] {
				left = append(left, fmt.Sprint(group, "/", number))
			}
		}
	}
	return left
}

// Counts are how many deliveries there were and of how many messages.
func (h *FIFOHistory) Counts() (deliveries, messages int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.deliveries {
		messages += len(d.numbers)
	}
	return len(h.deliveries), messages
}

// Violations are the sentences about everything that a FIFO queue must not do:
// deliver a message of a group before an earlier one that is not deleted, deliver
// a group that another receive holds, or deliver what was deleted. With finished,
// messages that nobody deleted are violations too.
func (h *FIFOHistory) Violations(finished bool) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	groups := map[string][]*fifoDelivery{}
	for i := range h.deliveries {
		d := &h.deliveries[i]
		groups[d.group] = append(groups[d.group], d)
	}
	var found []string
	for group, ds := range groups {
		slices.SortStableFunc(ds, func(a, b *fifoDelivery) int { return a.asked.Compare(b.asked) })
		for _, problem := range slices.Concat(outOfOrder(ds, h.sent[group]), heldTwice(ds), undeleted(ds)) {
			found = append(found, "group "+group+": "+problem)
		}
	}
	if finished {
		if left := h.remaining(); len(left) > 0 {
			slices.Sort(left)
			found = append(found, fmt.Sprintf("%d messages were never deleted: %s", len(left), strings.Join(left[:min(len(left), 10)], ", ")))
		}
	}
	slices.Sort(found)
	return found
}

// outOfOrder are the messages that came before an earlier one which nobody can
// have deleted by then.
func outOfOrder(ds []*fifoDelivery, sent int) (found []string) {
	// When the first delete of each message was asked for that may have worked.
	deleted := map[int]time.Time{}
	for _, d := range ds {
		for number, del := range d.deletes {
			if first, ok := deleted[number]; del.outcome != Refused && (!ok || del.asked.Before(first)) {
				deleted[number] = del.asked
			}
		}
	}
	for _, d := range ds {
		here := map[int]bool{}
		for _, number := range d.numbers {
			if number < 1 || number > sent {
				found = append(found, fmt.Sprintf("%d was delivered and never sent", number))
				continue
			}
			if here[number] {
				found = append(found, fmt.Sprintf("%d was delivered twice in one answer", number))
			}
			here[number] = true
			for earlier := number - 1; earlier > 0; earlier-- {
				if here[earlier] {
					continue
				}
				if at, ok := deleted[earlier]; !ok || at.After(d.answered) {
					found = append(found, fmt.Sprintf("%d was delivered before %d, which was not deleted", number, earlier))
					break
				}
			}
		}
	}
	return found
}

// heldTwice are the deliveries that were made while another was certainly held:
// after its answer and before anything that could have ended it.
func heldTwice(ds []*fifoDelivery) (found []string) {
	for i, d := range ds {
		end := d.heldUntil()
		after, _ := slices.BinarySearchFunc(ds, d.answered, func(x *fifoDelivery, t time.Time) int { return cmp.Or(x.asked.Compare(t), 1) })
		for _, other := range ds[max(after, i+1):] {
			if !other.asked.Before(end) {
				break
			}
			if other.asked.After(d.answered) && other.answered.Before(end) {
				found = append(found, fmt.Sprintf("%v was delivered while %v was held for another %v", other.numbers, d.numbers, end.Sub(other.answered).Round(time.Millisecond)))
			}
		}
	}
	return found
}

// heldUntil is the first moment at which the delivery may have ended: its
// visibility timeout, a release, or the delete of its last message.
func (d *fifoDelivery) heldUntil() time.Time {
	end := d.visible
	if !d.released.IsZero() && d.released.Before(end) {
		end = d.released
	}
	var last time.Time
	for _, number := range d.numbers {
		del, ok := d.deletes[number]
		if !ok || del.outcome == Refused {
			return end
		}
		if del.asked.After(last) {
			last = del.asked
		}
	}
	if last.Before(end) {
		return last
	}
	return end
}

// undeleted are the messages that were delivered again by a receive that was
// asked for after a delete was answered.
func undeleted(ds []*fifoDelivery) (found []string) {
	gone := map[int]time.Time{}
	for _, d := range ds {
		for number, del := range d.deletes {
			if first, ok := gone[number]; del.outcome == Done && (!ok || del.answered.Before(first)) {
				gone[number] = del.answered
			}
		}
	}
	for _, d := range ds {
		for _, number := range d.numbers {
			if at, ok := gone[number]; ok && d.asked.After(at) {
				found = append(found, fmt.Sprintf("%d was delivered %v after it was deleted", number, d.asked.Sub(at).Round(time.Millisecond)))
			}
		}
	}
	return found
}
