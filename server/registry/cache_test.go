package registry

import (
	"fmt"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
)

func key(who byte, name string) cacheKey { return cacheKey{credential{who}, name} }

func TestCacheForgetsAfterItsTTL(t *testing.T) {
	clk := clock.NewShifted()
	c := newCache[int](clk, 3*time.Second, 10)
	_, ok, since := c.get(key(1, "a"))
	if ok {
		t.Fatal("an empty cache has a value")
	}
	c.put(key(1, "a"), 7, since)
	if v, ok, _ := c.get(key(1, "a")); !ok || v != 7 {
		t.Fatalf("%d, %v", v, ok)
	}
	if _, ok, _ := c.get(key(2, "a")); ok {
		t.Fatal("one principal sees what another read")
	}
	clk.Advance(2 * time.Second)
	if _, ok, _ := c.get(key(1, "a")); !ok {
		t.Fatal("forgotten too early")
	}
	clk.Advance(time.Second)
	if _, ok, _ := c.get(key(1, "a")); ok {
		t.Fatal("remembered too long")
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache[int](clock.NewShifted(), time.Minute, 3)
	for i := range 5 {
		c.put(key(1, fmt.Sprint(i)), i, c.mark())
	}
	for i := range 5 {
		if _, ok, _ := c.get(key(1, fmt.Sprint(i))); ok != (i >= 2) {
			t.Errorf("entry %d: %v", i, ok)
		}
	}
}

func TestCacheDropsForEverybody(t *testing.T) {
	c := newCache[int](clock.NewShifted(), time.Minute, 10)
	c.put(key(1, "a"), 1, c.mark())
	c.put(key(2, "a"), 2, c.mark())
	c.put(key(1, "b"), 3, c.mark())
	before := c.mark()
	c.drop("a")
	for who := range byte(3) {
		if _, ok, _ := c.get(key(who, "a")); ok {
			t.Errorf("principal %d still has it", who)
		}
	}
	if _, ok, _ := c.get(key(1, "b")); !ok {
		t.Error("another name went too")
	}
	c.put(key(1, "a"), 1, before)
	if _, ok, _ := c.get(key(1, "a")); ok {
		t.Error("a read that began before the drop came back")
	}
}

func TestCacheOff(t *testing.T) {
	c := newCache[int](clock.NewShifted(), -1, 10)
	c.put(key(1, "a"), 1, c.mark())
	if _, ok, _ := c.get(key(1, "a")); ok {
		t.Error("a cache that is off remembers")
	}
}
