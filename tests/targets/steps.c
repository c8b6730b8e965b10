/* SPDX-License-Identifier: MIT */
/*
 * Two versions of one program, for comparisons: a coroutine repeats the same steps, each of which waits for a while.
 *
 *	steps [PERCENT [audit | stuck]]
 *
 * The query takes PERCENT percent longer. audit: there is one more step. stuck: a second coroutine waits for an answer
 * that never comes.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "corotracer/ctp_probe.h"

#define ROUNDS 60
#define READ_NS 300000
#define QUERY_NS 1000000
#define REPLY_NS 200000

static void sleep_for(long ns)
{
	struct timespec time = {0, ns};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void wait_at(uint64_t coro, uint32_t site, long ns)
{
	ctp_suspend(coro, CTP_HANDLE(CTP_RESOURCE_EVENT, coro), site, CTP_POINT_AWAIT);
	sleep_for(ns);
	ctp_wake(0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, coro), CTP_SITE("done"), CTP_OUTCOME_QUEUED);
	ctp_resume(coro, CTP_POINT_AWAIT);
}

static void serve(uint64_t coro, long percent, bool has_audit)
{
	uint32_t region = CTP_SITE("db.query");

	wait_at(coro, CTP_SITE("read"), READ_NS);
	if (has_audit)
		wait_at(coro, CTP_SITE("audit"), REPLY_NS);
	ctp_region_begin(coro, 0, region);
	wait_at(coro, CTP_SITE("query"), QUERY_NS * (100 + percent) / 100);
	ctp_region_end(coro, region);
	wait_at(coro, CTP_SITE("reply"), REPLY_NS);
}

static uint64_t start(uint32_t site)
{
	uint64_t coro = ctp_coro_new();

	ctp_create(coro, 0, site);
	ctp_resume(coro, CTP_POINT_INITIAL);
	return coro;
}

static void be_stuck(void)
{
	uint64_t coro = start(CTP_SITE("asker"));

	ctp_suspend(
		coro, CTP_HANDLE(CTP_RESOURCE_EVENT, coro), CTP_SITE("answer"), CTP_POINT_AWAIT);
}

int main(int argc, char **argv)
{
	long percent = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	const char *more = argc > 2 ? argv[2] : "";
	uint64_t coro;
	int i;

	ctp_attach();
	if (strcmp(more, "stuck") == 0)
		be_stuck();
	coro = start(CTP_SITE("server"));
	for (i = 0; i < ROUNDS; i++)
		serve(coro, percent, strcmp(more, "audit") == 0);
	ctp_return(coro);
	ctp_destroy(coro, CTP_LIFE_DONE);
	return 0;
}
