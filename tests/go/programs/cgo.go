// SPDX-License-Identifier: MIT
package main

/*
void run_threads(int nr_threads);
void nap(void);
*/
import "C"

import "sync"

var calls sync.Mutex

//export called_from_c
func called_from_c(number C.int) {
	calls.Lock()
	defer calls.Unlock()
	C.nap()
}

func init() {
	programs["cgo"] = func() {
		for round := 0; round < 3; round++ {
			C.run_threads(4)
		}
	}
}
