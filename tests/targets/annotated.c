/* SPDX-License-Identifier: MIT */
/*
 * A program with annotations. Its first argument says what it does:
 *
 *	serve NUMBER     NUMBER requests, each a coroutine that begins a task, works in regions, and ends it on
 *	                 another coroutine; every second one is a health check
 *	phases           ten counter values in each phase: wanted, not wanted, wanted
 *	late             five counter values; asks to start recording; five more
 *	until FILE       works until there is such a file, and exits with 7
 *	serve-until FILE [SECONDS PAUSE]
 *	                 requests, as serve does, until there is such a file, for 100 s at most or as many as are
 *	                 given; 50 us, or as many as are given, lie between two
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"

#define LONGEST_SECONDS 100
#define PAUSE_US 50

static uint64_t make_coroutine(uint32_t site)
{
	uint64_t coro = ctp_coro_new();

	ctp_create(coro, coro, site);
	return coro;
}

static void query(uint64_t coro, uint64_t row)
{
	uint32_t region = CTP_SITE("db.query");

	ctp_region_begin(coro, 0, region);
	ctp_suspend(coro, CTP_HANDLE(CTP_RESOURCE_EVENT, row), CTP_SITE("row"), CTP_POINT_AWAIT);
	ctp_wake(0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, coro), CTP_SITE("arrived"),
		CTP_OUTCOME_QUEUED);
	ctp_resume(coro, CTP_POINT_AWAIT);
	ctp_region_end(coro, region);
}

static void answer(uint64_t acceptor, uint64_t number)
{
	bool is_check = number % 2 == 0;
	uint64_t coro = make_coroutine(CTP_SITE("answer"));
	const char *path = is_check ? "/health" : "/index.html";

	ctp_resume(coro, CTP_POINT_INITIAL);
	ctp_task_begin(coro, number, is_check ? CTP_SITE("health check") : CTP_SITE("request"));
	ctp_log_text(coro, path, strlen(path), CTP_SITE("GET {}"));
	query(coro, number);
	ctp_counter((int64_t)number, CTP_SITE("requests"));
	ctp_return(coro);
	ctp_destroy(coro, CTP_LIFE_DONE);
	ctp_task_end(acceptor, number);
}

static uint64_t make_acceptor(void)
{
	uint64_t acceptor = make_coroutine(CTP_SITE("accept"));

	ctp_name_coro(acceptor, CTP_SITE("acceptor"));
	ctp_daemon(acceptor);
	ctp_resume(acceptor, CTP_POINT_INITIAL);
	return acceptor;
}

static void accept_one(uint64_t acceptor, uint64_t number)
{
	ctp_suspend(acceptor, 0, CTP_SITE("connection"), CTP_POINT_AWAIT);
	answer(acceptor, number);
	ctp_resume(acceptor, CTP_POINT_AWAIT);
}

static void serve(unsigned long count)
{
	uint64_t acceptor = make_acceptor();
	unsigned long i;

	for (i = 1; i <= count; i++)
		accept_one(acceptor, i);
}

static void serve_until(const char *path, unsigned seconds, long pause_us)
{
	struct timespec pause = {.tv_nsec = 1000 * pause_us};
	uint64_t acceptor = make_acceptor(), i;

	alarm(seconds);
	for (i = 1; access(path, F_OK) != 0; i++) {
		accept_one(acceptor, i);
		nanosleep(&pause, NULL);
	}
}

static void count_up(void)
{
	int64_t i;

	for (i = 0; i < 10; i++)
		ctp_counter(i, CTP_SITE("steps"));
}

static void run_phases(void)
{
	count_up();
	ctp_stop();
	count_up();
	ctp_start();
	count_up();
}

/* One coroutine waits since before recording starts. */
static void start_late(void)
{
	uint64_t early = make_coroutine(CTP_SITE("early"));

	ctp_resume(early, CTP_POINT_INITIAL);
	ctp_suspend(early, CTP_HANDLE(CTP_RESOURCE_EVENT, 1), CTP_SITE("never"), CTP_POINT_AWAIT);
	count_up();
	ctp_start();
	count_up();
}

static int work_until(const char *path)
{
	alarm(LONGEST_SECONDS);
	while (access(path, F_OK) != 0)
		count_up();
	return 7;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	ctp_attach();
	if (strcmp(what, "serve") == 0 && argc > 2)
		serve(strtoul(argv[2], NULL, 10));
	else if (strcmp(what, "phases") == 0)
		run_phases();
	else if (strcmp(what, "late") == 0)
		start_late();
	else if (strcmp(what, "serve-until") == 0 && argc > 2)
		serve_until(argv[2],
			argc > 4 ? (unsigned)strtoul(argv[3], NULL, 10) : LONGEST_SECONDS,
			argc > 4 ? strtol(argv[4], NULL, 10) : PAUSE_US);
	else if (strcmp(what, "until") == 0 && argc > 2)
		return work_until(argv[2]);
	else
		return 2;
	return 0;
}
