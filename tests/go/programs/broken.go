// SPDX-License-Identifier: MIT
package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"
)

// Programs that are at fault, each with a twin that is not: test_findings.py says what a report has to say of them.
func init() {
	programs["leaks"] = func() { requests(0) }
	programs["leaks-not"] = func() { requests(1) }
	programs["forgets"] = func() { forget(true) }
	programs["forgets-not"] = func() { forget(false) }
	programs["crosses"] = func() { cross(true) }
	programs["crosses-not"] = func() { cross(false) }
	programs["idles-not"] = idle
	programs["convoy"] = func() { share(8, 1) }
	programs["convoy-not"] = func() { share(8, 8) }
}

// Answers come too late for every second request: with no room in the channel whoever sends one waits for ever.
func requests(room int) {
	for request := 0; request < 560; request++ {
		late(room, request%2 == 1)
	}
}

func late(room int, isLate bool) {
	answers := make(chan int, room)
	go answer(answers, isLate)
	select {
	case <-answers:
	case <-time.After(2 * time.Millisecond):
	}
}

func answer(answers chan<- int, isLate bool) {
	if isLate {
		time.Sleep(4 * time.Millisecond)
	}
	answers <- 1
}

type store struct {
	lock   sync.Mutex
	values map[int]int
}

// An early return leaves the lock taken.
func (store *store) put(key int, forgets bool) bool {
	store.lock.Lock()
	if key < 0 {
		if !forgets {
			store.lock.Unlock()
		}
		return false
	}
	store.values[key]++
	store.lock.Unlock()
	return true
}

// Others go on, and those that need the lock, or wait for a goroutine that does, never do.
func forget(forgets bool) {
	store := &store{values: map[int]int{}}
	var all, others sync.WaitGroup
	store.put(-1, forgets)
	for worker := 0; worker < 3; worker++ {
		all.Add(1)
		go func() {
			defer all.Done()
			store.put(worker, forgets)
		}()
	}
	go all.Wait()
	others.Add(1)
	go func() {
		defer others.Done()
		for i := 0; i < 100; i++ {
			time.Sleep(4 * time.Millisecond)
		}
	}()
	others.Wait()
}

func both(first, second *sync.Mutex) {
	first.Lock()
	defer first.Unlock()
	time.Sleep(2 * time.Millisecond)
	second.Lock()
	defer second.Unlock()
}

func forth(one, other *sync.Mutex) { both(one, other) }

func back(one, other *sync.Mutex) {
	other.Lock()
	defer other.Unlock()
	time.Sleep(2 * time.Millisecond)
	one.Lock()
	defer one.Unlock()
}

// Two take the same locks in opposite orders, and others go on.
func cross(crosses bool) {
	var one, other sync.Mutex
	go forth(&one, &other)
	if crosses {
		go back(&one, &other)
	} else {
		go forth(&one, &other)
	}
	for i := 0; i < 100; i++ {
		time.Sleep(4 * time.Millisecond)
	}
}

// A service without work: workers that wait for some, one for a signal, one for a condition, and a server with a client
// that keeps its connection.
func idle() {
	work, signals, condition := make(chan int), make(chan os.Signal, 1), sync.NewCond(&sync.Mutex{})
	signal.Notify(signals, os.Interrupt)
	go func() { <-signals }()
	for worker := 0; worker < 4; worker++ {
		go func() {
			for range work {
			}
		}()
	}
	go func() {
		condition.L.Lock()
		condition.Wait()
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, http.NotFoundHandler())
	answer, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	for i := 0; i < 100; i++ {
		time.Sleep(4 * time.Millisecond)
	}
}

func compute(length time.Duration) {
	for until := time.Now().Add(length); time.Now().Before(until); {
	}
}

// Each has to take the lock again and again, for long as against what it does without it.
func share(workers, locks int) {
	var all sync.WaitGroup
	held := make([]sync.Mutex, locks)
	for worker := 0; worker < workers; worker++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; i < 200; i++ {
				lock := &held[worker%locks]
				lock.Lock()
				compute(40 * time.Microsecond)
				lock.Unlock()
				compute(4 * time.Microsecond)
			}
		}()
	}
	all.Wait()
}
