// SPDX-License-Identifier: MIT
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
)

func init() {
	programs["network"] = network
	programs["syscalls"] = syscalls
	programs["locked"] = locked
}

func serve(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(connection, connection)
			connection.Close()
		}()
	}
}

func ask(address string) {
	connection, err := net.Dial("tcp", address)
	fail(err)
	defer connection.Close()
	buffer := make([]byte, 64)
	for i := 0; i < 20; i++ {
		_, err = connection.Write(buffer)
		fail(err)
		_, err = io.ReadFull(connection, buffer)
		fail(err)
	}
}

func network() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	defer listener.Close()
	go serve(listener)
	var all sync.WaitGroup
	for i := 0; i < 6; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			ask(listener.Addr().String())
		}()
	}
	all.Wait()
}

// Short calls, and ones that block until another thread writes: their processor is taken away meanwhile.
func syscalls() {
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		var ends [2]int
		fail(syscall.Pipe(ends[:]))
		all.Add(2)
		go func() {
			defer all.Done()
			byte := make([]byte, 1)
			for {
				n, err := syscall.Read(ends[0], byte)
				if n != 1 || err != nil {
					return
				}
			}
		}()
		go func() {
			defer all.Done()
			for j := 0; j < 60; j++ {
				_, err := syscall.Write(ends[1], []byte{1})
				fail(err)
				_ = os.Getpid()
				if j%10 == 0 {
					runtime.Gosched()
				}
			}
			syscall.Close(ends[1])
		}()
	}
	all.Wait()
}

func locked() {
	var all sync.WaitGroup
	turns := make(chan int, 1)
	turns <- 0
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			runtime.LockOSThread()
			for j := 0; j < 50; j++ {
				turns <- <-turns + 1
			}
		}()
	}
	all.Wait()
}
