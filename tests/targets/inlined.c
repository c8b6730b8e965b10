/* SPDX-License-Identifier: MIT */
/*
 * Two coroutines wait for each other's lock, in helpers that the compiler inlines into their functions, as it does with
 * a scheduler's own wrappers. The only recorded place of a wait is a return address in the inner helper.
 *
 * Comments mark the lines that a report should name.
 */
#include <signal.h>

#include "corotracer/ctp_probe.h"
#include "engine_beat.h"
#include "need.h"

#define TAKEN_IN static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
/* keeps the call before it from becoming a jump, and code from being moved across */
#define STAY __asm__ volatile("")

APART void suspend_here(uint64_t coro, uint64_t lock)
{
	ctp_suspend(coro, CTP_HANDLE(CTP_RESOURCE_LOCK, lock),
		ctp_site_address(__builtin_return_address(0), CTP_SITE_ADDRESS), CTP_POINT_AWAIT);
	STAY;
}

TAKEN_IN void wait_in_queue(uint64_t coro, uint64_t lock)
{
	suspend_here(coro, lock); /* innermost */
	STAY;
}

TAKEN_IN void take_lock(uint64_t coro, uint64_t lock)
{
	STAY;
	wait_in_queue(coro, lock); /* helper */
	STAY;
}

APART void handle_request(uint64_t coro)
{
	STAY;
	take_lock(coro, 0x41); /* request */
	STAY;
}

APART void refill_cache(uint64_t coro)
{
	STAY;
	take_lock(coro, 0x40); /* cache */
	STAY;
}

APART void begin(uint64_t coro, uint64_t lock)
{
	ctp_create(coro, 0, CTP_SITE("start"));
	ctp_resume(coro, CTP_POINT_INITIAL);
	ctp_acquire(coro, CTP_HANDLE(CTP_RESOURCE_LOCK, lock), CTP_SITE("first lock"));
}

int main(void)
{
	uint64_t request, cache;

	NEED(ctp_attach());
	request = ctp_coro_new();
	cache = ctp_coro_new();
	NEED(request == 1 && cache == 2);
	begin(request, 0x40);
	handle_request(request);
	begin(cache, 0x41);
	refill_cache(cache);
	ctp_park(0, 0);
	wait_for_engine();
	raise(SIGTERM); /* a program that ends by itself no longer needs its coroutines */
	return 0;
}
