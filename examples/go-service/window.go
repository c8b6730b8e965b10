// SPDX-License-Identifier: MIT

package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

// A window of trace, which is kept in memory, and written once, when something is slow.
type window struct {
	recorder *trace.FlightRecorder
	path     string
	written  sync.Once
	err      error
}

func openWindow(path string) (*window, error) {
	window := &window{
		recorder: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second, MaxBytes: 8 << 20}),
		path:     path,
	}
	return window, window.recorder.Start()
}

func (window *window) write() {
	window.written.Do(func() { window.err = window.writeFile() })
}

func (window *window) writeFile() error {
	file, err := os.Create(window.path)
	if err != nil {
		return err
	}
	_, err = window.recorder.WriteTo(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func (window *window) close() error {
	window.recorder.Stop()
	return window.err
}
