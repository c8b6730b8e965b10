/* SPDX-License-Identifier: MIT */
/*
 * (m) leak: requests come in at a steady rate. Each is served by a fiber, which has an `auditor` fiber write down the
 * result. With the fault, the auditor of every second failed request is not notified, and waits forever.
 */
#include "stage.h"
#include "synchronisation.h"
#include "truth.h"

#define NR_REQUESTS 200u
#define PERIOD_NS UINT64_C(10000000)

struct request {
	unsigned number;
	struct fiber_channel result;
	uintptr_t items[1];
	struct fiber *auditor;
	bool has_failed;
};

static struct request requests[NR_REQUESTS];
static _Atomic unsigned nr_audited;

static void audit(void *argument)
{
	struct request *request = argument;

	request->has_failed = fiber_channel_receive(&request->result) != 0;
	atomic_fetch_add(&nr_audited, 1);
}

static void serve(void *argument)
{
	struct request *request = argument;
	bool has_failed = request->number % 2 == 1;

	request->auditor = stage_spawn("auditor", audit, request);
	fiber_yield(); /* the work itself */
	if (has_failed && has_fault(LEAK))
		truth_cause(LEAK, fiber_id(request->auditor), fiber_id(fiber_self()));
	else
		fiber_channel_send(&request->result, has_failed);
}

static void accept_requests(void *argument)
{
	uint64_t next_ns = fiber_now_ns();
	unsigned i;

	(void)argument;
	for (i = 0; i < NR_REQUESTS; i++) {
		struct fiber *server;

		requests[i].number = i;
		fiber_channel_init(&requests[i].result, requests[i].items, 1);
		server = stage_spawn("server", serve, &requests[i]);
		fiber_join(server);
		next_ns += PERIOD_NS;
		fiber_sleep_until(next_ns);
	}
	if (has_fault(LEAK))
		stage_end(); /* the service stops; nobody asks for those who still wait */
}

static void begin_leak(void)
{
	stage_spawn("acceptor", accept_requests, NULL);
}

static bool is_leak_right(void)
{
	unsigned nr_failed = 0, i;

	for (i = 0; i < NR_REQUESTS; i++)
		nr_failed += requests[i].has_failed;
	return atomic_load(&nr_audited) == NR_REQUESTS && nr_failed == NR_REQUESTS / 2;
}

const struct scenario scenario_leak = {
	.fault = LEAK,
	.nr_workers = 2,
	.begin = begin_leak,
	.is_right = is_leak_right,
};
