// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

const fetching = 4 * time.Millisecond // the time that another service takes to answer with a price

type service struct {
	onAnomaly func()
	nrOrders  atomic.Int64

	lock   sync.Mutex
	prices map[string]int
}

func newService(onAnomaly func()) *service {
	return &service{onAnomaly: onAnomaly, prices: map[string]int{}}
}

// fetch asks another service for a price, and waits for the answer.
func fetch(ctx context.Context, item string) int {
	defer trace.StartRegion(ctx, "fetch").End()
	time.Sleep(fetching)
	return len(item)
}

func (service *service) known(item string) (int, bool) {
	service.lock.Lock()
	defer service.lock.Unlock()
	price, found := service.prices[item]
	return price, found
}

func (service *service) keep(item string, price int) {
	service.lock.Lock()
	defer service.lock.Unlock()
	service.prices[item] = price
}

// priceHeld is the planted cause: a caller that needs a price waits until the price before has been fetched.
func (service *service) priceHeld(ctx context.Context, item string) int {
	service.lock.Lock()
	defer service.lock.Unlock()
	price, found := service.prices[item]
	if !found {
		price = fetch(ctx, item)
		service.prices[item] = price
	}
	return price
}

func (service *service) price(ctx context.Context, item string) int {
	defer trace.StartRegion(ctx, "price").End()
	if !*isFixed {
		return service.priceHeld(ctx, item)
	}
	price, found := service.known(item)
	if !found {
		price = fetch(ctx, item)
		service.keep(item, price)
	}
	return price
}

func (service *service) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	began := time.Now()
	ctx, task := trace.NewTask(request.Context(), "order")
	fmt.Fprintln(writer, service.price(ctx, request.URL.Query().Get("item")))
	task.End()
	if service.nrOrders.Add(1) > *warmUp && time.Since(began) > *limit {
		service.onAnomaly()
	}
}
