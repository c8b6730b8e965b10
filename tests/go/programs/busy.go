// SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"os"
	"sync"
)

// Pairs of goroutines hand values to and fro, BUSY_EVENTS events in all (few where that is not said).
func busy() {
	nrEvents := 20000
	if text := os.Getenv("BUSY_EVENTS"); text != "" {
		_, err := fmt.Sscan(text, &nrEvents)
		fail(err)
	}
	const nrPairs, eventsEachTurn = 50, 6
	turns := nrEvents / nrPairs / eventsEachTurn
	var all sync.WaitGroup
	for pair := 0; pair < nrPairs; pair++ {
		there, back := make(chan int), make(chan int)
		all.Add(2)
		go func() {
			defer all.Done()
			defer close(there)
			for i := 0; i < turns; i++ {
				there <- i
				<-back
			}
		}()
		go func() {
			defer all.Done()
			for value := range there {
				back <- value
			}
		}()
	}
	all.Wait()
}

func init() {
	programs["busy"] = busy
}
