// SPDX-License-Identifier: MIT
package main

import (
	"sync"
	"time"
)

func init() {
	programs["channels"] = channels
	programs["mutexes"] = mutexes
	programs["selects"] = selects
	programs["timers"] = timers
	programs["many"] = many
	programs["leak"] = leak
}

// A pipeline: a sender, stages that hand on what they get, and a receiver.
func channels() {
	first := make(chan int)
	last := first
	for stage := 0; stage < 4; stage++ {
		from, to := last, make(chan int, stage)
		go func() {
			for value := range from {
				to <- value + 1
			}
			close(to)
		}()
		last = to
	}
	go func() {
		for value := 0; value < 300; value++ {
			first <- value
		}
		close(first)
	}()
	for range last {
	}
}

func mutexes() {
	var lock sync.Mutex
	var table sync.RWMutex
	var all sync.WaitGroup
	counts := map[int]int{}
	for worker := 0; worker < 8; worker++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; i < 50; i++ {
				lock.Lock()
				time.Sleep(time.Microsecond)
				lock.Unlock()
				table.RLock()
				_ = counts[i]
				table.RUnlock()
				table.Lock()
				counts[worker] += i
				table.Unlock()
			}
		}()
	}
	all.Wait()
}

func selects() {
	left, right, done := make(chan int), make(chan int), make(chan bool)
	for _, to := range []chan int{left, right} {
		go func() {
			for i := 0; i < 150; i++ {
				select {
				case to <- i:
				case <-done:
					return
				}
			}
		}()
	}
	for i := 0; i < 200; i++ {
		select {
		case <-left:
		case <-right:
		case <-time.After(time.Second):
		}
	}
	close(done)
}

func timers() {
	var all sync.WaitGroup
	for i := 0; i < 40; i++ {
		all.Add(1)
		time.AfterFunc(time.Duration(i)*50*time.Microsecond, all.Done)
	}
	ticker := time.NewTicker(200 * time.Microsecond)
	for i := 0; i < 20; i++ {
		<-ticker.C
	}
	ticker.Stop()
	all.Wait()
}

func many() {
	var all sync.WaitGroup
	start := make(chan bool)
	for i := 0; i < 2000; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			<-start
		}()
	}
	close(start)
	all.Wait()
}

// One goroutine waits for ever, while the others go on.
func leak() {
	never := make(chan int)
	go func() { never <- 1 }()
	for i := 0; i < 20; i++ {
		channels()
	}
}
