// SPDX-License-Identifier: MIT

//go:build go1.23

package main

import (
	"iter"
	"sync"
)

func numbers(yield func(int) bool) {
	for i := 0; i < 100 && yield(i); i++ {
	}
}

// Coroutines, one of which is handed from goroutine to goroutine, and one that is stopped before its end.
func coroutines() {
	next, stop := iter.Pull(iter.Seq[int](numbers))
	var all sync.WaitGroup
	turn := make(chan bool, 1)
	turn <- true
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 20; j++ {
				<-turn
				next()
				turn <- true
			}
		}()
	}
	all.Wait()
	stop()
	next, stop = iter.Pull(iter.Seq[int](numbers))
	for {
		if _, more := next(); !more {
			break
		}
	}
	stop()
}

func init() {
	programs["coroutines"] = coroutines
}
