/* SPDX-License-Identifier: MIT */
/* A fixed course of events, which ends the same way whatever the timing. */
#ifndef EXAMPLE_SCENARIO_H
#define EXAMPLE_SCENARIO_H

#include <cstdint>

struct Scenario {
	uint16_t port = 0;
	unsigned nr_connections = 1;
	unsigned nr_requests = 5; /* on each connection */
	unsigned nr_resets = 0;   /* the first so many connections end with a reset */
	unsigned nr_half_closes =
		0;          /* the next so many with a half-close; the rest are just closed */
	bool holds = false; /* those that are not reset stay open until a signal ends the program */
};

/*
 * run_scenario: opens all connections, then makes the requests, each on all connections at once, and
 * waits for all answers, so that the server waits for every connection; only then ends them. Throws
 * where a connection that is not reset is not answered completely.
 */
void run_scenario(const Scenario &scenario);

#endif
