// SPDX-License-Identifier: MIT
package main

import (
	"io"
	"runtime/pprof"
)

// A profile of the processor is taken meanwhile: its samples are in the trace.
func profile() {
	fail(pprof.StartCPUProfile(io.Discard))
	spin()
	spin()
	pprof.StopCPUProfile()
}

func init() {
	programs["profile"] = profile
}
