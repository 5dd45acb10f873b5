package embedded

import "encoding/binary"

// The journal's key spaces. Their order is the order in which the start-up scan
// needs them: a queue before its groups and lanes, a lane before its consumers,
// those before the messages. Large bodies lie behind everything else, so that
// the scan never reads them. All numbers are big endian: key order is number
// order.
const (
	spaceMeta     = 'a' // name
	spaceQueue    = 'b' // queue
	spaceGroup    = 'c' // queue, group name
	spaceLane     = 'd' // queue, lane
	spaceConsumer = 'e' // queue, lane, group name
	spaceMessage  = 'f' // queue, lane, offset
	spaceDedup    = 'g' // queue, time, lane, offset
	spaceDead     = 'h' // queue, number
	spaceKV       = 'k' // namespace, 0, key
	spaceTimer    = 't' // length of the queue's name in 2 bytes, queue name, timer key
	spaceBody     = 'z' // queue, lane, offset
)

// queueSpaces are the spaces that a deleted queue leaves.
var queueSpaces = []byte{spaceGroup, spaceLane, spaceConsumer, spaceMessage, spaceDedup, spaceDead, spaceBody}

var (
	metaFormat   = []byte("aformat")
	metaNumbers  = []byte("anumbers")
	metaVersions = []byte("aversions")
)

func numKey(space byte, nums ...uint64) []byte {
	k := make([]byte, 1, 1+8*len(nums))
	k[0] = space
	for _, n := range nums {
		k = binary.BigEndian.AppendUint64(k, n)
	}
	return k
}

func queueKey(q uint64) []byte                 { return numKey(spaceQueue, q) }
func groupKey(q uint64, g string) []byte       { return append(numKey(spaceGroup, q), g...) }
func laneKey(q, l uint64) []byte               { return numKey(spaceLane, q, l) }
func consumerKey(q, l uint64, g string) []byte { return append(numKey(spaceConsumer, q, l), g...) }
func messageKey(q, l uint64, off int64) []byte { return numKey(spaceMessage, q, l, uint64(off)) }
func bodyKey(q, l uint64, off int64) []byte    { return numKey(spaceBody, q, l, uint64(off)) }
func deadKey(q, n uint64) []byte               { return numKey(spaceDead, q, n) }

func dedupKey(q uint64, at int64, l uint64, off int64) []byte {
	return numKey(spaceDedup, q, uint64(at), l, uint64(off))
}

func kvKey(name string) []byte { return append([]byte{spaceKV}, name...) }

func timerKey(queue, key string) []byte {
	k := make([]byte, 0, 3+len(queue)+len(key))
	k = append(k, spaceTimer)
	k = binary.BigEndian.AppendUint16(k, uint16(len(queue)))
	k = append(k, queue...)
	return append(k, key...)
}

// splitNums reads n numbers behind the space byte and answers what follows them.
func splitNums(k []byte, n int) (nums []uint64, rest []byte, ok bool) {
	if len(k) < 1+8*n {
		return nil, nil, false
	}
	nums = make([]uint64, n)
	for i := range nums {
		nums[i] = binary.BigEndian.Uint64(k[1+8*i:])
	}
	return nums, k[1+8*n:], true
}
