package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// spellings are JSON texts that a careless broker writes differently. Those with
// a lone surrogate or a NUL come back from a push and a timer, and are refused
// elsewhere by Queen 1.3.0.
var (
	spellings = []string{
		`{"b":1,"a":2}`, `{"a":1,"a":2}`, `{ "a" : [ 1 , 2 ] }`, `1.0`, `1e3`, `-0`, `0.1000`, `1E+2`,
		`123456789012345678901234567890`, `"\u00e9"`, `"\u0041\/\n"`, `"\ud83d\ude00"`, `"<&>"`, `null`, `""`, `[]`, `true`,
	}
	oddSpellings = []string{`"\ud800"`, `"a\u0000b"`}
)

var payloadCases = []testCase{
	{"12.6", "a pushed payload comes back byte for byte, white space around it aside", func(t *T) {
		q := t.configured()
		all := append(append([]string{}, spellings...), oddSpellings...)
		items := make([]queen.PushItem, len(all))
		for i, s := range all {
			items[i] = queen.PushItem{Queue: q, Partition: "0", Payload: json.RawMessage(" " + s + "\n")}
		}
		t.pushItems(items...)
		for i, m := range t.pop(q, 100) {
			t.want("payload", string(m.Payload), all[i])
		}
	}},
	{"12.6", "a timer's payload comes back byte for byte", func(t *T) {
		q := t.configured()
		ops := make([]queen.TimerOp, len(spellings))
		for i, s := range spellings {
			ops[i] = timerOp(queen.TimerSchedule, q, fmt.Sprintf("%02d", i), time.Duration(i-100)*time.Second)
			ops[i].Payload = []byte(s)
		}
		t.timers(ops...)
		t.pass(0)
		for i, m := range t.drain(q, len(spellings)) {
			t.want("payload", string(m.Payload), spellings[i])
		}
	}},
	{"12.6", "payloads of a transaction and key/value rows mean the same, and keep their bytes where promised", func(t *T) {
		q := t.configured()
		same := func(got json.RawMessage, sent string) {
			t.Helper()
			if t.caps.ExactPayloads {
				t.want("bytes", string(got), sent)
			}
			if !t.caps.ExactPayloads && !json.Valid(got) {
				t.Fatalf("%s came back as %s", sent, got)
			}
		}
		for _, s := range spellings {
			t.transact(queen.Transaction{Pushes: []queen.PushItem{{Queue: q, Partition: "0", Payload: json.RawMessage(s)}}})
			m := t.pop(q, 1)
			same(m[0].Payload, s)
			t.complete(m...)
			if !t.differs("12.6 rewritten") {
				t.put("v", s, nil)
				same(t.get("v").Value, s)
			}
		}
	}},
	{"12.6", "large payloads", func(t *T) {
		q := t.configured()
		for _, n := range []int{1 << 10, 1<<10 + 1, 256 << 10, 1 << 20} {
			body := blob(n)
			t.pushItems(queen.PushItem{Queue: q, Partition: "0", Payload: body})
			m := t.pop(q, 1)
			if !bytes.Equal(m[0].Payload, body) {
				t.Fatalf("%d bytes came back as %d", n, len(m[0].Payload))
			}
			t.complete(m...)
		}
	}},
}

var nameCases = []testCase{
	{"12.5", "odd names address one and the same queue, lane and timer", func(t *T) {
		for _, odd := range []string{
			"sp ace", "sl/ash", "per%cent", "per%2Fcent", "plus+plus", "ünï-日本", `quo"te`, "dot.", "a..b", "q?x=1#f",
			"semi;colon", "amp&eq=", "tilde~", `back\slash`, "colon:star*",
		} {
			q := t.queue() + odd
			t.push(q, odd, odd)
			t.pending(q, 1)
			m := t.popLane(q, odd, 1, 30)
			t.want("pinned", texts(m), odd)
			t.want("lane", m[0].Partition, odd)
			t.acks(ack(m[0], queen.Retry))
			m = t.pop(q, 1)
			t.want("wildcard", texts(m), odd)
			t.complete(m...)
			t.schedule(q, odd, odd, time.Hour, "x")
			t.want("listed", keysOf(t.list(q, "", 0)), []string{odd})
			t.want("cancelled", t.cancel(q, odd).OK, true)
			existed, err := t.Broker.DeleteQueue(t.Context(), t.Token, q)
			t.ok(err)
			t.want("deleted", existed, true)
		}
	}},
}

var idCases = []testCase{
	{"16", "ids of one pusher rise, and no two are equal", func(t *T) {
		q := t.configured()
		var mu sync.Mutex
		var group sync.WaitGroup
		seen := map[string]bool{}
		for p := range 4 {
			group.Go(func() {
				last := ""
				for i := range 25 {
					items := make([]queen.PushItem, 4)
					for j := range items {
						items[j] = msg(q, "0", fmt.Sprint(p, i, j))
					}
					results, err := t.Broker.Push(t.Context(), t.Token, items)
					if err != nil {
						t.Error(err)
						return
					}
					for _, r := range results {
						if r.MessageID <= last {
							t.Errorf("%s after %s", r.MessageID, last)
						}
						last = r.MessageID
						mu.Lock()
						seen[last] = true
						mu.Unlock()
					}
				}
			})
		}
		group.Wait()
		t.want("distinct", len(seen), 400)
	}},
	{"16", "a lane delivers each pusher's messages in its order, requests whole, createdAt never going back", func(t *T) {
		q := t.configured()
		var group sync.WaitGroup
		for p := range 4 {
			group.Go(func() {
				for i := range 10 {
					items := make([]queen.PushItem, 5)
					for j := range items {
						items[j] = msg(q, "0", fmt.Sprintf("%d:%03d", p, 5*i+j))
					}
					if _, err := t.Broker.Push(t.Context(), t.Token, items); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		m := t.popLane(q, "0", 200, 30)
		t.want("messages", len(m), 200)
		last := map[byte]string{}
		for i := range m {
			id := m[i].TransactionID
			if id <= last[id[0]] {
				t.Fatalf("%s after %s", id, last[id[0]])
			}
			last[id[0]] = id
			if i%5 > 0 && m[i-1].TransactionID[0] != id[0] {
				t.Fatalf("the request of %s was torn apart", id)
			}
			if i > 0 && m[i].CreatedAt.Before(m[i-1].CreatedAt) {
				t.Fatal("createdAt went back")
			}
		}
	}},
}
