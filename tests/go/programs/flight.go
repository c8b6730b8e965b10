// SPDX-License-Identifier: MIT

//go:build go1.25

package main

import (
	"os"
	"runtime/trace"
	"time"
)

// A snapshot of the flight recorder: the last generations, of which the first is not the program's first.
func flight(path string) {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 2 * time.Millisecond})
	fail(recorder.Start())
	for i := 0; i < 10; i++ {
		channels()
		panics()
	}
	file, err := os.Create(path)
	fail(err)
	_, err = recorder.WriteTo(file)
	fail(err)
	recorder.Stop()
	fail(file.Close())
}

func init() {
	writers["flight"] = flight
}
