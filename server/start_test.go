package server

import (
	"context"
	"testing"
)

func TestStopRightAfterStart(t *testing.T) {
	for range 200 {
		i, err := Start(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
