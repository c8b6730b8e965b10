/* SPDX-License-Identifier: MIT */
/*
 * The scenarios: small realistic workloads, one for each fault that can be planted, and others in which coroutines
 * wait, are cancelled, and end in all the ways that are not faults.
 */
#ifndef EXAMPLE_SCENARIOS_H
#define EXAMPLE_SCENARIOS_H

#include <span>
#include <string_view>

class Runtime;

struct Scenario {
	const char *name;
	const char *shows;
	/* Plays the scenario, on the main thread, until all jobs have ended. */
	void (*play)(Runtime &runtime);
	unsigned nr_workers; /* 0: as the options say */
};

std::span<const Scenario> scenarios();

/* find_scenario: nullptr: there is no scenario of that name. */
const Scenario *find_scenario(std::string_view name);

/* Each fault has a scenario in which it shows; built correctly, all its jobs end. */
void play_mailbox(Runtime &runtime);       /* b */
void play_request_ring(Runtime &runtime);  /* c */
void play_lock_queue(Runtime &runtime);    /* d */
void play_parking_lot(Runtime &runtime);   /* e */
void play_either_of(Runtime &runtime);     /* f */
void play_cancelled_nap(Runtime &runtime); /* g */
void play_philosophers(Runtime &runtime);  /* h */
void play_build_graph(Runtime &runtime);   /* i */
void play_next_slot(Runtime &runtime);     /* j */
void play_pipe_reader(Runtime &runtime);   /* k */
void play_device_poll(Runtime &runtime);   /* l */
void play_request_audit(Runtime &runtime); /* m */

/* The others show only work, waiting, and the ends of coroutines. */
void play_idle_server(Runtime &runtime);
void play_hangups(Runtime &runtime);
void play_idle_pool(Runtime &runtime);
void play_long_sleep(Runtime &runtime);
void play_producer_consumer(Runtime &runtime);
void play_mailboxes(Runtime &runtime);
void play_fan_out(Runtime &runtime);
void play_contention(Runtime &runtime);
void play_barriers(Runtime &runtime);
void play_broadcast(Runtime &runtime);
void play_yields(Runtime &runtime);
void play_timers(Runtime &runtime);
void play_generators(Runtime &runtime);
void play_cancellation(Runtime &runtime);
void play_scopes(Runtime &runtime);
void play_shutdown(Runtime &runtime);

#endif
