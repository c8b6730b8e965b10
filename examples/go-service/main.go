// SPDX-License-Identifier: MIT

// go-service: a service that prices orders, under a load of its own. A cause of slowness is planted: a lock that is
// held while a price is fetched. docs/go-workflow.md finds the cause by an execution trace; -fixed leaves the cause
// out.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"
)

var (
	isFixed  = flag.Bool("fixed", false, "fetch prices without the lock")
	output   = flag.String("o", "service.trace", "where the window of trace goes")
	requests = flag.Int("requests", 400, "how many orders are placed")
	warmUp   = flag.Int64("warm-up", 100, "so many orders, which open connections, are no anomalies")
	limit    = flag.Duration("limit", 20*time.Millisecond, "an order that takes longer is an anomaly")
)

const clients = 8

// Each client places one order after the other. Every fourth order is for an item that was not asked for before.
func place(server *httptest.Server, client int) error {
	for order := 0; order < *requests/clients; order++ {
		item := fmt.Sprintf("%d-%d", client, order/4)
		answer, err := server.Client().Get(server.URL + "/order?item=" + item)
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("order of %s: %s", item, answer.Status)
		}
	}
	return nil
}

func load(server *httptest.Server) error {
	var all sync.WaitGroup
	failed := make(chan error, clients)
	for client := range clients {
		all.Go(func() { failed <- place(server, client) })
	}
	all.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func run() error {
	window, err := openWindow(*output)
	if err != nil {
		return err
	}
	service := newService(window.write)
	server := httptest.NewServer(service)
	err = load(server)
	server.Close()
	window.write() // if there was no anomaly, this is the end of the load
	if err == nil {
		err = window.close()
	}
	return err
}

func main() {
	flag.Parse()
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Print("go-service: ", err)
		os.Exit(1)
	}
}
