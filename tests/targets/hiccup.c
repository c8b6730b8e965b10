/* SPDX-License-Identifier: MIT */
/*
 * A worker runs short coroutines, which a second thread wakes, until one of them, at a chosen moment, keeps the worker
 * busy for a while: all coroutines behind it wait.
 *
 *	hiccup DURATION_MS MOMENT_MS LENGTH_MS [crash | dump | stop | line]
 *
 * crash: calls abort() right after the hiccup. dump: asks for a dump then. stop: the worker runs no coroutine any more.
 * line: time begins when a line is read from standard input; until then all coroutines are created and suspended.
 * Prints "culprit ID FROM_NS UNTIL_NS" (CLOCK_MONOTONIC) as soon as the hiccup is over.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "corotracer/ctp_probe.h"

#define COROS 64u
#define WAKE_EVERY_NS 200000
#define WORK_NS 20000
#define QUEUE 65536u

static uint64_t coros[COROS];
static _Atomic uint32_t queue[QUEUE];
static _Atomic uint32_t head, tail;
static _Atomic bool is_over;

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void compute_until(uint64_t ns)
{
	while (now_ns() < ns)
		;
}

static void run(uint32_t which, uint64_t ns)
{
	ctp_resume(coros[which], CTP_POINT_AWAIT);
	compute_until(now_ns() + ns);
	ctp_suspend(coros[which], CTP_HANDLE(CTP_RESOURCE_EVENT, which + 1),
		CTP_SITE("next request"), CTP_POINT_AWAIT);
}

struct plan {
	uint64_t until_ns;
	uint64_t moment_ns;
	uint64_t length_ns;
	const char *then;
};

static void hiccup(const struct plan *plan)
{
	uint64_t from = now_ns();
	uint32_t compaction = CTP_SITE("compaction");

	ctp_resume(coros[0], CTP_POINT_AWAIT);
	ctp_region_begin(coros[0], 0, compaction);
	compute_until(from + plan->length_ns);
	ctp_region_end(coros[0], compaction);
	ctp_suspend(coros[0], CTP_HANDLE(CTP_RESOURCE_EVENT, 1), CTP_SITE("next request"),
		CTP_POINT_AWAIT);
	printf("culprit %llu %llu %llu\n", (unsigned long long)coros[0], (unsigned long long)from,
		(unsigned long long)now_ns());
	fflush(stdout);
	if (strcmp(plan->then, "crash") == 0)
		abort();
	if (strcmp(plan->then, "dump") == 0)
		ctp_dump("after the hiccup");
}

/* There is one worker and one waker. The hiccup comes however late this thread gets to run. */
static void *work(void *argument)
{
	const struct plan *plan = argument;
	bool was_there = false;

	while (!was_there || !atomic_load(&is_over)) {
		if (!was_there && now_ns() >= plan->moment_ns) {
			was_there = true;
			hiccup(plan);
			if (strcmp(plan->then, "stop") == 0)
				break;
		}
		if (atomic_load(&tail) != atomic_load(&head)) {
			uint32_t at = atomic_fetch_add(&tail, 1) % QUEUE;

			run(atomic_load(&queue[at]), WORK_NS);
		}
	}
	return NULL;
}

static void wake_all_the_time(uint64_t until_ns)
{
	uint32_t which = 1;
	uint64_t next = now_ns();

	for (; next < until_ns; next += WAKE_EVERY_NS) {
		struct timespec time = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
		if (atomic_load(&head) - atomic_load(&tail) >= COROS - 2)
			continue; /* all coroutines are in the queue */
		ctp_wake(0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, coros[which]),
			CTP_SITE("request came"), CTP_OUTCOME_QUEUED);
		atomic_store(&queue[atomic_load(&head) % QUEUE], which);
		atomic_fetch_add(&head, 1);
		which = which + 1 == COROS ? 1 : which + 1;
	}
}

static struct plan plan_from(char **argv, const char *then)
{
	uint64_t start = now_ns();

	return (struct plan){
		.until_ns = start + strtoull(argv[1], NULL, 10) * 1000000u,
		.moment_ns = start + strtoull(argv[2], NULL, 10) * 1000000u,
		.length_ns = strtoull(argv[3], NULL, 10) * 1000000u,
		.then = then,
	};
}

static void create_all(void)
{
	uint32_t i;

	for (i = 0; i < COROS; i++) {
		coros[i] = ctp_coro_new();
		ctp_create(coros[i], 0, CTP_SITE("worker coroutine"));
		ctp_resume(coros[i], CTP_POINT_INITIAL);
		ctp_suspend(coros[i], CTP_HANDLE(CTP_RESOURCE_EVENT, i + 1),
			CTP_SITE("next request"), CTP_POINT_AWAIT);
	}
}

int main(int argc, char **argv)
{
	const char *then = argc > 4 ? argv[4] : "";
	struct plan plan;
	pthread_t worker;

	if (argc < 4)
		return 2;
	ctp_attach();
	create_all();
	if (strcmp(then, "line") == 0)
		getchar();
	plan = plan_from(argv, then);
	pthread_create(&worker, NULL, work, &plan);
	wake_all_the_time(plan.until_ns);
	atomic_store(&is_over, true);
	pthread_join(worker, NULL);
	return 0;
}
