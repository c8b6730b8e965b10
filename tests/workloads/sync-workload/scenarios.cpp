/* SPDX-License-Identifier: MIT */
/* The list of scenarios. */
#include "scenarios.h"

namespace
{

constexpr Scenario all_scenarios[] = {
	{"mailbox", "a message arrives while its receiver goes to sleep", play_mailbox, 0},
	{"request-ring", "a request arrives while the server begins to wait", play_request_ring, 0},
	{"lock-queue", "a coroutine is destroyed while it waits for a mutex", play_lock_queue, 0},
	{"parking-lot", "two notifications at once", play_parking_lot, 0},
	{"either-of", "two events at once, for one coroutine", play_either_of, 0},
	{"cancelled-nap", "a sleeper is destroyed", play_cancelled_nap, 0},
	{"philosophers", "three coroutines, three mutexes, two for each", play_philosophers, 0},
	{"build-graph", "jobs that wait for the jobs they depend on", play_build_graph, 0},
	{"next-slot", "a worker blocks with a task in its slot", play_next_slot, 0},
	{"pipe-reader", "a reader of a pipe, on the only worker", play_pipe_reader, 1},
	{"device-poll", "waiting for a slow device", play_device_poll, 0},
	{"request-audit", "requests, each with a job beside it", play_request_audit, 0},
	{"idle-server", "connections that say nothing", play_idle_server, 0},
	{"hangups", "connections whose peers hang up", play_hangups, 0},
	{"idle-pool", "a pool without work", play_idle_pool, 0},
	{"long-sleep", "a sleep of an hour, cancelled", play_long_sleep, 0},
	{"producer-consumer", "numbers through a ring, at speed", play_producer_consumer, 0},
	{"mailboxes", "messages, at speed", play_mailboxes, 0},
	{"fan-out", "many children, and their results", play_fan_out, 0},
	{"contention", "one mutex that all want", play_contention, 0},
	{"barriers", "jobs that keep step", play_barriers, 0},
	{"broadcast", "one event for many", play_broadcast, 0},
	{"yields", "jobs that give way to each other", play_yields, 0},
	{"timers", "many sleepers", play_timers, 0},
	{"generators", "generators, some left in the middle", play_generators, 0},
	{"cancellation", "sleepers that are woken early", play_cancellation, 0},
	{"scopes", "coroutines destroyed where they stand", play_scopes, 0},
	{"shutdown", "an end in the middle of work", play_shutdown, 0},
};

} // namespace

std::span<const Scenario> scenarios()
{
	return all_scenarios;
}

const Scenario *find_scenario(std::string_view name)
{
	for (const Scenario &scenario : all_scenarios)
		if (name == scenario.name)
			return &scenario;
	return nullptr;
}
