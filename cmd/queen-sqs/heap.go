package main

import "runtime"

// heapFloor is memory that is held and never touched, in bytes. It costs address
// space only, and the garbage collector, which runs when the heap has doubled,
// then runs after so much garbage at the least: a gateway that holds little
// would else be collecting every few hundred requests.
const heapFloor = 32 << 20

// floored keeps the heap floor until the function it answers is called.
func floored() func() {
	floor := make([]byte, heapFloor)
	return func() { runtime.KeepAlive(floor) }
}
