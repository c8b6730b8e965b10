/* SPDX-License-Identifier: MIT */
/* Throughput and latency of the server, for comparing it with itself. */
#ifndef EXAMPLE_BENCHMARK_H
#define EXAMPLE_BENCHMARK_H

#include <cstdint>

/*
 * run_benchmark: keeps one request under way on each connection for so many seconds, and prints one
 * JSON object on standard output. The loop is closed: a slow server is sent fewer requests, so the
 * latencies compare two builds of a server, and say nothing about a given rate of requests.
 */
void run_benchmark(uint16_t port, unsigned nr_connections, double seconds);

#endif
