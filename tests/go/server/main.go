// SPDX-License-Identifier: MIT

// server: a program with net/http/pprof, whose goroutines hand a number round. Its first line of output is its address.
// /dies sends a trace, and ends the process within it. TLS=1 in the environment serves https, with a certificate that nobody signed.
package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"runtime/trace"
)

const lastBytes = 100_000

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func handRound(count int) {
	first := make(chan int)
	from := first
	for i := 1; i < count; i++ {
		to := make(chan int)
		go func(from, to chan int) {
			for number := range from {
				to <- number + 1
			}
		}(from, to)
		from = to
	}
	go func() {
		for number := range from {
			first <- number
		}
	}()
	first <- 0
}

// What sends so many bytes ends the process.
type last struct {
	http.ResponseWriter
	left int
}

func (writer *last) Write(bytes []byte) (int, error) {
	written, err := writer.ResponseWriter.Write(bytes)
	writer.ResponseWriter.(http.Flusher).Flush()
	writer.left -= written
	if writer.left < 0 {
		os.Exit(3)
	}
	return written, err
}

func main() {
	http.HandleFunc("/dies", func(writer http.ResponseWriter, request *http.Request) {
		fail(trace.Start(&last{writer, lastBytes}))
		<-request.Context().Done()
	})
	go handRound(4)
	if os.Getenv("TLS") != "" {
		server := httptest.NewTLSServer(http.DefaultServeMux)
		fmt.Println(server.URL)
		select {}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	fmt.Println("http://" + listener.Addr().String())
	fail(http.Serve(listener, nil))
}
