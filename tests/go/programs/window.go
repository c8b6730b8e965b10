// SPDX-License-Identifier: MIT

//go:build go1.25

package main

import (
	"context"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

// What went on before a flight recorder's window goes on in it: a request and its region, a goroutine that waits for its turn since
// long before, one that holds the turn and sleeps, and a lock that is given back in the window.
func window(path string) {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 20 * time.Millisecond})
	fail(recorder.Start())
	var turn sync.Mutex
	turn.Lock()
	ended := make(chan bool)
	go func() { // There before, and ends in the window.
		turn.Lock()
		turn.Unlock()
		ended <- true
	}()
	go func() { // There before, and behind.
		<-make(chan bool)
	}()
	ctx, task := trace.NewTask(context.Background(), "request")
	region := trace.StartRegion(ctx, "before")
	time.Sleep(150 * time.Millisecond)
	turn.Unlock()
	<-ended
	region.End()
	task.End()
	file, err := os.Create(path)
	fail(err)
	_, err = recorder.WriteTo(file)
	fail(err)
	recorder.Stop()
	fail(file.Close())
}

func init() {
	writers["window"] = window
}
