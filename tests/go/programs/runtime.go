// SPDX-License-Identifier: MIT
package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"time"
)

func init() {
	programs["gc"] = collections
	programs["procs"] = procs
	programs["panics"] = panics
	programs["regions"] = regions
	programs["spin"] = spin
}

type node struct {
	next *node
	data [512]byte
}

// More is allocated than the collector's share of the processors can mark: goroutines assist.
func collections() {
	debug.SetGCPercent(20)
	defer debug.SetGCPercent(100)
	var all sync.WaitGroup
	for worker := 0; worker < 4; worker++ {
		all.Add(1)
		go func() {
			defer all.Done()
			var list *node
			for i := 0; i < 20000; i++ {
				list = &node{next: list}
				if i%5000 == 0 {
					list = nil
				}
			}
			runtime.KeepAlive(list)
		}()
	}
	all.Wait()
	runtime.GC()
}

func procs() {
	before := runtime.GOMAXPROCS(0)
	for n := 1; n <= 6; n++ {
		runtime.GOMAXPROCS(n)
		channels()
	}
	runtime.GOMAXPROCS(before)
}

func panics() {
	var all sync.WaitGroup
	for i := 0; i < 30; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			defer func() { _ = recover() }()
			panic(i)
		}()
	}
	all.Add(1)
	go func() {
		defer all.Done()
		runtime.Goexit()
	}()
	all.Wait()
}

func request(parent context.Context, number int) {
	ctx, task := trace.NewTask(parent, "request")
	defer task.End()
	var all sync.WaitGroup
	for part := 0; part < 3; part++ {
		all.Add(1)
		go func() {
			defer all.Done()
			trace.WithRegion(ctx, "part", func() {
				defer trace.StartRegion(ctx, "inner").End()
				trace.Logf(ctx, "number", "%d of %d, with \"quotes\" and \u00fcmlauts", part, number)
				time.Sleep(50 * time.Microsecond)
			})
		}()
	}
	all.Wait()
	task.End() // a second end is legal
}

func regions() {
	trace.Log(context.Background(), "", "no category")
	ctx, unended := trace.NewTask(context.Background(), "batch")
	for i := 0; i < 20; i++ {
		request(ctx, i)
	}
	trace.StartRegion(ctx, "never ends")
	_ = unended
}

// Nothing yields for a while: goroutines are preempted.
func spin() {
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			sum := 0
			for until := time.Now().Add(25 * time.Millisecond); time.Now().Before(until); {
				for j := 0; j < 1000; j++ {
					sum += j
				}
			}
			_ = fmt.Sprint(sum)
		}()
	}
	all.Wait()
}
